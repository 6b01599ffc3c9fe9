import EspalierCore
import Foundation
import Synchronization
import Testing

private struct Broken: Error {}

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
    await #expect(throws: LanguageModelError.self) {
      try await answer(
        RetryingLanguageModel(model, policy: RetryPolicy(baseDelay: .zero)))
    }
    #expect(model.requests.count == 1)
  }

  @Test func timeLimit() async throws {
    let slow = SlowLanguageModel(ScriptedLanguageModel([.text("a b")]), delay: .seconds(60))
    do {
      _ = try await answer(TimeLimitedLanguageModel(slow, limit: .milliseconds(20)))
      Issue.record("no timeout")
    } catch LanguageModelError.timeout {}
    let fast = ScriptedLanguageModel([.text("a b")])
    #expect(try await answer(TimeLimitedLanguageModel(fast, limit: .seconds(60))) == "a b")
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

  @Test func routes() async throws {
    let cheap = ScriptedLanguageModel([.text("cheap")], repeats: true)
    let dear = ScriptedLanguageModel([.text("dear")], repeats: true)
    let gone = ScriptedLanguageModel([.text("gone")])
    func route(_ order: RoutedLanguageModel.Order, confidence: Double = 1) -> RoutedLanguageModel {
      RoutedLanguageModel(
        [
          .init(gone, name: "gone", cost: 0, isAvailable: { false }),
          .init(dear, name: "dear", cost: 3),
          .init(cheap, name: "cheap", cost: 1, confidence: { _ in confidence }),
        ], order: order)
    }
    #expect(try await answer(route(.given)) == "dear")
    #expect(try await answer(route(.byCost)) == "cheap")
    #expect(try await answer(route(.byConfidence(minimum: 0.5))) == "cheap")
    #expect(try await answer(route(.byConfidence(minimum: 0.5), confidence: 0.2)) == "dear")
    let failing = FailingLanguageModel(dear, failingFirst: 1, with: Broken())
    #expect(try await answer(RoutedLanguageModel([.init(failing), .init(cheap)])) == "cheap")
    let refusing = FailingLanguageModel(
      dear, failingFirst: 1, with: LanguageModelError.refusal(.init(explanation: "No.")))
    await #expect(throws: LanguageModelError.self) {
      try await answer(RoutedLanguageModel([.init(refusing), .init(cheap)]))
    }
    await #expect(throws: RoutedLanguageModel.NoRoute.self) {
      try await answer(RoutedLanguageModel([.init(gone, isAvailable: { false })]))
    }
  }

  @Test func cache() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let time = Mutex(Date(timeIntervalSince1970: 0))
    func cache() -> ResponseCache {
      ResponseCache(timeToLive: 60, folder: folder, now: { time.withLock { $0 } })
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
    #expect(snapshot.latency.p99 >= snapshot.latency.p50 && snapshot.latency.p50 > 0)
    #expect(snapshot.timeToFirstToken.p50 > 0)
  }

  @Test func logging() async throws {
    let lines = Mutex<[String]>([])
    let model = LoggingLanguageModel(
      ScriptedLanguageModel([.text("secret"), .failure(Broken())]),
      sink: { record in
        lines.withLock {
          $0.append(
            "\(record.kind.rawValue) \(record.fields.values.sorted().joined(separator: " "))")
        }
      })
    _ = try await answer(model)
    _ = try? await answer(model)
    let log = lines.withLock { $0 }
    #expect(log.map { $0.prefix(7) } == ["request", "respons", "request", "failure"])
    #expect(!log.joined().contains("secret"))
  }

  @Test func guardrails() async throws {
    let input = Guardrail { $0.contains("bomb") ? .violation(reason: "No bombs.") : .pass }
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
    let model = BatchingLanguageModel(
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
      try await answer(BatchingLanguageModel(model, size: 2, longestWait: .seconds(600)))
    }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func recordAndReplay() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let recording = Recording()
    let original = LanguageModelSession(
      model: RecordingLanguageModel(SamplingLanguageModel(seed: 9), into: recording))
    let value = try await original.respond(to: "Who?", schema: Person.generationSchema).rawContent
    try recording.write(to: file)
    let bytes = try Data(contentsOf: file)
    let replay = LanguageModelSession(
      model: ReplayingLanguageModel(try Recording(contentsOf: file)))
    #expect(
      try await replay.respond(to: "Who?", schema: Person.generationSchema).rawContent == value)
    await #expect(throws: ReplayingLanguageModel.Mismatch.self) {
      try await replay.respond(to: "More")
    }
    try Recording(contentsOf: file).write(to: file)
    #expect(try Data(contentsOf: file) == bytes)
  }

  /// A part of an answer that only its model knows.
  private struct Route: Transcript.RestorableSegment {
    struct Content: Codable, Equatable, Sendable { var kilometres: Int }
    let id: String
    let content: Content
    var description: String { "a route" }
  }

  /// Sends everything that an executor can send.
  private struct Chatty: LanguageModel {
    var capabilities: LanguageModelCapabilities { .init() }
    var executorConfiguration: Executor.Configuration { .init() }

    struct Executor: LanguageModelExecutor {
      struct Configuration: Hashable, Sendable {}
      init(configuration: Configuration) {}
      func respond(
        to request: LanguageModelExecutorGenerationRequest, model: Chatty,
        streamingInto channel: LanguageModelExecutorGenerationChannel
      ) async throws {
        await channel.send(.reasoning(action: .appendText("Hm", tokenCount: 1)))
        await channel.send(.reasoning(action: .updateMetadata(["effort": 3])))
        await channel.send(.response(action: .appendText("Here.", segmentID: "s", tokenCount: 1)))
        await channel.send(
          .response(
            action: .updateCustomSegment(Route(id: "r", content: .init(kilometres: 12)))))
        await channel.send(
          .response(
            action: .addAttachmentSegment(
              .init(
                id: "a", content: .image(.init(imageURL: URL(filePath: "/map.png"))),
                label: "map"))))
        await channel.send(
          .response(
            action: .addAttachmentSegment(
              .init(id: "b", content: .image(.init(imageURL: URL(filePath: "/no.png")))))))
        await channel.send(.response(action: .removeAttachmentSegment(id: "b")))
        await channel.send(
          .response(action: .updateMetadata(["model": "m", "tags": ["x", "y"], "sure": true])))
      }
    }
  }

  private func said(by session: LanguageModelSession) -> [[String]] {
    session.transcript.map { entry in
      switch entry {
      case .response(let response):
        response.segments.map { "\($0)" }
          + response.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      case .reasoning(let reasoning): ["\(reasoning)"] + reasoning.metadata.map { "\($0)=\($1)" }
      default: [entry.description]
      }
    }
  }

  @Test func recordingsAndCachesKeepEverything() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer {
      try? FileManager.default.removeItem(at: file)
      try? FileManager.default.removeItem(at: folder)
    }
    let expected = [
      ["Prompt: Hi"], ["Hm", "effort=3"],
      [
        "Here.", "a route", "[image map]", "model=m", "sure=true",
        #"tags=["x", "y"]"#,
      ],
    ]
    let recording = Recording()
    let original = LanguageModelSession(model: RecordingLanguageModel(Chatty(), into: recording))
    try await original.respond(to: "Hi")
    #expect(said(by: original) == expected)
    try recording.write(to: file)
    let replay = LanguageModelSession(
      model: ReplayingLanguageModel(try Recording(contentsOf: file)))
    try await replay.respond(to: "Hi")
    #expect(said(by: replay) == expected)
    func cached() -> some LanguageModel {
      CachingLanguageModel(Chatty(), cache: ResponseCache(folder: folder))
    }
    for _ in 0..<2 {
      let session = LanguageModelSession(model: cached())
      try await session.respond(to: "Hi")
      #expect(said(by: session) == expected)
    }
    // The segment is known again where its type is.
    let data = try JSONEncoder().encode(replay.transcript)
    let decoder = JSONDecoder()
    decoder.userInfo[.restorableSegmentTypes] = [Route.self]
    let restored = try decoder.decode(Transcript.self, from: data)
    guard case .response(let response)? = restored.last,
      case .custom(let segment) = response.segments[1]
    else {
      Issue.record("no custom segment")
      return
    }
    #expect((segment as? Route)?.content.kilometres == 12)
    // Elsewhere it is opaque, and written as it was read.
    let opaque = try JSONDecoder().decode(Transcript.self, from: data)
    let again = try decoder.decode(Transcript.self, from: JSONEncoder().encode(opaque))
    #expect(again == restored)
  }

  @Test func requestsThatDifferInACustomSegmentAreNotTheSame() async throws {
    let model = CachingLanguageModel(ScriptedLanguageModel([.text("1"), .text("2"), .text("3")]))
    func ask(_ kilometres: Int) async throws -> String {
      try await LanguageModelSession(model: model).respond {
        "How far?"
        Route(id: "\(UUID())", content: .init(kilometres: kilometres))
      }.content
    }
    #expect(try await ask(1) == "1")
    #expect(try await ask(2) == "2")
    #expect(try await ask(1) == "1")
  }
}
