// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Testing

/// Many requests in a row: memory and connections must not grow. How many is in `ESPALIER_SOAK`
/// (10,000 take a minute); a few hundred where it is not set.
@Suite(.serialized) struct SoakTests {
  private static let count =
    ProcessInfo.processInfo.environment["ESPALIER_SOAK"].flatMap { Int($0) } ?? 300

  /// The resident memory in kilobytes; nil where the system does not say.
  private var residentSize: Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return nil }
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  private func run(_ body: String, endless: String? = nil) async throws {
    let server = try StubServer { _ in
      if let endless { return [.head(), .send(body), .repeatForever(endless)] }
      return [
        .send(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      ]
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.onBrokenSchema = .fail
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .cautious, options: options)
    var sizes: [Int] = []
    for index in 0..<Self.count {
      if endless == nil {
        #expect(try await ask(model, schema: Scenario.object).text == #"{"n":12}"#)
      } else {
        await #expect(throws: ServerError.self) { try await ask(model, schema: Scenario.object) }
      }
      if index % max(1, Self.count / 10) == 0, let size = residentSize { sizes.append(size) }
    }
    try await eventually { model.openConnectionCount == 0 && server.openConnections <= 8 }
    // The first tenth fills caches; after it a request may not keep a kilobyte.
    if Self.count >= 1000, sizes.count > 2 {
      #expect(sizes[sizes.count - 1] - sizes[1] < Self.count, "\(sizes)")
    }
    if Self.count >= 1000 { print("resident kilobytes: \(sizes)") }
  }

  @Test func answersThatEnd() async throws {
    try await run(Chunk.pieces(#"{"n":12}"#) + Chunk.end)
  }

  /// A long answer: memory and time grow with its length alone.
  @Test func longAnswer() async throws {
    let count = Self.count * 20
    let body = String(repeating: Chunk.text("word "), count: count) + Chunk.end
    let server = try StubServer { _ in [.head(), .send(body), .close] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .cautious)
    let start = ContinuousClock.now
    let answer = try await ask(model)
    #expect(answer.text.utf8.count == 5 * count)
    if Self.count >= 1000 { print("a token took \((ContinuousClock.now - start) / count)") }
  }

  @Test func answersThatAreClosed() async throws {
    try await run(Chunk.pieces(#"{"n":"#), endless: Chunk.text("x"))
  }
}
