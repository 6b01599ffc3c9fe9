// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

private struct Wait: Tool {
  let name = "wait"
  let description = "Waits."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String { "waited" }
}

/// A model that takes back what it has written and calls a tool in its place, as one behind a server
/// does after a value that broke its schema.
@Suite struct WithdrawnAnswerTests {
  private static let model = ClosureModel { request, channel in
    if request.transcript.contains(where: { if case .toolOutput = $0 { true } else { false } }) {
      await channel.send(.response(action: .appendText(#"{"n":7}"#, tokenCount: 1)))
      return
    }
    await channel.send(
      .response(entryID: "r", action: .appendText(#"{"n":"#, tokenCount: 1)))
    await channel.send(
      .response(
        entryID: "r", action: .replaceTextSegment("", segmentID: nil, tokenCount: 0)))
    await channel.send(
      .toolCalls(
        action: .toolCall(
          id: "a", name: "wait", action: .appendArguments("{}", tokenCount: 1))))
  }

  private static let schema =
    #"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#

  @Test func callsFollowAWithdrawnValue() async throws {
    let session = LanguageModelSession(model: Self.model, tools: [Wait()])
    let schema = try GenerationSchema(jsonSchema: Self.schema)
    let content = try await session.respond(to: "How many?", schema: schema).content
    #expect(try content.value(Int.self, forProperty: "n") == 7)
    let responses = session.transcript.filter { if case .response = $0 { true } else { false } }
    #expect(responses.count == 1)
  }

  @Test func withdrawnTextIsNoEntry() async throws {
    let session = LanguageModelSession(model: Self.model, tools: [Wait()])
    #expect(try await session.respond(to: "How many?").content == #"{"n":7}"#)
    let responses = session.transcript.filter { if case .response = $0 { true } else { false } }
    #expect(responses.count == 1)
  }
}
