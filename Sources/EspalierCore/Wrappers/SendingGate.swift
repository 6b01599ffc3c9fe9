// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands parts of an answer on, and knows whether there was one. It may hold them back until it is
/// known that no other answer takes their place.
final class SendingGate: Sendable {
  typealias Channel = LanguageModelExecutorGenerationChannel

  private struct State {
    var hasSent = false
    var isClosed = false
    var holdsBack: Bool
    var held: [Channel.Event] = []
  }

  private let target: Channel
  private let state: Mutex<State>

  init(channel: Channel, holdsBack: Bool = false) {
    target = channel
    state = Mutex(State(holdsBack: holdsBack))
  }

  /// Lets nothing through any more.
  func close() { state.withLock { $0.isClosed = true } }

  /// Lets nothing through any more, unless a part has gone through already; whether it closed. What
  /// comes late from an answer that was given up is then not taken for a part of the next one.
  func closeIfUnused() -> Bool {
    state.withLock { state in
      if !state.hasSent {
        state.isClosed = true
        state.held = []
      }
      return !state.hasSent
    }
  }

  /// Hands on what was held back, and from then on what comes.
  func release() async {
    while true {
      let events = state.withLock { state in
        defer { state.held = [] }
        if state.held.isEmpty { state.holdsBack = false } else { state.hasSent = true }
        return state.held
      }
      if events.isEmpty { return }
      for event in events { await target.send(event) }
    }
  }

  /// Where the model sends to.
  var channel: Channel {
    Channel { [self] event in
      let isOpen = state.withLock { state in
        if state.isClosed { return false }
        if state.holdsBack {
          state.held.append(event)
          return false
        }
        // What was read so far is no part of an answer.
        if !event.isUsage { state.hasSent = true }
        return true
      }
      if isOpen { await target.send(event) }
    }
  }
}
