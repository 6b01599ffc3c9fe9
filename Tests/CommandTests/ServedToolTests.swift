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
        + #""additionalProperties":false}"#, ["#", "no value satisfies"]
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
}
