// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One text for all that the bounds of a constraint treat alike.
///
/// How a number goes on depends on how its digits compare with as many digits of each bound: between
/// 37 and 5000, after the two digits `61` come the same digits as after `38`, because both are above
/// `37` and above `50`. So a text between two such prefixes becomes the smallest of its region, and
/// only the prefixes of the bounds themselves are kept as they are. Without this a bound of 300
/// digits would have as many states as there are numbers below it.
///
/// Behind the point the number of digits does not matter either: once there are more than a bound has,
/// they are above it, below it, or are it with zeros, and stay so with one digit more than it has. So
/// `0.1111…` of a million digits goes through a few states.
extension NumberAutomaton {
  /// The smallest text that goes on like this one; the text itself where something besides bounds
  /// is asked of the number.
  static func representative(
    of text: [UInt8], under constraint: NumberConstraint, at place: Place,
    _ spelling: CompilationOptions.Numbers
  ) -> [UInt8] {
    guard constraint.values == nil, constraint.excluded.isEmpty, constraint.multiples.isEmpty,
      constraint.nonMultiples.isEmpty, !constraint.onlyFractions
    else { return text }
    switch place {
    case .digits:
      guard
        !constraint.onlyIntegers || spelling == .plain || constraint.spelledAsInteger == true
      else { return text }
    case .point, .fraction:
      if constraint.onlyIntegers { return text }
    default: return text
    }
    let isNegative = text.first == 0x2D
    let written = isNegative ? text.dropFirst() : text[...]
    let point = written.firstIndex(of: 0x2E)
    // Zeros before the other digits say no more than where the point is.
    guard let first = written.firstIndex(where: { (0x31...0x39).contains($0) }) else { return text }
    var digits = written[first...].filter { $0 != 0x2E }
    /// How many digits the integer part has, once it is written: 0 for 0.5, −1 for 0.05.
    let order = point.map { $0 > first ? $0 - first : $0 + 1 - first }
    if place == .fraction {
      digits = shortened(
        digits, beside: [constraint.lower, constraint.upper].compactMap { $0?.value.digits },
        keeping: max(0, order ?? 0) + 1)
    }
    func spelled(_ digits: [UInt8]) -> [UInt8] {
      var digits = digits
      if let point, point > first { digits.insert(0x2E, at: point - first) }
      return text[..<first] + digits
    }
    // The smallest text with as many digits.
    var result = [0x31] + [UInt8](repeating: 0x30, count: digits.count - 1)
    let isByDigits = spelling == .any && constraint.spelledAsInteger != true
    for bound in [constraint.lower, constraint.upper] {
      guard let value = bound?.value, value.isNegative == isNegative, !value.isZero else {
        continue
      }
      // Where exponents are allowed, the point can come to stand anywhere. Elsewhere a bound with
      // fewer digits is below the text already.
      if !isByDigits, order.map({ value.order != $0 }) ?? (value.order < digits.count) { continue }
      let prefix = (0..<digits.count).map { place in
        place < value.digits.count ? value.digits[place] + 0x30 : 0x30
      }
      if digits == prefix { return spelled(digits) }
      guard prefix.lexicographicallyPrecedes(digits) else { continue }
      let above = incremented(prefix)
      if above.count == digits.count, result.lexicographicallyPrecedes(above) { result = above }
    }
    return spelled(result)
  }

  /// The fewest digits that compare with the digits of bounds as these do.
  private static func shortened(
    _ digits: [UInt8], beside bounds: [[UInt8]], keeping least: Int
  ) -> [UInt8] {
    let count = max(least, 1 + (bounds.map(\.count).max() ?? 0))
    guard digits.count > count else { return digits }
    let start = Array(digits[..<count])
    let isBound = bounds.contains { bound in
      start.indices.allSatisfy { start[$0] == 0x30 + ($0 < bound.count ? bound[$0] : 0) }
    }
    // Above the bound, and below whatever is above it: bounds end before the last digit that is left.
    return isBound && digits[count...].contains { $0 != 0x30 } ? incremented(start) : start
  }
}
