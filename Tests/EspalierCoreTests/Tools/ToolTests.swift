// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Synchronization
import Testing

/// Adds numbers, the first one slowly.
private struct Add: Tool {
  let name = "add"
  let description = "Adds two numbers."
  let parameters: GenerationSchema

  init() throws {
    let number = DynamicGenerationSchema(type: Int.self)
    parameters = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Sum",
        properties: [.init(name: "a", schema: number), .init(name: "b", schema: number)]),
      dependencies: [])
  }

  func call(arguments: GeneratedContent) async throws -> String {
    let a: Int = try arguments.value(forProperty: "a")
    let b: Int = try arguments.value(forProperty: "b")
    if a == 1 { try await Task.sleep(for: .milliseconds(30)) }
    return "\(a + b)"
  }
}

private struct Breaking: Tool {
  struct Broken: Error {}
  let description = "Breaks."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String { throw Broken() }
}

/// Gives up as if somebody had closed its window: the request itself goes on.
private struct Dismissed: Tool {
  let description = "Asks the person."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String { throw CancellationError() }
}

@MainActor private var mainActorCalls = 0

private struct Showing: Tool {
  let description = "Shows something on the screen."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String { await show() }

  @MainActor private func show() -> String {
    mainActorCalls += 1
    return "shown"
  }
}

@Suite struct ToolTests {
  @Test func parallelCallsAnswerInOrder() async throws {
    let model = ScriptedLanguageModel([
      .init([
        .toolCall(name: "add", arguments: #"{"a":1,"b":2}"#),
        .toolCall(name: "add", arguments: #"{"a":10,"b":20}"#),
      ]), .text("Done."),
    ])
    let session = LanguageModelSession(model: model, tools: [try Add()])
    let response = try await session.respond(to: "Add")
    #expect(response.content == "Done.")
    #expect(
      response.transcriptEntries.map(\.description) == [
        "Tool calls: add({\"a\":1,\"b\":2})\nadd({\"a\":10,\"b\":20})",
        "Output of add: 3", "Output of add: 30", "Response: Done.",
      ])
    guard case .toolCalls(let calls) = response.transcriptEntries.first,
      case .toolOutput(let output) = response.transcriptEntries[1]
    else {
      Issue.record("no calls")
      return
    }
    #expect(output.id == calls[0].id)
  }

  @Test func mainActor() async throws {
    let model = ScriptedLanguageModel([.toolCall("Showing", arguments: "{}"), .text("Done.")])
    try await LanguageModelSession(model: model, tools: [Showing()]).respond(to: "Show")
    #expect(await mainActorCalls == 1)
  }

  /// Which of them a call means nobody can say: the request fails before the model is asked.
  @Test func toolsHaveNamesOfTheirOwn() async throws {
    let model = ScriptedLanguageModel([.text("Done.")])
    let session = LanguageModelSession(model: model, tools: [Breaking(), try Add(), Breaking()])
    let error = await #expect(throws: ToolCallProblem.self) { try await session.respond(to: "Add") }
    #expect(error == .duplicateTool(name: "Breaking"))
    #expect(model.requests.isEmpty)
  }

  @Test func failureEndsTheTurnOrAnswersTheModel() async throws {
    let model = ScriptedLanguageModel(
      [.toolCall("Breaking", arguments: "{}"), .text("Sorry.")], repeats: true)
    let session = LanguageModelSession(model: model, tools: [Breaking()], instructions: "I")
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Break")
    }
    #expect(error?.underlyingError is Breaking.Broken)
    #expect(error?.tool.name == "Breaking")
    #expect(session.transcript.count == 1)
    _ = try await session.respond(to: "Skip a turn of the script")
    session.toolCallPolicy.onFailure = .answerModel
    #expect(try await session.respond(to: "Break").content == "Sorry.")
    #expect(session.transcript.description.contains("The tool 'Breaking' failed: Broken()"))
  }

