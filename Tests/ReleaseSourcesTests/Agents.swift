// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation
import Synchronization

// Agents of apps: profiles that a state chooses, tools that change the state, and modifiers that keep
// the history short, refuse calls or take notes.

@Observable
nonisolated final class Workshop: @unchecked Sendable {
  enum Step { case idea, plan, review }

  private let lock = NSLock()
  private var storedStep = Step.idea
  private var storedNotes: [String] = []

  var step: Step {
    get { lock.withLock { storedStep } }
    set { lock.withLock { storedStep = newValue } }
  }
  var notes: [String] { lock.withLock { storedNotes } }
  func note(_ text: String) { lock.withLock { storedNotes.append(text) } }
}

nonisolated struct NextStep: Tool {
  let workshop: Workshop
  let name = "nextStep"
  let description = "Goes on to the next step."

  @Generable struct Arguments { let reason: String }

  func call(arguments: Arguments) async throws -> String {
    workshop.step = workshop.step == .idea ? .plan : .review
    return "Went on because \(arguments.reason)."
  }
}

nonisolated struct Materials: Tool {
  let description = "Lists materials."
  @Generable struct Arguments {}
  func call(arguments: Arguments) async throws -> [String] { ["paper", "glue"] }
}

nonisolated struct TermInstructions: DynamicInstructions {
  let terms: [String: String]

  var body: some DynamicInstructions {
    if !terms.isEmpty {
      Instructions("Use these terms:\n")
      DynamicInstructions.ForEach(terms.keys.sorted(), id: \.self) { term in
        if let meaning = terms[term] { "\(term): \(meaning)\n" }
      }
    }
  }
}

nonisolated struct WorkshopProfile: LanguageModelSession.DynamicProfile {
  let workshop: Workshop
  let extraTools: [any Tool]
  let fallback: (any LanguageModel)?

  @LanguageModelSession.DynamicProfileBuilder
  var body: some LanguageModelSession.DynamicProfile {
    let greeting = "You help with crafts."
    switch workshop.step {
    case .idea:
      LanguageModelSession.Profile {
        Instructions(greeting)
        NextStep(workshop: workshop)
        extraTools
      }
      .temperature(1)
      .onActivate { workshop.note("idea on") }
      .onDeactivate { workshop.note("idea off") }
    case .plan:
      Profile {
        Instructions { greeting }
        TermInstructions(terms: ["fold": "a crease", "cut": "a slit"])
        extraTools + [NextStep(workshop: workshop)]
      }
      .samplingMode(.greedy)
      .maximumResponseTokens(100)
      .toolCallingMode(.disallowed)
    case .review:
      if let fallback {
        Profile { greeting }.model(fallback).reasoningLevel(.light)
      } else {
        Profile { greeting }
      }
    }
  }
}

// MARK: - Modifiers

enum WindowSize: Sendable {
  case entries(Int)
}

private struct ShownWindow: LanguageModelSession.DynamicProfileModifier {
  let size: WindowSize

  func body(content: Content) -> some DynamicProfile {
    content.historyTransform { history in
      switch size {
      case .entries(let count): return Array(history.suffix(count))
      }
    }
  }
}

private struct WithoutOldCalls: LanguageModelSession.DynamicProfileModifier {
  func body(content: Content) -> some DynamicProfile {
    content.historyTransform { history in
      let last =
        history.lastIndex { entry in
          if case .response = entry { return true }
          if case .toolCalls = entry { return true }
          return false
        } ?? history.startIndex
      let kept = history.prefix(upTo: last).filter { entry in
        switch entry {
        case .toolCalls, .toolOutput: false
        default: true
        }
      }
      return kept + history.suffix(from: last)
    }
  }
}

/// Compacts what came before, where a tool has answered: between two generations of one turn.
private struct CompactAtOutputs<Model: LanguageModel>: LanguageModelSession.DynamicProfileModifier {
  static var threshold: Int { 3 }

  let model: Model
  @LanguageModelSession.SessionProperty(\.history)
  private var history

  func body(content: Content) -> some LanguageModelSession.DynamicProfile {
    content.onToolOutput { _, output in
      let prospective = Array(history) + [.toolOutput(output)]
      guard prospective.count > Self.threshold,
        let prompt = history.lastIndex(where: { if case .prompt = $0 { true } else { false } })
      else { return }
      let summarizer = LanguageModelSession(
        model: model,
        instructions: Instructions {
          "Sum up."
        })
      let text = history[..<prompt].map(\.description).joined(separator: "\n")
      let summary = try await summarizer.respond(to: text).content
      let note = Transcript.Entry.response(
        Transcript.Response(segments: [.text(.init(content: summary))]))
      history = .init([note] + history[prompt...])
    }
  }
}

struct Refusal: Error, Equatable {
  let reason: String
}

/// A call that ends the turn before the tool runs.
struct EscapeHatch: LanguageModelSession.DynamicProfileModifier {
  func body(content: Content) -> some DynamicProfile {
    content.onToolCall { call in
      guard call.toolName == "giveUp" else { return }
      throw Refusal(reason: try call.arguments.value(String.self, forProperty: "reason"))
    }
  }
}

