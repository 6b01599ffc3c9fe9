// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierEvaluation
import Testing

@Generable
private struct Booking: Equatable {
  var guest: String
  var city: String?
  var nights: Int
}

@Suite struct ExampleSnippets {
  @Test func examplesAreShownAsTurns() async throws {
    let model = ScriptedLanguageModel([.text(#"{"guest":"Bo","city":"Oslo","nights":3}"#)])
    let session = LanguageModelSession(model: model, instructions: "Extract bookings.")
    let text = "Three nights in Oslo for Bo"

    let examples = [
      GenerationExample("Ann, two nights", Booking(guest: "Ann", nights: 2))
    ]
    let booking = try await session.respond(to: text, generating: Booking.self, examples: examples)

    #expect(booking.content == Booking(guest: "Bo", city: "Oslo", nights: 3))
    let shown = try #require(model.requests.first).transcript.map(\.description)
    #expect(shown.count == 4)
    #expect(shown[1].contains("Ann, two nights"))
    #expect(shown[2].contains(#""guest":"Ann""#))
    #expect(shown[3].contains(text))
    // The session's own transcript has no examples.
    #expect(session.transcript.count == 3)
  }

  @Test func casesAreCounted() async throws {
    let text = """
      {"prompt": "Two nights in Rome for Ann", "expected": {"guest": "Ann", "city": "Rome", "nights": 2}}

      {"prompt": "Bo, Oslo", "expected": {"guest": {"$oneOf": ["Bo", "B."]}, "city": "Oslo", "nights": 3}}
      """
    let model = ScriptedLanguageModel([
      .text(#"{"guest":"Ann","city":"Rome","nights":2}"#),
      .text(#"{"guest":"B.","city":"Bergen","nights":3}"#),
    ])

    let cases = try EvaluationCase.cases(jsonLines: text)
    let report = try await Evaluation(schema: Booking.generationSchema).report(of: model, on: cases)
    #expect(report.fieldAccuracy > 0.8)

    #expect(report.rightFieldCount == 5 && report.fieldCount == 6)
    #expect(report.rightCount == 1 && report.validCount == 2)
    #expect(report.fields.map(\.path) == ["guest", "city", "nights"])
    #expect(report.fields.map(\.right) == [2, 1, 2])
    #expect(throws: EvaluationCaseError.self) { try EvaluationCase.cases(jsonLines: "{}") }
  }
}
