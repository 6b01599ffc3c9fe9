// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets so many requests generate at once; the others wait in the order in which they came.
///
/// Each sequence that is under way has memory of its own in the model, which is why there is a limit
/// at all. Those under way take turns step by step (`ComputeThreads`).
final class SequenceSlots: Sendable {
  private struct State {
    var freeCount: Int
    var nextTicket = 0
    /// By ticket: the least one came first. Told whether they have a slot, or were cancelled.
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  }

  /// Whether the current task's request already has a slot: a request that is made while another is
  /// answered (by a channel that asks the model itself, say) would wait for its own end.
  @TaskLocal private static var isHeld = false

  private let state: Mutex<State>

  /// - Parameter limit: How many requests generate at once; at least one.
  init(limit: Int) { state = Mutex(State(freeCount: max(1, limit))) }

  /// Does some work once there is a slot for it.
  ///
  /// - Throws: `CancellationError` where the task is cancelled while it waits, and what the work throws.
  func withSlot<Result: Sendable>(
    _ work: @concurrent @Sendable () async throws -> Result
  ) async throws -> Result {
    if Self.isHeld { return try await work() }
    try await take()
    defer { giveBack() }
    return try await Self.$isHeld.withValue(true) { try await work() }
  }

  private func take() async throws {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    let hasSlot = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if state.freeCount > 0 {
            state.freeCount -= 1
            return true
          }
          state.waiting[ticket] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiting.removeValue(forKey: ticket) }
      waiter?.resume(returning: false)
    }
    guard hasSlot else { throw CancellationError() }
  }

  private func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let first = state.waiting.keys.min() else {
        state.freeCount += 1
        return nil
      }
      return state.waiting.removeValue(forKey: first)
    }
    next?.resume(returning: true)
  }
}
