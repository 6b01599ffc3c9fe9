// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ConstraintEngine

/// Regular languages at their own interface, against a matcher that tries everything.
@Suite(.computesForLong) struct LanguageTests {
  private static let alphabet: [Unicode.Scalar] = ["a", "b", "é"]

  /// All strings of up to five characters.
  private static let texts: [[Unicode.Scalar]] = {
    var result: [[Unicode.Scalar]] = [[]]
    var longest = result
    for _ in 0..<5 {
      longest = longest.flatMap { text in alphabet.map { text + [$0] } }
      result += longest
    }
    return result
  }()

  private static func expression(
    _ generator: inout SeededGenerator, depth: Int = 4
  ) -> RegularExpression {
    func inner() -> RegularExpression { expression(&generator, depth: depth - 1) }
    switch Int.random(in: 0...(depth > 0 ? 6 : 1), using: &generator) {
    case 0, 1:
      let some = alphabet.filter { _ in Bool.random(using: &generator) }
      return .scalar(ScalarSet(some.map { $0.value...$0.value }))
    case 2: return .choice([inner(), inner()])
    case 3:
      let minimum = Int.random(in: 0...2, using: &generator)
      let more = Int.random(in: -1...2, using: &generator)
      return .repetition(inner(), minimum: minimum, maximum: more < 0 ? nil : minimum + more)
    default: return .sequence([inner(), inner()])
    }
  }

  /// Where matches of an expression end that start at some places.
  private static func ends(
    _ expression: RegularExpression, _ text: [Unicode.Scalar], from starts: Set<Int>
  ) -> Set<Int> {
    switch expression {
    case .scalar(let set):
      return Set(starts.filter { $0 < text.count && set.contains(text[$0].value) }.map { $0 + 1 })
    case .sequence(let parts):
      return parts.reduce(starts) { ends($1, text, from: $0) }
    case .choice(let branches):
      return branches.reduce(into: Set<Int>()) { $0.formUnion(ends($1, text, from: starts)) }
    case .repetition(let body, let minimum, let maximum):
      var current = starts
      for _ in 0..<minimum { current = ends(body, text, from: current) }
      var result = current
      var count = minimum
      while !current.isEmpty, maximum.map({ count < $0 }) ?? true {
        current = ends(body, text, from: current).subtracting(maximum == nil ? result : [])
        result.formUnion(current)
        count += 1
      }
      return result
    case .look, .start, .end: return []
    }
  }

  private static func matches(_ expression: RegularExpression, _ text: [Unicode.Scalar]) -> Bool {
    ends(expression, text, from: [0]).contains(text.count)
  }

  private static func utf8(_ text: [Unicode.Scalar]) -> [UInt8] {
    text.flatMap { Array(String($0).utf8) }
  }

  @Test func languagesAndTheirSetsAreThoseOfTheExpressions() throws {
    for seed in UInt64(0)..<120 {
      var generator = SeededGenerator(seed: seed)
      var languages = RegularLanguages()
      let first = Self.expression(&generator)
      let second = Self.expression(&generator)
      let one = try languages.language(of: first).get()
      let other = try languages.language(of: second).get()
      let both = languages.intersection(of: [one, other])
      let difference = languages.intersection(of: [one], without: [other])
      let neither = languages.intersection(of: [], without: [one, other])
      var hasBoth = false
      for text in Self.texts {
        let bytes = Self.utf8(text)
        let (isFirst, isSecond) = (Self.matches(first, text), Self.matches(second, text))
        hasBoth = hasBoth || isFirst && isSecond
        let found = [one, other, both, difference, neither].map { languages.contains($0, bytes) }
        #expect(
          found == [
            isFirst, isSecond, isFirst && isSecond, isFirst && !isSecond, !isFirst && !isSecond,
          ], "seed \(seed), \(String(decoding: bytes, as: UTF8.self))")
      }
      // A language with a string is live, and each of its first bytes leads to one that is.
      let isLive = languages.isLive(both)
      #expect(isLive || !hasBoth, "seed \(seed)")
      for byte in UInt8.min...UInt8.max where languages.firstBytes(difference).contains(byte) {
        let isLive = languages.isLive(languages.next(difference, byte))
        #expect(isLive, "seed \(seed), byte \(byte)")
      }
      #if DEBUG
        let broken = languages._checkInvariants()
        #expect(broken.isEmpty, "seed \(seed): \(broken.prefix(5))")
      #endif
    }
  }

  /// Listed strings, and all others.
  @Test func listedStringsAreThoseThatWereGiven() {
    for seed in UInt64(0)..<60 {
      var generator = SeededGenerator(seed: seed)
      var languages = RegularLanguages()
      let listed = Self.texts.filter { _ in Int.random(in: 0..<12, using: &generator) == 0 }
      let state = languages.finite(listed.map(Self.utf8))
      let others = languages.intersection(of: [RegularLanguages.free], without: [state])
      for text in Self.texts {
        let isListed = listed.contains(text)
        let found = [state, others].map { languages.contains($0, Self.utf8(text)) }
        #expect(found == [isListed, !isListed], "seed \(seed)")
      }
      #if DEBUG
        let broken = languages._checkInvariants()
        #expect(broken.isEmpty, "seed \(seed): \(broken.prefix(5))")
      #endif
    }
  }

  /// What is spelled out is listed whole, what is only described where it is short.
  @Test func whatIsSpelledOutIsListed() throws {
    var languages = RegularLanguages()
    let words = (0..<1000).map { Array("word\($0)".utf8) }
    let list = languages.finite(words)
    #expect(languages.strings(of: list).map(Set.init) == Set(words))
    let choice = words.prefix(300).map { String(decoding: $0, as: UTF8.self) }
    let pattern = try languages.search("^(\(choice.joined(separator: "|")))$").get()
    #expect(languages.strings(of: pattern).map(Set.init) == Set(words.prefix(300)))
    let short = try languages.search("^.{5}$").get()
    let both = languages.intersection(of: [list, short])
    #expect(languages.strings(of: both).map(Set.init) == Set(words.prefix(10)))
    let two = try languages.search("^[0-9]{2}$").get()
    #expect(languages.strings(of: two)?.count == 100)
    let three = try languages.search("^[0-9]{3}$").get()
    #expect(languages.strings(of: three) == nil)
    #expect(languages.strings(of: RegularLanguages.free) == nil)
  }

  /// The planes whose characters are not looked up one by one are as the standard library has them.
  @Test func planesAreUniform() {
    for (range, category) in ScalarSet.uniformPlanes {
      let isUniform = range.allSatisfy {
        Unicode.Scalar($0)?.properties.generalCategory == category
      }
      #expect(isUniform, "\(range)")
      // What is beside them is looked up.
      let next = Unicode.Scalar(range.upperBound + 1)?.properties.generalCategory
      #expect(next == nil || next != category || range.upperBound == 0xDFFFF, "\(range)")
    }
  }
}
