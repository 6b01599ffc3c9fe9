// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Any model, with errors at given requests: for tests of what an app does when a model fails.
public struct FailingLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  private let failure: @Sendable (Int) -> (any Error)?
  private let requestCount = RequestCount()

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers where there is no error.
  ///   - failure: The error of a request, by the number of requests before it; nil for none.
  public init(_ base: Base, failure: @escaping @Sendable (Int) -> (any Error)?) {
    self.base = base
    self.failure = failure
  }

  /// Creates a model whose first requests fail.
  public init(_ base: Base, failingFirst count: Int, with error: any Error) {
    self.init(base) { $0 < count ? error : nil }
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    if let error = failure(requestCount.next()) { throw error }
    try await next.respond(to: request, streamingInto: channel)
  }

  private final class RequestCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count - 1
      }
    }
  }
}

/// Any model, with a pause before each part of its answer: for tests of waiting and cancellation.
public struct SlowLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  /// The pause before each part.
  public var delay: Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers.
  ///   - delay: The pause before each part.
  ///   - sleep: Waits; for tests that do not look at the clock.
  public init(
    _ base: Base, delay: Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.base = base
    self.delay = delay
    self.sleep = sleep
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let (delay, sleep) = (delay, sleep)
    try await next.respond(
      to: request,
      streamingInto: LanguageModelExecutorGenerationChannel { event in
        try? await sleep(delay.clampedWait)
        await channel.send(event)
      })
    try Task.checkCancellation()
  }
}
