// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@testable import ConstraintEngine

/// What is told of numbers by the first digits of bounds and by remainders, for steps and bounds of all
/// sizes.
@Suite(.computesForLong) struct NumberPrefixTests {
  private static let steps = [
    "1", "2", "3", "5", "7", "12", "60", "100", "256", "1000", "1e12", "0.1", "0.25", "0.3", "1e-6",
    "3e-4", "1234567", "1024e-3", "99999999999999", "12345678901234567", "7e20",
    "123456789012345678901",
  ]

  private struct Question: CustomStringConvertible {
    /// Keywords with their values.
    var members: [(name: String, value: String)] = []

    init(_ generator: inout SeededGenerator) {
      func digits(_ range: ClosedRange<Int>) -> String {
        (0..<Int.random(in: range, using: &generator)).map { at in
          let digit = Int.random(in: 0...9, using: &generator)
          return at == 0 ? "\(max(digit, 1))" : "\(digit)"
        }.joined()
      }
      func number() -> String {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: "1e\(Int.random(in: -4...45, using: &generator))"
        case 1: digits(1...3)
        case 2: "\(digits(1...20))e\(Int.random(in: -8...8, using: &generator))"
        default: digits(1...45)
        }
      }
      func bound(_ name: String, _ value: String) {
        let isExclusive = Int.random(in: 0..<3, using: &generator) == 0
        members.append((isExclusive ? "exclusiveM\(name.dropFirst())" : name, value))
      }
      func sign() -> String { Int.random(in: 0..<3, using: &generator) == 0 ? "-" : "" }
      members.append(("type", Bool.random(using: &generator) ? "\"integer\"" : "\"number\""))
      if Int.random(in: 0..<4, using: &generator) > 0,
        let step = steps.randomElement(using: &generator)
      {
        members.append(("multipleOf", step))
      }
      if Int.random(in: 0..<5, using: &generator) == 0 {
        // Two bounds that begin with the same digits.
        let start = digits(1...30)
        bound("minimum", start + digits(4...4))
        bound("maximum", start + "9" + digits(3...3))
        return
      }
      if Bool.random(using: &generator) { bound("minimum", sign() + number()) }
      if Int.random(in: 0..<4, using: &generator) > 0 { bound("maximum", sign() + number()) }
    }