/// Marks the prompt that is about to be sent.
struct Stamped: LanguageModelSession.DynamicProfileModifier {
  @SessionProperty(\.history) private var history
  @SessionProperty(\.lastThought) private var lastThought
  let stamp: String

  func body(content: Content) -> some DynamicProfile {
    content
      .onPrompt { _ in
        guard
          let index = history.lastIndex(where: {
            if case .prompt = $0 { return true }
            return false
          }), case .prompt(var prompt) = history[index]
        else { return }
        prompt.segments.append(.text(Transcript.TextSegment(content: " [\(stamp)]")))
        history[index] = .prompt(prompt)
      }
      .onReasoning { reasoning in
        lastThought = reasoning.segments.map(\.description).joined()
      }
  }
}

nonisolated private struct LastThought: SessionPropertyKey {
  static let defaultValue: String? = nil
}

nonisolated extension SessionPropertyValues {
  var lastThought: String? {
    get { self[LastThought.self] }
    set { self[LastThought.self] = newValue }
  }
}

extension LanguageModelSession.DynamicProfile {
  func shownWindow(size: WindowSize) -> some DynamicProfile { modifier(ShownWindow(size: size)) }
  func withoutOldCalls() -> some DynamicProfile { modifier(WithoutOldCalls()) }
  func compacted(by model: some LanguageModel) -> some LanguageModelSession.DynamicProfile {
    modifier(CompactAtOutputs(model: model))
  }
}

// MARK: - Models

/// A model that says one thing a turn, and writes down what it was shown.
nonisolated struct TurnModel: LanguageModel {
  enum Event: Hashable {
    case call(name: String, arguments: String)
    case text(String)
  }

  let events: [Event]
  let recorder: Recorder

  var capabilities: LanguageModelCapabilities { .init([.toolCalling, .reasoning]) }
  var executorConfiguration: Executor.Configuration { .init(events: events, recorder: recorder) }

  final class Recorder: Sendable, Hashable {
    private let stored = Mutex<[Transcript]>([])
    var transcripts: [Transcript] { stored.withLock { $0 } }
    func record(_ transcript: Transcript) { stored.withLock { $0.append(transcript) } }
    static func == (left: Recorder, right: Recorder) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  struct Executor: LanguageModelExecutor {
    typealias Model = TurnModel

    struct Configuration: Hashable, Sendable {
      fileprivate let events: [Event]
      fileprivate let recorder: Recorder
    }

    private let configuration: Configuration
    init(configuration: Configuration) { self.configuration = configuration }

    nonisolated func respond(
      to request: LanguageModelExecutorGenerationRequest, model: TurnModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      configuration.recorder.record(request.transcript)
      var turn = 0
      for entry in request.transcript {
        switch entry {
        case .prompt: turn = 0
        case .toolCalls, .response, .reasoning: turn += 1
        default: break
        }
      }
      switch configuration.events[min(turn, configuration.events.count - 1)] {
      case .call(let name, let arguments):
        await channel.send(
          .toolCalls(
            entryID: UUID().uuidString,
            action: .toolCall(
              id: UUID().uuidString, name: name,
              action: .appendArguments(arguments, tokenCount: 1))))
      case .text(let text):
        let id = UUID().uuidString
        await channel.send(
          .response(entryID: id, action: .appendText(text, tokenCount: 1)))
        await channel.send(
          .response(
            entryID: id,
            action: .updateUsage(
              input: .init(totalTokenCount: 3, cachedTokenCount: 0),
              output: .init(totalTokenCount: 1, reasoningTokenCount: 0))))
      }
    }
  }
}

/// What a client of a server makes of a request.
nonisolated func wireFields(
  of request: LanguageModelExecutorGenerationRequest
) throws -> [String: String] {
  var fields: [String: String] = [:]
  fields["choice"] =
    switch request.generationOptions.toolCallingMode?.kind {
    case .allowed, .none: "auto"
    case .required: "required"
    case .disallowed: "none"
    @unknown default: "auto"
    }
  switch request.generationOptions.samplingMode?.kind {
  case .greedy: fields["top_p"] = "0"
  case .randomTopK(let top, let seed): fields["top_k"] = "\(top) \(seed ?? 0)"
  case .randomProbabilityThreshold(let threshold, let seed):
    guard seed == nil else {
      throw LanguageModelError.unsupportedTranscriptContent(
        .init(unsupportedContent: Array(request.transcript), debugDescription: "No seeds."))
    }
    fields["top_p"] = "\(threshold)"
  case .none: break
  @unknown default: break
  }
  fields["tools"] = request.enabledToolDefinitions.map(\.name).joined(separator: ",")
  fields["schema"] = request.schema?.name
  fields["limit"] = request.generationOptions.maximumResponseTokens.map { "\($0)" }
  return fields
}

nonisolated struct WireModel: LanguageModel {
  var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.vision, .toolCalling, .guidedGeneration])
  }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable {}
    init(configuration: Configuration) throws {}

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: WireModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let fields = try wireFields(of: request)
      let text = fields.keys.sorted().map { "\($0)=\(fields[$0] ?? "")" }.joined(separator: "&")
      await channel.send(.reasoning(entryID: "r", action: .appendText("hm", tokenCount: 1)))
      await channel.send(.response(entryID: "a", action: .appendText(text, tokenCount: 1)))
    }
  }
}
