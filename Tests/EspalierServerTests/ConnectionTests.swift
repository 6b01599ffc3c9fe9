// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How connections are made, and what of a failed request is counted.
@Suite struct ConnectionTests {
  /// Azure has the deployment in the path, and a version in the query.
  @Test func theQueryOfAnAddressIsSent() async throws {
    let server = try StubServer { _ in [.head(), .send(Chunk.text("ok") + Chunk.end), .close] }
    defer { server.stop() }
    let address =
      "http://127.0.0.1:\(server.port)/openai/deployments/d/chat/completions?api-version=2024-10-21"
    let url = try #require(URL(string: address))
    let key = ServerAPIKey(header: "api-key", scheme: nil) { "secret" }
    let model = try ServerLanguageModel(url: url, model: "d", profile: .openAI, apiKey: key)
    _ = try await ask(model)
    #expect(
      server.requests.map(\.path) == [
        "/openai/deployments/d/chat/completions?api-version=2024-10-21"
      ])
    #expect(server.requests.first?.headers["api-key"] == "secret")
  }

  /// Answers in the place of a network.
  private final class Answering: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
      guard let url = request.url,
        let head = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1",
          headerFields: ["Content-Type": "text/event-stream"])
      else { return }
      client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data((Chunk.text("no network") + Chunk.end).utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
  }

  @Test func anAppConfiguresItsConnections() async throws {
    let url = try #require(URL(string: "http://nobody.invalid"))
    let model = try ServerLanguageModel(url: url, model: "m", profile: .cautious) { connections in
      connections.protocolClasses = [Answering.self]
    }
    #expect(try await ask(model).text == "no network")
  }

  #if canImport(FoundationNetworking)
    /// Foundation keeps a core busy while a request on a new connection waits for its answer. So each
    /// has a connection on which another request came before, also where several are made at once.
    @Test func noPromptIsTheFirstOnItsConnection() async throws {
      let server = try StubServer { request in
        switch (request.method, request.path) {
        case ("GET", "/v1/models"): [.whole(200, #"{"data":[{"id":"m"}]}"#)]
        case ("GET", _): [.whole(404, "{}")]
        default: [.head(), .send(Chunk.text("ok") + Chunk.end), .close]
        }
      }
      defer { server.stop() }
      let model = try ServerLanguageModel(url: server.url)
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 { group.addTask { try await ask(model).text } }
        for try await text in group { #expect(text == "ok") }
      }
      let prompts = server.requests.filter { $0.method == "POST" }
      #expect(prompts.count == 8)
      #expect(prompts.allSatisfy { $0.precedingCount > 0 })
      try await eventually { model.openConnectionCount == 0 }
    }
  #endif

  @Test(arguments: [400, 429, 500, 504])
  func errorsNameTheRequest(_ status: Int) async throws {
    let server = try StubServer { _ in
      [.whole(status, #"{"error":{"message":"No."}}"#, ["x-request-id": "req-77"])]
    }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .cautious)
    let error = await #expect(throws: (any Error).self) { try await ask(model) }
    #expect("\(try #require(error))".contains("No. (request req-77)"))
  }

  /// What failed was paid for, too.
  @Test func tokensOfAFailedRequestAreCounted() async throws {
    let usage = Chunk.event(
      #"{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":3}}}"#
    )
    let server = try StubServer { _ in
      [.head(), .send(Chunk.text(#"{"n":"#) + Chunk.stop("length") + usage + Chunk.done), .close]
    }
    defer { server.stop() }
    let attributes = Mutex<ServerTelemetry.Attributes>([:])
    var options = ServerOptions()
    options.telemetry = ServerTelemetry(startSpan: { _, _ in
      { last in attributes.withLock { $0 = last } }
    })
    let metrics = GenerationMetrics()
    let model = MeteredLanguageModel(
      try ServerLanguageModel(
        url: server.url, model: "m", profile: .cautious, options: options), metrics: metrics)
    let error = await #expect(throws: ServerError.self) {
      try await LanguageModelSession(model: model).respond(
        to: "Hi", schema: GenerationSchema(jsonSchema: Scenario.object))
    }
    #expect(error?.kind == .truncated)
    let figures = metrics.snapshot
    #expect(figures.failureCount == 1)
    #expect(figures.inputTokenCount == 11 && figures.cachedInputTokenCount == 8)
    #expect(figures.outputTokenCount == 7 && figures.reasoningTokenCount == 3)
    let span = attributes.withLock { $0 }
    #expect(span["gen_ai.usage.cache_read.input_tokens"] == .integer(8))
    #expect(span["gen_ai.usage.reasoning.output_tokens"] == .integer(3))
  }
}
