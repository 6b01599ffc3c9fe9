/// A set of numbers: what a conjunction of JSON Schema's numeric keywords and their negations allows.
struct NumberConstraint: Hashable, Sendable {
  typealias Bound = SchemaNode.Bound

  var onlyIntegers = false
  var onlyFractions = false
  /// Whether a number must be spelled without fraction and exponent, or must not.
  var spelledAsInteger: Bool?
  var lower: Bound?
  var upper: Bound?
  var multiples: [ExactDecimal] = []
  var nonMultiples: [ExactDecimal] = []
  /// The only values allowed, where there is such a list.
  var values: [ExactDecimal]?
  var excluded: [ExactDecimal] = []

  /// All numbers.
  static let none = NumberConstraint()

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

  mutating func lower(upper bound: Bound) {
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
    return hasGridValue
  }

  /// The set without the numbers outside an interval.
  func within(lower: Bound?, upper: Bound?) -> NumberConstraint {
    var result = self
    if let lower { result.raise(lower: lower) }
    if let upper { result.lower(upper: upper) }
    return result
  }

  /// Whether a value of the grid that the multiples make is in the set: the first candidates from
  /// one end of the interval are tried, as many as the exclusions can take away and a few more for
  /// the multiples that are not wanted.
  private var hasGridValue: Bool {
    let one = ExactDecimal(1)
    guard let grid = Self.leastCommonMultiple(multiples + (onlyIntegers ? [one] : [])) else {
      return true
    }
    let scale = max(
      -grid.exponent, -(lower?.value.exponent ?? 0), -(upper?.value.exponent ?? 0), 0)
    guard let step = grid.scaled(by: scale), step > 0 else { return true }
    let attempts = 64 + excluded.count
    var candidate: Int128
    var direction: Int128 = step
    if let lower {
      guard let low = lower.value.scaled(by: scale) else { return true }
      candidate = Self.roundedUp(low, step)
    } else if let upper {
      guard let high = upper.value.scaled(by: scale) else { return true }
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
