// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

/// A tool as servers of tools list it.
private struct Remote: Tool {
  let name: String
  let description = "Does something."
  let parameters: GenerationSchema

  init(_ name: String, _ schema: String = #"{"type": "object"}"#) throws {
    self.name = name
    parameters = try GenerationSchema(jsonSchema: schema)
  }

  func call(arguments: GeneratedContent) async throws -> String { "\(name) was called" }
}

/// Which tools a model is told of, and as what.
@Suite struct OfferedToolTests {
  private func definitions(_ transcript: Transcript) -> [String] {
    transcript.flatMap { entry in
      if case .instructions(let instructions) = entry {
        instructions.toolDefinitions.map(\.name)
      } else {
        [String]()
      }
    }
  }

  @Test func aRequestOffersTheToolsThatItNames() async throws {
    let model = ScriptedLanguageModel([
      .toolCall("b", arguments: "{}"), .text("One."), .text("All."),
    ])
    let session = LanguageModelSession(
      model: model, tools: [try Remote("a"), try Remote("b"), try Remote("c")])
    var options = GenerationOptions(toolCallingMode: .required)
    options.toolNames = ["b"]
    #expect(try await session.respond(to: "Go", options: options).content == "One.")
    #expect(try await session.respond(to: "Go").content == "All.")
    let offered = [["b"], ["b"], ["a", "b", "c"]]
    #expect(model.requests.map { $0.enabledToolDefinitions.map(\.name) } == offered)
    // Its tokens are counted by what it tells of.
    #expect(model.requests.map { definitions($0.transcript) } == offered)
    #expect(definitions(session.transcript) == ["a", "b", "c"])
  }

  @Test func aToolThatIsNotOfferedIsNotCalled() async throws {
    let model = ScriptedLanguageModel([.toolCall("a", arguments: "{}"), .text("Sorry.")])
    let session = LanguageModelSession(model: model, tools: [try Remote("a"), try Remote("b")])
    session.toolCallPolicy.onFailure = .answerModel
    var options = GenerationOptions()
    options.toolNames = ["b"]
    _ = try await session.respond(to: "Go", options: options)
    #expect(!session.transcript.description.contains("a was called"))
  }

  @Test func aNameThatTheSessionDoesNotHaveIsAnError() async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([.text("No.")]), tools: [try Remote("a")])
    var options = GenerationOptions()
    options.toolNames = ["a", "missing"]
    let error = await #expect(throws: ToolCallProblem.self) {
      try await session.respond(to: "Go", options: options)
    }
    #expect(error == .missingTool(name: "missing", available: ["a"]))
    options.toolNames = []
    options.toolCallingMode = .required
    await #expect(throws: ToolCallProblem.noToolToRequire) {
      try await session.respond(to: "Go", options: options)
    }
  }

  /// A session that goes on with other tools told the counter of tokens of those that are gone.
  @Test func aSavedTranscriptTellsOfTheToolsThatThereAre() async throws {
    let old = LanguageModelSession(
      model: ScriptedLanguageModel([.text("Hi.")]), tools: [try Remote("a"), try Remote("b")])
    _ = try await old.respond(to: "Hello")
    let model = ScriptedLanguageModel([.text("Again.")])
    let session = LanguageModelSession(
      model: model, tools: [try Remote("c")], transcript: old.transcript)
    _ = try await session.respond(to: "Go on")
    #expect(definitions(model.requests[0].transcript) == ["c"])
  }

  /// Servers of tools write `{}` where there are no arguments, and leave the type out.
  @Test(arguments: ["{}", "true", #"{"properties": {"a": {"type": "string"}}, "required": ["a"]}"#])
  func argumentsAreAnObject(_ schema: String) async throws {
    let session = LanguageModelSession(
      model: SamplingLanguageModel(seed: 3), tools: [try Remote("a", schema)])
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 1, answersAfterLastRound: true)
    _ = try await session.respond(to: "Go", options: .init(toolCallingMode: .required))
    let calls = session.transcript.flatMap { entry in
      if case .toolCalls(let calls) = entry { Array(calls) } else { [Transcript.ToolCall]() }
    }
    #expect(!calls.isEmpty)
    for call in calls { #expect(call.arguments.structureValue != nil, "\(call)") }
  }

  @Test func whatParametersSayOfTheirTypeStays() throws {
    for schema in [
      #"{"type":"string"}"#, #"{"anyOf":[{"type":"object"},{"type":"null"}]}"#,
      #"{"enum":[1,2]}"#,
    ] {
      let parameters = try GenerationSchema(jsonSchema: schema)
      let definition = Transcript.ToolDefinition(
        name: "a", description: "", parameters: parameters)
      #expect(try definition.parameters.jsonSchema() == parameters.jsonSchema())
    }
  }
}
