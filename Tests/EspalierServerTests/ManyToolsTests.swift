// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation
import Testing

@testable import EspalierServer

/// Requests with the tools of several servers of tools.
@Suite struct ManyToolsTests {
  private func tool(_ name: String, _ schema: String) throws -> Transcript.ToolDefinition {
    Transcript.ToolDefinition(
      name: name, description: "A tool", parameters: try GenerationSchema(jsonSchema: schema))
  }

  @Test func theirSchemasAreCompiledOnce() async throws {
    let url = try #require(URL(string: "http://localhost:1"))
    let runtime = try ServerLanguageModel(url: url, model: "m", profile: .vLLM).runtime
    let tools = try (0..<200).map {
      try tool("t\($0)", #"{"type":"object","maxProperties":\#($0)}"#)
    }
    let first = try await runtime.argumentGrammar(of: tools[0])
    for tool in tools.dropFirst() { _ = try await runtime.argumentGrammar(of: tool) }
    #expect(try await runtime.argumentGrammar(of: tools[0]).storage === first.storage)
  }

  @Test func oneThatCannotBeHeldIsNamed() async throws {
    let url = try #require(URL(string: "http://localhost:1"))
    let model = try ServerLanguageModel(url: url, model: "m", profile: .vLLM)
    let error = await #expect(throws: LanguageModelError.self) {
      try await ask(
        model, tools: ["fine": #"{"type":"object"}"#, "odd": #"{"type":"object","required":null}"#])
    }
    #expect(error?.debugDescription.contains("'odd'") == true)
    #expect(error?.debugDescription.contains("`required`") == true)
  }
}
