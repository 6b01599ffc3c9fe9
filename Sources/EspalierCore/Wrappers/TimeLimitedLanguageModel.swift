// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Any model, given a limited time for each request: ``LanguageModelError/timeout(_:)`` after that.
///
/// A model that goes on although it was cancelled holds nobody up: what it still sends is dropped.
public struct TimeLimitedLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  /// How long a request may take.
  public var limit: Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers.
  ///   - limit: How long a request may take.
  ///   - sleep: Waits until the time is over; for tests.
  public init(
    _ base: Base, limit: Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.base = base
    self.limit = limit
    self.sleep = sleep
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let gate = SendingGate(channel: channel)
    let (limit, sleep) = (limit, sleep)
    let race = Race()
    // No task group: it would wait for a model that does not notice that it was cancelled.
    let answer = Task {
      do {
        try await next.respond(to: request, streamingInto: gate.channel)
        race.end(.success(()))
      } catch {
        race.end(.failure(error))
      }
    }
    let timer = Task {
      guard (try? await sleep(limit.clampedWait)) != nil else { return }
      race.end(
        .failure(
          LanguageModelError.timeout(
            .init(debugDescription: "The model did not answer within \(limit)."))))
    }
    defer {
      gate.close()
      answer.cancel()
      timer.cancel()
    }
    try await withTaskCancellationHandler {
      try await race.value
    } onCancel: {
      race.end(.failure(CancellationError()))
    }
  }
}

/// The first of several ends; the others do not count.
private final class Race: Sendable {
  private struct State {
    var result: Result<Void, any Error>?
    var waiter: CheckedContinuation<Void, any Error>?
  }

  private let state = Mutex(State())

  func end(_ result: Result<Void, any Error>) {
    let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }

  /// Waits for the first end; asked for once.
  var value: Void {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.waiter = continuation }
          return state.result
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }
}
