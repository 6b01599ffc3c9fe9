// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation
import ModelServing
import Testing

/// Where no terminal is, `espalier generate` writes a whole value or nothing.
@Suite struct GenerateTests {
  @Test func nothingOfAValueThatFailsIsWritten() async throws {
    let run = try await generate(
      from: #"{"name":"Ann","age":99"#,
      schema: """
        {"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","maximum":9}},\
        "required":["name","age"],"additionalProperties":false}
        """)
    #expect(run.exitCode == 3, "\(run.errors)")
    #expect(run.output.isEmpty, "\(run.output)")
  }

  @Test func membersThatTheSchemaDoesNotNameAreNoticed() async throws {
    let schema = #"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#
    let surplus = #"{"name":"Ann","age":9}"#
    var run = try await generate(from: surplus, schema: schema)
    #expect(run.exitCode == 0 && run.output == surplus + "\n", "\(run.output)\(run.errors)")
    #expect(run.errors.contains("--closed leaves them out"), "\(run.errors)")
    run = try await generate(from: #"{"name":"Ann"}"#, schema: schema)
    #expect(run.exitCode == 0 && !run.errors.contains("--closed"), "\(run.errors)")
    run = try await generate(from: surplus, schema: schema, "--closed")
    #expect(run.exitCode == 3 && run.output.isEmpty, "\(run.output)\(run.errors)")
  }

  /// Runs the command with a server that answers with a text.
  private func generate(
    from text: String, schema: String, _ options: String...
  ) async throws -> CommandRun {
    let content = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    let chunk =
      #"data: {"choices":[{"index":0,"delta":{"content":\#(content)},"finish_reason":null}]}"#
    let end = #"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#
    let server = HTTPServer(
      address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 600, logger: .disabled,
      handler: ClosureHTTPHandler { _ in
        HTTPResponse(
          statusCode: .ok, headers: [.contentType: "text/event-stream"],
          body: Data("\(chunk)\n\n\(end)\n\ndata: [DONE]\n\n".utf8))
      })
    let task = Task { try await server.run() }
    defer { task.cancel() }
    try await server.waitUntilListening(timeout: 600)
    let port = try #require(await server.listeningPort)
    return try await CommandRun.run(
      "espalier", ["generate", "-", "?", "--model", "http://127.0.0.1:\(port)/v1"] + options,
      input: schema)
  }
}
