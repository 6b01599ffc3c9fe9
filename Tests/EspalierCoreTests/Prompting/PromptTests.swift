// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

@Suite struct PromptTests {
  @Test func componentsComeOnePerLine() {
    let places: [String]? = ["Kyoto", "Nara"]
    let days = 3
    let prompt = Prompt {
      "Plan a trip."
      if days > 2 { "It is long." } else { "It is short." }
      if days > 9 { "Very long." }
      for place in ["a", "b"] { "Near \(place)" }
      places
      GeneratedContent(properties: ["days": days])
      Prompt("Thank you.")
      days
    }
    #expect(
      prompt.parts.text == """
        Plan a trip.
        It is long.
        Near a
        Near b
        Kyoto
        Nara
        {"days":3}
        Thank you.
        3
        """)
  }

  @Test func instructionsAreBuiltTheSameWay() throws {
    let tone: String? = nil
    let instructions = Instructions {
      "You are a guide."
      tone
      if #available(macOS 15, *) { "Be brief." }
    }
    #expect(instructions.parts.text == "You are a guide.\nBe brief.")
    #expect(Instructions("One").parts.text == "One")
  }

  @Test func builderErrorsPassThrough() {
    struct Missing: Error {}
    func text() throws -> String { throw Missing() }
    #expect(throws: Missing.self) { try Prompt { try text() } }
  }

  @Test func emptyPrompts() {
    #expect(Prompt {}.parts.text == "")
  }
}
