// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// The plain spellings of the numbers between two bounds, as an expression over digits.
///
/// Integers of the same number of digits are split where they part from a bound: 37 … 512 is
/// `3[7-9] | [4-9][0-9] | [1-4][0-9]{2} | 50[0-9] | 51[0-2]`. A number with a fraction is an integer
/// below the upper bound and any fraction, or the upper bound itself.
struct NumberSpellings {
  typealias Bound = SchemaNode.Bound

  /// Where no magnitude may have more than this many digits, bounds are written out.
  private static let digitLimit = 400

  private let constraint: NumberConstraint
  /// How many digits a fraction may have before only zeros follow; `nil` where any number.
  private var fractionDigits: Int?

  /// `nil` where something is asked that digits alone do not say.
  init?(_ constraint: NumberConstraint) {
    guard constraint.values == nil, constraint.excluded.isEmpty, constraint.nonMultiples.isEmpty,
      !constraint.onlyFractions, constraint.spelledAsInteger != false
    else { return nil }
    self.constraint = constraint
    let isInteger = constraint.onlyIntegers || constraint.spelledAsInteger == true
    for multiple in constraint.multiples {
      // Multiples of 0.01 are the numbers with two digits after the point.
      guard multiple.digits == [1], multiple.exponent <= 0 else { return nil }
      fractionDigits = min(fractionDigits ?? .max, -multiple.exponent)
    }
    guard !isInteger else { return }
    // Between two integers a bound cuts through the fractions.
    for bound in [constraint.lower, constraint.upper] {
      guard bound?.value.isInteger ?? true else { return nil }
    }
    guard fractionDigits == nil || constraint.lower?.isExclusive != true else { return nil }
    guard fractionDigits == nil || constraint.upper?.isExclusive != true else { return nil }
  }

  /// The spellings, with what may follow the digits of any number: an exponent, or nothing.
  func expression() -> EmittedExpression? {
    guard let positive = magnitudes(constraint.lower, constraint.upper) else { return nil }
    let mirrored = constraint.mirrored
    guard let negative = magnitudes(mirrored.lower, mirrored.upper) else { return nil }
    return .either([positive, .joined([.text("-"), negative])])
  }

  /// The spellings without a sign of the numbers in an interval that are not negative; `nil` where
  /// a bound is too large.
  private func magnitudes(_ lower: Bound?, _ upper: Bound?) -> EmittedExpression? {
    for bound in [lower, upper] {
      guard bound?.value.order ?? 0 <= Self.digitLimit else { return nil }
    }
    let zero = Bound(value: ExactDecimal(), isExclusive: false)
    let lower = lower.flatMap { $0.value.isNegative ? nil : $0 } ?? zero
    if let upper, upper.value.isNegative { return .never }
    if constraint.onlyIntegers || constraint.spelledAsInteger == true {
      let least = Self.leastInteger(lower)
      guard let upper else { return Self.integers(from: least, to: nil) }
      guard let most = Self.greatestInteger(upper) else { return .never }
      return Self.integers(from: least, to: most)
    }
    let first = Self.digits(lower.value)
    let last = upper.map { Self.digits($0.value) }
    var branches: [EmittedExpression] = []
    var from = first
    if lower.isExclusive {
      from = Self.incremented(first)
      if last.map({ Self.precedes(first, $0) }) ?? true {
        branches.append(.joined([Self.text(first), Self.nonzeroFraction]))
      }
    }
    let below = last.map { Self.decremented($0) }
    // All from zero on up to an upper bound of zero: none is below it.
    if below != .some(nil) {
      branches.append(
        .joined([Self.integers(from: from, to: below ?? nil), .optional(fraction)]))
    }
    if let upper, let last, !upper.isExclusive, !Self.precedes(last, from) {
      branches.append(.joined([Self.text(last), .optional(Self.zeroFraction)]))
    }
    return .either(branches)
  }

  // MARK: Fractions

  private static let digit = EmittedExpression.scalars(.digits)
  private static let zeroFraction = EmittedExpression.joined([
    .text("."), .repeated(.text("0"), 1, nil),
  ])
  private static let nonzeroFraction = EmittedExpression.joined([
    .text("."), .repeated(.text("0"), 0, nil), .scalars(ScalarSet([0x31...0x39])),
    .repeated(digit, 0, nil),
  ])

