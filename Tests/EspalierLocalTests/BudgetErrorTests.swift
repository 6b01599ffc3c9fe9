// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

@testable import EspalierLocal

/// A budget below the shortest value is an error before the first byte.
@Suite struct BudgetErrorTests {
  private func schema() throws -> GenerationSchema {
    try GenerationSchema(
      jsonSchema: """
        {"type":"object","properties":{"answer":{"enum":["yes","no"]}},"required":["answer"],\
        "additionalProperties":false}
        """)
  }

  /// The tokens are bytes: the shortest value, `{"answer": "no"}`, has 16 of them.
  @Test(arguments: [1, 15, 16, 17])
  func theErrorSaysHowMuchIsNeeded(budget: Int) async throws {
    let model = GuidedLanguageModel(
      ConversationTests.BraceModel(chatTemplate: .chatML, endsAfter: "never"), sampling: .greedy)
    for policy in [ContextPolicy.fail, .keepNewestTurns()] {
      let session = LanguageModelSession(model: model)
      session.contextPolicy = policy
      var written = 0
      do {
        for try await snapshot in session.streamResponse(
          to: "Well?", schema: try schema(), options: .init(maximumResponseTokens: budget))
        {
          written += 1
          #expect(!snapshot.rawContent.jsonString.isEmpty)
        }
        #expect(budget >= 16)
      } catch LanguageModelError.contextSizeExceeded(let payload) {
        #expect(budget < 16)
        #expect(written == 0)
        #expect(payload.debugDescription.contains("has 16 tokens"), "\(payload.debugDescription)")
        #expect(payload.debugDescription.contains("may have \(budget) more"))
        // The model has room for it: nobody is told that its window is too small.
        let error = LanguageModelError.contextSizeExceeded(payload)
        #expect(error.userMessage.key == "answerLacksRoom", "\(error.userMessage.text())")
        #expect("\(error)".hasSuffix("Raise 'maximumResponseTokens'."), "\(error)")
      }
    }
  }
}
