// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Bridge
import EspalierCore
import Foundation
import FoundationModels
import Testing

/// Models of this package behind Apple's interface for providers.
@Suite struct ProviderTests {
  private func ask(
    _ model: some EspalierCore.LanguageModel, schema: FoundationModels.GenerationSchema? = nil,
    entries: [FoundationModels.Transcript.Entry] = []
  ) async throws -> [String] {
    let provider = ProvidedLanguageModel(model)
    let channel = FoundationModels.LanguageModelExecutorGenerationChannel()
    let prompt = FoundationModels.Transcript.Entry.prompt(
      .init(segments: [.text(.init(content: "Hi"))]))
    func respond<Model: FoundationModels.LanguageModel>(_ model: Model) async throws {
      let executor = try Model.Executor(configuration: model.executorConfiguration)
      try await executor.respond(
        to: .init(
          id: UUID(), transcript: .init(entries: entries + [prompt]),
          enabledTools: [
            .init(
              name: "weather", description: "Says the weather",
              parameters: try .init(
                root: .init(
                  name: "Arguments",
                  properties: [.init(name: "city", schema: .init(type: String.self))]),
                dependencies: []))
          ], schema: schema,
          generationOptions: .init(sampling: .greedy, maximumResponseTokens: 100),
          contextOptions: .init(reasoningLevel: .custom("x")), metadata: ["screen": "home"]),
        model: model, streamingInto: channel)
    }
    try await respond(provider)
    return channel.lines
  }

  @Test func requestsAndEventsAreTranslated() async throws {
    let model = ScriptedLanguageModel([.text("Good morning")])
    let entries: [FoundationModels.Transcript.Entry] = [
      .instructions(.init(segments: [.text(.init(content: "Be kind."))], toolDefinitions: [])),
      .prompt(.init(segments: [.text(.init(content: "A"))])),
      .toolCalls(
        .init([
          .init(id: "1", toolName: "weather", arguments: try .init(json: #"{"city":"Nara"}"#))
        ])),
      .toolOutput(.init(id: "1", toolName: "weather", segments: [.text(.init(content: "Rain"))])),
      .response(.init(assetIDs: [], segments: [.text(.init(content: "1"))])),
      .reasoning(.init(segments: [.text(.init(content: "Hm"))])),
    ]
    let lines = try await ask(model, entries: entries)
    #expect(lines.filter { $0.contains("append") }.joined().contains("Good"))
    let request = try #require(model.requests.first)
    #expect(
      request.transcript.map(\.description) == [
        "Instructions: Be kind.", "Prompt: A", #"Tool calls: weather({"city":"Nara"})"#,
        "Output of weather: Rain", "Response: 1", "Reasoning: Hm", "Prompt: Hi",
      ])
    #expect(request.enabledToolDefinitions.map(\.name) == ["weather"])
    #expect(request.generationOptions.samplingMode == .greedy)
    #expect(request.contextOptions.reasoningLevel == .custom("x"))
    #expect(try request.metadata["screen"]?.value(String.self) == "home")
  }

  @Test func callsAreEvents() async throws {
    let lines = try await ask(
      ScriptedLanguageModel([.toolCall("weather", arguments: #"{"city":"Uji"}"#)]))
    #expect(lines.contains { $0.hasPrefix("calls") && $0.contains(#"{"city":"Uji"}"#) })
  }

  @Test func schemasHoldOurModels() async throws {
    let schema = try FoundationModels.GenerationSchema(
      root: .init(
        name: "Rating",
        properties: [
          .init(
            name: "stars",
            schema: .init(type: Int.self, guides: [.minimum(2), .maximum(3)])),
          .init(name: "kind", schema: .init(name: "Kind", anyOf: ["temple", "bridge"])),
        ]), dependencies: [])
    // A model that draws at random what the schema allows.
    let lines = try await ask(SamplingLanguageModel(seed: 7), schema: schema)
    let text = lines.filter { $0.contains("append '") }.map { line in
      line.split(separator: "'", maxSplits: 1)[1].split(separator: "'").first ?? ""
    }.joined()
    let value = try EspalierCore.GeneratedContent(json: text)
    #expect([2, 3].contains(try value.value(Int.self, forProperty: "stars")))
    #expect(["temple", "bridge"].contains(try value.value(String.self, forProperty: "kind")))
  }

  @Test func errorsAreApples() async throws {
    let model = ScriptedLanguageModel([
      .failure(
        EspalierCore.LanguageModelError.contextSizeExceeded(
          .init(contextSize: 10, tokenCount: 20, debugDescription: "long")))
    ])
    await #expect {
      try await ask(model)
    } throws: { error in
      guard case FoundationModels.LanguageModelError.contextSizeExceeded(let payload) = error
      else { return false }
      return payload.tokenCount == 20
    }
  }

  @Test func capabilitiesAreTranslated() {
    let model = ProvidedLanguageModel(SamplingLanguageModel(seed: 1))
    #expect(model.capabilities.contains(.guidedGeneration))
    #expect(
      model.executorConfiguration
        == ProvidedLanguageModel(SamplingLanguageModel(seed: 1)).executorConfiguration)
  }
}
