import EspalierCore
import Foundation
import Testing

@Suite struct ErrorTests {
  static let all: [LanguageModelError] = [
    .contextSizeExceeded(.init(contextSize: 4096, tokenCount: 168_918, debugDescription: "d")),
    .rateLimited(.init(debugDescription: "d")),
    .guardrailViolation(.init(debugDescription: "d")),
    .refusal(.init(explanation: "e", debugDescription: "d")),
    .unsupportedCapability(.init(capability: .vision, debugDescription: "d")),
    .unsupportedTranscriptContent(.init(unsupportedContent: [], debugDescription: "d")),
    .unsupportedGenerationGuide(.init(debugDescription: "d")),
    .unsupportedLanguageOrLocale(.init(languageCode: "am", debugDescription: "d")),
    .timeout(.init(debugDescription: "d")),
  ]

  @Test(arguments: all.indices) func everyErrorSpeaks(index: Int) {
    let error = Self.all[index]
    #expect(error.errorDescription?.isEmpty == false)
    #expect(error.failureReason == "d")
    #expect(error.recoverySuggestion?.isEmpty == false)
  }

  @Test func whatRetryCanHelp() {
    #expect(
      Self.all.map(\.canRetryHelp) == [
        false, true, false, false, false, false, false, false, true,
      ])
  }

  @Test func theTextOfAnOverflow() {
    #expect(
      Self.all[0].errorDescription
        == "Content contains 168918 tokens, which exceeds the maximum allowed context size of 4096."
    )
  }

  @Test(arguments: all.indices) func generations(index: Int) async throws {
    let error = Self.all[index]
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([.failure(error)], repeats: true))
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "A") }
    session.errorGeneration = .first
    do {
      try await session.respond(to: "A")
    } catch let thrown as LanguageModelSession.GenerationError {
      #expect(thrown.errorDescription?.isEmpty == false)
      #expect(thrown.recoverySuggestion?.isEmpty == false)
      switch (error, thrown) {
      case (.contextSizeExceeded, .exceededContextWindowSize), (.rateLimited, .rateLimited),
        (.guardrailViolation, .guardrailViolation), (.refusal, .refusal),
        (.unsupportedGenerationGuide, .unsupportedGuide),
        (.unsupportedLanguageOrLocale, .unsupportedLanguageOrLocale):
        break
      default: Issue.record("\(error) became \(thrown)")
      }
    } catch {
      switch Self.all[index] {
      case .unsupportedCapability, .unsupportedTranscriptContent, .timeout: break
      default: Issue.record("\(error) was not translated")
      }
    }
  }

  @Test func decodingFailures() async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([.text(#"{"name":3}"#)], repeats: true))
    await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "A", generating: Person.self)
    }
    session.errorGeneration = .first
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await session.respond(to: "A", generating: Person.self)
    }
    #expect(session.transcript.isEmpty)
  }
}
