// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import FlyingSocks
import Foundation
import Synchronization
import Testing

@testable import ModelServing

/// Writes a word now and then, and says when it begins and when it is told to stop.
private struct SlowModel: LanguageModel {
  final class Watch: Sendable {
    private let hasBegun = Mutex(false)
    private let wasCancelled = Mutex(false)

    func begin() { hasBegun.withLock { $0 = true } }
    func cancel() { wasCancelled.withLock { $0 = true } }
    func isCancelled() -> Bool { wasCancelled.withLock { $0 } }

    func begun() async throws {
      while !hasBegun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
    }

    func cancelled() async throws {
      while !isCancelled() { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  let watch: Watch
  var words = 1_000_000
  var capabilities: LanguageModelCapabilities { .init() }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SlowModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      do {
        for _ in 0..<model.words {
          await channel.send(.response(action: .appendText("word ", tokenCount: 1)))
          model.watch.begin()
          try await Task.sleep(for: .milliseconds(20))
        }
      } catch {
        model.watch.cancel()
        throw error
      }
    }
  }
}

/// What `espalier serve` does with connections: requests that are none, clients that leave, the end.
@Suite(.timeLimit(.minutes(30))) struct ServeConnectionTests {
  private let served = ServeTests()

  private static func post(_ members: String, _ fields: String = "") -> String {
    let body = #"{"messages":[{"role":"user","content":"Hi"}]\#(members)}"#
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n\(fields)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// A line without an end once took minutes of a processor.
  @Test func headsHaveALimit() async throws {
    try await served.withServer { url in
      let port = try #require(url.port)
      let long = String(repeating: "a", count: 200_000)
      for head in ["GET /\(long)", "GET / HTTP/1.1\r\nX: \(long)\r\n\r\n", long] {
        let answer = try await served.ask(head, port: port)
        #expect(answer.hasPrefix("HTTP/1.1 431"), "\(answer.prefix(80))")
      }
      let health = "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"
      #expect(try await served.ask(health, port: port).hasPrefix("HTTP/1.1 200"))
    }
  }

  private static let chunked =
    "POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test(
    arguments: [
      ("hello\r\n\r\n", 400), ("GET /health HTTP/2.0\r\n\r\n", 505),
      ("GET /health HTTP/1.1\r\nno field\r\n\r\n", 400),
      ("GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
      ("GET /health HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", 400),
      ("POST /v1/responses HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
      ("POST /v1/responses HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400),
      (
        "POST /v1/responses HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        400
      ),
      ("POST /v1/responses HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      ("\(chunked)zz\r\n", 400), ("\(chunked)2\r\n{}x\r\n", 400), ("\(chunked)-2\r\n{}\r\n", 400),
      ("\(chunked)FFFFFFFFFF\r\n", 400), ("\(chunked)FFFFFFF\r\n", 413),
      ("GET //health/ HTTP/1.1\r\nConnection: close\r\n\r\n", 404),
      ("GET http://localhost/health?a=b HTTP/1.1\r\nConnection: close\r\n\r\n", 200),
      ("\r\nGET /health HTTP/1.1\nConnection: close\n\n", 200),
      ("GET /health HTTP/1.0\r\n\r\n", 200),
    ])
  func requestsThatAreNoneAreAnswered(_ text: String, _ status: Int) async throws {
    try await served.withServer { url in
      let answer = try await served.ask(text, port: try #require(url.port))
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    }
  }

  @Test func chunksAreReadAndRequestsInAdvanceAnswered() async throws {
    try await served.withServer { url in
      let body = #"{"messages":[{"role":"user","content":"Hi"}]}"#
      let chunks = body.utf8.map { "1;x=y\r\n\(Character(Unicode.Scalar($0)))\r\n" }.joined()
      let answer = try await served.ask(
        Self.chunked + chunks + "0\r\nTrailer: x\r\n\r\n" + Self.post("")
          + "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", port: try #require(url.port))
      let parts = answer.components(separatedBy: "HTTP/1.1 200 OK")
      #expect(parts.count == 4, "\(answer)")
      #expect(parts.last?.hasSuffix(#"{"status":"ok"}"#) == true)
    }
  }

  @Test func bodiesAreAskedForWhereTheClientWaits() async throws {
    try await served.withServer { url in
      let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: UInt16(try #require(url.port)))
      let socket = try await AsyncSocket.connected(to: address, timeout: 600)
      defer { try? socket.close() }
      let request = Self.post("", "Expect: 100-continue\r\nConnection: close\r\n")
      let parts = request.components(separatedBy: "\r\n\r\n")
      try await socket.write(Data((parts[0] + "\r\n\r\n").utf8))
      let start = String(decoding: try await socket.read(atMost: 4096), as: UTF8.self)
      #expect(start == "HTTP/1.1 100 Continue\r\n\r\n")
      try await socket.write(Data(parts[1].utf8))
      let rest = String(decoding: try await socket.read(atMost: 4096), as: UTF8.self)
      #expect(rest.hasPrefix("HTTP/1.1 200 OK"))
    }
  }

  /// HTTP/1.0 has no chunks.
  @Test func oldClientsGetStreamsWithoutChunks() async throws {
    try await served.withServer { url in
      let request = Self.post(#","stream":true"#).replacing("HTTP/1.1", with: "HTTP/1.0")
      let answer = try await served.ask(request, port: try #require(url.port))
      let body = answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
      #expect(body.hasPrefix("data: {"), "\(body.prefix(80))")
      #expect(body.hasSuffix("data: [DONE]\n\n"))
      #expect(!answer.contains("Transfer-Encoding"))
    }
  }

  /// Also where nothing is streamed: nobody would read the answer.
  @Test(arguments: ["", #","stream":true"#])
  func clientsThatLeaveEndTheModelsWork(_ members: String) async throws {
    let watch = SlowModel.Watch()
    try await served.withServer(of: SlowModel(watch: watch)) { url in
      let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: UInt16(try #require(url.port)))
      let socket = try await AsyncSocket.connected(to: address, timeout: 600)
      try await socket.write(Data(Self.post(members).utf8))
      try await watch.begun()
      #expect(!watch.isCancelled())
      try socket.close()
      // Or the limit of the suite ends it.
      try await watch.cancelled()
    }
  }

  /// What a client gets whose server is stopped while the model writes.
  private func answerOfAStop(
    _ members: String, words: Int, grace: Duration
  ) async throws -> String {
    let watch = SlowModel.Watch()
    let model = try ServedModel(SlowModel(watch: watch, words: words), name: "slow")
    let listener = try ModelServer(model: model, key: nil).listener(host: "127.0.0.1", port: 0)
    let run = Task { try await listener.run() }
    let port = try #require(await listener.port())
    let stop = Task {
      try await watch.begun()
      await listener.stop(grace: grace)
    }
    let answer = try await served.ask(Self.post(members), port: Int(port))
    try await stop.value
    try await run.value
    return answer
  }

  @Test func answersUnderWayComeToTheirEnd() async throws {
    let stream = try await answerOfAStop(#","stream":true"#, words: 30, grace: .seconds(600))
    #expect(stream.contains("data: [DONE]"), "\(stream.suffix(200))")
    let whole = try await answerOfAStop("", words: 30, grace: .seconds(600))
    #expect(whole.hasPrefix("HTTP/1.1 200") && whole.contains("word word"), "\(whole)")
  }

  @Test func answersThatAreCutOffSaySo() async throws {
    let stream = try await answerOfAStop(#","stream":true"#, words: 3000, grace: .zero)
    #expect(stream.contains(#""code":"stopped""#), "\(stream.suffix(200))")
    #expect(!stream.contains("[DONE]"))
    let whole = try await answerOfAStop("", words: 3000, grace: .zero)
    #expect(whole.hasPrefix("HTTP/1.1 503"), "\(whole)")
  }

  #if !os(Windows)
    @Test func theCommandEndsAtItsSignal() async throws {
      let process = Process()
      process.executableURL = CommandRun.productsFolder.appending(path: "espalier")
      process.arguments = ["serve", "--port", "0"]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      _ = output.fileHandleForReading.availableData
      process.terminate()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      #expect(process.terminationStatus == 0)
    }
  #endif

  /// One line for each request, which only this server writes.
  @Test func requestsAreLogged() async throws {
    let lines = Mutex<[String]>([])
    let model = try ServedModel(SamplingLanguageModel(seed: 1), name: "sampling")
    let server = ModelServer(model: model, key: nil) { line in lines.withLock { $0.append(line) } }
    let listener = try server.listener(host: "[::1]", port: 0)
    let run = Task { try await listener.run() }
    defer { run.cancel() }
    let port = try #require(await listener.port())
    for request in [
      Self.post(""), Self.post(#","stream":true"#), Self.post(#","n":2,"x":"secret""#),
      "GET /health HTTP/1.1\r\n\r\n", "GET /\u{1B}[31m\u{85} HTTP/1.1\r\n\r\n",
    ] {
      _ = try await served.ask(
        request.replacing("HTTP/1.1", with: "HTTP/1.0"), port: Int(port), host: "::1")
    }
    let all = lines.withLock { $0 }
    #expect(all.count == 4, "\(all)")
    #expect(
      all[0].hasPrefix("client=::1 method=POST path=/v1/chat/completions status=200 seconds="))
    #expect(all[0].contains("output_tokens=") && all[0].hasSuffix("finish=stop"))
    #expect(all[1].contains("output_tokens="))
    #expect(all[2].contains("status=400") && all[2].hasSuffix("code=unsupported_parameter param=n"))
    #expect(all[3].contains("path=/?[31m? status=404"), "\(all[3])")
    #expect(!all.joined().contains("secret"))
    let metrics = try await served.ask(
      "GET /metrics HTTP/1.0\r\n\r\n", port: Int(port), host: "::1")
    #expect(metrics.contains("espalier_requests_total{status=\"200\"} 2\n"), "\(metrics)")
    #expect(metrics.contains("espalier_requests_total{status=\"400\"} 1\n"))
    #expect(metrics.contains("\nespalier_requests_under_way 1\n"))
    #expect(!metrics.contains("espalier_output_tokens_total 0\n"))
  }
}
