// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets so many through at once; the others wait, in the order in which they came.
package final class ConcurrencyGate: Sendable {
  private struct State {
    var free: Int
    var waiters: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var nextID = 0
  }

  private let state: Mutex<State>

  /// - Parameter limit: How many are let through at once; at least one.
  package init(limit: Int) { state = Mutex(State(free: max(1, limit))) }

  /// Waits for a place, which ``leave()`` gives back.
  ///
  /// - Throws: `CancellationError` where the task is cancelled before there is one.
  /// - Complexity: O(n) in the number of those who wait.
  package func enter() async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isIn: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiters.append((id, continuation))
          return nil
        }
        if let isIn { continuation.resume(returning: isIn) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
    guard isIn else { throw CancellationError() }
  }

  /// Gives a place back, to the one who has waited longest.
  package func leave() {
    let next = state.withLock { state in
      if state.waiters.isEmpty {
        state.free += 1
        return nil as CheckedContinuation<Bool, Never>?
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
