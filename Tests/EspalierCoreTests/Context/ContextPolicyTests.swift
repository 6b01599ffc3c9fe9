// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

private struct Look: Tool {
  let name = "look"
  let description = "Looks around."
  let parameters = GeneratedContent.generationSchema
  let wordCount: Int
  func call(arguments: GeneratedContent) async throws -> String {
    Array(repeating: "word", count: wordCount).joined(separator: " ")
  }
}

@Suite struct ContextPolicyTests {
  /// A session with three turns behind it, and 30 words of room.
  private func session(
    _ policy: ContextPolicy, then turns: [ScriptedLanguageModel.Turn]
  ) async throws -> (LanguageModelSession, ScriptedLanguageModel) {
    let model = ScriptedLanguageModel(
      [.text("one one one one"), .text("two two two two"), .text("three three three three")]
        + turns, contextSize: 30)
    let session = LanguageModelSession(model: model, instructions: "Be kind.")
    for prompt in ["first prompt", "second prompt", "third prompt"] {
      try await session.respond(to: prompt)
    }
    session.contextPolicy = policy
    return (session, model)
  }

  private let long = "a prompt of a good many words so that it does not fit at all"

  @Test func failLeavesTheSessionUsable() async throws {
    let (session, _) = try await session(.fail, then: [.text("Fine.")])
    let before = session.transcript
    do {
      try await session.respond(to: long)
      Issue.record("It fitted.")
    } catch LanguageModelError.contextSizeExceeded(let payload) {
      #expect(payload.contextSize == 30)
      #expect(payload.tokenCount == 35)
    }
    #expect(session.transcript == before)
    #expect(try await session.respond(to: "short").content == "Fine.")
  }

