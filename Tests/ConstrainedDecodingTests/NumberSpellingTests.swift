// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@testable import ConstraintEngine

@Suite(.computesForLong) struct NumberSpellingTests {
  /// Spellings of numbers where exponents are allowed: those of values in the set, and prefixes of
  /// no value in it.
  @Test(arguments: [
    (
      #"{"type":"integer","minimum":0,"maximum":100}"#,
      ["15", "150e-1", "1.5e1", "0.15E+2", "15.0", "1e2", "0e7", "10e00"],
      ["101", "157", "1.5e2", "-1", "12.3e0", "1e3", "102e"]
    ),
    (
      #"{"enum":[5,-70,0.25]}"#,
      ["5", "5e0", "0.5e1", "-7e1", "-0.7E2", "25e-2", "2.5e-1", "0.250"],
      ["7", "-5", "51", "2.6", "5e1", "26", "-70.01"]
    ),
    (
      #"{"exclusiveMinimum":3,"maximum":4}"#,
      ["4", "3.5", "35e-1", "0.0031e3", "30.5e-1"],
      ["5", "2", "0.7", "4.1", "35e1", "-"]
    ),
    (
      #"{"multipleOf":0.25,"minimum":1,"maximum":2}"#,
      ["1", "125e-2", "1.50", "0.175e1", "2.0"],
      ["3", "1.3", "13", "0.9", "125e-1"]
    ),
    (
      #"{"type":"number","maximum":-2.5}"#,
      ["-3", "-25e-1", "-1e1", "-0.1e2", "-0.001e9"],
      ["1", "0", "-1.0e-1", "-2.5e-1"]
    ),
    (
      // Found by a walk: zero stays zero, whatever its exponent.
      #"{"enum":[0]}"#,
      ["0", "-0E71664577365413915913365920123994251292238426108", "0.00e-999999999999999999"],
      ["1", "-1", "0.1", "00"]
    ),
  ])
  func prefixesAreRefusedAtOnce(schema: String, values: [String], refused: [String]) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    for value in values {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      try matcher.accept(bytes: value.utf8)
      let canEnd = matcher.canEnd()
      #expect(canEnd, "\(value) under \(schema)")
    }
    for text in refused {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      #expect(throws: MatcherError.self, "\(text) under \(schema)") {
        try matcher.accept(bytes: text.utf8)
      }
    }
  }

  /// Random bounds with few digits, and numbers with many behind the point: near a bound and far from it,
  /// with exponents and without.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func manyDecimalPlacesAreComparedExactly(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func some(_ count: ClosedRange<Int>) -> String {
      let count = Int.random(in: count, using: &generator)
      return String((0..<count).map { _ in "0019".randomElement(using: &generator) ?? "0" })
    }
    func bound() -> String {
      let sign = Bool.random(using: &generator) ? "-" : ""
      return sign + ["0", "1", "12", "99"][Int.random(in: 0..<4, using: &generator)] + "."
        + some(1...3)
    }
    let spelled = [bound(), bound()]
    let bounds = spelled.compactMap { ExactDecimal($0.utf8) }.sorted()
    var constraint = NumberConstraint()
    constraint.lower = .init(value: bounds[0], isExclusive: Bool.random(using: &generator))
    constraint.upper = .init(value: bounds[1], isExclusive: Bool.random(using: &generator))
    for spelling in [CompilationOptions.Numbers.any, .plain] {
      var automaton = NumberAutomaton(spelling: spelling)
      for _ in 0..<40 {
        // Goes on from a bound, or from a number near it.
        var text = (Bool.random(using: &generator) ? bound() : spelled[0]) + some(1...9)
        if spelling == .any, Bool.random(using: &generator) {
          text += ["e0", "e1", "e-1", "e-2"][Int.random(in: 0..<4, using: &generator)]
        }
        var state = automaton.start(constraint)
        for byte in text.utf8 where state != NumberAutomaton.dead {
          state = automaton.next(state, byte)
        }
        let admitted = ExactDecimal(text.utf8).map { constraint.admits($0) }
        let mayEnd = state != NumberAutomaton.dead && automaton.mayEnd(state)
        #expect(mayEnd == admitted, "seed \(seed): \(text) in \(spelled), \(spelling)")
      }
    }
  }

  /// Each further digit takes as long as the one before.
  @Test func manyDecimalPlacesTakeFewStates() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"type":"number","minimum":-2.5,"maximum":1e300}"#, options: .validation)
    for digits in ["1", "0", "25"] {
      let before = grammar.cachedByteCount
      var validator = StreamValidator(grammar: grammar)
      let verdict = validator.append("1." + String(repeating: digits, count: 100_000))
      #expect(verdict == .complete)
      #expect(grammar.cachedByteCount - before < 1 << 16, "\(digits)")
    }
  }

  /// Every short text, against all longer ones that begin so: a number of a list is among them or not.
  @Test(arguments: [
    [5, 15, 0.1, -1], [0, -5, 0.5, 10], [51, 1.5, 100, -15, 1.05], [-100, 0.015],
  ])
  func listedNumbersAreThoseOfTheList(list: [Double]) {
    var constraint = NumberConstraint()
    constraint.values = list.compactMap { ExactDecimal("\($0)".utf8) }
    let plain = list.flatMap { $0.rounded() == $0 ? ["\(Int($0))", "\(Int($0)).0"] : ["\($0)"] }
    var spellings: Set<[UInt8]> = []
    for spelling in [CompilationOptions.Numbers.any, .plain] {
      if spelling == .any {
        Self.addSpellings(of: constraint.values ?? [], after: [], .start, to: &spellings)
      } else {
        spellings = Set(plain.map { Array($0.utf8) })
      }
      let prefixes = Set(spellings.flatMap { text in (0...text.count).map { text[..<$0] } })
      var automaton = NumberAutomaton(spelling: spelling)
      var pending = [(text: [UInt8](), state: automaton.start(constraint))]
      while let (text, state) = pending.popLast() {
        #expect(automaton.mayEnd(state) == spellings.contains(text))
        if text.count == 3 { continue }
        for byte in Array("015-.e".utf8) {
          let after = automaton.next(state, byte)
          #expect(
            (after != NumberAutomaton.dead) == prefixes.contains((text + [byte])[...]),
            "\(String(decoding: text + [byte], as: UTF8.self)) of \(list)")
          if after != NumberAutomaton.dead { pending.append((text + [byte], after)) }
        }
      }
    }
  }

  /// Every short text against its value, and what leads nowhere against all longer ones.
  @Test(arguments: [
    #"{"multipleOf":7}"#, #"{"multipleOf":0.3}"#, #"{"multipleOf":20}"#,
    #"{"type":"integer","multipleOf":2.5}"#, #"{"multipleOf":2,"not":{"multipleOf":5}}"#,
    #"{"multipleOf":15,"minimum":0}"#, #"{"multipleOf":15,"maximum":0}"#,
    #"{"allOf":[{"multipleOf":4},{"multipleOf":0.6}]}"#,
    #"{"multipleOf":0.25,"minimum":0.5}"#, #"{"multipleOf":0.25,"exclusiveMinimum":5}"#,
    #"{"multipleOf":20,"maximum":-100}"#, #"{"type":"integer","exclusiveMinimum":15}"#,
  ])
  func multiplesAreThoseOfTheStep(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    let free = try Grammar(jsonSchema: #"{"type":"number"}"#, options: .validation)
    let checks = Self.multiples(schema)
    var pending: [(text: [UInt8], found: Matcher?, number: Matcher)] = [
      (
        [], Matcher(grammar: grammar, vocabulary: .singleBytes),
        Matcher(grammar: free, vocabulary: .singleBytes)
      )
    ]
    while let next = pending.popLast() {
      let text = next.text
      var (found, number) = (next.found, next.number)
      if number.canEnd() {
        let isAllowed = checks(ExactDecimal(text) ?? ExactDecimal())
        let canEnd = found?.canEnd() ?? false
        #expect(canEnd == isAllowed, "\(String(decoding: text, as: UTF8.self)) under \(schema)")
      }
      if text.count == 6 { continue }
      for byte in Array("0152.e-".utf8) {
        var longer = number
        guard (try? longer.accept(bytes: [byte])) != nil else { continue }
        var after = found
        if (try? after?.accept(bytes: [byte])) == nil { after = nil }
        pending.append((text + [byte], after, longer))
      }
    }
  }

  private static func multiples(_ schema: String) -> (ExactDecimal) -> Bool {
    func isMultiple(_ value: ExactDecimal, _ step: String) -> Bool {
      value.isMultiple(of: ExactDecimal(Array(step.utf8)) ?? ExactDecimal(1))
    }
    let quarter = ExactDecimal(Array("0.25".utf8))
    switch schema {
    case #"{"multipleOf":7}"#: return { isMultiple($0, "7") }
    case #"{"multipleOf":0.3}"#: return { isMultiple($0, "0.3") }
    case #"{"multipleOf":20}"#: return { isMultiple($0, "20") }
    case #"{"type":"integer","multipleOf":2.5}"#:
      return { $0.isInteger && isMultiple($0, "2.5") }
    case #"{"multipleOf":2,"not":{"multipleOf":5}}"#:
      return { isMultiple($0, "2") && !isMultiple($0, "5") }
    case #"{"multipleOf":15,"minimum":0}"#: return { isMultiple($0, "15") && !$0.isNegative }
    case #"{"multipleOf":15,"maximum":0}"#:
      return { isMultiple($0, "15") && ($0.isNegative || $0.isZero) }
    case #"{"multipleOf":0.25,"minimum":0.5}"#:
      return { isMultiple($0, "0.25") && !$0.isZero && !$0.isNegative && $0 != quarter }
    case #"{"multipleOf":0.25,"exclusiveMinimum":5}"#:
      return { isMultiple($0, "0.25") && ExactDecimal(5) < $0 }
    case #"{"multipleOf":20,"maximum":-100}"#:
      return { isMultiple($0, "20") && $0 <= ExactDecimal(-100) }
    case #"{"type":"integer","exclusiveMinimum":15}"#:
      return { $0.isInteger && ExactDecimal(15) < $0 }
    default: return { isMultiple($0, "4") && isMultiple($0, "0.6") }
    }
  }

  /// A long number goes through few states, whatever its digits.
  @Test(
    arguments: [
      #"{"type":"integer","multipleOf":7}"#, #"{"multipleOf":0.25,"minimum":3}"#,
      #"{"multipleOf":7,"exclusiveMaximum":-1e30}"#, #"{"type":"integer","minimum":3}"#,
    ], ["7", "142857", "10"])
  func longNumbersTakeLittleMemory(schema: String, digits: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    let before = grammar.cachedByteCount
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let sign = schema.contains("Maximum") ? "-" : ""
    try matcher.accept(
      bytes: (sign + String(repeating: digits, count: 20_000 / digits.count)).utf8)
    #expect(grammar.cachedByteCount < before + 1 << 20)
  }

  /// Adds the spellings of some values that begin with a text and have at most seven characters: four
  /// more than the texts that are asked about, so that an exponent can still make up for any of these.
  private static func addSpellings(
    of values: [ExactDecimal], after text: [UInt8], _ place: NumberAutomaton.Place,
    to spellings: inout Set<[UInt8]>
  ) {
    if place.mayEnd, let value = ExactDecimal(text), values.contains(value) {
      spellings.insert(text)
    }
    if text.count == 7 { return }
    for byte in Array((text.contains(0x65) ? "0123456789-" : "015-.e").utf8) {
      if let after = place.after(byte) {
        addSpellings(of: values, after: text + [byte], after, to: &spellings)
      }
    }
  }

  /// Spellings between two bounds, against the value in millionths.
  @Test(arguments: [CompilationOptions.validation, .generation].indices)
  func boundedNumbersAreThoseBetweenTheBounds(policy: Int) throws {
    let options = [CompilationOptions.validation, .generation][policy]
    for seed in 0..<60 {
      var random = SeededGenerator(seed: UInt64(seed))
      var bounds: [(keyword: String, millionths: Int)] = []
      let limits = [-12_000_000, -2_500_000, -50_000, 0, 70_000, 1_000_000, 5_000_000, 32_100_000]
      let pair = (0..<2).map { _ in limits.randomElement(using: &random) ?? 0 }.sorted()
      if pair[0] == pair[1] { continue }
      for (keywords, millionths) in [
        (["minimum", "exclusiveMinimum", ""], pair[0]),
        (["maximum", "exclusiveMaximum", ""], pair[1]),
      ] {
        let keyword = keywords.randomElement(using: &random) ?? ""
        if !keyword.isEmpty { bounds.append((keyword, millionths)) }
      }
      let members = bounds.map { #""\#($0.keyword)":\#($0.millionths)e-6"# } + [#""type":"number""#]
      let schema = "{\(members.joined(separator: ","))}"
      let grammar = try Grammar(jsonSchema: schema, options: options)
      for _ in 0..<40 {
        let (text, millionths) = Self.spelling(&random, hasExponents: policy == 0)
        let isWithin = bounds.allSatisfy { keyword, bound in
          switch keyword {
          case "minimum": millionths >= bound
          case "exclusiveMinimum": millionths > bound
          case "maximum": millionths <= bound
          default: millionths < bound
          }
        }
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        let isAccepted =
          (try? matcher.accept(bytes: text.utf8)) != nil && matcher.canEnd()
        #expect(isAccepted == isWithin, "\(text) under \(schema), seed \(seed)")
      }
    }
  }

  /// A number at random, with its value in millionths.
  private static func spelling(
    _ random: inout SeededGenerator, hasExponents: Bool
  ) -> (text: String, millionths: Int) {
    let whole = [0, 1, 2, 4, 5, 7, 12, 32, 50].randomElement(using: &random) ?? 0
    let fractions = ["", "0", "5", "05", "070", "1", "10", "999"]
    let fraction = fractions.randomElement(using: &random) ?? ""
    let isNegative = Bool.random(using: &random)
    var scale = 1_000_000
    var exponent = ""
    if hasExponents {
      let power = Int.random(in: -1...1, using: &random)
      scale = [100_000, 1_000_000, 10_000_000][power + 1]
      exponent = power == 0 ? "" : "e\(power)"
    }
    let thousandths = whole * 1000 + (Int((fraction + "000").prefix(3)) ?? 0)
    let text = "\(isNegative ? "-" : "")\(whole)\(fraction.isEmpty ? "" : ".")\(fraction)"
    return (text + exponent, (isNegative ? -1 : 1) * thousandths * scale / 1000)
  }

  /// What the bounds treat alike is one state: a mask reads a thousand fractions of three digits.
  @Test func fractionsBetweenBoundsShareTheirStates() throws {
    var constraint = NumberConstraint.none
    constraint.lower = .init(value: try #require(ExactDecimal("1".utf8)), isExclusive: false)
    constraint.upper = .init(value: try #require(ExactDecimal("5".utf8)), isExclusive: false)
    for spelling in [CompilationOptions.Numbers.any, .plain] {
      var automaton = NumberAutomaton(spelling: spelling)
      let start = automaton.start(constraint)
      for fraction in 0..<1000 {
        var state = start
        for byte in "4.\(String(fraction + 1000).dropFirst())".utf8 {
          state = automaton.next(state, byte)
        }
        #expect(state != NumberAutomaton.dead)
      }
      #expect(automaton.states.count < 50)
    }
  }

  /// Numbers of more digits than machine integers hold, without exponents (found by a walk that came
  /// to a place from which no number ended).
  @Test(arguments: [
    (#"{"multipleOf":0.5}"#, [".5", ".50", "", ".0"], [".1", ".55", ".05"]),
    (#"{"multipleOf":0.3}"#, [".0", "", ".9"], [".1", ".50", ".31"]),
    (#"{"multipleOf":7,"type":"integer"}"#, ["0", "42", "7"], [".5", ".01"]),
    (
      #"{"allOf":[{"multipleOf":0.5},{"multipleOf":0.3}],"exclusiveMinimum":-3}"#,
      ["1.5", "0.0", "3"], ["0.3", "1.6"]
    ),
  ])
  func longNumbersAreRefusedAtOnce(schema: String, rests: [String], refused: [String]) throws {
    // A multiple of all of them and of ten.
    let long = String(repeating: "210", count: 16)
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    let isNegativeAllowed = !schema.contains("Minimum")
    for sign in isNegativeAllowed ? ["", "-"] : [""] {
      for rest in rests {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        try matcher.accept(bytes: (sign + long + rest).utf8)
        let canEnd = matcher.canEnd()
        #expect(canEnd, "\(sign + long + rest) under \(schema)")
      }
      for rest in refused {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        #expect(throws: MatcherError.self, "\(sign + long + rest) under \(schema)") {
          try matcher.accept(bytes: (sign + long + rest).utf8)
        }
      }
    }
  }

  @Test func multiplesThatAreTooLargeTogetherAreAnError() {
    let error = BadInputTests.error(
      #"{"type":"number","minimum":1,"allOf":[{"multipleOf":100000000000000000003},{"multipleOf":100000000000000000007}]}"#
    )
    #expect(error?.diagnostics.first?.keyword == "multipleOf")
  }
}
