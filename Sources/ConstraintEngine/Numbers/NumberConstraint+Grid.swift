// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Whether a constraint with multiples has a value in an interval.
///
/// The numbers that are multiples of all that is asked for make a grid, and its first values from one
/// end of the interval on are tried. Worked example: multiples of 0.5 and of 0.3 are those of 1.5; of
/// them 4.2 … 4.4 has none, because the first from 4.2 on is 4.5.
extension NumberConstraint {
  /// What all values are multiples of; `nil` where nothing is asked for or it does not fit 128 bits.
  var grid: ExactDecimal? {
    Self.leastCommonMultiple(multiples + (onlyIntegers ? [ExactDecimal(1)] : []))
  }

  /// Whether multiples are asked for of numbers that have too large a one in common.
  var isGridTooLarge: Bool { !multiples.isEmpty && grid == nil }

  /// Whether a value of the grid that the multiples make is in the set: the first candidates from
  /// one end of the interval are tried, as many as the exclusions can take away and a few more for
  /// the multiples that are not wanted.
  var hasGridValue: Bool {
    guard let grid else { return true }
    let scale = max(
      -grid.exponent, -(lower?.value.exponent ?? 0), -(upper?.value.exponent ?? 0), 0)
    guard let step = grid.scaled(by: scale), step > 0 else { return hasValue(ofAnySizeOn: grid) }
    var candidate: Int128
    var direction: Int128 = step
    if let lower {
      guard let low = lower.value.scaled(by: scale) else { return hasValue(ofAnySizeOn: grid) }
      candidate = Self.roundedUp(low, step)
    } else if let upper {
      guard let high = upper.value.scaled(by: scale) else { return hasValue(ofAnySizeOn: grid) }
      candidate = -Self.roundedUp(-high, step)
      direction = -step
    } else {
      candidate = 0
    }
    for _ in 0..<attempts {
      let value = ExactDecimal(scaled: candidate, by: scale)
      if let upper, direction > 0, value > upper.value { return false }
      if let lower, direction < 0, value < lower.value { return false }
      if admits(value) { return true }
      candidate += direction
    }
    return false
  }

  /// All values in the set, where they are no more than a limit and can be counted.
  func values(atMost limit: Int) -> [ExactDecimal]? {
    if let values {
      let left = Set(values.filter(admitsBesideList))
      return left.count <= limit ? Array(left) : nil
    }
    if let lower, let upper, lower.value == upper.value {
      return isSatisfiable ? [lower.value] : []
    }
    guard let candidates else { return isSatisfiable ? nil : [] }
    guard candidates.count <= Int128(limit * 4 + excluded.count) else { return nil }
    var result: [ExactDecimal] = []
    var candidate = candidates.first
    for _ in 0..<Int(candidates.count) {
      let value = ExactDecimal(scaled: candidate, by: candidates.scale)
      if admits(value) { result.append(value) }
      candidate += candidates.step
    }
    return result.count <= limit ? result : nil
  }

  /// How many values are in the set, where that is known without going through them.
  var count: Int? {
    if values != nil { return values(atMost: .max)?.count }
    if let lower, let upper, lower.value == upper.value { return isSatisfiable ? 1 : 0 }
    guard nonMultiples.isEmpty, !onlyFractions else { return nil }
    guard let candidates else { return isSatisfiable ? nil : 0 }
    var rest = self
    rest.excluded = []
    return Int(exactly: candidates.count).map {
      $0 - excluded.count(where: rest.admits)
    }
  }

  /// The values of the grid between two bounds: all that can be in the set.
  private var candidates: (first: Int128, step: Int128, count: Int128, scale: Int)? {
    guard let lower, let upper, lower.value < upper.value, let grid else { return nil }
    let scale = max(-grid.exponent, -lower.value.exponent, -upper.value.exponent, 0)
    guard let step = grid.scaled(by: scale), step > 0, let low = lower.value.scaled(by: scale),
      let high = upper.value.scaled(by: scale)
    else { return nil }
    let first = Self.roundedUp(low, step) + (lower.isExclusive && low % step == 0 ? step : 0)
    let last = high - (upper.isExclusive ? 1 : 0)
    return (first, step, first <= last ? (last - first) / step + 1 : 0, scale)
  }

  /// How many candidates are tried.
  private var attempts: Int { 64 + excluded.count }

  /// How many places a number may have that is added to: more are taken for viable.
  private static let mostPlaces = 4096

  /// The same where numbers do not fit 128 bits: those that a long text can go on to.
  private func hasValue(ofAnySizeOn grid: ExactDecimal) -> Bool {
    let zero = Bound(value: ExactDecimal(), isExclusive: false)
    let isBelowZero = lower?.value.isNegative ?? true
    if let upper, upper.value <= zero.value, isBelowZero {
      return mirrored.hasValue(ofAnySizeOn: grid)
    }
    guard let lower, !lower.value.isNegative else {
      return within(lower: zero, upper: nil).hasValue(ofAnySizeOn: grid)
        || mirrored.within(lower: zero, upper: nil).hasValue(ofAnySizeOn: grid)
    }
    guard abs(lower.value.exponent - grid.exponent) <= Self.mostPlaces else { return true }
    var candidate = lower.value.roundedUp(toMultipleOf: grid)
    for _ in 0..<attempts {
      if let upper, upper.value < candidate { return false }
      if admits(candidate) { return true }
      candidate = candidate.adding(grid)
    }
    return false
  }

  private static func roundedUp(_ value: Int128, _ step: Int128) -> Int128 {
    let quotient = value / step
    return (quotient * step < value ? quotient + 1 : quotient) * step
  }

  /// The coarsest grid that holds all multiples, or `nil` where it does not fit 128 bits.
  static func leastCommonMultiple(_ values: [ExactDecimal]) -> ExactDecimal? {
    guard var result = values.first else { return nil }
    for value in values.dropFirst() {
      let scale = max(-result.exponent, -value.exponent, 0)
      guard let a = result.scaled(by: scale), let b = value.scaled(by: scale) else { return nil }
      var x = a
      var y = b
      while y != 0 { (x, y) = (y, x % y) }
      let (product, overflow) = (a / x).multipliedReportingOverflow(by: b)
      guard !overflow else { return nil }
      result = ExactDecimal(scaled: product, by: scale)
    }
    return result
  }
}

extension ExactDecimal {
  /// `value × 10^scale` as an integer, where it is one and fits.
  func scaled(by scale: Int) -> Int128? {
    let shift = exponent + scale
    guard shift >= 0, digits.count + shift <= 37 else { return isZero ? 0 : nil }
    var result: Int128 = 0
    for digit in digits { result = result * 10 + Int128(digit) }
    for _ in 0..<shift { result *= 10 }
    return isNegative ? -result : result
  }

  /// `integer × 10^-scale`.
  init(scaled integer: Int128, by scale: Int) {
    self.init(Array("\(integer)e-\(scale)".utf8))!
  }
}
