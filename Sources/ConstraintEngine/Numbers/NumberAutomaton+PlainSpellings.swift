// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Prefixes of numbers without exponents.
///
/// What a text can go on to is an interval, `12.3` to 12.3 … 12.4; where its integer part may have
/// more digits, one for each number of them: `12` to 12 … 13, 120 … 130, 1200 … 1300. Some allowed
/// number must lie in one of them.
extension NumberAutomaton {
  /// The interval of the numbers whose plain spelling starts with a text that has its point, or
  /// whose integer part is written to its end: `12.3` gives 12.3 … 12.4.
  private static func interval(
    _ text: [UInt8], shift: Int
  ) -> (lower: NumberConstraint.Bound, upper: NumberConstraint.Bound) {
    let isNegative = text.first == 0x2D
    let digits = text.filter { $0 != 0x2D }
    let suffix = Array("e\(shift)".utf8)
    var near = ExactDecimal(digits + suffix) ?? ExactDecimal()
    var far = ExactDecimal(Self.incremented(digits) + Array("e\(shift)".utf8)) ?? near
    if isNegative {
      near = near.negated
      far = far.negated
      return (
        NumberConstraint.Bound(value: far, isExclusive: true),
        NumberConstraint.Bound(value: near, isExclusive: false)
      )
    }
    return (
      NumberConstraint.Bound(value: near, isExclusive: false),
      NumberConstraint.Bound(value: far, isExclusive: true)
    )
  }

  /// The digits of a number plus one in the last place.
  static func incremented(_ digits: [UInt8]) -> [UInt8] {
    var digits = digits
    var at = digits.count - 1
    while at >= 0 {
      if digits[at] == 0x2E {
        at -= 1
        continue
      }
      if digits[at] == 0x39 {
        digits[at] = 0x30
        at -= 1
      } else {
        digits[at] += 1
        return digits
      }
    }
    return [0x31] + digits
  }

  /// Whether some allowed number has a spelling that starts with a text, where the constraint has no
  /// list.
  ///
  /// - Parameter room: How many digits the integer part may still have, where nothing bounds it.
  func isViable(
    _ constraint: NumberConstraint, _ place: Place, _ text: [UInt8], room: Int
  ) -> Bool {
    if spelling == .any, constraint.spelledAsInteger != true {
      return isViableInAnySpelling(constraint, place, text)
    }
    let zero = NumberConstraint.Bound(value: ExactDecimal(), isExclusive: false)
    switch place {
    case .start: return constraint.isSatisfiable
    case .sign: return constraint.within(lower: nil, upper: zero).isSatisfiable
    case .zero, .point, .fraction:
      let (lower, upper) = Self.interval(text, shift: 0)
      return constraint.within(lower: lower, upper: upper).isSatisfiable
    default:
      let isNegative = text.first == 0x2D
      let limit = isNegative ? constraint.lower : constraint.upper
      if limit == nil, room > Extent(constraint).slack { return true }
      // Below the order of the bound that is nearer to zero no shift reaches it.
      let near = isNegative ? constraint.upper : constraint.lower
      var first = 0
      if let near, near.value.isNegative == isNegative {
        first = max(0, near.value.order - text.count + (isNegative ? 1 : 0))
      }
      let most = room == .max ? first + 399 : room
      guard first <= most else { return false }
      for shift in first...most {
        let (lower, upper) = Self.interval(text, shift: shift)
        if constraint.within(lower: lower, upper: upper).isSatisfiable { return true }
        let nearest = isNegative ? upper.value : lower.value
        guard let limit else { continue }
        if isNegative ? nearest < limit.value : limit.value < nearest { return false }
      }
      return room == .max
    }
  }

  /// Whether every plain spelling that starts with a text has an allowed value.
  func isUnconstrained(
    _ constraint: NumberConstraint, _ place: Place, _ text: [UInt8]
  ) -> Bool {
    guard constraint.values == nil, constraint.spelledAsInteger != false,
      constraint.excluded.isEmpty, constraint.multiples.isEmpty,
      constraint.nonMultiples.isEmpty, !constraint.onlyFractions
    else { return false }
    let isNegative = text.first == 0x2D
    switch place {
    case .zero, .point, .fraction:
      let (lower, upper) = Self.interval(text, shift: 0)
      if let bound = constraint.lower, bound.value > lower.value { return false }
      if let bound = constraint.lower, bound.value == lower.value, bound.isExclusive {
        return false
      }
      if let bound = constraint.upper, bound.value < upper.value { return false }
      if let bound = constraint.upper, bound.value == upper.value, bound.isExclusive,
        isNegative
      {
        return false
      }
      return true
    case .digits:
      let (lower, upper) = Self.interval(text, shift: 0)
      if isNegative {
        guard constraint.lower == nil else { return false }
        return constraint.upper.map { NumberConstraint.satisfies(upper.value, upper: $0) } ?? true
      }
      guard constraint.upper == nil else { return false }
      return constraint.lower.map { NumberConstraint.satisfies(lower.value, lower: $0) } ?? true
    default: return false
    }
  }
}
