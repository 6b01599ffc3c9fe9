// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Any model, with counts and times of its requests.
public struct MeteredLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  /// Where counts and times go.
  public let metrics: GenerationMetrics

  /// Creates a model.
  public init(_ base: Base, metrics: GenerationMetrics = GenerationMetrics()) {
    self.base = base
    self.metrics = metrics
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let meter = EventMeter()
    let start = ContinuousClock.now
    var hasFailed = true
    defer {
      metrics.add(
        latency: .now - start,
        timeToFirstToken: meter.firstToken.map { $0 - start },
        usage: meter.usage, hasFailed: hasFailed)
    }
    try await next.respond(to: request, streamingInto: meter.channel(into: channel))
    hasFailed = false
  }
}

/// Counts and times of requests.
public final class GenerationMetrics: Sendable {
  /// Counts and times at one moment.
  public struct Snapshot: Sendable, Equatable {
    /// How many requests there were.
    public var requestCount = 0
    /// How many of them failed.
    public var failureCount = 0
    /// How many tokens were read.
    public var inputTokenCount = 0
    /// How many of the tokens that were read were known from an earlier request: hosts charge less for
    /// them.
    public var cachedInputTokenCount = 0
    /// How many tokens were written.
    public var outputTokenCount = 0
    /// How many of the tokens that were written are reasoning.
    public var reasoningTokenCount = 0
    /// How long requests took.
    public var latency = Percentiles()
    /// How long it took until the first token that the model chose; what a schema forces at the
    /// beginning of a response, metadata and usage do not count.
    public var timeToFirstToken = Percentiles()
  }

  /// Times that so many of a hundred do not exceed (nearest rank); zero where there are none.
  public struct Percentiles: Sendable, Equatable {
    /// Half of all.
    public var p50 = Duration.zero
    /// 95 of 100.
    public var p95 = Duration.zero
    /// 99 of 100.
    public var p99 = Duration.zero

    init() {}

    init(_ values: [Duration]) {
      let sorted = values.sorted()
      func rank(_ share: Double) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        return sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
      }
      p50 = rank(0.5)
      p95 = rank(0.95)
      p99 = rank(0.99)
    }
  }

  private struct State: Sendable {
    var counts = Snapshot()
    var latencies: [Duration] = []
    var firstTokens: [Duration?] = []
    var next = 0
  }

  private let state = Mutex(State())
  private let window: Int

  /// Creates metrics of nothing.
  ///
  /// - Parameter window: Of how many requests, the newest, times are kept.
  public init(window: Int = 1024) { self.window = max(1, window) }

  func add(
    latency: Duration, timeToFirstToken: Duration?, usage: LanguageModelSession.Usage,
    hasFailed: Bool
  ) {
    state.withLock { state in
      state.counts.requestCount += 1
      state.counts.failureCount += hasFailed ? 1 : 0
      state.counts.inputTokenCount.addSaturating(usage.input.totalTokenCount)
      state.counts.cachedInputTokenCount.addSaturating(usage.input.cachedTokenCount)
      state.counts.outputTokenCount.addSaturating(usage.output.totalTokenCount)
      state.counts.reasoningTokenCount.addSaturating(usage.output.reasoningTokenCount)
      let place = state.next
      state.next = (place + 1) % window
      if state.latencies.count < window {
        state.latencies.append(latency)
        state.firstTokens.append(timeToFirstToken)
      } else {
        state.latencies[place] = latency
        state.firstTokens[place] = timeToFirstToken
      }
    }
  }

  /// The counts and times now.
  ///
  /// - Complexity: O(n log n) in the number of times kept.
  public var snapshot: Snapshot {
    let state = state.withLock { $0 }
    var snapshot = state.counts
    snapshot.latency = Percentiles(state.latencies)
    snapshot.timeToFirstToken = Percentiles(state.firstTokens.compactMap(\.self))
    return snapshot
  }
}
