// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Testing

/// Vectors from servers: what is sent, what is understood, and what is an error.
@Suite struct EmbeddingTests {
  private func asking(
    _ answers: @escaping @Sendable (StubServer.Request) -> [StubServer.Action],
    dimensions: Int = 2, _ settings: (inout ServerEmbeddingModel) -> Void = { _ in },
    texts: [String], as role: EmbeddingRole = .document
  ) async throws -> (vectors: [[Float]], requests: [StubServer.Request]) {
    let server = try StubServer(answers)
    defer { server.stop() }
    var model = try ServerEmbeddingModel(url: server.url, model: "mini", dimensions: dimensions)
    settings(&model)
    let vectors = try await model.vectors(for: texts, as: role)
    return (vectors, server.requests)
  }

  private static func data(_ items: String) -> String { #"{"object":"list","data":[\#(items)]}"# }

  @Test func vectorsComeInTheOrderOfTheirIndexWithTheLengthOne() async throws {
    let found = try await asking(
      { _ in
        [
          .whole(
            200,
            Self.data(#"{"index":1,"embedding":[0,5]},{"index":0,"embedding":[3.0,4e0]}"#))
        ]
      }, texts: ["a", "b"])
    #expect(found.vectors == [[0.6, 0.8], [0, 1]])
    let request = try #require(found.requests.first)
    #expect(request.path == "/v1/embeddings")
    let body = try GeneratedContent(json: request.body)
    #expect(body["model"]?.asText == "mini")
    #expect(body["input"]?.asList?.compactMap(\.asText) == ["a", "b"])
    #expect(body["encoding_format"]?.asText == "float")
  }

  @Test func base64IsRead() async throws {
    // 3 and 4 as 32-bit numbers, least significant byte first.
    let found = try await asking(
      { _ in [.whole(200, Self.data(#"{"index":0,"embedding":"AABAQAAAgEA="}"#))] },
      { $0.prefersBase64 = true }, texts: ["a"])
    #expect(found.vectors == [[0.6, 0.8]])
    let body = try GeneratedContent(json: try #require(found.requests.first).body)
    #expect(body["encoding_format"]?.asText == "base64")
  }

  @Test func batchesAndPrefixes() async throws {
    let found = try await asking(
      { request in
        let count = (try? GeneratedContent(json: request.body))?["input"]?.asList?.count ?? 0
        let items = (0..<count).map { #"{"index":\#($0),"embedding":[1,0]}"# }
        return [.whole(200, Self.data(items.joined(separator: ",")))]
      },
      {
        $0.batchSize = 2
        $0.queryPrefix = "search_query: "
      }, texts: ["a", "b", "c", "d", "e"], as: .query)
    #expect(found.vectors.count == 5)
    let inputs = try found.requests.map { request in
      try GeneratedContent(json: request.body)["input"]?.asList?.compactMap(\.asText) ?? []
    }
    #expect(
      inputs == [
        ["search_query: a", "search_query: b"], ["search_query: c", "search_query: d"],
        ["search_query: e"],
      ])
  }

  @Test(arguments: [
    #"{"index":0,"embedding":[1,0]}"#,
    #"{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}"#,
    #"{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]}"#,
    #"{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}"#,
    #"{"index":0,"embedding":[1,0]},{"index":1,"embedding":["1",0]}"#,
    #"{"index":0,"embedding":[1,0]},{"index":1,"embedding":"AABAQA"}"#,
    #"{"index":0,"embedding":[1,0]},{"index":1,"embedding":"AADAfwAAgEA="}"#,
    #"{"index":0,"embedding":[1,0]},{"index":1}"#,
  ])
  func otherAnswersAreErrors(items: String) async throws {
    let error = await #expect(throws: ServerError.self) {
      _ = try await asking({ _ in [.whole(200, Self.data(items))] }, texts: ["a", "b"])
    }
    #expect(error?.kind == .malformedAnswer)
  }

  @Test func failuresAreThoseOfTheChatModel() async throws {
    let long =
      #"{"error":{"code":400,"message":"input is too large","type":"exceed_context_size_error","#
      + #""n_prompt_tokens":900,"n_ctx":512}}"#
    await #expect(throws: LanguageModelError.self) {
      _ = try await asking({ _ in [.whole(400, long)] }, texts: ["a"])
    }
    for (status, kind) in [
      (401, ServerError.Kind.unauthorized), (404, .notFound), (422, .badRequest),
      (500, .serverFailure),
    ] {
      let error = await #expect(throws: ServerError.self) {
        _ = try await asking({ _ in [.whole(status, #"{"error":"no"}"#)] }, texts: ["a"])
      }
      #expect(error?.kind == kind, "\(status)")
    }
    let cut = await #expect(throws: (any Error).self) {
      _ = try await asking({ _ in [.close] }, texts: ["a"])
    }
    #expect(cut is ServerError)
  }
}
