// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A model that says what it is told: for the tests of an app.
///
/// ```swift
/// let model = ScriptedLanguageModel([
///   .toolCall("FindSights", arguments: #"{"city": "Kyoto"}"#),
///   .text("Start at the Golden Pavilion."),
/// ])
/// let session = LanguageModelSession(model: model, tools: [FindSights()])
/// ```
///
/// Each request takes the next turn of the script; one more than there are is an error, unless the
/// script repeats. The same script gives the same events in every run.
///
/// Requests of several sessions at once take the turns in the order in which they come, which is another
/// in each run. For these make up the turn from the request, with ``init(chunking:contextSize:turn:)``.
public struct ScriptedLanguageModel: TokenCountingModel {
  /// What the model does for one request.
  public struct Turn: Sendable {
    /// The steps in order.
    public var steps: [Step]

    /// Creates a turn.
    public init(_ steps: [Step]) { self.steps = steps }

    /// A response of text, or of JSON where a schema is asked for.
    public static func text(_ text: String) -> Turn { Turn([.text(text)]) }

    /// A response of a value.
    public static func value(_ value: some ConvertibleToGeneratedContent) -> Turn {
      .text(value.generatedContent.jsonString)
    }

    /// A call of a tool.
    public static func toolCall(_ name: String, arguments: String) -> Turn {
      Turn([.toolCall(name: name, arguments: arguments)])
    }

    /// An error in place of a response.
    public static func failure(_ error: any Error) -> Turn { Turn([.failure(error)]) }
  }

  /// One thing that the model does.
  public enum Step: Sendable {
    /// Text of the response, in pieces as ``Chunking`` says.
    case text(String)
    /// Text of the response in these pieces.
    case pieces([String])
    /// Thinking.
    case reasoning(String)
    /// A call of a tool; calls of one turn are made at the same time.
    case toolCall(name: String, arguments: String)
    /// Waiting for a time.
    case delay(Duration)
    /// Waiting until a closure of the test's returns, so that the test says when the model goes on. What
    /// the closure throws ends the request.
    case wait(@Sendable () async throws -> Void)
    /// Saying how many tokens were read and written, and whether a limit shortened the answer.
    case usage(input: Int, output: Int, isShortened: Bool = false)
    /// An error, at this moment.
    case failure(any Error)
  }

  /// How text is cut into pieces.
  public enum Chunking: Sendable, Hashable {
    /// Not at all.
    case whole
    /// Before each word.
    case words
    /// Into characters.
    case characters
    /// Into pieces of random length, the same for the same seed.
    case random(seed: UInt64, maximumLength: Int = 8)
  }

  let script: Script
  public var capabilities: LanguageModelCapabilities
  /// How text is cut into pieces; each is counted as a token.
  public var chunking: Chunking

  /// The greatest number of tokens of transcript and response together.
  public var contextSize: Int

  /// Creates a model from the turns of its script.
  ///
  /// - Parameters:
  ///   - turns: What the model does for each request, in order.
  ///   - repeats: Whether the script begins again after its end.
  ///   - chunking: How text is cut into pieces.
  ///   - contextSize: How many words the model can read.
  public init(
    _ turns: [Turn], repeats: Bool = false, chunking: Chunking = .words,
    contextSize: Int = 1 << 20
  ) {
    self.init(chunking: chunking, contextSize: contextSize) { request, index in
      guard !turns.isEmpty, repeats || index < turns.count else {
        return .failure(ScriptEnded(turnCount: turns.count))
      }
      return turns[index % turns.count]
    }
  }

  /// Creates a model that makes up its turns.
  ///
  /// - Parameters:
  ///   - chunking: How text is cut into pieces.
  ///   - contextSize: How many words the model can read.
  ///   - turn: The turn for a request, and the number of requests before it.
  public init(
    chunking: Chunking = .words, contextSize: Int = 1 << 20,
    turn: @escaping @Sendable (LanguageModelExecutorGenerationRequest, Int) -> Turn
  ) {
    script = Script(turn: turn)
    self.chunking = chunking
    self.contextSize = contextSize
    capabilities = LanguageModelCapabilities([
      .vision, .guidedGeneration, .reasoning, .toolCalling,
    ])
  }

  /// The requests that the model has got, in order.
  public var requests: [LanguageModelExecutorGenerationRequest] { script.requests }

  /// How many times the model was made ready for a request.
  public var prewarmCount: Int { script.prewarmCount }

