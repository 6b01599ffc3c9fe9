import EspalierCore
import Testing

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
      .keepNewestTurns(reservedResponseTokens: 5), then: [.text("Fine.")])
    #expect(try await session.respond(to: long).content == "Fine.")
    #expect(
      model.requests[3].transcript.map(\.description) == [
        "Instructions: Be kind.", "Prompt: third prompt", "Response: three three three three",
        "Prompt: \(long)",
      ])
    #expect(session.transcript.count == 9)
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
}
