// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Any model, asked again after errors that may pass.
///
/// A part of an answer that was streamed to the app cannot be taken back, so such an attempt is not
/// repeated. Where the app does not stream, an answer is held back until it is whole, and one that
/// ends early is repeated, too.
public struct RetryingLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  /// How often and after which pauses.
  public var policy: RetryPolicy

  /// Creates a model.
  public init(_ base: Base, policy: RetryPolicy = RetryPolicy()) {
    self.base = base
    self.policy = policy
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    var generator = SplitMix64(seed: policy.jitterSeed ?? .random(in: 0 ... .max))
    for attempt in 1...max(1, policy.maximumAttempts) {
      // What is streamed goes straight through; after its first part nothing is tried again.
      let gate = SendingGate(
        channel: channel, holdsBack: !request.isStreamed && attempt < policy.maximumAttempts)
      do {
        try await next.respond(to: request, streamingInto: gate.channel)
        return await gate.release()
      } catch {
        guard attempt < policy.maximumAttempts, !(error is CancellationError),
          policy.isWorthRetrying(error), gate.closeIfUnused()
        else {
          await gate.release()
          throw error
        }
        try await policy.sleep(
          policy.pause(after: attempt, error: error, using: &generator))
      }
    }
  }
}

/// How often, and after which pauses, a request is made again.
public struct RetryPolicy: Sendable {
  /// How many attempts are made at most, the first included.
  public var maximumAttempts: Int
  /// The pause after the first attempt; it doubles after each.
  public var baseDelay: Duration
  /// The longest pause.
  public var maximumDelay: Duration
  /// What the random part of the pauses follows from; other pauses in each run where nil.
  public var jitterSeed: UInt64?
  /// Whether another attempt may help after an error.
  public var isWorthRetrying: @Sendable (any Error) -> Bool
  /// How to wait.
  public var sleep: @Sendable (Duration) async throws -> Void

  /// Creates a policy.
  public init(
    maximumAttempts: Int = 3, baseDelay: Duration = .milliseconds(500),
    maximumDelay: Duration = .seconds(30), jitterSeed: UInt64? = nil,
    isWorthRetrying: @escaping @Sendable (any Error) -> Bool = RetryAdvice.isWorthRetrying,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.maximumAttempts = maximumAttempts
    self.baseDelay = baseDelay
    self.maximumDelay = maximumDelay
    self.jitterSeed = jitterSeed
    self.isWorthRetrying = isWorthRetrying
    self.sleep = sleep
  }

  /// A pause between half and all of `baseDelay`, doubled after each attempt; where the model says
  /// when it takes requests again, at least until then.
  func pause(
    after attempt: Int, error: any Error, using generator: inout SplitMix64
  ) -> Duration {
    let doubled = baseDelay.clampedWait * (1 << min(attempt - 1, 20))
    let jitter = Double(generator.next() >> 11) / Double(UInt64(1) << 53)
    let pause = min(maximumDelay.clampedWait, doubled) * (0.5 + jitter / 2)
    guard case LanguageModelError.rateLimited(let payload) = error, let date = payload.resetDate
    else { return pause }
    return max(pause, .wait(ofSeconds: date.timeIntervalSinceNow))
  }
}
