// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands parts of an answer on, and knows whether there was one.
final class SendingGate: Sendable {
  private let target: LanguageModelExecutorGenerationChannel
  private let state = Mutex((hasSent: false, isClosed: false))

  init(channel: LanguageModelExecutorGenerationChannel) { target = channel }

  /// Lets nothing through any more.
  func close() { state.withLock { $0.isClosed = true } }

  /// Lets nothing through any more, unless a part has gone through already; whether it closed. What
  /// comes late from an answer that was given up is then not taken for a part of the next one.
  func closeIfUnused() -> Bool {
    state.withLock { state in
      if !state.hasSent { state.isClosed = true }
      return !state.hasSent
    }
  }

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
