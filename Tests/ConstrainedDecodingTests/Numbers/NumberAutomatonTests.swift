// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ConstraintEngine

/// The spellings of numbers at the automaton's own interface, against all short texts.
@Suite(.computesForLong) struct NumberAutomatonTests {
  /// A number as a whole number times a power of ten.
  private struct Decimal {
    var mantissa = 0
    var exponent = 0

    /// Reads a number as RFC 8259 spells it.
    init?(_ text: String) {
      guard
        let match = text.wholeMatch(of: /(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?/)
      else { return nil }
      let fraction = match.3.map(String.init) ?? ""
      mantissa = Int(match.2 + fraction) ?? 0
      if match.1 == "-" { mantissa = -mantissa }
      exponent = Int(match.4 ?? "0") ?? 0
      exponent -= fraction.count
    }

    /// Compares with a number of tenths: below zero, zero, above zero.
    func compared(toTenths tenths: Int) -> Int {
      if exponent + 1 > 9 { return mantissa == 0 ? (0 - tenths).signum() : mantissa.signum() }
      if exponent + 1 < -9 { return tenths == 0 ? mantissa.signum() : (0 - tenths).signum() }
      return exponent + 1 >= 0
        ? (mantissa * Self.power(exponent + 1) - tenths).signum()
        : (mantissa - tenths * Self.power(-exponent - 1)).signum()
    }

    /// Whether the number is a multiple of a number of tenths.
    func isMultiple(ofTenths tenths: Int) -> Bool {
      if mantissa == 0 { return true }
      if exponent + 1 < 0 {
        return exponent + 1 >= -9 && mantissa % (tenths * Self.power(-exponent - 1)) == 0
      }
      var remainder = mantissa % tenths
      for _ in 0..<exponent + 1 { remainder = remainder * 10 % tenths }
      return remainder == 0
    }

    private static func power(_ exponent: Int) -> Int {
      (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
  }

  /// What is asked of a number, in tenths.
  private struct Question: CustomStringConvertible {
    var onlyIntegers: Bool
    var lower: (tenths: Int, isExclusive: Bool)?
    var upper: (tenths: Int, isExclusive: Bool)?
    var step: Int?
    var excluded: [Int] = []

    init(_ generator: inout SeededGenerator) {
      onlyIntegers = Bool.random(using: &generator)
      func bound() -> (tenths: Int, isExclusive: Bool)? {
        guard Bool.random(using: &generator) else { return nil }
        let isWhole = Bool.random(using: &generator)
        let tenths =
          isWhole
          ? 10 * Int.random(in: -15...120, using: &generator)
          : Int.random(in: -25...25, using: &generator)
        return (tenths, Bool.random(using: &generator))
      }
      (lower, upper) = (bound(), bound())
      step = [nil, nil, 1, 5, 20, 30, 70].randomElement(using: &generator) ?? nil
      if Int.random(in: 0..<3, using: &generator) == 0 {
        excluded = [Int.random(in: -20...20, using: &generator)]
      }
    }

    var description: String {
      "integers: \(onlyIntegers), from \(String(describing: lower)) to \(String(describing: upper)) "
        + "tenths, by \(String(describing: step)), without \(excluded)"
    }

    func admits(_ number: Decimal) -> Bool {
      if onlyIntegers, !number.isMultiple(ofTenths: 10) { return false }
      if let lower, number.compared(toTenths: lower.tenths) < (lower.isExclusive ? 1 : 0) {
        return false
      }
      if let upper, number.compared(toTenths: upper.tenths) > (upper.isExclusive ? -1 : 0) {
        return false
      }
      if let step, !number.isMultiple(ofTenths: step) { return false }
      return !excluded.contains { number.compared(toTenths: $0) == 0 }
    }

    var constraint: NumberConstraint {
      func decimal(_ tenths: Int) -> ExactDecimal { ExactDecimal(Array("\(tenths)e-1".utf8))! }
      var result = NumberConstraint()
      result.onlyIntegers = onlyIntegers
      result.lower = lower.map { .init(value: decimal($0.tenths), isExclusive: $0.isExclusive) }
      result.upper = upper.map { .init(value: decimal($0.tenths), isExclusive: $0.isExclusive) }
      result.multiples = step.map { [decimal($0)] } ?? []
      result.excluded = Set(excluded.map(decimal))
      return result
    }
  }

  /// A short text, and the number that it spells.
  private struct Text {
    var bytes: [UInt8]
    var number: Decimal?
    var isPlain: Bool
    var isWhole: Bool

    init(_ text: String) {
      bytes = Array(text.utf8)
      number = Decimal(text)
      isPlain = !text.contains("e")
      isWhole = !text.contains(".")
    }
  }

  /// All texts of up to four characters.
  private static let texts: [Text] = {
    var result: [String] = []
    var longest = [""]
    for _ in 0..<4 {
      longest = longest.flatMap { text in "-012579.e+".map { "\(text)\($0)" } }
      result += longest
    }
    return result.map(Text.init)
  }()

  private static func isTaken(
    _ bytes: [UInt8], from start: NumberAutomaton.State, _ numbers: inout NumberAutomaton
  ) -> Bool {
    var state = start
    for byte in bytes where state != NumberAutomaton.dead { state = numbers.next(state, byte) }
    return state != NumberAutomaton.dead && numbers.mayEnd(state)
  }

  /// Also where texts of every length are read as long ones are.
  @Test(arguments: [64, 0]) func everySpellingOfAnAllowedNumberIsTaken(longTextLength: Int) {
    for seed in UInt64(0)..<24 {
      var generator = SeededGenerator(seed: seed)
      let question = Question(&generator)
      var numbers = NumberAutomaton(spelling: .any)
      numbers.longTextLength = longTextLength
      let start = numbers.start(question.constraint)
      var wrong: [String] = []
      for text in Self.texts
      where Self.isTaken(text.bytes, from: start, &numbers)
        != (text.number.map(question.admits) ?? false)
      {
        wrong.append(String(decoding: text.bytes, as: UTF8.self))
      }
      #expect(wrong.isEmpty, "seed \(seed), \(wrong.prefix(20)): \(question)")
    }
  }

  /// Under the plain policy integers have neither point nor exponent, and bounded numbers no exponent.
  @Test(arguments: [64, 0]) func plainSpellingsAreTaken(longTextLength: Int) {
    for seed in UInt64(100)..<124 {
      var generator = SeededGenerator(seed: seed)
      let question = Question(&generator)
      if question.constraint == .none { continue }
      var numbers = NumberAutomaton(spelling: .plain)
      numbers.longTextLength = longTextLength
      let start = numbers.start(question.constraint)
      var wrong: [String] = []
      for text in Self.texts {
        let isPlain = text.isPlain && (text.isWhole || !question.onlyIntegers)
        let isAllowed = isPlain && (text.number.map(question.admits) ?? false)
        if Self.isTaken(text.bytes, from: start, &numbers) != isAllowed {
          wrong.append(String(decoding: text.bytes, as: UTF8.self))
        }
      }
      #expect(wrong.isEmpty, "seed \(seed), \(wrong.prefix(20)): \(question)")
    }
  }

  /// A long text of a number, mostly zeros.
  private static func longText(_ generator: inout SeededGenerator) -> [UInt8] {
    var text = Bool.random(using: &generator) ? "-" : ""
    let digits = Int.random(in: 0..<6, using: &generator)
    text += digits == 0 ? "0" : "\(Int.random(in: 1...9, using: &generator))"
    for _ in 0..<digits {
      text += String(repeating: "0", count: Int.random(in: 0..<9, using: &generator))
      if Bool.random(using: &generator) { text += "\(Int.random(in: 0...99, using: &generator))" }
    }
    if Bool.random(using: &generator) {
      text += "." + String(repeating: "0", count: Int.random(in: 0..<40, using: &generator))
      text += "\(Int.random(in: 0...999, using: &generator))"
      text += String(repeating: "0", count: Int.random(in: 0..<40, using: &generator))
    }
    if Bool.random(using: &generator) {
      text += "e\(["", "+", "-"].randomElement(using: &generator) ?? "")000"
      text += "\(Int.random(in: 0...60, using: &generator))"
    }
    return Array(text.utf8)
  }

  /// Where long texts are read by their runs, each byte has the answers that it has without.
  @Test(arguments: [CompilationOptions.Numbers.any, .plain])
  func longTextsAreReadByTheirRuns(spelling: CompilationOptions.Numbers) {
    for seed in UInt64(200)..<300 {
      var generator = SeededGenerator(seed: seed)
      var constraint = Question(&generator).constraint
      if Bool.random(using: &generator) { constraint.excluded = [] }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        constraint.nonMultiples = [ExactDecimal(3)]
      } else if Int.random(in: 0..<4, using: &generator) == 0 {
        constraint = NumberConstraint()
        constraint.values = ["0", "5", "-70", "0.0025", "1003"].compactMap { ExactDecimal($0.utf8) }
      }
      var short = NumberAutomaton(spelling: spelling, isWithinDouble: false)
      short.longTextLength = .max
      var long = short
      long.longTextLength = 0
      var (first, second) = (short.start(constraint), long.start(constraint))
      let origin = (first, second)
      for _ in 0..<20 {
        let text = Self.longText(&generator)
        (first, second) = origin
        for (count, byte) in text.enumerated() {
          (first, second) = (short.next(first, byte), long.next(second, byte))
          let isDead = first == NumberAutomaton.dead
          let read = String(decoding: text[...count], as: UTF8.self)
          #expect(
            isDead == (second == NumberAutomaton.dead), "seed \(seed), \(read): \(constraint)")
          if isDead || second == NumberAutomaton.dead { break }
          #expect(
            short.mayEnd(first) == long.mayEnd(second), "seed \(seed), \(read): \(constraint)")
        }
      }
    }
  }

  /// Each of many zeros has the cost of the first: without that this does not end.
  @Test(
    arguments: [
      ("1", "e-100000"), ("0.", "e7"), ("0.5", "e0001"), ("1.", "e0"), ("-1", "e-100000"),
    ], [true, false])
  func manyZerosAreRead(text: (start: String, end: String), hasStep: Bool) {
    var constraint = NumberConstraint()
    if hasStep { constraint.multiples = [ExactDecimal(Array("4e-2".utf8))!] }
    constraint.upper = .init(value: ExactDecimal(250), isExclusive: false)
    var numbers = NumberAutomaton(spelling: .any)
    let bytes = Array(text.start.utf8) + [UInt8](repeating: 0x30, count: 100_000) + text.end.utf8
    #expect(Self.isTaken(bytes, from: numbers.start(constraint), &numbers))
    #expect(numbers.byteCount < 20 << 20)
  }
}
