// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

/// Sends the events of a round as they are, and waits for those who watch after each.
private struct EventModel: LanguageModel {
  typealias Event = LanguageModelExecutorGenerationChannel.Event

  let rounds: [[Event]]
  let capabilities = LanguageModelCapabilities([.reasoning, .toolCalling, .guidedGeneration])
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}

    init(configuration: Configuration) throws {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: EventModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let round = request.transcript.filter {
        if case .toolOutput = $0 { true } else { false }
      }.count
      for event in model.rounds[round] { await channel.send(event) }
    }
  }
}

private struct Clock: Tool {
  let name = "clock"
  let description = "Says what time it is."

  @Generable struct Arguments {}

  func call(arguments: Arguments) async throws -> String { "Noon" }
}

@Generable private struct Day: Equatable {
  var place: String
}

@Suite struct ReasoningSourcesTests {
  @Test @MainActor func thoughtsStream() async throws {
    let chat = ThinkingChat(
      model: EventModel(rounds: [
        [
          .reasoning(entryID: "r", action: .appendText("Let me ", tokenCount: 2)),
          .reasoning(entryID: "r", action: .appendText("see.", tokenCount: 1)),
          .response(entryID: "a", action: .appendText("It ", tokenCount: 1)),
          .reasoning(entryID: "r", action: .appendText(" Yes.", tokenCount: 1)),
          .response(entryID: "a", action: .appendText("is.", tokenCount: 1)),
        ]
      ]))
    try await chat.send("Is it?")
    #expect(
      chat.steps == [
        Progress(thought: "Let me "), Progress(thought: "Let me see."),
        Progress(answer: "It ", thought: "Let me see."),
        Progress(answer: "It ", thought: "Let me see. Yes."),
        Progress(answer: "It is.", thought: "Let me see. Yes."),
        Progress(answer: "It is.", thought: "Let me see. Yes."),
      ])
    #expect(chat.reasoningTokenCounts == [2, 3, 3, 4, 4, 4])
    #expect(chat.responseIDs == ["a"])
    #expect(chat.session.transcript.map(\.id).suffix(2) == ["r", "a"])
  }

  @Test @MainActor func toolsAndThoughts() async throws {
    let chat = ThinkingChat(
      model: EventModel(rounds: [
        [
          .reasoning(action: .appendText("A clock?", tokenCount: 2)),
          .toolCalls(
            action: .toolCall(
              id: "1", name: "clock", action: .appendArguments("{}", tokenCount: 1))),
        ],
        [
          .reasoning(action: .appendText("Oh", tokenCount: 1)),
          .reasoning(action: .replaceTextSegment("Noon, then.", tokenCount: 1)),
          .response(action: .appendText("Noon.", tokenCount: 1)),
        ],
      ]), tools: [Clock()])
    try await chat.send("What time is it?")
    #expect(
      chat.steps.map(\.thought) == [
        "A clock?", "Oh", "Noon, then.", "Noon, then.", "Noon, then.",
      ])
    #expect(chat.steps.map(\.toolOutputs.count) == [0, 1, 1, 1, 1])
    #expect(chat.steps.last?.answer == "Noon.")
  }

  @Test @MainActor func thoughtsBeforeAValue() async throws {
    let events: [EventModel.Event] = [
      .reasoning(action: .appendText("Hm.", tokenCount: 1)),
      .response(action: .appendText(#"{"place":"Nara"}"#, tokenCount: 3)),
    ]
    let chat = ThinkingChat(model: EventModel(rounds: [events]))
    #expect(try await chat.plan(Day.self) == ["Hm.", "Hm."])
    let list = ThinkingChat(
      model: EventModel(rounds: [
        [events[0], .response(action: .appendText("[1,2]", tokenCount: 3))]
      ]))
    // A list cannot be shown before it begins.
    #expect(try await list.plan([Int].self) == ["Hm."])
  }
}
