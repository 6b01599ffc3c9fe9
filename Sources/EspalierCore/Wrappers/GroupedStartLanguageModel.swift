// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Any model, with requests held back so that they start in groups: so many together, or those that
/// have come after some time.
///
/// Only the starts are delayed: each request is answered by itself. That pays where the model puts
/// requests that come at the same time into one batch, as many servers do. Copies of the model share
/// the groups.
public struct GroupedStartLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  private let gate: StartGate

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers.
  ///   - size: How many requests start at once.
  ///   - longestWait: How long a request waits for others.
  public init(_ base: Base, size: Int, longestWait: Duration) {
    self.base = base
    gate = StartGate(size: size, longestWait: longestWait)
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await gate.wait()
    try await next.respond(to: request, streamingInto: channel)
  }
}

/// Lets through whoever waits, together.
final class StartGate: Sendable {
  fileprivate struct State {
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
    var batch = 0
  }

  private let state = Mutex(State())
  private let size: Int
  private let longestWait: Duration

  init(size: Int, longestWait: Duration) {
    self.size = max(1, size)
    self.longestWait = longestWait
  }

  /// - Throws: `CancellationError` where the task is cancelled.
  func wait() async throws {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enter(continuation, number: number)
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
      waiter?.resume()
    }
    try Task.checkCancellation()
  }

  private func enter(_ continuation: CheckedContinuation<Void, Never>, number: Int) {
    let (released, batch): ([CheckedContinuation<Void, Never>], Int?) = state.withLock { state in
      if Task.isCancelled { return ([continuation], nil) }
      state.waiters[number] = continuation
      if state.waiters.count >= size { return (state.release(), nil) }
      return ([], state.waiters.count == 1 ? state.batch : nil)
    }
    for waiter in released { waiter.resume() }
    guard let batch else { return }
    // The first of a batch sees to it that nobody waits for too long.
    Task { [self] in
      try? await Task.sleep(for: longestWait.clampedWait)
      let late = state.withLock { $0.batch == batch ? $0.release() : [] }
      for waiter in late { waiter.resume() }
    }
  }
}

extension StartGate.State {
  fileprivate mutating func release() -> [CheckedContinuation<Void, Never>] {
    batch += 1
    defer { waiters.removeAll() }
    return waiters.sorted { $0.key < $1.key }.map(\.value)
  }
}
