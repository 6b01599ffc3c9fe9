// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

private typealias First = LanguageModelSession.GenerationError

@Suite struct ErrorSourcesTests {
  @Test(
    arguments: [
      (.exceededContextWindowSize(.init(debugDescription: "Too long")), .tooLong),
      (.guardrailViolation(.init(debugDescription: "")), .blocked),
      (.decodingFailure(.init(debugDescription: "No JSON")), .unreadable),
      (.concurrentRequests(.init(debugDescription: "")), .busy),
      (.rateLimited(.init(debugDescription: "")), .limited),
      (.assetsUnavailable(.init(debugDescription: "")), .unavailable),
      (.unsupportedLanguageOrLocale(.init(debugDescription: "")), .language),
      (.refusal(.init(transcriptEntries: []), .init(debugDescription: "")), .declined),
    ] as [(LanguageModelSession.GenerationError, FailureKind)])
  func namesOfTheFirstGeneration(_ error: LanguageModelSession.GenerationError, _ kind: FailureKind)
  {
    #expect(failureKind(of: error) == kind, "\(error)")
    #expect(String(reflecting: error).contains(error.developerDescription))
  }

  @Test func namesOfTheSecondGeneration() {
    let errors: [(any Error, FailureKind)] = [
      (
        LanguageModelError.contextSizeExceeded(
          .init(contextSize: 4096, tokenCount: 5000, debugDescription: "Too long")), .tooLong
      ),
      (LanguageModelError.guardrailViolation(.init(debugDescription: "")), .blocked),
      (LanguageModelError.rateLimited(.init(debugDescription: "")), .limited),
      (LanguageModelError.refusal(.init(explanation: "No.")), .declined),
      (LanguageModelSession.Error.concurrentRequests, .busy),
      (SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "")), .unavailable),
    ]
    for (error, kind) in errors {
      #expect(failureKind(of: error) == kind, "\(error)")
    }
    #expect(
      "\(LanguageModelSession.Error.transcriptMutationWhileResponding)"
        .hasPrefix("transcriptMutationWhileResponding: The transcript was changed"))
  }

  @Test(
    arguments: [
      LanguageModelError.timeout(.init(debugDescription: "late")),
      SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "late")),
      PrivateCloudComputeLanguageModel.Error.networkFailure(.init(debugDescription: "late")),
      GeneratedContent.ParsingError(rawContent: "", debugDescription: "late"),
    ] as [any Error])
  func debugDescriptions(of error: any Error) {
    #expect(debugLog(of: error).contains("late"))
  }

  @Test func debugDescriptionOfAnErrorWithoutPayload() {
    let error = LanguageModelSession.Error.concurrentRequests
    #expect(debugLog(of: error) == "\(error)")
  }

  /// The name comes first, and what a developer needs follows.
  @Test func namesAndWords() {
    let log = schemaLog(
      DynamicGenerationSchema(
        name: "Riddle",
        properties: [.init(name: "answer", schema: .init(referenceTo: "Answer"))]))
    #expect(log?.hasPrefix("undefinedReferences: ") == true, "\(log ?? "")")
    #expect(log?.contains("Add schemas named 'Answer'") == true, "\(log ?? "")")
    let error = First.rateLimited(.init(debugDescription: "Too many"))
    #expect("\(error)" == "rateLimited: \(error.developerDescription)")
    #expect(!error.localizedDescription.contains("rateLimited"))
  }

  @Test(arguments: [ErrorGeneration.first, .second])
  func branchesOfAnApp(_ generation: ErrorGeneration) async {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([
        .failure(
          LanguageModelError.contextSizeExceeded(
            .init(contextSize: 10, tokenCount: 20, debugDescription: "Too long"))),
        .failure(LanguageModelError.rateLimited(.init(debugDescription: "Slow down"))),
        .text("Fine."),
      ]))
    session.errorGeneration = generation
    #expect(await answerOrAdvice(session, "A") == "Start a new conversation.")
    #expect(await answerOrAdvice(session, "B") == "Wait.")
    #expect(await answerOrAdvice(session, "C") == "Fine.")
  }
}
