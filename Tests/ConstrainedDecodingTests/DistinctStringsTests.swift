// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Strings that must differ, held against all strings of a small alphabet: a byte is allowed where
/// some new string goes on so, and a token where it is accepted.
@Suite(.computesForLong) struct DistinctStringsTests {
  /// Strings that a schema takes, of up to five letters. Only `a` and `b` are ever read, so that of any
  /// text there is always another one with a `c`.
  struct Language: Sendable, CustomTestStringConvertible {
    var schema: String
    var letters = "ab"
    var isValid: @Sendable (String) -> Bool
    var testDescription: String { schema }

    var strings: [String] {
      var all = [""]
      var level = [""]
      for _ in 0..<5 {
        level = level.flatMap { start in letters.map { start + String($0) } }
        all += level
      }
      return all.filter(isValid)
    }
  }

  static let languages: [Language] = [
    Language(schema: #"{"pattern": "^[ab]+$"}"#) { !$0.isEmpty },
    Language(schema: #"{"pattern": "^(a|b[ab]*)$"}"#) { $0 == "a" || $0.hasPrefix("b") },
    Language(schema: #"{"pattern": "^(ab)*a?$"}"#) { text in
      zip(text, "ababa").allSatisfy(==)
    },
    Language(schema: #"{"pattern": "^[ab]*$", "maxLength": 2}"#) { $0.count <= 2 },
    Language(schema: #"{"pattern": "^[ab]*$", "minLength": 2, "maxLength": 2}"#) {
      $0.count == 2
    },
    Language(schema: #"{"maxLength": 1}"#, letters: "abc") { $0.count <= 1 },
    Language(schema: #"{"minLength": 1, "maxLength": 3}"#, letters: "abc") {
      (1...3).contains($0.count)
    },
    Language(schema: #"{"not": {"enum": ["a", "bb"]}}"#, letters: "abc") {
      $0 != "a" && $0 != "bb"
    },
  ]

  private static let vocabulary: Vocabulary = {
    var tokens = (0..<256).map { [UInt8($0)] }
    for text in [
      "ab", "ba", "aaa", "a\"", "b\"", "ab\"", "\",\"", "\",\"a", "a\",\"", "b\",\"b\"", "\",\"\",",
      "a\",\"a", "a\",\"a\"", "aa\",\"aa\",\"", "\"]", "a\"]", ",\"a\"", ",\"b\",\"a\"",
    ] {
      tokens.append(Array(text.utf8))
    }
    tokens.append([])
    return try! Vocabulary(
      tokens: tokens, specialTokens: [tokens.count - 1], endOfSequence: tokens.count - 1)
  }()

  @Test(arguments: languages) func aNewStringGoesOnAfterEveryByte(language: Language) throws {
    var options = CompilationOptions.validation
    options.whitespace = .compact
    options.escapes = .canonical
    let items = #"{"type": "string", "allOf": [\#(language.schema)]}"#
    let grammar = try Grammar(
      jsonSchema: #"{"type": "array", "uniqueItems": true, "items": \#(items)}"#, options: options)
    let vocabulary = Self.vocabulary
    for seed in UInt64(1)...12 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      for byte in "[\"".utf8 { try matcher.accept(Int(byte)) }
      var seen: Set<String> = []
      var text = ""
      for _ in 0..<40 {
        let mask = matcher.allowedTokens()
        for token in 0..<vocabulary.count {
          var fork = matcher
          let isAccepted = (try? fork.accept(token)) != nil
          try #require(
            isAccepted == mask.contains(token),
            "seed \(seed), \(seen.sorted()), after \(text): \(vocabulary.bytes(of: token))")
        }
        // Longer strings than are listed are new ones, where there are such.
        let others = language.strings.filter { !seen.contains($0) }
        for letter in "ab" where text.count < 4 {
          let goesOn = others.contains { $0.hasPrefix(text + String(letter)) }
          #expect(
            mask.contains(Int(letter.asciiValue ?? 0)) == goesOn,
            "seed \(seed), \(seen.sorted()), after \(text): \(letter)")
        }
        #expect(
          mask.contains(0x22) == others.contains(text), "seed \(seed), \(seen.sorted()): \(text)")
        let mayEnd = mask.contains(0x22)
        let letters = "ab".filter { mask.contains(Int($0.asciiValue ?? 0)) }
        guard text.count < 4, !mayEnd || Bool.random(using: &generator),
          let letter = letters.randomElement(using: &generator)
        else {
          guard mayEnd else { break }
          try matcher.accept(0x22)
          seen.insert(text)
          text = ""
          guard matcher.allowedTokens().contains(0x2C) else { break }
          for byte in ",\"".utf8 { try matcher.accept(Int(byte)) }
          continue
        }
        try matcher.accept(Int(letter.asciiValue ?? 0))
        text.append(letter)
      }
    }
  }
}
