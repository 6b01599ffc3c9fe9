// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Any model, asked no faster than it should be: requests wait for their turn.
///
/// ```swift
/// let limited = RateLimitedLanguageModel(model, concurrentRequests: 20)
/// ```
///
/// The limits of a minute are token buckets: as many as a minute allows may come at once, and the
/// bucket fills again evenly. Tokens are charged once they are known, so a request waits for those
/// before it. Requests that run at once are counted until they end, a stream until its last part;
/// those that wait keep their order, and leave it where their task is cancelled. Copies share their
/// limits.
public struct RateLimitedLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  private let limiter: RateLimiter
  private let gate: ConcurrencyGate?
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers.
  ///   - requestsPerMinute: How many requests a minute may have; no limit where nil.
  ///   - tokensPerMinute: How many tokens a minute may have; no limit where nil.
  ///   - concurrentRequests: How many requests may run at once, at least one; no limit where nil.
  ///   - now: The time; for tests.
  ///   - sleep: Waits; for tests.
  public init(
    _ base: Base, requestsPerMinute: Double? = nil, tokensPerMinute: Double? = nil,
    concurrentRequests: Int? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.base = base
    self.now = now
    self.sleep = sleep
    limiter = RateLimiter(
      requestsPerMinute: requestsPerMinute, tokensPerMinute: tokensPerMinute)
    gate = concurrentRequests.map(ConcurrencyGate.init)
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await gate?.enter()
    defer { gate?.leave() }
    while let pause = limiter.pauseBeforeRequest(at: now()) { try await sleep(pause) }
    let meter = EventMeter()
    defer { limiter.charge(tokens: meter.usage.totalTokenCount, at: now()) }
    try await next.respond(to: request, streamingInto: meter.channel(into: channel))
  }
}

/// Two token buckets.
final class RateLimiter: Sendable {
  private struct Bucket {
    let perSecond: Double
    let capacity: Double
    var level: Double
    var filledAt: ContinuousClock.Instant?

    init(perMinute: Double) {
      // What is no number limits as much as zero does.
      let perMinute = perMinute.isNaN ? 0 : min(perMinute, 1e12)
      perSecond = max(perMinute, 0.001) / 60
      capacity = max(perMinute, 1)
      level = capacity
    }

    mutating func fill(at now: ContinuousClock.Instant) {
      if let filledAt { level = min(capacity, level + (now - filledAt).seconds * perSecond) }
      filledAt = now
    }

    /// How long until the level is there; zero where it is.
    func wait(for needed: Double) -> Double { max(0, (needed - level) / perSecond) }
  }

  private let buckets: Mutex<(requests: Bucket?, tokens: Bucket?)>

  init(requestsPerMinute: Double?, tokensPerMinute: Double?) {
    buckets = Mutex(
      (requestsPerMinute.map(Bucket.init), tokensPerMinute.map(Bucket.init)))
  }

  /// How long a request has to wait; nil where it may go, which it is then taken to do.
  func pauseBeforeRequest(at now: ContinuousClock.Instant) -> Duration? {
    buckets.withLock { buckets in
      buckets.requests?.fill(at: now)
      buckets.tokens?.fill(at: now)
      let wait = max(buckets.requests?.wait(for: 1) ?? 0, buckets.tokens?.wait(for: 0) ?? 0)
      // Less than a microsecond is rounding.
      guard wait < 1e-6 else { return .wait(ofSeconds: wait) }
      buckets.requests?.level -= 1
      return nil
    }
  }

  func charge(tokens: Int, at now: ContinuousClock.Instant) {
    buckets.withLock { buckets in
      buckets.tokens?.fill(at: now)
      buckets.tokens?.level -= Double(tokens)
    }
  }
}