    var description: String {
      "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    var constraint: NumberConstraint? {
      var result = NumberConstraint()
      for (name, text) in members {
        if name == "type" {
          result.onlyIntegers = text == "\"integer\""
          continue
        }
        guard let value = ExactDecimal(text.utf8) else { return nil }
        let bound = NumberConstraint.Bound(value: value, isExclusive: name.hasPrefix("exclusive"))
        switch name {
        case "minimum", "exclusiveMinimum": result.lower = bound
        case "maximum", "exclusiveMaximum": result.upper = bound
        default: result.multiples.append(value)
        }
      }
      return result
    }
  }

  /// Whether a text with an exponent becomes an allowed number with up to two more digits: more than
  /// bounds of 45 digits need.
  private static func isViable(exponentOf text: [UInt8], _ constraint: NumberConstraint) -> Bool {
    let signs = text.last == 0x65 ? ["", "-"] : [""]
    let digits = (0...9).map(String.init)
    let rests = [""] + digits + digits.flatMap { first in digits.map { first + $0 } }
    return signs.contains { sign in
      rests.contains { ExactDecimal(text + (sign + $0).utf8).map(constraint.admits) ?? false }
    }
  }

  /// Where the digits say whether a text can become an allowed number, a search for such a number says
  /// the same.
  @Test(arguments: [CompilationOptions.Numbers.any, .plain])
  func whatDigitsSayIsFound(spelling: CompilationOptions.Numbers) throws {
    var knownCount = 0
    for seed in UInt64(0)..<150 {
      var generator = SeededGenerator(seed: seed)
      let question = Question(&generator)
      let constraint = try #require(question.constraint, "\(question)")
      guard constraint.isSatisfiable, constraint != .none else { continue }
      var numbers = NumberAutomaton(spelling: spelling, isWithinDouble: false)
      _ = numbers.start(constraint)
      for _ in 0..<4 {
        var text: [UInt8] = []
        var place = NumberAutomaton.Place.start
        while text.count < 60 {
          var next: [(UInt8, NumberAutomaton.Place)] = []
          for byte in Array("-0123456789.e+".utf8) {
            guard let after = place.after(byte) else { continue }
            let isEnd = after == .exponent || after == .point && constraint.onlyIntegers
            if spelling == .plain, isEnd { continue }
            let longer = text + [byte]
            let isViable =
              longer.contains(0x65)
              ? Self.isViable(exponentOf: longer, constraint)
              : numbers.isViable(constraint, after, longer, room: .max)
            if let known = numbers.isKnownToBeViable(0, after, longer) {
              knownCount += 1
              let read = String(decoding: longer, as: UTF8.self)
              #expect(known == isViable, "seed \(seed), \(read): \(question)")
            }
            // Long numbers are wanted: their ends come last.
            let isRare = after == .exponent || after == .point
            if isViable, !isRare || Int.random(in: 0..<8, using: &generator) == 0 {
              next.append((byte, after))
            }
          }
          guard let (byte, after) = next.randomElement(using: &generator) else { break }
          text.append(byte)
          place = after
        }
      }
    }
    #expect(knownCount > 5_000)
  }

  /// Exponents may have several digits more than those that are read.
  @Test(arguments: [
    (#"{"type":"number","minimum":1e70}"#, "1e200"), (#"{"minimum":1e1000}"#, "2e+5000"),
    (#"{"exclusiveMaximum":-1e80,"type":"number"}"#, "-1e2000"),
    (#"{"type":"number","maximum":1e-900,"exclusiveMinimum":0}"#, "3e-90001"),
  ])
  func exponentsFarFromBoundsAreTaken(schema: String, text: String) throws {
    var matcher = Matcher(
      grammar: try Grammar(jsonSchema: schema, options: .validation), vocabulary: .singleBytes)
    try matcher.accept(bytes: text.utf8)
    let canEnd = matcher.canEnd()
    #expect(canEnd)
  }

  /// All digits of up to three places, as large vocabularies have them.
  private static let vocabulary: Vocabulary = {
    var texts = ["", "-", ".", "e", "E", "+", "e+", "e-", " ", "\n", "1234567890123456"]
    for length in 1...3 {
      var values = [""]
      for _ in 0..<length { values = values.flatMap { text in (0...9).map { "\(text)\($0)" } } }
      texts += values
    }
    return try! Vocabulary(
      tokens: texts.map { Array($0.utf8) }, specialTokens: [0], endOfSequence: 0)
  }()

  /// Masks have the tokens whose digits are taken one by one.
  @Test(arguments: [CompilationOptions.validation, .generation])
  func masksOfStepsAndBoundsAreExact(options: CompilationOptions) throws {
    for seed in UInt64(1000)..<1030 {
      var generator = SeededGenerator(seed: seed)
      let question = Question(&generator)
      guard let constraint = question.constraint, constraint.isSatisfiable,
        let grammar = try? Grammar(jsonSchema: question.description, options: options)
      else { continue }
      var matcher = Matcher(grammar: grammar, vocabulary: Self.vocabulary)
      var text = ""
      for _ in 0..<24 {
        let mask = matcher.allowedTokens()
        let wrong = (0..<Self.vocabulary.count).filter {
          mask.contains($0) != matcher.allows($0)
        }
        #expect(
          wrong.isEmpty,
          "\(wrong.prefix(5).map { Self.vocabulary.bytes(of: $0) }) after \(text), seed \(seed): \(question)"
        )
        let digits = mask.tokens.filter { Self.vocabulary.bytes(of: $0).first ?? 0 >= 0x30 }
        let tokens =
          digits.isEmpty || Int.random(in: 0..<4, using: &generator) == 0 ? mask.tokens : digits
        let token = try #require(tokens.randomElement(using: &generator), "\(question)")
        if token == Self.vocabulary.endOfSequence { break }
        try matcher.accept(token)
        text += String(decoding: Self.vocabulary.bytes(of: token), as: UTF8.self)
        if text.hasSuffix("\n") || text.hasSuffix(" ") { break }
      }
    }
  }
}
