// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// How bytes and characters are told.
@Suite struct WordsTests {
  @Test(
    arguments: [
      (Array("aé東".utf8), "aé東"), ([0x61, 0xE6, 0x9D], #"a\xE6\x9D"#), ([0x9D, 0x61], #"\x9Da"#),
      ([0xFF], #"\xFF"#), ([], ""), ([0xCC, 0x81], "\u{301}"),
      ([0xF0, 0x9F, 0x98], #"\xF0\x9F\x98"#),
    ] as [([UInt8], String)])
  func partsOfCharactersAreBytes(bytes: [UInt8], text: String) {
    #expect(bytes.shown().unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test func matchersNameWholeCharactersAndTheSpaceThatIsDue() throws {
    var options = CompilationOptions.generation
    options.whitespace = .spaced
    let grammar = try Grammar(
      jsonSchema: #"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#,
      options: options)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let quote = #expect(throws: MatcherError.self) { try matcher.accept(bytes: #"{"a":""#.utf8) }
    #expect(quote?.message == "expected a space, then a string; found `\"`")
    #expect(quote?.kind == .notAllowed)
    let letter = #expect(throws: MatcherError.self) { try matcher.accept(bytes: "東".utf8) }
    #expect(letter?.message == "expected an object; found `東`")
  }

  @Test func errorsHaveKinds() throws {
    let grammar = try Grammar(jsonSchema: #"{"type":"null"}"#)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    func kind(_ token: Int) -> MatcherError.Kind? {
      #expect(throws: MatcherError.self) { try matcher.accept(token) }?.kind
    }
    #expect(kind(256) == .incomplete)
    #expect(kind(300) == .noText)
    #expect(kind(0x31) == .notAllowed)
    try matcher.accept(bytes: "null".utf8)
    try matcher.accept(256)
    #expect(kind(0x31) == .ended)
    let end = #expect(throws: VocabularyError.self) {
      try Vocabulary(tokens: [[1]], endOfSequence: 5)
    }
    #expect(end?.kind == .endOfSequenceOutOfRange(5))
    let special = #expect(throws: VocabularyError.self) {
      try Vocabulary(tokens: [[1]], specialTokens: [7], endOfSequence: 0)
    }
    #expect(special?.kind == .specialTokenOutOfRange(7))
  }

  /// Nobody wrote a rule `text`.
  @Test func faultsOfPatternsNameNoRule() {
    let error = #expect(throws: GrammarError.self) { try Grammar(regularExpression: "(ab") }
    #expect(error?.description == "the pattern `(ab`: `(` is not closed at character 3")
    let named = #expect(throws: GrammarError.self) {
      try Grammar(rules: [.init("a", .regularExpression("(ab"))], startingAt: "a")
    }
    #expect(named?.description == "rule `a`: the pattern `(ab`: `(` is not closed at character 3")
  }
}