  private var fraction: EmittedExpression {
    guard let fractionDigits else {
      return .joined([.text("."), .repeated(Self.digit, 1, nil)])
    }
    if fractionDigits == 0 { return Self.zeroFraction }
    return .joined([
      .text("."), .repeated(Self.digit, 1, fractionDigits), .repeated(.text("0"), 0, nil),
    ])
  }

  // MARK: Integers

  /// The integers from one to another, without leading zeros; digits 0…9, the most significant
  /// first.
  static func integers(from low: [UInt8], to high: [UInt8]?) -> EmittedExpression {
    guard let high else {
      return .either([
        between(low, [UInt8](repeating: 9, count: low.count)),
        .joined([.scalars(ScalarSet([0x31...0x39])), .repeated(digit, low.count, nil)]),
      ])
    }
    if precedes(high, low) { return .never }
    if low.count == high.count { return between(low, high) }
    var branches = [between(low, [UInt8](repeating: 9, count: low.count))]
    if low.count + 1 < high.count {
      branches.append(
        .joined([
          .scalars(ScalarSet([0x31...0x39])), .repeated(digit, low.count, high.count - 2),
        ]))
    }
    branches.append(between([1] + [UInt8](repeating: 0, count: high.count - 1), high))
    return .either(branches)
  }

  /// The numerals of equal length between two.
  private static func between(_ low: [UInt8], _ high: [UInt8]) -> EmittedExpression {
    let shared = zip(low, high).prefix { $0 == $1 }.count
    let prefix = text(Array(low[..<shared]))
    guard shared < low.count else { return prefix }
    let after = low.count - shared - 1
    var first = low[shared]
    var last = high[shared]
    var branches: [EmittedExpression] = []
    if low[(shared + 1)...].contains(where: { $0 != 0 }) {
      let nines = [UInt8](repeating: 9, count: after)
      branches.append(
        .joined([text([first]), between(Array(low[(shared + 1)...]), nines)]))
      first += 1
    }
    var tail: EmittedExpression?
    if high[(shared + 1)...].contains(where: { $0 != 9 }) {
      let zeros = [UInt8](repeating: 0, count: after)
      tail = .joined([text([last]), between(zeros, Array(high[(shared + 1)...]))])
      last -= 1
    }
    if first <= last {
      branches.append(
        .joined([
          .scalars(ScalarSet([UInt32(first) + 0x30...UInt32(last) + 0x30])),
          .repeated(digit, after, after),
        ]))
    }
    if let tail { branches.append(tail) }
    return .joined([prefix, .either(branches)])
  }

  private static func text(_ digits: [UInt8]) -> EmittedExpression {
    digits.isEmpty ? .empty : .text(String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self))
  }

  /// The least integer at or above a bound that is not negative.
  private static func leastInteger(_ bound: Bound) -> [UInt8] {
    let floor = digits(bound.value)
    return bound.value.isInteger && !bound.isExclusive ? floor : incremented(floor)
  }

  /// The greatest integer at or below a bound that is not negative; `nil` where that is negative.
  private static func greatestInteger(_ bound: Bound) -> [UInt8]? {
    let floor = digits(bound.value)
    return bound.value.isInteger && bound.isExclusive ? decremented(floor) : floor
  }

  /// The digits before the point.
  private static func digits(_ value: ExactDecimal) -> [UInt8] {
    if value.order <= 0 { return [0] }
    let zeros = [UInt8](repeating: 0, count: max(0, value.exponent))
    return Array(value.digits.prefix(value.order)) + zeros
  }

  private static func incremented(_ digits: [UInt8]) -> [UInt8] {
    var result = digits
    var at = result.count - 1
    while at >= 0 {
      if result[at] < 9 {
        result[at] += 1
        return result
      }
      result[at] = 0
      at -= 1
    }
    return [1] + result
  }

  /// One less; `nil` below zero.
  private static func decremented(_ digits: [UInt8]) -> [UInt8]? {
    guard digits != [0] else { return nil }
    var result = digits
    var at = result.count - 1
    while result[at] == 0 {
      result[at] = 9
      at -= 1
    }
    result[at] -= 1
    return result.count > 1 && result[0] == 0 ? Array(result.dropFirst()) : result
  }

  private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count != right.count
      ? left.count < right.count : left.lexicographicallyPrecedes(right)
  }
}
