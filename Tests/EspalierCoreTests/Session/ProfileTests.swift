// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Synchronization
import Testing

private enum MoodKey: SessionPropertyKey { static let defaultValue = "calm" }

extension SessionPropertyValues {
  fileprivate var mood: String {
    get { self[MoodKey.self] }
    set { self[MoodKey.self] = newValue }
  }
}

private struct ChangeMood: Tool {
  @SessionProperty(\.mood) var mood
  let description = "Changes the mood."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String {
    mood = "wild"
    return "changed"
  }
}

private struct MoodInstructions: DynamicInstructions {
  @LanguageModelSession.SessionProperty(\.mood) var mood
  var body: some DynamicInstructions {
    "Be \(mood)."
    if mood == "calm" { ChangeMood() }
    ForEach(["a", "b"], id: \.self) { Instructions("Say \($0).") }
  }
}

private struct Assistant: LanguageModelSession.DynamicProfile {
  let model: ScriptedLanguageModel
  let log: Log
  @LanguageModelSession.SessionProperty(\.mood) var mood

  var body: some LanguageModelSession.DynamicProfile {
    if mood == "calm" {
      LanguageModelSession.Profile { MoodInstructions() }
        .model(model)
        .temperature(0.25)
        .historyTransform { $0.prefix(1) + $0.suffix(1) }
        .onPrompt { [log] in log.add("prompt \($0)") }
        .onToolCall { [log] in log.add("call \($0.toolName)") }
        .onToolOutput { [log] call, output in log.add("output \(output)") }
        .onActivate { [log] in log.add("calm on") }
        .onDeactivate { [log] in log.add("calm off") }
    } else {
      LanguageModelSession.Profile { "Anything goes." }.model(model)
        .onResponse { [log] in log.add("response \($0)") }
    }
  }
}

/// Says for each round of a request what its options are.
private struct RoundByRound: LanguageModelSession.DynamicProfile {
  let model: ScriptedLanguageModel
  let modes: [GenerationOptions.ToolCallingMode]
  @SessionProperty(\.history) var history

  var body: some DynamicProfile {
    let outputCount = history.count { if case .toolOutput = $0 { true } else { false } }
    Profile {
      "Look it up."
      ChangeMood()
    }
    .model(model)
    .toolCallingMode(modes[min(outputCount, modes.count - 1)])
    .temperature(Double(outputCount))
    .reasoningLevel(outputCount == 0 ? .deep : .light)
  }
}

private final class Log: Sendable {
  private let state = Mutex<[String]>([])
  func add(_ line: String) { state.withLock { $0.append(line) } }
  var lines: [String] { state.withLock { $0 } }
}

@Suite struct ProfileTests {
  @Test func dynamicInstructions() async throws {
    let model = ScriptedLanguageModel([.text("x"), .text("y")])
    let session = LanguageModelSession(model: model, dynamicInstructions: MoodInstructions())
    try await session.respond(to: "A")
    session.properties.mood = "loud"
    try await session.respond(to: "B")
    #expect(model.requests[0].transcript[0].description == "Instructions: Be calm.\nSay a.\nSay b.")
    #expect(model.requests[0].enabledToolDefinitions.map(\.name) == ["ChangeMood"])
    #expect(model.requests[1].transcript[0].description == "Instructions: Be loud.\nSay a.\nSay b.")
    #expect(model.requests[1].enabledToolDefinitions.isEmpty)
    #expect(session.properties.history.count == 4)
  }

  @Test func profile() async throws {
    let model = ScriptedLanguageModel([
      .text("first"), .toolCall("ChangeMood", arguments: "{}"), .text("last"),
    ])
    let log = Log()
    let session = LanguageModelSession(profile: Assistant(model: model, log: log))
    try await session.respond(to: "A")
    #expect(model.requests[0].generationOptions.temperature == 0.25)
    #expect(try await session.respond(to: "B").content == "last")
    #expect(model.requests[1].transcript.count == 2)
    #expect(model.requests[2].transcript[0].description == "Instructions: Anything goes.")
    #expect(session.transcript.history.count == 6)
    #expect(
      log.lines == [
        "calm on", "prompt A", "prompt B", "call ChangeMood", "output changed", "calm off",
        "response last",
      ])
  }

  @Test(
    arguments: [
      ([.required, .disallowed], [.required, .disallowed]),
      // Once a call was made because it had to be, the model may answer.
      ([.required], [.required, .allowed]),
      ([.allowed, .required, .disallowed], [.allowed, .required, .disallowed]),
    ] as [([GenerationOptions.ToolCallingMode], [GenerationOptions.ToolCallingMode])])
  func optionsOfEachRound(
    modes: [GenerationOptions.ToolCallingMode], expected: [GenerationOptions.ToolCallingMode]
  ) async throws {
    let calls = expected.dropLast().map { _ in
      ScriptedLanguageModel.Turn.toolCall("ChangeMood", arguments: "{}")
    }
    let model = ScriptedLanguageModel(calls + [.text("x")])
    let session = LanguageModelSession(profile: RoundByRound(model: model, modes: modes))
    try await session.respond(to: "A")
    let options = model.requests.map(\.generationOptions)
    #expect(options.map(\.toolCallingMode) == expected)
    #expect(options.map(\.temperature) == expected.indices.map(Double.init))
    #expect(
      model.requests.map(\.contextOptions.reasoningLevel)
        == expected.indices.map { $0 == 0 ? .deep : .light })
    #expect(
      model.requests.map(\.enabledToolDefinitions.isEmpty) == expected.map { $0 == .disallowed })
  }

  @Test func aCallThatALaterRoundRequires() async throws {
    let model = ScriptedLanguageModel([
      .toolCall("ChangeMood", arguments: "{}"), .text("x"),
    ])
    let session = LanguageModelSession(
      profile: RoundByRound(model: model, modes: [.allowed, .required]))
    await #expect(throws: ToolCallProblem.requiredCallMissing) {
      try await session.respond(to: "A")
    }
  }

  @Test func whatTheRequestSaysHoldsInEachRound() async throws {
    let model = ScriptedLanguageModel([.toolCall("ChangeMood", arguments: "{}"), .text("x")])
    let session = LanguageModelSession(
      profile: RoundByRound(model: model, modes: [.required, .disallowed]))
    try await session.respond(
      to: "A", options: GenerationOptions(temperature: 0.5, toolCallingMode: .allowed))
    let options = model.requests.map(\.generationOptions)
    #expect(options.map(\.toolCallingMode) == [.allowed, .allowed])
    #expect(options.map(\.temperature) == [0.5, 0.5])
  }
}
