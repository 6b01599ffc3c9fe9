// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Synchronization
import Testing

private struct Broken: Error {}

/// Gives the first attempt no time, and every later one as much as a busy machine may need.
private struct ShortThenLongLimit<Base: LanguageModel>: WrappingLanguageModel {
  typealias Executor = WrappingExecutor<Self>
  let base: Base
  let hasRunOut: Flag

  func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let limit = hasRunOut.isRaised ? Duration.seconds(3600) : .milliseconds(20)
    try await TimeLimitedLanguageModel(base, limit: limit).respond(
      to: request, next: next, streamingInto: channel)
  }
}

@Suite struct WrapperTests {
  private let timeout = LanguageModelError.timeout(.init(debugDescription: "slow"))

  private func answer(_ model: some LanguageModel, _ prompt: String = "Hi") async throws -> String {
    try await LanguageModelSession(model: model).respond(to: prompt).content
  }

  @Test func retry() async throws {
    let pauses = Mutex<[Duration]>([])
    let policy = RetryPolicy(
      maximumAttempts: 4, baseDelay: .seconds(1), maximumDelay: .seconds(3), jitterSeed: 1,
      sleep: { pause in pauses.withLock { $0.append(pause) } })
    let flaky = FailingLanguageModel(
      ScriptedLanguageModel([.text("Fine.")]), failingFirst: 3, with: timeout)
    #expect(try await answer(RetryingLanguageModel(flaky, policy: policy)) == "Fine.")
    let waited = pauses.withLock { $0 }
    #expect(waited.count == 3)
    for (pause, longest) in zip(waited, [1.0, 2.0, 3.0]) {
      #expect(pause >= .seconds(longest / 2) && pause <= .seconds(longest))
    }
    let broken = FailingLanguageModel(
      ScriptedLanguageModel([.text("Fine.")]), failingFirst: 1, with: Broken())
    await #expect(throws: Broken.self) {
      try await answer(RetryingLanguageModel(broken, policy: policy))
    }
  }

  @Test func nothingIsTriedAgainOnceAPartHasBeenSent() async throws {
    let model = ScriptedLanguageModel([.init([.text("Half "), .failure(timeout)]), .text("Two.")])
    let session = LanguageModelSession(
      model: RetryingLanguageModel(model, policy: RetryPolicy(baseDelay: .zero)))
    await #expect(throws: LanguageModelError.self) {
      for try await snapshot in session.streamResponse(to: "Hi") {
        #expect("Half ".hasPrefix(snapshot.content))
      }
    }
    #expect(model.requests.count == 1)
  }

  /// Without a stream nobody has seen the part: another answer takes its place.
  @Test func answersThatEndEarlyAreTriedAgainWhereNobodySawThem() async throws {
    let policy = RetryPolicy(maximumAttempts: 3, baseDelay: .zero)
    let model = ScriptedLanguageModel([
      .init([.text("Half "), .failure(timeout)]), .init([.text("Some "), .failure(timeout)]),
      .text("Whole."),
    ])
    #expect(try await answer(RetryingLanguageModel(model, policy: policy)) == "Whole.")
    #expect(model.requests.count == 3)
  }

  /// What came of the last answer stays where the session keeps what failed.
  @Test(arguments: [1, 2])
  func partsOfTheLastAnswerStay(maximumAttempts: Int) async throws {
    let model = ScriptedLanguageModel([
      .init([.text("Half "), .failure(timeout)]), .init([.text("Half "), .failure(Broken())]),
    ])
    let session = LanguageModelSession(
      model: RetryingLanguageModel(
        model, policy: RetryPolicy(maximumAttempts: maximumAttempts, baseDelay: .zero)))
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: (any Error).self) { try await session.respond(to: "Hi") }
    guard case .response(let response)? = session.transcript.last else {
      Issue.record("\(session.transcript)")
      return
    }
    #expect(response.description.contains("Half"))
  }

  @Test func timeLimit() async throws {
    let slow = SlowLanguageModel(ScriptedLanguageModel([.text("a b")]), delay: .seconds(3600))
    do {
      _ = try await answer(TimeLimitedLanguageModel(slow, limit: .milliseconds(20)))
      Issue.record("no timeout")
    } catch LanguageModelError.timeout {}
    let fast = ScriptedLanguageModel([.text("a b")])
    #expect(try await answer(TimeLimitedLanguageModel(fast, limit: .seconds(3600))) == "a b")
  }

  /// The time is over when the test says so, whatever the clock says.
  @Test func timeLimitWithoutAClock() async throws {
    let waits = Mutex<[Duration]>([])
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let slow = SlowLanguageModel(
      ScriptedLanguageModel([.text("a b")]), delay: .seconds(30),
      sleep: { duration in
        waits.withLock { $0.append(duration) }
        begins.yield()
        try await Task.sleep(for: .seconds(86_400))
      })
    let limited = TimeLimitedLanguageModel(
      slow, limit: .seconds(3600),
      sleep: { duration in
        for await _ in begun { break }
        waits.withLock { $0.append(duration) }
      })
    do {
      _ = try await answer(limited)
      Issue.record("no timeout")
    } catch LanguageModelError.timeout(let timeout) {
      #expect(timeout.debugDescription.contains("3600"))
    }
    #expect(waits.withLock { $0 } == [.seconds(30), .seconds(3600)])
  }

  /// A model that does not notice that it was cancelled: the time is over all the same, and what it
  /// sends later is no part of any answer.
  @Test func timeLimitOfADeafModel() async throws {
    let stop = Flag()
    let model = ClosureModel { _, channel in
      while !stop.isRaised { await Task.yield() }
      await channel.send(.response(action: .appendText("stopped", tokenCount: 1)))
    }
    let session = LanguageModelSession(
      model: TimeLimitedLanguageModel(model, limit: .milliseconds(20)))
    do {
      try await session.respond(to: "Hi")
      Issue.record("no timeout")
    } catch LanguageModelError.timeout {}
    #expect(!stop.isRaised)
    let task = Task {
      try await LanguageModelSession(
        model: TimeLimitedLanguageModel(model, limit: .seconds(3600))
      ).respond(to: "Hi")
    }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!stop.isRaised)
    // Asked again, it says only what it says now.
    let again = RetryingLanguageModel(
      ShortThenLongLimit(base: model, hasRunOut: stop),
      policy: RetryPolicy(
        maximumAttempts: 2, baseDelay: .zero, sleep: { _ in stop.raise() }))
    #expect(try await answer(again) == "stopped")
  }

  @Test func rateLimit() async throws {
    // Time passes only by waiting.
    let start = ContinuousClock.now
    let time = Mutex(Duration.zero)
    func elapsed() -> Double { time.withLock { $0 / .seconds(1) } }
    func limited(requests: Double? = nil, tokens: Double? = nil) -> some LanguageModel {
      time.withLock { $0 = .zero }
      return RateLimitedLanguageModel(
        ScriptedLanguageModel([.text("a b c d e f")], repeats: true), requestsPerMinute: requests,
        tokensPerMinute: tokens, now: { start + time.withLock { $0 } },
        sleep: { pause in time.withLock { $0 += pause } })
    }
    // Two requests at once, and then one every 30 seconds.
    let byRequests = limited(requests: 2)
    for expected in [0, 0, 30, 60] as [Double] {
      _ = try await answer(byRequests)
      #expect(abs(elapsed() - expected) < 0.001)
    }
    // Six tokens each, twelve a minute: two at once, then one when what they took has come back.
    let byTokens = limited(tokens: 12)
    for expected in [0, 0, 0, 30, 60] as [Double] {
      _ = try await answer(byTokens)
      #expect(abs(elapsed() - expected) < 0.001)
    }
    let strict = RateLimitedLanguageModel(
      ScriptedLanguageModel([.text("x")], repeats: true), tokensPerMinute: 1)
    _ = try await answer(strict)
    _ = try await answer(strict)
    let task = Task { try await answer(strict) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func cache() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let time = Mutex(Date(timeIntervalSince1970: 0))
    func cache() -> ResponseCache {
      ResponseCache(timeToLive: .seconds(60), folder: folder, now: { time.withLock { $0 } })
    }
    let model = ScriptedLanguageModel([.text("1"), .text("2"), .text("3"), .text("4")])
    let first = CachingLanguageModel(model, cache: cache())
    #expect(try await answer(first) == "1")
    #expect(try await answer(first) == "1")
    #expect(try await answer(first, "Other") == "2")
    // Another process finds it on disk.
    #expect(try await answer(CachingLanguageModel(model, cache: cache())) == "1")
    let session = LanguageModelSession(model: first)
    #expect(try await session.respond(to: "Hi", options: .init(temperature: 1)).content == "3")
    time.withLock { $0 = Date(timeIntervalSince1970: 61) }
    #expect(try await answer(first) == "4")
  }

  /// A device whose clock was ahead, as many are before they reach a network.
  @Test func answersOfTheFutureAreAskedForAgain() async throws {
    let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
    let cache = ResponseCache(timeToLive: .seconds(60), now: { time.withLock { $0 } })
    let model = CachingLanguageModel(
      ScriptedLanguageModel([.text("1"), .text("2")]), cache: cache)
    #expect(try await answer(model) == "1")
    time.withLock { $0 -= 30 }
    #expect(try await answer(model) == "1")
    time.withLock { $0 = Date(timeIntervalSince1970: 0) }
    #expect(try await answer(model) == "2")
  }

  @Test func metrics() async throws {
    let metrics = GenerationMetrics()
    let model = MeteredLanguageModel(
      ScriptedLanguageModel([
        .init([.usage(input: 7, output: 2), .text("a b")]), .failure(Broken()),
      ]), metrics: metrics)
    _ = try await answer(model)
    await #expect(throws: Broken.self) { try await answer(model) }
    let snapshot = metrics.snapshot
    #expect(snapshot.requestCount == 2 && snapshot.failureCount == 1)
    #expect(snapshot.inputTokenCount == 7 && snapshot.outputTokenCount == 2)
    #expect(snapshot.latency.p99 >= snapshot.latency.p50 && snapshot.latency.p50 > .zero)
    #expect(snapshot.timeToFirstToken.p50 > .zero)
  }

  @Test func logging() async throws {
    let lines = Mutex<[String]>([])
    let model = LoggingLanguageModel(
      ScriptedLanguageModel([
        .text("secret"), .failure(Broken()),
        .failure(LanguageModelError.guardrailViolation(.init(debugDescription: "secret"))),
      ]),
      sink: { record in
        lines.withLock {
          $0.append(
            "\(record.kind.rawValue) \(record.fields.values.sorted().joined(separator: " "))")
        }
      })
    _ = try await answer(model)
    for _ in 0..<2 { _ = try? await answer(model) }
    let log = lines.withLock { $0 }
    #expect(
      log.map { $0.prefix(7) }
        == ["request", "respons", "request", "failure", "request", "failure"])
    #expect(log[3].hasSuffix("Broken") && log[5].hasSuffix("LanguageModelError.guardrailViolation"))
    #expect(!log.joined().contains("secret"))
  }

  @Test func guardrails() async throws {
    let input = Guardrail { $0.contains("bomb") ? .block(reason: "No bombs.") : .pass }
    let output = Guardrail { $0.contains("damn") ? .refuse(explanation: "Mind the tone.") : .pass }
    let model = GuardedLanguageModel(
      ScriptedLanguageModel([.text("damn"), .text("fine")]), input: [input], output: [output])
    let session = LanguageModelSession(model: model)
    do {
      try await session.respond(to: "a bomb")
      Issue.record("passed")
    } catch LanguageModelError.guardrailViolation(let payload) {
      #expect(payload.debugDescription == "No bombs.")
    }
    do {
      try await session.respond(to: "a word")
      Issue.record("passed")
    } catch LanguageModelError.refusal(let refusal) {
      #expect(try await refusal.explanation.content == "Mind the tone.")
      for try await snapshot in refusal.explanationStream {
        #expect(snapshot.content == "Mind the tone.")
      }
    }
    #expect(try await session.respond(to: "a word").content == "fine")
  }

  @Test func batches() async throws {
    let started = Mutex<[ContinuousClock.Instant]>([])
    let model = GroupedStartLanguageModel(
      ScriptedLanguageModel { _, _ in
        started.withLock { $0.append(.now) }
        return .text("x")
      }, size: 3, longestWait: .milliseconds(100))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { _ = try await answer(model) } }
      try await group.waitForAll()
    }
    #expect(started.withLock { $0.count } == 3)
    // Alone, a request waits for no longer than it should.
    #expect(try await answer(model) == "x")
    let task = Task {
      try await answer(GroupedStartLanguageModel(model, size: 2, longestWait: .seconds(600)))
    }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
