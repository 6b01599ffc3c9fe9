// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Numbers of which nothing matters but their last decimal place.
///
/// Under `multipleOf: 0.01`, or `type: integer` where exponents are allowed, a text becomes one of zeros
/// with a one where its last digit stands that is not zero.
extension NumberAutomaton {
  /// Whether a text can only go on to numbers above all bounds, of which only the last decimal place
  /// matters.
  static func dependsOnDecimalPlaces(
    _ constraint: NumberConstraint, _ text: [UInt8]
  ) -> Bool {
    dependsOnDecimalPlaces(
      constraint, isNegative: text.isEmpty || text.first == 0x2D,
      hasDigits: text.prefix { $0 | 0x20 != 0x65 }.contains { (0x31...0x39).contains($0) })
  }

  /// The same, for a text with or without digits other than zero; nothing read counts as negative.
  static func dependsOnDecimalPlaces(
    _ constraint: NumberConstraint, isNegative: Bool, hasDigits: Bool
  ) -> Bool {
    guard constraint.values == nil, constraint.upper == nil, constraint.excluded.isEmpty,
      constraint.nonMultiples.isEmpty, !constraint.onlyFractions,
      constraint.spelledAsInteger == nil, let step = constraint.decimalStep
    else { return false }
    guard let lower = constraint.lower else { return true }
    if isNegative { return false }
    if lower.value.isNegative || lower.value.isZero && !lower.isExclusive { return true }
    // The smallest number above zero that there is.
    var least = ExactDecimal(1)
    least.exponent = step
    return (lower.isExclusive ? lower.value < least : lower.value <= least) && hasDigits
  }

  /// Whether a number is an integer depends only on its last digit that is not zero: `-5230` is
  /// reduced to `10`, `5.020` to `0.010`.
  static func reducedForIntegrality(_ text: [UInt8]) -> [UInt8] {
    let exponent = text.firstIndex { $0 | 0x20 == 0x65 } ?? text.endIndex
    var mantissa = Array(text[..<exponent])
    mantissa.removeAll { $0 == 0x2D }
    guard let last = mantissa.lastIndex(where: { (0x31...0x39).contains($0) }) else {
      return mantissa + text[exponent...]
    }
    for index in mantissa.indices where mantissa[index] != 0x2E {
      mantissa[index] = index == last ? 0x31 : 0x30
    }
    let point = mantissa.firstIndex(of: 0x2E) ?? mantissa.endIndex
    let integerPart = mantissa[..<point].drop { $0 == 0x30 }
    return (integerPart.isEmpty ? [0x30] : Array(integerPart)) + mantissa[point...]
      + text[exponent...]
  }
}

extension NumberConstraint {
  /// The exponent of the power of ten of which all values are multiples, where nothing else is asked
  /// of their divisors.
  fileprivate var decimalStep: Int? {
    var result: Int? = onlyIntegers ? 0 : nil
    for multiple in multiples {
      guard multiple.digits == [1] else { return nil }
      result = max(result ?? multiple.exponent, multiple.exponent)
    }
    return result
  }
}
