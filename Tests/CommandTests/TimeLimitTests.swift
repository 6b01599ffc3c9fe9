// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation
import ModelServing
import Testing

/// A server that takes a request and says nothing: a command that asks it ends all the same.
@Suite struct TimeLimitTests {
  @Test func aServerThatSaysNothing() async throws {
    let server = HTTPServer(
      address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 600, logger: .disabled,
      handler: ClosureHTTPHandler { _ in
        try await Task.sleep(for: .seconds(600))
        return HTTPResponse(statusCode: .ok)
      })
    let task = Task { try await server.run() }
    defer { task.cancel() }
    try await server.waitUntilListening(timeout: 600)
    let port = try #require(await server.listeningPort)
    for form in [[], ["--json"]] {
      let run = try await CommandRun.run(
        "espalier",
        [
          "generate", "-", "?", "--model", "http://127.0.0.1:\(port)", "--time-limit", "1",
        ] + form, input: #"{"type":"integer"}"#)
      #expect(run.exitCode == 3)
      #expect(run.errors.contains("within 1.0 seconds"))
      #expect(run.errors.contains("The option is --time-limit."))
    }
  }

  @Test(arguments: ["0", "-1", "86401", "9223372036854775807"])
  func aLimitThatIsNone(limit: String) async throws {
    let run = try await CommandRun.run("espalier", ["generate", "-", "?", "--time-limit=\(limit)"])
    #expect(run.exitCode == 64)
    #expect(run.errors.contains("--time-limit is 1 to 86,400 seconds"))
  }
}
