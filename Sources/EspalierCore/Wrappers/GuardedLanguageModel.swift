// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A check of what goes into a model, or comes out of it.
public struct Guardrail: Sendable {
  /// What a check finds.
  public enum Verdict: Sendable, Hashable {
    /// The text may pass.
    case pass
    /// The text may not pass: ``LanguageModelError/guardrailViolation(_:)``.
    case block(reason: String)
    /// The request is declined with words for a person: ``LanguageModelError/refusal(_:)``.
    case refuse(explanation: String)
  }

  /// Looks at a text.
  public var check: @Sendable (String) async throws -> Verdict

  /// Creates a check.
  public init(_ check: @escaping @Sendable (String) async throws -> Verdict) { self.check = check }

  func apply(to text: String) async throws {
    switch try await check(text) {
    case .pass: return
    case .block(let reason):
      throw LanguageModelError.guardrailViolation(.init(debugDescription: reason))
    case .refuse(let explanation):
      throw LanguageModelError.refusal(.init(explanation: explanation))
    }
  }
}

/// Any model, with checks of prompts and answers that the app plugs in.
///
/// Answers are held back until they have been checked: a stream then comes in one go.
public struct GuardedLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  /// The checks of what is newly asked: the last prompt, or the outputs of tools.
  public var input: [Guardrail]
  /// The checks of answers.
  public var output: [Guardrail]

  /// Creates a model.
  public init(_ base: Base, input: [Guardrail] = [], output: [Guardrail] = []) {
    self.base = base
    self.input = input
    self.output = output
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    for guardrail in input {
      for entry in request.transcript.newEntries { try await guardrail.apply(to: entry.content) }
    }
    guard !output.isEmpty else {
      return try await next.respond(to: request, streamingInto: channel)
    }
    let held = HeldEvents()
    try await next.respond(to: request, streamingInto: held.channel)
    let meter = EventMeter()
    let counted = meter.channel(into: LanguageModelExecutorGenerationChannel { _ in })
    for event in held.events { await counted.send(event) }
    let text = try meter.round(schema: nil).entries.map(\.content).joined(separator: "\n")
    for guardrail in output { try await guardrail.apply(to: text) }
    for event in held.events { await channel.send(event) }
  }
}

extension Transcript {
  /// The last prompt, or what tools gave after it.
  fileprivate var newEntries: ArraySlice<Entry> {
    let outputs = entries.reversed().prefix {
      if case .toolOutput = $0 { true } else { false }
    }.count
    return entries.suffix(Swift.max(1, outputs))
  }
}

/// Parts of an answer that have not been sent on.
final class HeldEvents: GenerationEventSink {
  private let state = Mutex<[LanguageModelExecutorGenerationChannel.Event]>([])

  var events: [LanguageModelExecutorGenerationChannel.Event] { state.withLock { $0 } }

  func receive(_ event: LanguageModelExecutorGenerationChannel.Event) {
    state.withLock { $0.append(event) }
  }

  var channel: LanguageModelExecutorGenerationChannel {
    LanguageModelExecutorGenerationChannel(sink: self)
  }
}
