// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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

  /// Every error of the package has a description, a reason and a suggestion, as apps show them.
  @Test func everyErrorOfThePackageSpeaks() async throws {
    struct Failing: Tool {
      let description = "Fails."
      func call(arguments: GeneratedContent) async throws -> String { "" }
      var parameters: GenerationSchema { GeneratedContent.generationSchema }
    }
    typealias Schema = DynamicGenerationSchema
    typealias First = LanguageModelSession.GenerationError
    let context = First.Context(debugDescription: "d")
    var errors: [any Error] = [
      LanguageModelSession.Error.concurrentRequests,
      LanguageModelSession.Error.transcriptMutationWhileResponding,
      LanguageModelSession.ToolCallError(
        tool: Failing(),
        underlyingError: GeneratedContent.ParsingError(
          rawContent: "", debugDescription: "d")),
      SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "d")),
      SystemLanguageModel.Adapter.AssetError.invalidAsset(.init(debugDescription: "d")),
      GeneratedContent.ParsingError(rawContent: "{", debugDescription: "d"),
      GeneratedContent.ParsingError(
        rawContent: "{", underlyingError: ToolCallProblem.noToolToRequire, debugDescription: "d"),
      ToolCallProblem.unknownTool(name: "a", available: []),
      ToolCallProblem.tooManyRounds(limit: 3), ToolCallProblem.noToolToRequire,
      ToolCallProblem.requiredCallMissing, First.exceededContextWindowSize(context),
      First.assetsUnavailable(context), First.guardrailViolation(context),
      First.unsupportedGuide(context), First.unsupportedLanguageOrLocale(context),
      First.decodingFailure(context), First.rateLimited(context), First.concurrentRequests(context),
      First.refusal(.init(transcriptEntries: []), context),
      RoutedLanguageModel.NoRoute(failures: []),
      RoutedLanguageModel.NoRoute(failures: [("a", CancellationError())]),
      LanguageModelSession.ValidationError(
        report: ValidationReport(of: 1, rules: [SemanticRule("odd") { _ in "It is even." }]),
        rawContent: GeneratedContent(2), attemptCount: 3),
    ]
    let root = Schema(name: "A", properties: [.init(name: "b", schema: .init(referenceTo: "C"))])
    #expect(throws: (any Error).self) {
      do { _ = try GenerationSchema(root: root, dependencies: []) } catch {
        errors.append(error)
        throw error
      }
    }
    #expect(throws: (any Error).self) {
      do { _ = try GenerationSchema(jsonSchema: ##"{"$ref": "#/$defs/B"}"##) } catch {
        errors.append(error)
        throw error
      }
    }
    for model in [ScriptedLanguageModel([])] as [any LanguageModel] + [
      ReplayingLanguageModel(Recording())
    ] {
      do { try await LanguageModelSession(model: model).respond(to: "Hi") } catch {
        errors.append(error)
      }
    }
    #expect(errors.count == 27)
    for error in errors {
      let error = try #require(error as? any LocalizedError, "\(error)")
      #expect(error.errorDescription?.isEmpty == false, "\(error)")
      #expect(error.failureReason?.isEmpty == false, "\(error)")
      #expect(error.recoverySuggestion?.isEmpty == false, "\(error)")
    }
    #expect(RetryAdvice.isWorthRetrying(ToolCallProblem.requiredCallMissing))
    #expect(!RetryAdvice.isWorthRetrying(ToolCallProblem.noToolToRequire))
  }

  @Test func whatRetryCanHelp() {
    #expect(
      Self.all.map(\.isWorthRetrying) == [
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
