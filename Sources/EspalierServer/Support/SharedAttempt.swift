// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An attempt that is made once for all who ask while it runs. Who asks after its end makes another.
///
/// The attempt is cancelled when everyone who waits for it is.
final class SharedAttempt<Value: Sendable>: Sendable {
  private struct State {
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    var nextID = 0
    /// The attempt under way. One that was cancelled may still run, and has nobody to tell.
    var task: Task<Void, Never>?
    var number = 0

    /// Ends the attempt under way.
    mutating func end() {
      waiters = [:]
      task = nil
      number += 1
    }
  }

  private let state = Mutex(State())

  /// How many wait for the attempt under way.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Waits for the attempt under way, or begins one.
  ///
  /// - Throws: What the attempt throws; `CancellationError` where the task is cancelled.
  func value(of attempt: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isIn = state.withLock { state in
          if Task.isCancelled { return false }
          state.waiters[id] = continuation
          if state.task == nil {
            let number = state.number
            state.task = Task { [self] in await run(attempt, number: number) }
          }
          return true
        }
        if !isIn { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let (waiter, task) = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        var task: Task<Void, Never>?
        if waiter != nil, state.waiters.isEmpty {
          task = state.task
          state.end()
        }
        return (waiter, task)
      }
      task?.cancel()
      waiter?.resume(throwing: CancellationError())
    }
  }

  private func run(_ attempt: @Sendable () async throws -> Value, number: Int) async {
    let result: Result<Value, any Error>
    do { result = .success(try await attempt()) } catch { result = .failure(error) }
    let waiters = state.withLock { state in
      guard state.number == number else { return [] as [CheckedContinuation<Value, any Error>] }
      defer { state.end() }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(with: result) }
  }
}
