// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// A model that draws a valid value of any schema from a seed: for tests, previews and demos.
///
/// ```swift
/// let session = LanguageModelSession(model: SamplingLanguageModel(seed: 7))
/// let itinerary = try await session.respond(to: "Kyoto", generating: Itinerary.self).content
/// ```
///
/// It goes through the same grammar and matcher as a real model, token by token, so a stream looks
/// like one; what it writes satisfies the schema, and reads as if it belonged to its fields. The same seed, schema and
/// options give the same bytes on every platform. A request's own seed
/// (``GenerationOptions/SamplingMode``) comes before the model's; further requests on one transcript
/// draw further values.
///
/// It calls tools too: always where ``GenerationOptions/ToolCallingMode/required`` says so, else with
/// ``toolCallProbability``, but not twice in a row.
public struct SamplingLanguageModel: LanguageModel {
  /// What the draws follow from.
  public var seed: UInt64

  /// How many characters strings tend to have.
  public var typicalStringLength: Int

  /// Whether strings get a text that suits the name of their field, where the schema allows one:
  /// `Lisbon` for a `city`, a time from 2026 on for a `date-time`. Objects that allow any member have
  /// those that they declare. Off, strings are drawn word by word, with lengths that vary more, and keys
  /// too: for tests that look for what an app does not expect.
  public var drawsFittingTexts = true

  /// How long to wait before each token.
  public var tokenDelay: Duration

  /// How likely a tool is called before an answer, from 0 to 1.
  public var toolCallProbability: Double

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - seed: What the draws follow from.
  ///   - typicalStringLength: How many characters strings tend to have.
  ///   - tokenDelay: How long to wait before each token.
  ///   - toolCallProbability: How likely a tool is called before an answer, from 0 to 1.
  public init(
    seed: UInt64 = 0, typicalStringLength: Int = 24, tokenDelay: Duration = .zero,
    toolCallProbability: Double = 0
  ) {
    self.seed = seed
    self.typicalStringLength = typicalStringLength
    self.tokenDelay = tokenDelay
    self.toolCallProbability = toolCallProbability
  }

  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration, .toolCalling])
  }

  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  /// Draws values.
  public struct Executor: LanguageModelExecutor {
    /// There is nothing to configure.
    public struct Configuration: Hashable, Sendable {
      /// Creates a configuration.
      public init() {}
    }

    private let grammars = GrammarCache(capacity: 64)

    public init(configuration: Configuration) {}

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SamplingLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await ComputeThreads.shared.run {
        try await answer(request, model: model, streamingInto: channel)
      }
    }

    private func answer(
      _ request: LanguageModelExecutorGenerationRequest, model: SamplingLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      // A later turn of a conversation draws other values than the first.
      let base = request.generationOptions.samplingMode?.seed ?? model.seed
      var generator = SplitMix64(seed: base &+ UInt64(request.transcript.count) << 32)
      if let grammar = request.generationOptions.grammar {
        do {
          return try await write(
            try grammar.compiled(tokenOfText: nil), model,
            tokenLimit: request.generationOptions.maximumResponseTokens, using: &generator,
            into: channel)
        } catch let error as GrammarError {
          throw LanguageModelError.unsupportedGenerationGuide(
            .init(schemaName: nil, debugDescription: error.description))
        }
      }
      let tool = model.toolToCall(for: request, using: &generator)
      var grammar: Grammar?
      // All tools, so that it is not left to chance whether one that no call can satisfy is told of.
      for offered in model.offeredTools(of: request) {
        _ = try await grammars.grammar(of: offered)
      }
      if let tool {
        grammar = try await grammars.grammar(of: tool)
      } else if let schema = request.schema {
        grammar = try await grammars.grammar(for: schema)
      }
      let sampler = SchemaSampler(
        grammar: grammar,
        typicalStringLength: model.typicalStringLength,
        drawsFittingTexts: model.drawsFittingTexts,
        tokenLimit: request.generationOptions.maximumResponseTokens)
      var run = sampler.start()
      while let bytes = try run.next(using: &generator) {
        await ComputeThreads.shared.turn()
        try Task.checkCancellation()
        if model.tokenDelay > .zero { try await Task.sleep(for: model.tokenDelay.clampedWait) }
        let text = String(decoding: bytes, as: UTF8.self)
        if let tool {
          await channel.send(
            .toolCalls(
              action: .toolCall(
                id: "call-\(request.transcript.count)", name: tool.name,
                action: .appendArguments(text, tokenCount: 1))))
        } else {
          await channel.send(.response(action: .appendText(text, tokenCount: 1)))
        }
      }
    }

    private func write(
      _ grammar: Grammar, _ model: SamplingLanguageModel, tokenLimit: Int?,
      using generator: inout SplitMix64, into channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      var sampler = TextSampler(grammar: grammar, tokenLimit: tokenLimit)
      while let bytes = try sampler.next(using: &generator) {
        await ComputeThreads.shared.turn()
        try Task.checkCancellation()
        if model.tokenDelay > .zero { try await Task.sleep(for: model.tokenDelay.clampedWait) }
        let text = String(decoding: bytes, as: UTF8.self)
        await channel.send(.response(action: .appendText(text, tokenCount: 1)))
      }
    }
  }

  private func offeredTools(
    of request: LanguageModelExecutorGenerationRequest
  ) -> [Transcript.ToolDefinition] {
    request.generationOptions.toolCallingMode == .disallowed ? [] : request.enabledToolDefinitions
  }

  /// The tool that is called in place of an answer; nil for none.
  private func toolToCall(
    for request: LanguageModelExecutorGenerationRequest, using generator: inout SplitMix64
  ) -> Transcript.ToolDefinition? {
    let tools = offeredTools(of: request)
    guard !tools.isEmpty else { return nil }
    if request.generationOptions.toolCallingMode != .required {
      if case .toolOutput? = request.transcript.last { return nil }
      guard toolCallProbability > 0,
        Double.random(in: 0..<1, using: &generator) < toolCallProbability
      else { return nil }
    }
    return tools.randomElement(using: &generator)
  }
}

extension SamplingLanguageModel: GrammarGuidedModel {}
