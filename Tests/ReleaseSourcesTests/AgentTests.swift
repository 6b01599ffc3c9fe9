// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

@Suite struct AgentTests {
  private func summary(_ transcript: Transcript?) -> [String] {
    transcript?.map { entry in
      switch entry {
      case .instructions: "instructions"
      case .prompt(let prompt): "prompt \(prompt.segments.map(\.description).joined())"
      case .toolCalls(let calls): "calls \(calls.map(\.toolName).joined(separator: ","))"
      case .toolOutput(let output): "output \(output.toolName)"
      case .response(let response): "response \(response.segments.map(\.description).joined())"
      case .reasoning: "reasoning"
      }
    } ?? []
  }

  private struct Windowed: LanguageModelSession.DynamicProfile {
    let size: WindowSize
    var body: some DynamicProfile {
      Profile { Instructions("You chat.") }.shownWindow(size: size)
    }
  }

  @Test func aWindowIsShown() async throws {
    for (count, expected) in [
      (10, ["instructions", "prompt 1", "response OK", "prompt 2", "response OK", "prompt 3"]),
      (3, ["prompt 2", "response OK", "prompt 3"]), (2, ["response OK", "prompt 3"]),
    ] {
      let recorder = TurnModel.Recorder()
      let model = TurnModel(events: [.text("OK")], recorder: recorder)
      let session = LanguageModelSession(profile: Windowed(size: .entries(count)).model(model))
      for prompt in ["1", "2", "3"] { _ = try await session.respond(to: prompt) }
      #expect(summary(recorder.transcripts.last) == expected)
      #expect(session.transcript.count == 7)
    }
  }

  private struct Crafting: LanguageModelSession.DynamicProfile {
    let tools: [any Tool]
    var body: some DynamicProfile {
      Profile {
        Instructions("You craft.")
        tools
      }
      .withoutOldCalls()
    }
  }

  @Test func callsOfTheLastTurnAreKept() async throws {
    let recorder = TurnModel.Recorder()
    let model = TurnModel(
      events: [.call(name: "Materials", arguments: "{}"), .text("OK")], recorder: recorder)
    let session = LanguageModelSession(profile: Crafting(tools: [Materials()]).model(model))
    _ = try await session.respond(to: "1")
    _ = try await session.respond(to: "2")
    #expect(
      recorder.transcripts.map(summary) == [
        ["instructions", "prompt 1"],
        ["instructions", "prompt 1", "calls Materials", "output Materials"],
        ["instructions", "prompt 1", "response OK", "prompt 2"],
        [
          "instructions", "prompt 1", "response OK", "prompt 2", "calls Materials",
          "output Materials",
        ],
      ])
    #expect(session.transcript.count == 9)
  }

  @Test func aToolChoosesTheProfile() async throws {
    let workshop = Workshop()
    let recorder = TurnModel.Recorder()
    let model = TurnModel(
      events: [.call(name: "nextStep", arguments: #"{"reason":"done"}"#), .text("OK")],
      recorder: recorder)
    let profile = WorkshopProfile(
      workshop: workshop, extraTools: [Materials()],
      fallback: TurnModel(events: [.text("reviewed")], recorder: recorder))
    let session = LanguageModelSession(profile: profile.model(model))
    _ = try await session.respond(to: "1")
    #expect(workshop.step == .plan)
    #expect(workshop.notes == ["idea on", "idea off"])
    guard case .instructions(let instructions)? = session.transcript.first else {
      Issue.record("no instructions")
      return
    }
    #expect(
      instructions.segments.map(\.description).joined(separator: "\n")
        == "You help with crafts.\nUse these terms:\n\ncut: a slit\n\nfold: a crease\n")
    #expect(instructions.toolDefinitions.map(\.name) == ["Materials", "nextStep"])
    workshop.step = .review
    #expect(try await session.respond(to: "2").content == "reviewed")
  }

  private struct Compacting: LanguageModelSession.DynamicProfile {
    let summarizer: ScriptedLanguageModel
    var body: some DynamicProfile {
      Crafting(tools: [Materials()]).compacted(by: summarizer)
    }
  }

  @Test func historyIsCompactedAtAnOutput() async throws {
    let recorder = TurnModel.Recorder()
    let model = TurnModel(
      events: [.call(name: "Materials", arguments: "{}"), .text("OK")], recorder: recorder)
    let profile = Compacting(
      summarizer: ScriptedLanguageModel([.text("short"), .text("shorter")])
    ).model(model)
    let session = LanguageModelSession(profile: profile)
    _ = try await session.respond(to: "1")
    #expect(session.transcript.history.count == 4)
    _ = try await session.respond(to: "2")
    #expect(
      summary(session.transcript) == [
        "instructions", "response short", "prompt 2", "calls Materials", "output Materials",
        "response OK",
      ])
  }

  @Test func aCallbackRefuses() async throws {
    let model = TurnModel(
      events: [.call(name: "giveUp", arguments: #"{"reason":"no glue"}"#)], recorder: .init())
    let giveUp = GiveUp()
    let session = LanguageModelSession(
      profile: Crafting(tools: [giveUp]).modifier(EscapeHatch()).model(model))
    do {
      _ = try await session.respond(to: "1")
      Issue.record("nothing was thrown")
    } catch let error as LanguageModelSession.ToolCallError {
      #expect(error.underlyingError as? Refusal == Refusal(reason: "no glue"))
      #expect(error.tool.name == "giveUp")
    }
  }

  @Test func aPromptIsStamped() async throws {
    let session = LanguageModelSession(
      profile: Crafting(tools: []).modifier(Stamped(stamp: "noon")).model(WireModel()))
    let response = try await session.respond(
      to: "1", options: GenerationOptions(samplingMode: .random(top: 5, seed: 7)))
    #expect(response.content == "choice=auto&tools=&top_k=5 7")
    #expect(summary(session.transcript)[1] == "prompt 1 [noon]")
    #expect(session.properties.lastThought == "hm")
  }

  @Test func whatAServerIsAskedFor() async throws {
    let session = LanguageModelSession(model: WireModel(), tools: [Materials()])
    let text = try await session.respond(
      to: "1",
      options: GenerationOptions(
        samplingMode: .random(probabilityThreshold: 0.5), maximumResponseTokens: 9,
        toolCallingMode: .allowed)
    ).content
    #expect(text == "choice=auto&limit=9&tools=Materials&top_p=0.5")
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(
        to: "1",
        options: GenerationOptions(samplingMode: .random(probabilityThreshold: 0.5, seed: 3)))
    }
  }
}

nonisolated private struct GiveUp: Tool {
  let name = "giveUp"
  let description = "Says that it cannot be done."
  @Generable struct Arguments { var reason: String }
  func call(arguments: Arguments) async throws -> String { "" }
}