  /// The number of words of the entries, those of tool definitions and schemas included.
  public func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    entries.reduce(0) { $0 + Self.wordCount(of: $1) }
  }

  private static func wordCount(of entry: Transcript.Entry) -> Int {
    var texts = [entry.content]
    if case .instructions(let instructions) = entry {
      for tool in instructions.toolDefinitions {
        texts += [tool.name, tool.description, tool.parameters.debugDescription]
      }
    } else if case .prompt(let prompt) = entry, let format = prompt.responseFormat {
      texts.append(format.schema.debugDescription)
    }
    return texts.reduce(0) { $0 + $1.split(whereSeparator: \.isWhitespace).count }
  }

  /// There was no turn for a request.
  public struct ScriptEnded: ExplainedError, Sendable {
    /// How many turns there were.
    public var turnCount: Int

    public var userMessage: ErrorMessage { ErrorMessage(.scriptEnded) }

    public var problemDescription: String {
      "The script has \(turnCount) turn\(turnCount == 1 ? "" : "s"), and the model was asked once "
        + "more."
    }
  }
}

extension ScriptedLanguageModel {
  /// What copies of a model share: where they are in the script.
  final class Script: Sendable {
    private struct State {
      var requests: [LanguageModelExecutorGenerationRequest] = []
      var prewarmCount = 0
    }

    private let state = Mutex(State())
    private let turn: @Sendable (LanguageModelExecutorGenerationRequest, Int) -> Turn

    init(turn: @escaping @Sendable (LanguageModelExecutorGenerationRequest, Int) -> Turn) {
      self.turn = turn
    }

    var requests: [LanguageModelExecutorGenerationRequest] { state.withLock { $0.requests } }
    var prewarmCount: Int { state.withLock { $0.prewarmCount } }

    func notePrewarming() { state.withLock { $0.prewarmCount += 1 } }

    func next(for request: LanguageModelExecutorGenerationRequest) -> (turn: Turn, index: Int) {
      let index = state.withLock { state in
        state.requests.append(request)
        return state.requests.count - 1
      }
      return (turn(request, index), index)
    }
  }

  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  /// Plays the script.
  public struct Executor: LanguageModelExecutor {
    /// There is nothing to configure.
    public struct Configuration: Hashable, Sendable {
      /// Creates a configuration.
      public init() {}
    }

    public init(configuration: Configuration) {}

    public func prewarm(model: ScriptedLanguageModel, transcript: Transcript) {
      model.script.notePrewarming()
    }

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ScriptedLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let (turn, index) = model.script.next(for: request)
      for (number, step) in turn.steps.enumerated() {
        try Task.checkCancellation()
        switch step {
        case .text(let text):
          for piece in model.chunking.pieces(of: text) {
            try Task.checkCancellation()
            await channel.send(.response(action: .appendText(piece, tokenCount: 1)))
          }
        case .pieces(let pieces):
          for piece in pieces {
            try Task.checkCancellation()
            await channel.send(.response(action: .appendText(piece, tokenCount: 1)))
          }
        case .reasoning(let text):
          for piece in model.chunking.pieces(of: text) {
            await channel.send(.reasoning(action: .appendText(piece, tokenCount: 1)))
          }
        case .toolCall(let name, let arguments):
          for piece in model.chunking.pieces(of: arguments) {
            await channel.send(
              .toolCalls(
                action: .toolCall(
                  id: "call-\(index)-\(number)", name: name,
                  action: .appendArguments(piece, tokenCount: 1))))
          }
        case .delay(let duration): try await Task.sleep(for: duration.clampedWait)
        case .wait(let isOver): try await isOver()
        case .usage(let input, let output, let isShortened):
          await channel.send(
            .response(
              action: .updateUsage(
                input: .init(totalTokenCount: input), output: .init(totalTokenCount: output),
                metadata: isShortened ? [LanguageModelSession.Usage.shortened: true] : [:])))
        case .failure(let error): throw error
        }
      }
    }
  }
}

extension ScriptedLanguageModel.Chunking {
  /// The pieces of a text.
  func pieces(of text: String) -> [String] {
    switch self {
    case .whole: return [text]
    case .characters: return text.map { String($0) }
    case .words:
      var pieces: [String] = []
      for character in text {
        if pieces.isEmpty || character == " " { pieces.append("") }
        pieces[pieces.count - 1].append(character)
      }
      return pieces
    case .random(let seed, let maximumLength):
      var generator = SplitMix64(seed: seed)
      var pieces: [String] = []
      var rest = text[...]
      while !rest.isEmpty {
        let length = Int.random(in: 1...max(1, maximumLength), using: &generator)
        pieces.append(String(rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
      return pieces
    }
  }
}
