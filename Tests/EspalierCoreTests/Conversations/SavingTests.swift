// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

private struct Clock: Tool {
  let name = "clock"
  let description = "Says what time it is."
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String { "noon" }
}

/// Sessions that save what is said, and go on with it.
@Suite struct SavingTests {
  private struct Failure: Error {}

  private func withStore(_ body: (FileConversationStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(try FileConversationStore(folder: folder))
  }

  @Test func conversationGoesOnAfterALaunch() async throws {
    try await withStore { store in
      let chat = try await store.create(title: "A")
      let model = ScriptedLanguageModel { request, _ in
        .text("Answer \(request.transcript.filter { $0.isPromptOfTest }.count)")
      }
      let session = LanguageModelSession(model: model, instructions: "Be brief.")
        .saving(to: store, as: chat.id)
      for text in ["One", "Two"] { _ = try await session.respond(to: text) }
      for try await _ in session.streamResponse(to: "Three") {}
      #expect(try await store.entries(of: chat.id) == Array(session.transcript))
      let resumed = try await LanguageModelSession(resuming: chat.id, in: store, model: model)
      #expect(resumed.transcript == session.transcript)
      #expect(try await resumed.respond(to: "Four").content == "Answer 4")
      #expect(try await store.entries(of: chat.id) == Array(resumed.transcript))
      // The latest turn and the instructions.
      let latest = try await LanguageModelSession(
        resuming: chat.id, in: store, model: model, latest: 3)
      #expect(
        latest.transcript.map(\.content) == ["Be brief.", "Four", "Answer 4"])
      _ = try await latest.respond(to: "Five")
      #expect(try await store.entries(of: chat.id).count == 11)
    }
  }

  /// Servers that count the calls of each answer anew give the first of every turn the same identity.
  @Test func callsThatAModelNamesTwiceAreAllSaved() async throws {
    try await withStore { store in
      let chat = try await store.create(title: "A")
      let model = ClosureModel { request, channel in
        guard case .prompt? = request.transcript.last else {
          return await channel.send(
            .response(entryID: "r", action: .appendText("Noon.", tokenCount: 1)))
        }
        await channel.send(
          .toolCalls(
            entryID: "c",
            action: .toolCall(
              id: "call_0", name: "clock", action: .appendArguments("{}", tokenCount: 1))))
      }
      let session = LanguageModelSession(model: model, tools: [Clock()])
        .saving(to: store, as: chat.id)
      for _ in 0..<3 { _ = try await session.respond(to: "What time is it?") }
      #expect(session.transcript.count == 13)
      #expect(try await store.entries(of: chat.id) == Array(session.transcript))
      let resumed = try await LanguageModelSession(
        resuming: chat.id, in: store, model: model, tools: [Clock()])
      #expect(resumed.transcript == session.transcript)
      _ = try await resumed.respond(to: "And now?")
      #expect(try await store.entries(of: chat.id) == Array(resumed.transcript))
      // Each output answers a call of its own.
      let outputs = resumed.transcript.compactMap { entry in
        if case .toolOutput(let output) = entry { output.id } else { nil }
      }
      #expect(outputs.count == 4)
      #expect(Set(outputs).count == 4)
    }
  }

  /// No turn is summarised again after a launch, and the summary is no part of the conversation.
  @Test func summariesOutliveALaunch() async throws {
    try await withStore { store in
      let chat = try await store.create(title: "A")
      let model = ScriptedLanguageModel(contextSize: 60) { request, index in
        request.transcript.description.contains("Sum up.")
          ? .text("Short \(index).") : .text("one two three four five six seven \(index)")
      }
      func summaries() -> Int {
        model.requests.count { $0.transcript.description.contains("Sum up.") }
      }
      let policy = ContextPolicy.summarizeOlderTurns(
        instructions: "Sum up.", reservedResponseTokens: 5)
      let session = LanguageModelSession(model: model).saving(to: store, as: chat.id)
      session.contextPolicy = policy
      for turn in 0..<8 { try await session.respond(to: "a prompt of six words \(turn)") }
      try #require(summaries() > 0)
      let before = model.requests.count
      let resumed = try await LanguageModelSession(resuming: chat.id, in: store, model: model)
      #expect(resumed.transcript == session.transcript)
      resumed.contextPolicy = policy
      try await resumed.respond(to: "short")
      // Neither the model that answers nor the one that sums up is shown the first turn again.
      for request in model.requests[before...] {
        #expect(request.transcript.description.contains("Short "))
        #expect(!request.transcript.description.contains("six words 0"))
      }
      // What is saved by the second is found by a third.
      let third = try await LanguageModelSession(resuming: chat.id, in: store, model: model)
      #expect(third.transcript == resumed.transcript)
    }
  }

  @Test func toolCallsAreSaved() async throws {
    try await withStore { store in
      let chat = try await store.create(title: "A")
      let model = ScriptedLanguageModel { request, _ in
        if case .toolOutput? = request.transcript.last { return .text("It is noon.") }
        return .toolCall("clock", arguments: "{}")
      }
      let session = LanguageModelSession(model: model, tools: [Clock()])
        .saving(to: store, as: chat.id)
      _ = try await session.respond(to: "What time is it?")
      #expect(try await store.entries(of: chat.id) == Array(session.transcript))
    }
  }

  @Test func failedRequestAddsNothing() async throws {
    try await withStore { store in
      let chat = try await store.create(title: "A")
      let model = ScriptedLanguageModel { request, _ in
        request.transcript.last?.content == "Fail"
          ? .init([.text("Half"), .failure(Failure())]) : .text("Fine.")
      }
      let session = LanguageModelSession(model: model).saving(to: store, as: chat.id)
      await #expect(throws: Failure.self) { try await session.respond(to: "Fail") }
      #expect(try await store.entries(of: chat.id).isEmpty)
      _ = try await session.respond(to: "Hello")
      #expect(try await store.entries(of: chat.id).map(\.content) == ["Hello", "Fine."])
    }
  }

  /// A request whose entries cannot be saved fails, and the session is as it was.
  @Test func whatCannotBeSavedIsAnError() async throws {
    try await withStore { store in
      let chat = try await store.create(title: "A")
      let session = LanguageModelSession(model: ScriptedLanguageModel([.text("Fine.")]))
        .saving(to: store, as: chat.id)
      try await store.delete(chat.id)
      let error = await #expect(throws: ConversationStoreError.self) {
        try await session.respond(to: "Hello")
      }
      #expect(error?.kind == .noSuchConversation)
      #expect(session.transcript.isEmpty)
      #expect(!session.isResponding)
    }
  }
}

extension Transcript.Entry {
  fileprivate var isPromptOfTest: Bool { if case .prompt = self { true } else { false } }
}
