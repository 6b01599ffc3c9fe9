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
    "(?=.{1,3}$)a([^b]+)b",
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

  /// Whether a text lies within the bounds is found without the states of all texts: CloudFormation
  /// counts so, and that is more than 200,000 of them.
  @Test(arguments: [(1, 1024), (20, 1024), (0, 30), (20, 60)])
  func boundsBesideAPatternThatCountsFromAnyPlace(bounds: (minimum: Int, maximum: Int)) throws {
    var options = CompilationOptions.validation
    options.limits.states = 2000
    let grammar = try Grammar(
      jsonSchema: #"""
        {"type": "string", "pattern": "(?=.{1,1024}$)(https)://([^/]+)/(.+)",
         "minLength": \#(bounds.minimum), "maxLength": \#(bounds.maximum)}
        """#, options: options)
    let cs = String(repeating: "c", count: 9)
    for (text, matches) in [
      ("https://a.b/c", true), ("https://a.b/\(cs)", true), ("https://a.b/", false),
      ("http://a.b.\(cs)/\(cs)", false),
    ] {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      let isTaken = (try? matcher.accept(bytes: Array("\"\(text)\"".utf8))) != nil
      let isLongEnough = (bounds.minimum...bounds.maximum).contains(text.count)
      #expect(isTaken == (matches && isLongEnough), "\(text)")
    }
  }

  /// What is counted apart is what the pattern says, whatever stands around the run.
  @Test(arguments: [
    "^[ab]{16,18}$", "^a[ab]{0,16}$", "^(?:a|b)[aé]{17}b$", "^([ab]{2}[a-z]{1,17})$",
    "^(?:ab|ba)a[^b]{3,16}(?:a{2}|bé)$", "^[ab]{0,20}é$", "^ab{16,}é$", "^a{16}b{0,16}$",
    "^a?b{1,16}$", "^(?:a|bb)b{1,16}$", "^.{15,17}$", "^a[ab]{0,16}",
    "^(?=.*a)(?=.*b).{15,17}$", "^(?!a*$)[ab]{16,18}$", "^(?!.*é)(?=.{18})a[^c]{3,20}$",
    "^(?=.{17}$)[ab]{3,20}b$", "^(?=.*é)(?!.*ab).{0,16}$",
  ])
  func runsAreCountedWithWhatIsAroundThem(pattern: String) throws {
    let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
    let grammar = try Grammar(jsonSchema: #"{"type": "string", "pattern": "\#(pattern)"}"#)
    var generator = SeededGenerator(seed: 5)
    for count in 0...22 {
      for text in ["a", "b"].map({ String(repeating: $0, count: count) })
        + (0..<12).map({ _ in
          let edges = (0..<3).map { _ in ["a", "b", "é"].randomElement(using: &generator) ?? "" }
          let middle = Bool.random(using: &generator) ? "a" : "b"
          return edges[0] + String(repeating: middle, count: count) + edges[1] + edges[2]
        })
      {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        var isTaken = (try? matcher.accept(bytes: Array("\"\(text)\"".utf8))) != nil
        if isTaken { isTaken = matcher.canEnd() }
        #expect(isTaken == (text.firstMatch(of: regex) != nil), "\(text)")
      }
    }
  }
}
