import Synchronization

/// Hands parts of an answer on, and knows whether there was one.
final class SendingGate: Sendable {
  private let target: LanguageModelExecutorGenerationChannel
  private let state = Mutex((hasSent: false, isClosed: false))

  init(channel: LanguageModelExecutorGenerationChannel) { target = channel }

  /// Whether a part has gone through.
  var hasSent: Bool { state.withLock { $0.hasSent } }

  /// Lets nothing through any more.
  func close() { state.withLock { $0.isClosed = true } }

  /// Where the model sends to.
  var channel: LanguageModelExecutorGenerationChannel {
    LanguageModelExecutorGenerationChannel { [self] event in
      let isOpen = state.withLock { state in
        if !state.isClosed { state.hasSent = true }
        return !state.isClosed
      }
      if isOpen { await target.send(event) }
    }
  }
}
