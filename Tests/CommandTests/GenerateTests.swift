// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation
import ModelServing
import Testing

/// Where no terminal is, `espalier generate` writes a whole value or nothing.
@Suite struct GenerateTests {
  @Test func nothingOfAValueThatFailsIsWritten() async throws {
    let chunks = [#"{\"name\":\"Ann\","#, #"\"age\":99"#].map {
      #"data: {"choices":[{"index":0,"delta":{"content":"\#($0)"},"finish_reason":null}]}"# + "\n\n"
    }
    let server = HTTPServer(
      address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 600, logger: .disabled,
      handler: ClosureHTTPHandler { _ in
        HTTPResponse(
          statusCode: .ok, headers: [.contentType: "text/event-stream"],
          body: Data(chunks.joined().utf8))
      })
    let task = Task { try await server.run() }
    defer { task.cancel() }
    try await server.waitUntilListening(timeout: 600)
    let port = try #require(await server.listeningPort)
    let run = try await CommandRun.run(
      "espalier", ["generate", "-", "?", "--model", "http://127.0.0.1:\(port)/v1"],
      input: """
        {"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","maximum":9}},\
        "required":["name","age"],"additionalProperties":false}
        """)
    #expect(run.exitCode == 3, "\(run.errors)")
    #expect(run.output.isEmpty, "\(run.output)")
  }
}
