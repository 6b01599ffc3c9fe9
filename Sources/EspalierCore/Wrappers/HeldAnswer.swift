// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An answer that is held back until it is known how sure its model is of it.
final class HeldAnswer: Sendable {
  private let events = Mutex<[LanguageModelExecutorGenerationChannel.Event]>([])

  /// Where the model sends to.
  var channel: LanguageModelExecutorGenerationChannel {
    LanguageModelExecutorGenerationChannel { [self] event in
      events.withLock { $0.append(event) }
    }
  }

  /// The least probability of a choice that the answer made; 1 where it made none.
  var sureness: Double {
    events.withLock { events in
      var measures: [ValueProbability] = []
      for case .response(let action) in events.map(\.kind) {
        guard case .metadata(let metadata) = action.kind else { continue }
        measures = [ValueProbability](metadata: metadata.values)
      }
      return measures.filter { !$0.cases.isEmpty }.map(\.probability).min() ?? 1
    }
  }

  func send(to target: LanguageModelExecutorGenerationChannel) async {
    for event in events.withLock({ $0 }) { await target.send(event) }
  }
}
