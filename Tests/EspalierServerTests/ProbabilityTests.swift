// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Testing

/// How sure a model behind a server is of enumerations and booleans.
@Suite struct ProbabilityTests {
  /// A token that was written, and what could have been in its place, with their probabilities.
  private typealias Step = (token: String, share: Double, rivals: [(String, Double)])

  private static func json(_ token: String, _ share: Double) -> String {
    "\"token\":\(token.generatedContent.jsonString),\"logprob\":\(log(share))"
  }

  private static func chunk(_ step: Step) -> String {
    let all = ([(step.token, step.share)] + step.rivals).map { "{\(json($0.0, $0.1))}" }
    return Chunk.event(
      "{\"choices\":[{\"delta\":{\"content\":\(step.token.generatedContent.jsonString)},\"logprobs\":"
        + "{\"content\":[{\(json(step.token, step.share)),\"top_logprobs\":[\(all.joined(separator: ","))]}]}}]}"
    )
  }

  private func answer(
    _ steps: [Step], schema: String, profile: ServerProfile = .cautious,
    check: (String) -> Void = { _ in }
  ) async throws -> [ValueProbability] {
    let body = steps.map(Self.chunk).joined() + Chunk.end
    let server = try StubServer { _ in [.head(), .send(body), .close] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: profile)
    var options = GenerationOptions()
    options.measuresProbabilities = true
    let response = try await LanguageModelSession(model: model).respond(
      to: "Hi", schema: GenerationSchema(jsonSchema: schema), options: options)
    check(server.requests.first?.body ?? "")
    if case .response(let entry)? = response.transcriptEntries.last {
      #expect(entry.metadata["logprobs"] == nil, "The app did not ask for them.")
    }
    return response.probabilities
  }

  private func shares(_ measure: ValueProbability?) -> [String] {
    (measure?.cases ?? []).map {
      "\($0.value.jsonString) \(String(format: "%.3f", $0.probability))"
    }
  }

  @Test func casesShareWhatTheTokensSay() async throws {
    let measures = try await answer(
      [("\"", 1, []), ("high", 0.6, [("low", 0.2), ("the", 0.2)]), ("\"", 1, [])],
      schema: #"{"enum":["low","high","none"]}"#
    ) { #expect($0.contains(#""logprobs":true,"top_logprobs":20"#)) }
    #expect(measures.count == 1)
    #expect(shares(measures.first) == [#""high" 0.750"#, #""low" 0.250"#, #""none" 0.000"#])
    #expect(measures.first?.path == "")
    #expect(measures.first.map { abs($0.probability - 0.75) < 1e-6 && $0.entropy > 0.8 } == true)
  }

  /// Tokens begin before a value and end after it, and several cases begin alike.
  @Test func valuesInObjects() async throws {
    let measures = try await answer(
      [
        ("{\"", 1, []), ("room", 1, []), ("\":\"", 1, []),
        ("s", 0.8, [("double", 0.1), ("\\n", 0.1)]), ("ingle", 0.5, [("uite", 0.5)]),
        ("\",\"quiet\":", 1, []), ("true", 0.9, [("false", 0.1)]), (",\"n\":", 1, []),
        ("42", 1, []), ("}", 1, []),
      ],
      schema: """
        {"type":"object","properties":{"room":{"enum":["single","double","suite"]},\
        "quiet":{"type":"boolean"},"n":{"type":"integer"}},"required":["room","quiet","n"]}
        """)
    #expect(measures.map(\.path) == ["/room", "/quiet"])
    #expect(
      shares(measures.first) == [#""single" 0.444"#, #""suite" 0.444"#, #""double" 0.111"#])
    #expect(shares(measures.last) == ["true 0.900", "false 0.100"])
  }

  /// OpenAI takes a value that is no object within one.
  @Test func wrappedValues() async throws {
    let measures = try await answer(
      [("{\"value\":\"", 1, []), ("yes", 0.7, [("no", 0.3)]), ("\"}", 1, [])],
      schema: #"{"type":"string","enum":["yes","no"]}"#, profile: .openAI)
    #expect(shares(measures.first) == [#""yes" 0.700"#, #""no" 0.300"#])
  }

  @Test func classesHaveProbabilities() async throws {
    let body =
      [Step("\"", 1, []), Step("glad", 0.9, [("angry", 0.1)]), Step("\"", 1, [])].map(Self.chunk)
      .joined() + Chunk.end
    let server = try StubServer { _ in [.head(), .send(body), .close] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .cautious)
    let choice = try await LanguageModelSession(model: model).choose("Hm", from: ["angry", "glad"])
    #expect(choice.value == "glad")
    #expect(choice.probability.map { abs($0 - 0.9) < 1e-6 } == true)
  }

  /// A value without probabilities is as good as before.
  @Test func modelsThatHaveNoneAreAskedWithout() async throws {
    let server = try StubServer { request in
      request.body.contains("logprobs")
        ? [
          .whole(
            403,
            #"{"error":{"message":"You are not allowed to request logprobs from this model","code":null}}"#
          )
        ] : [.head(), .send(Chunk.text("\"glad\"") + Chunk.end), .close]
    }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .cautious)
    let choice = try await LanguageModelSession(model: model).choose("Hm", from: ["angry", "glad"])
    #expect(choice.value == "glad" && choice.probability == nil)
    #expect(server.requests.count == 2)
  }
}
