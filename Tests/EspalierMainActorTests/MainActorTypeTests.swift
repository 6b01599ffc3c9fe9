// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Testing

// This target isolates everything to the main actor by default, as apps do.

@Generable
struct Card: Equatable {
  @Guide(description: "The question", .minimumLength(3)) var question: String
  var answers: [Answer]
  var level: Level?

  var title: String { question.uppercased() }

  @Generable
  struct Answer: Equatable {
    var text: String
    var isRight: Bool
  }
}

@Generable
enum Level: String { case easy, hard }

@Generable
enum Move: Equatable {
  case step(Int)
  case jump(to: Card.Answer)
}

@Suite struct MainActorTypeTests {
  @Test func usableFromTheMainActor() throws {
    let json = #"{"question":"Why?","answers":[{"text":"So","isRight":true}],"level":"hard"}"#
    let card = try Card(GeneratedContent(json: json))
    #expect(card.generatedContent.jsonString == json)
    #expect(try Move(Move.jump(to: card.answers[0]).generatedContent) == .jump(to: card.answers[0]))
  }

  @Test func usableFromElsewhere() async throws {
    let text = try await Task.detached { try decode() }.value
    #expect(text == "Why?")
  }
}

nonisolated private func decode() throws -> String? {
  func generic<Value: Generable>(_ type: Value.Type) throws -> Value.PartiallyGenerated {
    try Value.PartiallyGenerated(GeneratedContent(json: #"{"question":"Why?"#))
  }
  _ = Card.generationSchema
  return try generic(Card.self).question
}
