// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A set of numbers: what a conjunction of JSON Schema's numeric keywords and their negations allows.
package struct NumberConstraint: Hashable, Sendable {
  /// A limit on a number.
  package struct Bound: Hashable, Sendable {
    package var value: ExactDecimal
    package var isExclusive: Bool

    package init(value: ExactDecimal, isExclusive: Bool) {
      self.value = value
      self.isExclusive = isExclusive
    }
  }

  package var onlyIntegers = false
  package var onlyFractions = false
  /// Whether a number must be spelled without fraction and exponent, or must not.
  package var spelledAsInteger: Bool?
  package var lower: Bound?
  package var upper: Bound?
  package var multiples: [ExactDecimal] = []
  package var nonMultiples: [ExactDecimal] = []
  /// The only values allowed, where there is such a list.
  package var values: [ExactDecimal]?
  package var excluded: Set<ExactDecimal> = []

  /// All numbers.
  package static let none = NumberConstraint()

  /// Whether one value is in the set.
  func admits(_ value: ExactDecimal) -> Bool {
    if let values, !values.contains(value) { return false }
    return admitsBesideList(value)
  }

  /// Whether one value is in the set, if the list of values has it or there is none.
  func admitsBesideList(_ value: ExactDecimal) -> Bool {
    if onlyIntegers, !value.isInteger { return false }
    if onlyFractions, value.isInteger { return false }
    if let lower, !Self.satisfies(value, lower: lower) { return false }
    if let upper, !Self.satisfies(value, upper: upper) { return false }
    return !excluded.contains(value) && multiples.allSatisfy { value.isMultiple(of: $0) }
      && !nonMultiples.contains { value.isMultiple(of: $0) }
  }

  static func satisfies(_ value: ExactDecimal, lower: Bound) -> Bool {
    lower.isExclusive ? lower.value < value : lower.value <= value
  }

  static func satisfies(_ value: ExactDecimal, upper: Bound) -> Bool {
    upper.isExclusive ? value < upper.value : value <= upper.value
  }

  mutating func raise(lower bound: Bound) {
    guard let lower else {
      lower = bound
      return
    }
    if lower.value < bound.value || (lower.value == bound.value && bound.isExclusive) {
      self.lower = bound
    }
  }

  package mutating func lower(upper bound: Bound) {
    guard let upper else {
      upper = bound
      return
    }
    if bound.value < upper.value || (upper.value == bound.value && bound.isExclusive) {
      self.upper = bound
    }
  }

  /// Whether any value is in the set.
  var isSatisfiable: Bool {
    if let values { return values.contains(where: admitsBesideList) }
    if let lower, let upper {
      if upper.value < lower.value { return false }
      if upper.value == lower.value {
        return !lower.isExclusive && !upper.isExclusive && admits(lower.value)
      }
    }
    guard onlyIntegers || !multiples.isEmpty else { return true }
    // Most often the bound itself will do.
    if let bound = lower ?? upper, !bound.isExclusive, admits(bound.value) { return true }
    return hasGridValue
  }

  /// The set without the numbers outside an interval.
  func within(lower: Bound?, upper: Bound?) -> NumberConstraint {
    var result = self
    if let lower { result.raise(lower: lower) }
    if let upper { result.lower(upper: upper) }
    return result
  }
}
