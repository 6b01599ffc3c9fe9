// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts what goes by.
final class EventMeter: Sendable {
  private struct State: Sendable {
    var accumulator = EventAccumulator()
    var firstToken: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  /// What the answer has taken so far.
  var usage: LanguageModelSession.Usage { state.withLock { $0.accumulator.usage } }

  /// When the first token came that the model chose; nil where none has.
  var firstToken: ContinuousClock.Instant? { state.withLock { $0.firstToken } }

  /// What has come so far.
  func round(schema: GenerationSchema?) throws -> EventAccumulator.Round {
    let accumulator = state.withLock { $0.accumulator }
    return try accumulator.round(schema: schema)
  }

  func channel(
    into channel: LanguageModelExecutorGenerationChannel
  ) -> LanguageModelExecutorGenerationChannel {
    LanguageModelExecutorGenerationChannel { [self] event in
      state.withLock { state in
        if state.firstToken == nil, event.bringsChosenToken { state.firstToken = .now }
        _ = state.accumulator.apply(event)
      }
      await channel.send(event)
    }
  }
}

extension LanguageModelExecutorGenerationChannel.Event {
  /// Whether the event says nothing but how many tokens were taken.
  var isUsage: Bool {
    switch kind {
    case .response(let action): if case .usage = action.kind { true } else { false }
    case .reasoning(let action): if case .usage = action.kind { true } else { false }
    case .toolCalls(let action): if case .usage = action.kind { true } else { false }
    }
  }

  /// Whether the event brings tokens that the model chose. What a schema forces is there before the
  /// model has read anything; metadata, usage and attachments are no tokens.
  fileprivate var bringsChosenToken: Bool {
    if isForced { return false }
    switch kind {
    case .response(let action):
      switch action.kind {
      case .append(let text): return text.tokenCount > 0 || !text.content.isEmpty
      case .replace(let text): return text.tokenCount > 0 || !text.content.isEmpty
      case .addAttachment, .removeAttachment, .metadata, .usage: return false
      }
    case .reasoning(let action):
      switch action.kind {
      case .append(let text): return text.tokenCount > 0 || !text.content.isEmpty
      case .replace(let text): return text.tokenCount > 0 || !text.content.isEmpty
      case .signature, .metadata, .usage: return false
      }
    case .toolCalls(let action):
      guard case .call(let call) = action.kind, case .append = call.action.kind else {
        return false
      }
      return true
    }
  }
}
