// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Synchronization
import Testing

@testable import EspalierServer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Servers that mean harm: what they send is an error, and takes neither all memory nor for ever.
@Suite(.timeLimit(.minutes(30))) struct HostileServerTests {
  private func model(
    _ server: StubServer, options: ServerOptions = ServerOptions()
  ) throws -> ServerLanguageModel {
    try ServerLanguageModel(url: server.url, model: "m", profile: .cautious, options: options)
  }

  /// A context of the greatest number there is, and less than nothing of it.
  @Test(arguments: [Int.max, Int.min, -1])
  func sizesOfContextsMayBeAnything(size: Int) async throws {
    let server = try StubServer { _ in
      [
        .whole(
          400,
          #"{"error":{"message":"exceeds the context size","n_ctx":\#(size),"n_prompt_tokens":\#(size)}}"#
        )
      ]
    }
    defer { server.stop() }
    let error = await #expect(throws: LanguageModelError.self) { try await ask(try model(server)) }
    guard case .contextSizeExceeded(let payload)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(payload.tokenCount > payload.contextSize)
  }

  /// The exponent of a number is the least integer there is.
  @Test func exponentsMayBeAnything() async throws {
    let number = "1e-9223372036854775808"
    let server = try StubServer { _ in
      [
        .head(), .send(Chunk.text("Hi")),
        .send(Chunk.event(#"{"choices":[],"usage":{"prompt_tokens":\#(number)}}"#)),
        .send(Chunk.end), .close,
      ]
    }
    defer { server.stop() }
    #expect(try await ask(try model(server)).text == "Hi")
  }

  /// An answer that comes faster than it is read is not kept beyond its limit.
  @Test func answersThatAreNotReadAreLimited() async throws {
    let piece = String(repeating: "x", count: 1 << 16)
    let server = try StubServer { _ in [.head(), .repeatForever(piece)] }
    defer { server.stop() }
    let client = HTTPClient(idleTimeout: 60)
    let exchange = client.send(URLRequest(url: server.url), limit: 1 << 20)
    try await eventually { server.abandoned == 1 }
    var size = 0
    for try await part in exchange.parts { if case .body(let bytes) = part { size += bytes.count } }
    #expect(size > 1 << 20 && size < 4 << 20)
    #expect(client.openCount == 0)
  }

  @Test func callsAreLimited() async throws {
    let calls = (0..<2000).map {
      Chunk.delta(
        #"{"tool_calls":[{"index":\#($0),"id":"a\#($0)","function":{"name":"f","arguments":"{}"}}]}"#
      )
    }
    let server = try StubServer { _ in
      [.head(), .send(calls.joined() + Chunk.stop("tool_calls") + Chunk.done), .close]
    }
    defer { server.stop() }
    let error = await #expect(throws: ServerError.self) {
      try await ask(try model(server), tools: ["f": #"{"type":"object"}"#])
    }
    #expect(error?.kind == .malformedAnswer)
    #expect(error?.problem.contains("1024 tool calls") == true, "\(String(describing: error))")
  }

  /// White space that does not end is cut off before a value as well as within one, and after
  /// reasoning that stands in the text.
  @Test(arguments: ["", "<think>Hm.</think>"])
  func whiteSpaceBeforeTheValueIsCutOff(start: String) async throws {
    let server = try StubServer { _ in
      [.head(), .send(Chunk.text(start)), .repeatForever(Chunk.text(" \n"))]
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.onBrokenSchema = .fail
    let error = await #expect(throws: ServerError.self) {
      try await ask(try model(server, options: options), schema: #"{"type":"object"}"#)
    }
    #expect(error?.kind == .endlessWhiteSpace, "\(String(describing: error))")
  }

  @Test func shortWhiteSpaceBeforeReasoningIsLeftOut() {
    var reasoning = InlineReasoning()
    var parts = reasoning.take("\n  ")
    parts += reasoning.take("<think>a</think>\n\n")
    parts += reasoning.take(" b") + reasoning.finish()
    #expect(parts == [.reasoning("a"), .text("b")])
  }

  @Test func reasoningEndsBeforeSignsOfAnyScript() {
    var reasoning = InlineReasoning()
    let parts = reasoning.take("<think>\u{E31}a</think>\u{E31}b") + reasoning.finish()
    #expect(parts == [.reasoning("\u{E31}a"), .text("\u{E31}b")])
  }
}