  @Test func newestTurns() async throws {
    let (session, model) = try await session(
      .keepNewestTurns(reservedResponseTokens: 0), then: [.text("Fine.")])
    #expect(try await session.respond(to: long).content == "Fine.")
    #expect(
      model.requests[3].transcript.map(\.description) == [
        "Instructions: Be kind.", "Prompt: third prompt", "Response: three three three three",
        "Prompt: \(long)",
      ])
    #expect(session.transcript.count == 9)
  }

  /// Turns go in steps: of a long conversation most requests begin as the one before did, and
  /// whatever is shown fits.
  @Test func newestTurnsGoInSteps() async throws {
    let turns = 60
    let model = ScriptedLanguageModel(
      (0..<turns).map { .text("answer number \($0)") }, contextSize: 100)
    let session = LanguageModelSession(model: model, instructions: "Be kind.")
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 10)
    for turn in 0..<turns { try await session.respond(to: "question number \(turn)") }
    let shown = model.requests.map { $0.transcript.map(\.id) }
    #expect(shown.count == turns)
    var changes = 0
    for (before, after) in zip(shown, shown.dropFirst()) where !after.starts(with: before) {
      changes += 1
      // The head stays, and a step leaves room for several turns.
      #expect(after.first == before.first)
      #expect(after.count <= before.count * 2 / 3)
    }
    #expect((4...12).contains(changes), "\(changes) changes")
    for request in model.requests {
      #expect(try await model.tokenCount(for: request.transcript.entries) <= 90)
    }
    #expect(session.transcript.count == 1 + 2 * turns)
  }

  @Test func summary() async throws {
    let (session, model) = try await session(
      .summarizeOlderTurns(reservedResponseTokens: 5),
      then: [.text("A."), .text("B."), .text("Short."), .text("Fine.")])
    #expect(try await session.respond(to: long).content == "Fine.")
    // Each older turn by itself, for two of them do not fit.
    #expect(
      model.requests[4].transcript.description.hasSuffix(
        "A.\n\nPrompt: second prompt\n\nResponse: two two two two"))
    let shown = model.requests[6].transcript
    #expect(shown.description.contains("in short:\nShort."))
    #expect(!shown.description.contains("one one"))
    #expect(session.transcript.description.contains("one one"))
  }

  @Test func custom() async throws {
    let (session, model) = try await session(
      .custom(reservedResponseTokens: 5) { overflow in Array(overflow.entries.suffix(1)) },
      then: [.text("Fine.")])
    try await session.respond(to: long)
    #expect(model.requests[3].transcript.count == 1)
  }

  @Test func toolOutputsGoFirst() async throws {
    let entries: [Transcript.Entry] = [
      .prompt(.init(segments: [.text(.init(content: "old prompt"))])),
      .toolCalls(
        .init([.init(id: "1", toolName: "look", arguments: try GeneratedContent(json: "{}"))])),
      .toolOutput(
        .init(
          id: "1", toolName: "look",
          segments: [.text(.init(content: "a long output of ten words or so it seems"))])),
      .response(.init(segments: [.text(.init(content: "old answer"))])),
    ]
    func shown(room: Int) async throws -> [String] {
      let model = ScriptedLanguageModel([.text("Fine.")], contextSize: room)
      let session = LanguageModelSession(model: model, transcript: Transcript(entries: entries))
      session.contextPolicy = .dropToolOutputsFirst(reservedResponseTokens: 0)
      try await session.respond(to: "new prompt")
      return model.requests[0].transcript.map(\.description)
    }
    let whole = try await shown(room: 100)
    #expect(whole.count == 5)
    // Less room: what tools said goes; still less: the whole turn.
    #expect(
      try await shown(room: 6) == [
        "Prompt: old prompt", "Response: old answer", "Prompt: new prompt",
      ])
    #expect(try await shown(room: 5) == ["Prompt: new prompt"])
  }

  /// A model that calls one tool after the other fills its window within one turn.
  @Test func outputsOfEarlierRoundsGoWhereOneTurnIsTooLong() async throws {
    let model = ScriptedLanguageModel(contextSize: 100) { _, index in
      index < 6 ? .toolCall("look", arguments: "{}") : .text("Done.")
    }
    let session = LanguageModelSession(model: model, tools: [Look(wordCount: 30)])
    session.contextPolicy = .dropToolOutputsFirst(reservedResponseTokens: 0)
    #expect(try await session.respond(to: "Look around").content == "Done.")
    #expect(model.requests.count == 7)
    let shown = try #require(model.requests.last).transcript
    let outputs = shown.compactMap { entry in
      if case .toolOutput(let output) = entry { output } else { nil }
    }
    #expect(outputs.count == 6)
    #expect(outputs[0].description.hasPrefix("This output was left out"))
    #expect(outputs[5].description.hasPrefix("word word"))
    #expect(try await model.tokenCount(for: Array(shown)) <= 100)
    // The app keeps all of it.
    #expect(session.transcript.count { $0.description.contains("word word") } == 6)
  }

  /// What the model has not read is not left out behind its back.
  @Test func anOutputThatDoesNotFitIsAnError() async throws {
    let model = ScriptedLanguageModel(
      [.toolCall("look", arguments: "{}"), .text("Done.")], contextSize: 100)
    let session = LanguageModelSession(model: model, tools: [Look(wordCount: 200)])
    session.contextPolicy = .dropToolOutputsFirst(reservedResponseTokens: 0)
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "Look") }
    #expect(model.requests.count == 1)
  }

  @Test func aModelWithoutALimitIsNotAskedToCount() async throws {
    for (limit, isAsked) in [(Int.max, false), (Int.max - 1, true)] {
      let model = CountedModel(base: ScriptedLanguageModel([.text("Fine.")]), contextSize: limit)
      #expect(try await LanguageModelSession(model: model).respond(to: "Hi").content == "Fine.")
      #expect(model.wasAsked.isRaised == isAsked)
    }
  }

  /// A model that does not count tokens, and throws where it is asked too much.
  private func uncounted(_ base: ScriptedLanguageModel, limit: Int) -> ClosureModel {
    let executor = ScriptedLanguageModel.Executor(configuration: .init())
    return ClosureModel { request, channel in
      let count = try await base.tokenCount(for: Array(request.transcript))
      guard count <= limit else {
        // It notices on the way.
        await channel.send(.response(action: .appendText("Half of ", tokenCount: 2)))
        throw LanguageModelError.contextSizeExceeded(
          .init(contextSize: limit, tokenCount: count, debugDescription: "too long"))
      }
      try await executor.respond(to: request, model: base, streamingInto: channel)
    }
  }

  @Test func theModelsOwnErrorIsMetByThePolicy() async throws {
    let base = ScriptedLanguageModel(
      [.text("one one one one"), .text("two two two two"), .text("Fine.")])
    let session = LanguageModelSession(
      model: uncounted(base, limit: 15), instructions: "Be kind.")
    try await session.respond(to: "first prompt")
    try await session.respond(to: "second prompt")
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "third prompt") }
    #expect(session.transcript.count == 5 && !session.isResponding)
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 4)
    var seen: [String] = []
    for try await snapshot in session.streamResponse(to: "third prompt") {
      seen.append(snapshot.content)
    }
    #expect(seen == ["Half of ", "Fine.", "Fine."])
    let shown = base.requests[2].transcript.map(\.description)
    #expect(shown.first == "Instructions: Be kind." && shown.last == "Prompt: third prompt")
    #expect(shown.count < 6)
    #expect(session.transcript.count == 7)
    // What cannot be made shorter fails as before.
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: String(repeating: "long ", count: 40))
    }
    #expect(!session.isResponding)
  }
}

/// A model that says whether it was asked to count.
private struct CountedModel: WrappingLanguageModel {
  typealias Executor = WrappingExecutor<Self>
  let base: ScriptedLanguageModel
  let contextSize: Int
  let wasAsked = Flag()

  func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    wasAsked.raise()
    return 1
  }

  func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await next.respond(to: request, streamingInto: channel)
  }
}
