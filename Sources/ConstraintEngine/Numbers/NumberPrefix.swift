// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The digits that a number begins with, held against what it may become: multiples between bounds.
///
/// With digits d, of which the last stands for 10^p, a number lies in d × 10^p … (d + 1) × 10^p. Where
/// p is open, because digits or an exponent may come, one p decides: the largest that keeps below the
/// far bound. What a smaller one reaches, ten times as large, that one reaches too. So bounds matter by
/// their first digits and steps by a remainder, and numbers may be as long as they like. Only digits
/// with which a bound itself begins are left in doubt.
///
/// Worked example: `12` under a maximum of 5000 and in steps of 70. One more digit gives 120…129, all
/// below 500: p is 1. Of 1200 … 1209 and so on, 1260 … 1269 has a multiple of 70, and no other.
struct NumberPrefix {
  /// What all numbers are multiples of.
  enum Step {
    case none
    /// A whole number times a power of ten.
    case multiples(of: UInt64, place: Int)
  }

  /// For which powers of ten the last digit may stand.
  enum Places {
    case any, whole
    /// As it is written, behind so many other decimals.
    case behindPoint(decimals: Int)
  }

  /// Without zeros at the start, each 0…9.
  private let digits: [UInt8]
  /// Whether there is no digit yet, so that a zero must stand alone.
  private let isStart: Bool
  /// Bounds on the magnitude, both above zero.
  private let near: ExactDecimal?
  private let far: ExactDecimal
  private let step: Step
  private let places: Places
  /// What is left of the digits when they are divided by the step.
  private let remainder: UInt64

  /// - Returns: Nil where no number above zero is within the bounds.
  init?(
    digits: [UInt8], isStart: Bool, near: ExactDecimal?, far: ExactDecimal, step: Step,
    places: Places
  ) {
    if far.isNegative || far.isZero { return nil }
    self.digits = Array(digits.drop { $0 == 0 })
    self.isStart = isStart
    self.near = near.flatMap { $0.isNegative || $0.isZero ? nil : $0 }
    self.far = far
    self.step = step
    self.places = places
    if case .multiples(let factor, _) = step {
      remainder = Self.remainder(of: self.digits[...], by: factor)
    } else {
      remainder = 0
    }
  }

  /// Whether some number begins so; nil where a bound does too, or there are only zeros.
  var isViable: Bool? {
    if digits.isEmpty { return nil }
    let found = following(length: 0)
    return found.doubtful.isEmpty ? found.parts.contains { $0.test?.takes(0) ?? true } : nil
  }

  /// Whether all digits of a length and of smaller ones may follow.
  func takesAnyDigits(upTo length: Int) -> Bool {
    if case .behindPoint = places { return false }
    if let near, near.order + 1 >= far.order { return false }
    guard let place = place(atMost: far.order - digits.count - length - 1, length) else {
      return false
    }
    guard case .multiples(let factor, let unit) = step else { return true }
    return place >= unit && Self.power(place - unit).map { $0 >= factor } ?? true
  }

  // MARK: What follows

  /// The values of so many digits that may follow.
  func following(length: Int) -> DigitContinuations.Values {
    var found = DigitContinuations.Values()
    let isLeading = digits.isEmpty
    // Behind zeros a value has as many digits as it has without zeros of its own.
    for count in isLeading && !isStart ? 1...length : length...length {
      guard let power = Self.power(count) else { continue }
      let values = (isLeading ? power / 10 : 0)..<power
      // With the digits of the bound, or with one more.
      let highest = far.order - digits.count - count
      let limit = start(of: far, at: highest, count, power)
      if let place = place(atMost: highest, length) {
        add(values.clamped(to: 0..<limit.lowerBound), at: place, length, count, power, to: &found)
      }
      if let place = place(atMost: highest - 1, length) {
        add(
          values.clamped(to: limit.upperBound..<power), at: place, length, count, power, to: &found)
      }
      found.doubtful += values.clamped(to: limit)
    }
    if isLeading && !isStart { found.doubtful.append(0) }
    return found
  }

  private func place(atMost most: Int, _ length: Int) -> Int? {
    switch places {
    case .any: return most
    case .whole: return most >= 0 ? most : nil
    case .behindPoint(let decimals):
      let place = -decimals - length
      return place <= most ? place : nil
    }
  }

