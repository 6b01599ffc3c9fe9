// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Patterns beside bounds of length, which count the same characters or others.
@Suite(.computesForLong) struct LengthTests {
  private static let patterns = [
    "^[ab]{2,4}$", "^[ab]*$", "^(aa|b)+$", "a{2,3}", "^a?é{1,2}$", "^(a|éb){2}$", "$^|^ab$", "^$",
    "^[aé]{1,40}$", "^[^b]{32,}$|^é", "(?=b)", "^(?=.*a)(?!bb)[abé]{1,3}$", "^(?!(?:ab|é)$)[abé]+$",
    "^(?!a)b*", "^(?=a*$)", "^(a+b?)+$",
  ]

  /// All strings of a few characters.
  private static let texts: [String] = {
    var result = [""]
    var longest = [""]
    for _ in 0..<5 {
      longest = longest.flatMap { text in ["a", "b", "é"].map { text + $0 } }
      result += longest
    }
    return result
  }()

  @Test(arguments: patterns, [(0, 9), (0, 2), (1, 3), (2, 2), (2, 40), (3, 4), (0, 40)])
  func boundsHoldBesideAPattern(pattern: String, bounds: (minimum: Int, maximum: Int)) throws {
    let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
    var options = CompilationOptions.validation
    options.toleratesUnsatisfiableSchemas = true
    let grammar = try Grammar(
      jsonSchema: """
        {"type": "string", "pattern": "\(pattern)", "minLength": \(bounds.minimum), \
        "maxLength": \(bounds.maximum)}
        """, options: options)
    for text in Self.texts {
      let isAllowed =
        (bounds.minimum...bounds.maximum).contains(text.unicodeScalars.count)
        && text.firstMatch(of: regex) != nil
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      var isTaken = (try? matcher.accept(bytes: Array("\"\(text)\"".utf8))) != nil
      if isTaken { isTaken = matcher.canEnd() }
      #expect(isTaken == isAllowed, "\(text)")
    }
  }

  /// Longer runs than the texts above have.
  @Test func longRunsAreCounted() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"type": "string", "pattern": "^[aé]{33,40}$", "maxLength": 39}"#)
    for count in 30...42 {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      let text = String(repeating: "aé", count: count / 2) + (count % 2 == 0 ? "" : "é")
      let isTaken = (try? matcher.accept(bytes: Array("\"\(text)\"".utf8))) != nil
      #expect(isTaken == (33...39).contains(count), "\(count)")
    }
  }
}
