// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierServer
import Foundation
import ModelServing
import Testing

/// What asks a server is run with `espalier serve` in this process: the addresses that the snippets
/// name lead there.
@Suite struct ServerSnippetRunTests {
  private func withServer(
    named name: String = "sampling", _ body: (URL) async throws -> Void
  ) async throws {
    let model = try ServedModel(SamplingLanguageModel(seed: 3), name: name)
    let server = try ModelServer(model: model, key: nil).listener(host: "127.0.0.1", port: 0)
    let task = Task { try await server.run() }
    defer { task.cancel() }
    let port = try #require(await server.port())
    try await body(try #require(URL(string: "http://127.0.0.1:\(port)")))
    await server.stop()
  }

  @Test func servers() async throws {
    try await withServer { address in
      let servers = ServerSnippets(server: address)
      try await servers.elsewhere()
      try await servers.loopback()
      try servers.profile(url: address)
      try servers.policy(url: address)
      try servers.several()
      try servers.ollama()
      servers.telemetry(options: ServerOptions())
    }
  }

  @Test func hosts() async throws {
    try await withServer(named: "gpt-5-mini") { address in
      try ServerSnippets(server: address).hosted(keychain: Keychain())
      let model = try ServerLanguageModel(url: address)
      let page = PythonSnippets(model: model, url: address)
      do {
        try await page.sorts()
      } catch {
        // Whoever has no key is told of the variable.
        #expect("\(error)".contains("OPENAI_API_KEY"))
      }
      try await page.retries()
      let complaints = try await page.extract(chunks: ["The bread was old.", "The bus was late."])
      #expect(!complaints.isEmpty)
    }
  }
}
