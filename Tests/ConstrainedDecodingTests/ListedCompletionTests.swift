// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine
import TestSupport
import Testing

/// The shortest ways to the end of listed strings.
@Suite struct ListedCompletionTests {
  private static func spelled(_ text: String) -> String {
    "\"\(String(decoding: JSONSpelling.escaped(text.utf8), as: UTF8.self))\""
  }

  private func matcher(_ texts: [String], after prefix: String) throws -> Matcher {
    let list = texts.map { Self.spelled($0) }.joined(separator: ",")
    let grammar = try Grammar(jsonSchema: #"{"enum":[\#(list)]}"#, options: .validation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: Array(prefix.utf8))
    return matcher
  }

  @Test func thereMayBeManyStrings() throws {
    let texts = (0..<12_000).map { "\($0 * 7919 % 100_003)-code" } + ["12345-co"]
    for (prefix, length) in [("", 10), ("\"1", 8), ("\"9999", 7)] {
      var matcher = try matcher(texts, after: prefix)
      let rest = matcher.shortestCompletion()
      try matcher.accept(bytes: rest)
      let isComplete = matcher.canEnd()
      #expect(isComplete, "\(prefix)")
      #expect(rest.count <= length, "\(prefix) \(rest.count)")
    }
  }

  /// What a character takes in JSON counts: a quote is two bytes, a control six.
  @Test func theShortestSpellingIsFound() throws {
    var generator = SeededGenerator(seed: 11)
    let pieces = ["a", "\"", "\\", "\n", "\u{1}", "é", "日", "😀", "b"]
    for _ in 0..<60 {
      let texts = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
        (0..<Int.random(in: 1...6, using: &generator)).map { _ in
          pieces.randomElement(using: &generator) ?? ""
        }.joined()
      }
      var matcher = try matcher(texts, after: "")
      let shortest = texts.map { Self.spelled($0).utf8.count }.min()
      let rest = matcher.shortestCompletion()
      #expect(rest.count == shortest, "\(texts)")
      try matcher.accept(bytes: rest)
    }
  }
}
