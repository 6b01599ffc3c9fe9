import Synchronization

/// Counts what goes by.
final class EventMeter: Sendable {
  private struct State: Sendable {
    var accumulator = EventAccumulator()
    var firstEvent: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  /// What the answer has taken so far.
  var usage: LanguageModelSession.Usage { state.withLock { $0.accumulator.usage } }

  /// When the first part came.
  var firstEvent: ContinuousClock.Instant? { state.withLock { $0.firstEvent } }

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
        if state.firstEvent == nil { state.firstEvent = .now }
        _ = state.accumulator.apply(event)
      }
      await channel.send(event)
    }
  }
}
