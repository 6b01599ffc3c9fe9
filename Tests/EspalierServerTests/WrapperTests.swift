// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Synchronization
import Testing

/// The wrappers of models around servers, and the names that telemetry gives away.
@Suite struct WrapperTests {
  private func answering(_ text: String) throws -> StubServer {
    try StubServer { _ in [.head(), .send(Chunk.text(text) + Chunk.end), .close] }
  }

  private func model(
    _ server: StubServer, options: ServerOptions = ServerOptions()
  ) throws -> ServerLanguageModel {
    try ServerLanguageModel(url: server.url, model: "m", profile: .cautious, options: options)
  }

  @Test(arguments: [
    #"{"error":{"message":"overloaded"}}"#, #"{"error":{"code":"insufficient_quota"}}"#,
  ])
  func anotherModelAnswersWhereAServerDoesNot(_ body: String) async throws {
    let failing = try StubServer { _ in [.whole(body.contains("quota") ? 429 : 503, body)] }
    let other = try answering("ok")
    defer {
      failing.stop()
      other.stop()
    }
    let routed = RoutedLanguageModel([.init(try model(failing)), .init(try model(other))])
    let session = LanguageModelSession(model: routed)
    #expect(try await session.respond(to: "Hi").content == "ok")
    #expect(failing.requests.count == 1)
  }

  @Test func timeLimitClosesTheConnection() async throws {
    let server = try StubServer { _ in [.head(), .repeatForever(Chunk.text("x"))] }
    defer { server.stop() }
    let limited = TimeLimitedLanguageModel(try model(server), limit: .milliseconds(300))
    await #expect(throws: (any Error).self) {
      try await LanguageModelSession(model: limited).respond(to: "Hi")
    }
    try await eventually { server.abandoned == 1 && server.openConnections == 0 }
  }

  @Test(arguments: ["retry-after-ms", "Retry-After"])
  func timesOfServersAreUnderstood(_ field: String) async throws {
    let start = Date()
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let value =
      field == "Retry-After" ? formatter.string(from: Date(timeIntervalSinceNow: 30)) : "30000"
    let server = try StubServer { _ in [.whole(429, "{}", [field: value])] }
    defer { server.stop() }
    let error = await #expect(throws: LanguageModelError.self) { try await ask(try model(server)) }
    guard case .rateLimited(let payload)? = error, let date = payload.resetDate else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(date >= start.addingTimeInterval(29) && date.timeIntervalSinceNow <= 31)
  }

  @Test func namesAreThoseOfOpenTelemetry() async throws {
    let server = try answering("ok")
    defer { server.stop() }
    let spans = Mutex<[String]>([])
    let names = Mutex<Set<String>>([])
    let metrics = Mutex<Set<String>>([])
    var options = ServerOptions()
    options.telemetry = ServerTelemetry(
      startSpan: { name, attributes in
        spans.withLock { $0.append(name) }
        names.withLock { $0.formUnion(attributes.keys) }
        return { attributes in names.withLock { $0.formUnion(attributes.keys) } }
      },
      recordMetric: { metric in
        metrics.withLock { _ = $0.insert(metric.name) }
      })
    let generation = GenerationOptions(temperature: 0.5, maximumResponseTokens: 9)
    _ = try await ask(try model(server, options: options), options: generation)
    #expect(spans.withLock { $0 } == ["chat m"])
    #expect(
      names.withLock { $0 }.isSuperset(of: [
        "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model",
        "gen_ai.request.max_tokens", "gen_ai.request.temperature", "gen_ai.output.type",
        "gen_ai.response.id", "gen_ai.response.finish_reasons", "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens", "server.address", "server.port",
      ]))
    #expect(
      metrics.withLock { $0 } == [
        "gen_ai.client.operation.duration", "gen_ai.client.operation.time_to_first_chunk",
        "gen_ai.client.token.usage",
      ])
  }
}
