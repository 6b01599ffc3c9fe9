// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

@Suite struct ReleaseTests {
  private func model(_ steps: ScriptedLanguageModel.Turn...) -> ScriptedLanguageModel {
    ScriptedLanguageModel(steps)
  }

  private func shown(_ request: LanguageModelExecutorGenerationRequest) -> [String] {
    request.transcript.map(\.description)
  }

  @Test func namesAreMembers() async throws {
    let model = model(.text("y"))
    let session = LanguageModelSession(profile: ShortProfile().model(model))
    #expect(try await session.respond(to: "A").content == "y")
    #expect(
      session.transcript.map(\.description) == ["Instructions: x", "Prompt: A", "Response: y"])
  }

  @Test func aWindowInACallbackChangesTheSession() async throws {
    let model = model(.text("1"), .text("2"), .text("3"))
    let session = LanguageModelSession(profile: WindowedChat(entries: 3).model(model))
    for prompt in ["A", "B", "C"] { try await session.respond(to: prompt) }
    let last = ["Instructions: You chat.", "Prompt: B", "Response: 2", "Prompt: C"]
    #expect(shown(model.requests[2]) == last)
    #expect(session.transcript.map(\.description) == last + ["Response: 3"])
    #expect(session.properties.history.count == 4)
  }

  @Test func aWindowAsATransformationChangesWhatIsShown() async throws {
    let model = model(.text("1"), .text("2"))
    let session = LanguageModelSession(profile: ShownWindowChat(entries: 3).model(model))
    try await session.respond(to: "A")
    try await session.respond(to: "B")
    #expect(shown(model.requests[0]) == ["Instructions: You chat.", "Prompt: A"])
    #expect(shown(model.requests[1]) == ["Prompt: A", "Response: 1", "Prompt: B"])
    #expect(session.transcript.count == 5)
  }

  @Test func aHistoryIsCutAfterResponses() async throws {
    let model = model(.text("1"), .text("2"), .text("3"))
    let session = LanguageModelSession(profile: ShortChat().model(model))
    for prompt in ["A", "B", "C"] { try await session.respond(to: prompt) }
    #expect(session.transcript.history.map(\.description) == ["Prompt: C", "Response: 3"])
  }

  @Test func summaries() async throws {
    let model = model(.text("1"), .text("2"))
    let summarizer = self.model(.text("A was asked."))
    let session = LanguageModelSession(
      profile: SummarizedChat(limit: 2, summarizer: summarizer).model(model))
    try await session.respond(to: "A")
    try await session.respond(to: "B")
    #expect(
      shown(model.requests[1]) == [
        "Instructions: You chat.", "Prompt: In short: A was asked.\n\nB",
      ])
    #expect(shown(summarizer.requests[0])[1] == "Prompt: Said so far:\nPrompt: A\nResponse: 1")
    #expect(session.transcript.count == 3)
  }

  @Test func finishedCallsAreDropped() async throws {
    let model = model(
      .toolCall("SwitchMode", arguments: #"{"mode":"act"}"#), .text("1"), .text("2"))
    let session = LanguageModelSession(profile: TidyPlanner().model(model))
    try await session.respond(to: "A")
    #expect(session.transcript.count == 5)
    try await session.respond(to: "B")
    #expect(
      session.transcript.history.map(\.description) == [
        "Prompt: A", "Response: 1", "Prompt: B", "Response: 2",
      ])
  }

  @Test func instructionsAreRecordedWithTheirTools() async throws {
    let model = model(.toolCall("SwitchMode", arguments: #"{"mode":"act"}"#), .text("done"))
    let session = LanguageModelSession(profile: Warm(model: model))
    session.properties.answers = Counter()
    #expect(session.transcript.isEmpty)
    try await session.respond(to: "A")
    guard case .instructions(let first)? = model.requests[0].transcript.first,
      case .instructions(let last)? = session.transcript.first
    else {
      Issue.record("no instructions")
      return
    }
    #expect(first.description == "The mode is plan.")
    #expect(first.toolDefinitions.map(\.name) == ["SwitchMode"])
    #expect(last.description == "The mode is act.")
    #expect(session.transcript.count == 5)
    #expect(session.properties.activated == ["act": true])
    #expect(session.properties.answers?.value == 1)
    #expect(model.requests.map(\.generationOptions.temperature) == [0.25, 0.75])
  }

  @Test func instructionsThatStayKeepTheirIdentity() async throws {
    let model = model(.text("1"), .text("2"))
    let session = LanguageModelSession(model: model, dynamicInstructions: ModeInstructions())
    try await session.respond(to: "A")
    let identity = session.transcript[0].id
    try await session.respond(to: "B")
    #expect(session.transcript[0].id == identity)
    #expect(session.transcript.count == 5)
  }

  @Test func skillsAreSwitchedOn() async throws {
    let active = ActiveSkills()
    let model = model(.toolCall("activate_skill", arguments: #"{"skill":"style"}"#), .text("ok"))
    let session = LanguageModelSession(
      model: model,
      dynamicInstructions: SkillBook(
        active: active,
        skills: [
          Skill(name: "style", instructions: "Be brief."),
          Skill(name: "dates", instructions: "Use ISO 8601."),
        ]))
    try await session.respond(to: "A")
    #expect(
      session.transcript.first?.description == """
        Instructions: Activate what fits.
        Skill: style [active]
        Be brief.
        Skill: dates [inactive]
        """)
  }

  @Test func theOutermostCallbackIsFirst() async throws {
    let model = model(.text("1"))
    let log = Log()
    let session = LanguageModelSession(
      profile: ShortProfile().onPrompt { log.add("inner") }
        .modifier(DebugModifier(note: { log.add($0) }))
        .onPrompt(perform: { prompt in log.add("outer \(prompt)") }).model(model))
    try await session.respond(to: "A")
    #expect(log.lines == ["outer A", "prompt in plan", "inner", "1"])
  }

  @Test func aFailedRequestGivesTheHistoryBack() async throws {
    let model = model(
      .text("1"), .failure(LanguageModelError.timeout(.init(debugDescription: "x"))))
    let session = LanguageModelSession(profile: WindowedChat(entries: 1).model(model))
    try await session.respond(to: "A")
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "B") }
    #expect(
      session.transcript.map(\.description) == [
        "Instructions: You chat.", "Prompt: A", "Response: 1",
      ])
  }

  @Test func profilesAreAskedForStreamsToo() async throws {
    let model = model(.toolCall("SwitchMode", arguments: #"{"mode":"act"}"#), .text("done"))
    let session = LanguageModelSession(profile: Warm(model: model))
    let response = try await session.streamResponse(to: "A").collect()
    #expect(response.content == "done")
    #expect(session.transcript.first?.description == "Instructions: The mode is act.")
  }

  @Test func aToolMayNotChangeTheHistory() async throws {
    let model = model(.toolCall("ForgetEverything", arguments: "{}"), .text("ok"))
    let session = LanguageModelSession(model: model, tools: [ForgetEverything()])
    await #expect(throws: LanguageModelSession.Error.transcriptMutationWhileResponding) {
      try await session.respond(to: "A")
    }
  }
}

private struct ForgetEverything: Tool {
  @SessionProperty(\.history) var history
  let description = "Forgets everything."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String {
    history = []
    return "Forgotten."
  }
}

nonisolated final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [String] = []
  func add(_ line: String) { lock.withLock { entries.append(line) } }
  var lines: [String] { lock.withLock { entries } }
}