  /// A preserved transcript ends in a call without an output, which servers refuse.
  @Test func aCallThatWasStoppedIsAnsweredForTheModel() async throws {
    let model = ScriptedLanguageModel([
      .init([
        .toolCall(name: "Breaking", arguments: "{}"),
        .toolCall(name: "Breaking", arguments: "{}"),
      ]), .text("Sorry."),
    ])
    let session = LanguageModelSession(model: model, tools: [Breaking()])
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Break")
    }
    let kept = session.transcript
    #expect(try await session.respond(to: "Go on").content == "Sorry.")
    let shown = model.requests[1].transcript
    let stopped =
      "Output of Breaking: The request was stopped before this call gave an output. It may have had "
      + "an effect."
    #expect(
      shown.dropFirst().map(\.description) == [
        "Prompt: Break", "Tool calls: Breaking({})\nBreaking({})", stopped, stopped,
        "Prompt: Go on",
      ])
    guard case .toolCalls(let calls) = shown[2], case .toolOutput(let first) = shown[3],
      case .toolOutput(let second) = shown[4]
    else {
      Issue.record("no calls")
      return
    }
    #expect(calls.map(\.id) == [first.id, second.id])
    // The transcript says what happened.
    #expect(Array(session.transcript.prefix(kept.count)) == Array(kept))
    #expect(session.transcript.count == kept.count + 2)
  }

  @Test func aToolThatGivesUpFailsAsAnyOtherWhereNobodyCancelledTheRequest() async throws {
    let model = ScriptedLanguageModel(
      [.toolCall("Dismissed", arguments: "{}"), .text("Sorry.")], repeats: true)
    let session = LanguageModelSession(model: model, tools: [Dismissed()])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Ask")
    }
    #expect(error?.underlyingError is CancellationError)
    _ = try await session.respond(to: "Skip a turn of the script")
    session.toolCallPolicy.onFailure = .answerModel
    #expect(try await session.respond(to: "Ask").content == "Sorry.")
  }

  @Test(arguments: ["garbage", #"{"a":1"#])
  func argumentsThatAreNoJSONFailTheToolOrAnswerTheModel(_ arguments: String) async throws {
    let model = ScriptedLanguageModel(
      [
        .init([
          .toolCall(name: "add", arguments: #"{"a":2,"b":2}"#),
          .toolCall(name: "add", arguments: arguments),
        ]), .text("Done."),
      ], repeats: true)
    let session = LanguageModelSession(model: model, tools: [try Add()])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Add")
    }
    #expect(error?.tool.name == "add")
    let reason = error?.underlyingError as? GeneratedContent.ParsingError
    #expect(reason?.rawContent.isEmpty == false)
    _ = try await session.respond(to: "Skip a turn of the script")
    let isAsked = Mutex(0)
    session.toolCallPolicy = ToolCallPolicy(onFailure: .answerModel) { _ in
      isAsked.withLock { $0 += 1 }
      return .allow
    }
    #expect(try await session.respond(to: "Add").content == "Done.")
    // Nobody is asked about a call that cannot be made.
    #expect(isAsked.withLock { $0 } == 1)
    #expect(session.transcript.description.contains("Output of add: 4"))
    #expect(
      session.transcript.description.contains(
        "Output of add: The tool 'add' failed: The arguments are no JSON: "))
  }

  @Test func vetoAndRounds() async throws {
    let model = ScriptedLanguageModel(
      [.toolCall("add", arguments: #"{"a":0,"b":2}"#)], repeats: true)
    let session = LanguageModelSession(model: model, tools: [try Add()])
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 3) { _ in .deny(reason: "Not today.") }
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: ToolCallProblem.tooManyRounds(limit: 3)) {
      try await session.respond(to: "Add")
    }
    #expect(
      session.transcript.description.contains("Output of add: The call was not allowed: Not today.")
    )
    #expect(model.requests.count == 4)
  }

  @Test func theLastRoundMayHaveToAnswer() async throws {
    let call = ScriptedLanguageModel.Turn.toolCall("add", arguments: #"{"a":1,"b":2}"#)
    let model = ScriptedLanguageModel([call, call, .text("3"), call, call, call], repeats: true)
    let session = LanguageModelSession(model: model, tools: [try Add()])
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 2, answersAfterLastRound: true)
    let options = GenerationOptions(toolCallingMode: .required)
    #expect(try await session.respond(to: "Add", options: options).content == "3")
    #expect(model.requests.map { $0.enabledToolDefinitions.count } == [1, 1, 0])
    #expect(
      model.requests.map(\.generationOptions.toolCallingMode) == [.required, .allowed, .disallowed])
    // A model that calls all the same is at the limit.
    await #expect(throws: ToolCallProblem.tooManyRounds(limit: 2)) {
      try await session.respond(to: "Add")
    }
    // No rounds at all: no tools from the first request on.
    let silent = ScriptedLanguageModel([.text("0")])
    let toolless = LanguageModelSession(model: silent, tools: [try Add()])
    toolless.toolCallPolicy = ToolCallPolicy(maximumRounds: 0, answersAfterLastRound: true)
    #expect(try await toolless.respond(to: "Add").content == "0")
    #expect(silent.requests[0].enabledToolDefinitions.isEmpty)
  }

  @Test func modes() async throws {
    let model = ScriptedLanguageModel([.text("x")], repeats: true)
    let session = LanguageModelSession(model: model, tools: [try Add()])
    try await session.respond(to: "A", options: .init(toolCallingMode: .disallowed))
    #expect(model.requests[0].enabledToolDefinitions.isEmpty)
    await #expect(throws: ToolCallProblem.requiredCallMissing) {
      try await session.respond(to: "A", options: .init(toolCallingMode: .required))
    }
    await #expect(throws: ToolCallProblem.noToolToRequire) {
      try await LanguageModelSession(model: model)
        .respond(to: "A", options: .init(toolCallingMode: .required))
    }
    await #expect(throws: ToolCallProblem.unknownTool(name: "sub", available: ["add"])) {
      try await LanguageModelSession(
        model: ScriptedLanguageModel([.toolCall("sub", arguments: "{}")]), tools: [try Add()]
      ).respond(to: "A")
    }
  }

  @Test func malformedArguments() async throws {
    let model = ScriptedLanguageModel([.toolCall("add", arguments: #"{"a":1,"#)])
    let session = LanguageModelSession(model: model, tools: [try Add()])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "A")
    }
    #expect(error?.underlyingError is GeneratedContent.ParsingError)
    #expect(!session.isResponding)
  }
}