  /// The value of so many digits with which, behind these, a bound begins; an empty range at zero where
  /// all are above it, at their end where all are below.
  private func start(
    of bound: ExactDecimal, at place: Int, _ count: Int, _ power: UInt64
  ) -> Range<UInt64> {
    let missing = digits.count + count - (bound.order - place)
    if missing < 0 { return power..<power }
    func digit(_ at: Int) -> UInt8 {
      bound.digits.indices.contains(at - missing) ? bound.digits[at - missing] : 0
    }
    for (at, written) in digits.enumerated() where written != digit(at) {
      return digit(at) < written ? 0..<0 : power..<power
    }
    var value: UInt64 = 0
    for at in digits.count..<digits.count + count { value = value * 10 + UInt64(digit(at)) }
    return value..<value + 1
  }

  /// Adds the values of a range whose last digit stands for a place, where the near bound and the step
  /// let them.
  private func add(
    _ values: Range<UInt64>, at place: Int, _ length: Int, _ count: Int, _ power: UInt64,
    to found: inout DigitContinuations.Values
  ) {
    if values.isEmpty { return }
    let first = near.map { start(of: $0, at: place, count, power) } ?? 0..<0
    found.doubtful += values.clamped(to: first)
    let values = values.clamped(to: first.upperBound..<power)
    if values.isEmpty { return }
    guard case .multiples(let factor, let unit) = step else {
      found.parts.append(.init(values: values, test: nil))
      return
    }
    // More digits come until the step's last place, or the last ones are behind it and are zeros.
    let open = place - unit
    let base = { Self.product(remainder, Self.power($0) ?? 0, by: factor) }
    if open >= 0 {
      guard let room = Self.power(open), room < factor else {
        found.parts.append(.init(values: values, test: nil))
        return
      }
      let test = StepTest(factor: factor, base: base(length), zeros: 1, room: room)
      found.parts.append(.init(values: values, test: test))
    } else if -open <= length, let zeros = Self.power(-open) {
      let test = StepTest(factor: factor, base: base(length + open), zeros: zeros, room: 1)
      found.parts.append(.init(values: values, test: test))
    } else if values.contains(0), digits.suffix(-open - length).allSatisfy({ $0 == 0 }),
      Self.remainder(of: digits.dropLast(-open - length), by: factor) == 0
    {
      found.parts.append(.init(values: 0..<1, test: nil))
    }
  }

  // MARK: Remainders

  /// Whether a value leads to a multiple.
  struct StepTest {
    fileprivate let factor: UInt64
    /// The remainder of the digits before the value, at their place.
    fileprivate let base: UInt64
    /// The power of ten of which the value has to be a multiple.
    fileprivate let zeros: UInt64
    /// How many numbers, one after the other, the value stands for; fewer than the factor.
    fileprivate let room: UInt64

    func takes(_ value: UInt64) -> Bool {
      let (part, rest) = value.quotientAndRemainder(dividingBy: zeros)
      if rest != 0 { return false }
      let first = NumberPrefix.product((base + part % factor) % factor, room, by: factor)
      return first == 0 || factor - first < room
    }
  }

  private static func remainder(of digits: ArraySlice<UInt8>, by factor: UInt64) -> UInt64 {
    digits.reduce(0) { ($0 * 10 + UInt64($1)) % factor }
  }

  /// How many zeros some digits need behind them to be a multiple of a factor; nil where none are enough.
  static func zeros(after digits: [UInt8], toMultipleOf factor: UInt64) -> Int? {
    var rest = remainder(of: digits[...], by: factor)
    // As many as a factor of 17 digits has divisors of two.
    for zeros in 0...60 {
      if rest == 0 { return zeros }
      rest = rest * 10 % factor
    }
    return nil
  }

  /// The remainder of the product of two numbers, of which the first is below the factor.
  private static func product(_ left: UInt64, _ right: UInt64, by factor: UInt64) -> UInt64 {
    factor.dividingFullWidth(left.multipliedFullWidth(by: right % factor)).remainder
  }

  private static let powers = (0..<18).reduce(into: [1 as UInt64]) { powers, at in
    powers.append(powers[at] * 10)
  }

  /// A power of ten; nil above 10^18, which is more than any factor.
  static func power(_ exponent: Int) -> UInt64? {
    powers.indices.contains(exponent) ? powers[exponent] : nil
  }
}

extension NumberConstraint {
  /// What all numbers of the set are multiples of; nil where more than that and the bounds decides,
  /// or it has more than 17 digits.
  var step: NumberPrefix.Step? {
    guard values == nil, nonMultiples.isEmpty, excluded.isEmpty, !onlyFractions,
      spelledAsInteger != false
    else { return nil }
    if multiples.isEmpty, !onlyIntegers { return NumberPrefix.Step.none }
    guard var grid, !grid.isNegative, !grid.isZero, grid.digits.count <= 17 else { return nil }
    let place = grid.exponent
    grid.exponent = 0
    return grid.integer.map { .multiples(of: UInt64($0.magnitude), place: place) }
  }
}
