// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierLocal
import EspalierServer
import Foundation
import Testing

@testable import ModelServing

/// Tools of requests that no call can satisfy.
@Suite struct ServedToolTests {
  private static let good = #"{"type":"object","properties":{"q":{"type":"string"}}}"#

  private func problem(
    _ parameters: [String], _ route: ServedRequest.Route, choice: String? = nil,
    of model: some LanguageModel
  ) async throws -> ServeProblem? {
    let tools = parameters.enumerated().map { index, parameters in
      let members = #""name":"tool\#(index)","parameters":\#(parameters)"#
      return route == .chat
        ? #"{"type":"function","function":{\#(members)}}"# : #"{"type":"function",\#(members)}"#
    }
    let said =
      route == .chat ? #""messages":[{"role":"user","content":"Hi"}]"# : #""input":"Hi""#
    let choice = choice.map { #","tool_choice":\#($0)"# } ?? ""
    let body =
      #"{\#(said),"tools":[\#(tools.joined(separator: ","))]\#(choice)}"#
    let request = try ServedRequest(route, body: Data(body.utf8))
    do {
      let served = try ServedModel(model, name: "m")
      for try await _ in ServedAnswer.parts(of: request, model: served) { return nil }
      return nil
    } catch {
      return ServeProblem(error, answering: request)
    }
  }

  private static let bad: [(parameters: String, words: [String])] = [
    (
      #"{"type":"object","properties":{"q":{"type":"string"}},"required":["q","zz"],"#
        + #""additionalProperties":false}"#, ["#", "`zz` must be there"]
    ),
    (
      #"{"type":"object","properties":{"q":{"type":"string","pattern":"(?<a"}}}"#,
      ["#/properties/q", "pattern"]
    ),
    (
      #"{"type":"object","properties":{"q":{"type":"integer","minimum":3,"maximum":2}},"#
        + #""required":["q"]}"#, ["#"]
    ),
  ]

  @Test(arguments: bad.indices)
  func toolThatCannotBeHeldIsNamed(index: Int) async throws {
    let (parameters, words) = Self.bad[index]
    for (route, member) in [
      (ServedRequest.Route.chat, "function.parameters"), (.responses, "parameters"),
    ] {
      for choice in [nil, #""required""#] {
        let problems = [
          try await problem(
            [Self.good, parameters], route, choice: choice, of: GuidedLanguageModel(ByteModel())),
          try await problem(
            [Self.good, parameters], route, choice: choice, of: SamplingLanguageModel(seed: 3)),
        ]
        for problem in problems {
          #expect(problem?.status == 400)
          #expect(problem?.place == "tools[1].\(member)")
          for word in words + ["'tool1'"] {
            #expect(problem?.message.contains(word) == true, "\(problem?.message ?? "")")
          }
          #expect(problem?.message.contains("of the rules") == false)
        }
      }
    }
  }

  @Test func placeIsThatOfTheRequest() async throws {
    // The choice leaves one tool, which is the second of the request.
    let problem = try await problem(
      [Self.good, Self.bad[0].parameters], .chat,
      choice: #"{"type":"function","function":{"name":"tool1"}}"#,
      of: GuidedLanguageModel(ByteModel()))
    #expect(problem?.place == "tools[1].function.parameters")
  }

  @Test func goodToolsAreTaken() async throws {
    let problem = try await problem(
      [Self.good, Self.good], .chat, of: GuidedLanguageModel(ByteModel()))
    #expect(problem == nil, "\(problem?.message ?? "")")
  }

  /// The name comes first, then the arguments as they are written; of several calls the first one
  /// is whole where but one is wanted.
  @Test(arguments: ["", #","parallel_tool_calls":false"#])
  func callsAreStreamedInPieces(_ members: String) async throws {
    let parameters =
      #"{"type":"object","properties":{"q":{"enum":["some words"]}},"required":["q"],"#
      + #""additionalProperties":false}"#
    let body =
      #"{"messages":[{"role":"user","content":"Hi"}],"stream":true,"tool_choice":"required","#
      + #""tools":[{"type":"function","function":{"name":"f","parameters":\#(parameters)}}]"#
      + members + "}"
    let tests = ServeTests()
    let test: (URL) async throws -> Void = { url in
      let (status, text) = try await tests.post(body, "v1/chat/completions", at: url)
      #expect(status == 200, "\(text)")
      var names: [String] = []
      var arguments: [String] = []
      for line in text.split(separator: "\n") where line.hasPrefix("data: {") {
        let chunk = try GeneratedContent(json: String(line.dropFirst(6)))
        let calls = chunk["choices"]?.asList?.first?["delta"]?["tool_calls"]?.asList
        guard let call = calls?.first, call["index"]?.asInteger == 0 else { continue }
        if let name = call["function"]?["name"]?.asText { names.append(name) }
        arguments.append(call["function"]?["arguments"]?.asText ?? "")
      }
      #expect(names == ["f"])
      #expect(arguments.count > 1, "\(text)")
      let whole = try GeneratedContent(json: arguments.joined())
      #expect(try whole.value(String.self, forProperty: "q") == "some words")
      #expect(text.contains(#""finish_reason":"tool_calls""#), "\(text)")
    }
    try await tests.withServer(of: GuidedLanguageModel(ByteModel()), test)
    try await tests.withServer(of: SamplingLanguageModel(seed: 3), test)
  }

  /// What a limit keeps from being written is known before anything is sent.
  @Test func callThatCannotFitHasAStatus() async throws {
    let body =
      #"{"messages":[{"role":"user","content":"Hi"}],"stream":true,"tool_choice":"required","#
      + #""max_tokens":5,"tools":[{"type":"function","function":{"name":"f","parameters":"#
      + Self.good + "}}]}"
    let tests = ServeTests()
    try await tests.withServer(of: GuidedLanguageModel(ByteModel())) { url in
      let (status, text) = try await tests.post(body, "v1/chat/completions", at: url)
      #expect(status == 400, "\(text)")
      #expect(text.contains(#""param":"max_tokens""#), "\(text)")
    }
  }
}
