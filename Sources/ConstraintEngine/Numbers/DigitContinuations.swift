// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which digits a number may go on with, as far as that is known without reading them.
enum DigitContinuations {
  /// The most digits that a token may have for its value to be compared; longer ones are read.
  static let longestToken = 18

  /// No digit.
  case none
  /// Any digits, but no more than so many. At the start of the integer part no number of several
  /// digits begins with zero.
  case any(isStart: Bool, atMost: Int)
  /// Digits after a prefix such that the integer part can become one within a range; where
  /// exponents are allowed, also one whose zeros at the end an exponent takes away.
  case within(prefix: UInt128, isStart: Bool, ClosedRange<UInt128>, takesExponent: Bool)
  /// Each digit has to be read.
  case unknown

  /// Whether the integer part has no digit yet.
  var isStart: Bool {
    switch self {
    case .none, .unknown: false
    case .any(let isStart, _), .within(_, let isStart, _, _): isStart
    }
  }

  /// The values, among those of as many digits as a power of ten has zeros, that may follow, as
  /// ranges that do not overlap.
  ///
  /// After the prefix 1 under a maximum of 1300, two digits give 100…199, all of which fit, and
  /// three digits 1000…1999, of which 1000…1300 do.
  func ranges(power: UInt64, length: Int) -> [ClosedRange<UInt64>] {
    let first = isStart ? (length == 1 ? 1 : power / 10) : 0
    switch self {
    case .none, .unknown: return []
    case .any(_, let most): return length <= most ? [first...power - 1] : []
    case .within(let prefix, _, let range, _):
      let (first, power) = (UInt128(first), UInt128(power))
      let base = prefix * power
      var found: [ClosedRange<UInt64>] = []
      var scale: UInt128 = 1
      // With `scale` more digits to come, d stands for d × scale … d × scale + scale − 1.
      while true {
        let high = range.upperBound / scale
        let low = range.lowerBound / scale
        if high < base + first { break }
        let from = max(low, base + first)
        let to = min(high, base + power - 1)
        if from <= to { found.append(UInt64(from - base)...UInt64(to - base)) }
        let (next, overflow) = scale.multipliedReportingOverflow(by: 10)
        if overflow { break }
        scale = next
      }
      return Self.merged(found)
    }
  }

  /// Whether digits may follow whose zeros at the end an exponent takes away: 150 stands for 15 as
  /// `150e-1`.
  func takesShortened(_ value: UInt64, power: UInt64) -> Bool {
    guard case .within(let prefix, _, let range, true) = self else { return false }
    var number = prefix * UInt128(power) + UInt128(value)
    while number > 0 {
      if range.contains(number) { return true }
      let (shorter, digit) = number.quotientAndRemainder(dividingBy: 10)
      if digit != 0 { return false }
      number = shorter
    }
    return false
  }

  private static func merged(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
    var result: [ClosedRange<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound &+ 1 {
        result[result.count - 1] =
          last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}

extension NumberAutomaton {
  /// Bounds beyond this are compared with whole texts.
  private static let largest: UInt128 = 1_000_000_000_000_000_000 * 1_000_000_000_000_000_000
  /// The longest text of digits that is held against bounds here; with the longest tokens of digits
  /// after it, it stays below ``largest``.
  private static let longest = 18

  /// Which digits may follow in a state.
  func digitContinuations(_ state: State) -> DigitContinuations {
    guard let place = Place(rawValue: states.word(1, of: state)) else { return .unknown }
    if place == .zero { return .none }
    let isStart = place == .start || place == .sign
    let tag = Int(states.word(0, of: state))
    if tag < 3 {
      let room = room(state, at: place)
      return .any(isStart: isStart, atMost: room < DigitContinuations.longestToken ? room : .max)
    }
    let constraint = constraints[tag - 3]
    guard constraint.values == nil, !constraint.onlyFractions,
      constraint.spelledAsInteger != false
    else { return .unknown }
    let takesExponent = spelling == .any && constraint.spelledAsInteger != true
    guard isStart || place == .digits || takesExponent && (place == .point || place == .fraction)
    else { return .unknown }
    let text = NumberText.bytes(states[state].dropFirst(3))
    let isNegative = text.first == 0x2D
    let near = isNegative ? constraint.upper.map(Self.negated) : constraint.lower
    let far = isNegative ? constraint.lower.map(Self.negated) : constraint.upper
    // Without an end more digits lead to every remainder and past every value.
    guard let far else {
      return hasRoom(state, for: DigitContinuations.longestToken)
        ? .any(isStart: isStart, atMost: .max) : .unknown
    }
    guard constraint.nonMultiples.isEmpty, constraint.excluded.isEmpty else { return .unknown }
    var bounds = IntegerBounds(near: near, far: far)
    if takesExponent {
      guard let step = constraint.decimalStep else {
        guard constraint.multiples.isEmpty else { return .unknown }
        if far.value.isNegative || far.value.isZero { return .unknown }
        guard let near, !near.value.isNegative, !near.value.isZero else {
          return .any(isStart: isStart, atMost: .max)
        }
        // Between two bounds that are a factor of a hundred apart every digits have a scale.
        return near.value.order + 2 < far.value.order
          ? .any(isStart: isStart, atMost: .max) : .unknown
      }
      // A mantissa decides by its digits alone, and so do values and bounds in steps.
      bounds.near?.value.exponent -= near.map { $0.value.isZero ? 0 : step } ?? 0
      bounds.far.value.exponent -= far.value.isZero ? 0 : step
    } else if !constraint.multiples.isEmpty {
      // The integer parts are free where the bounds are integers and the steps divide one.
      guard let step = constraint.decimalStep, step <= 0, far.value.isInteger,
        near.map({ $0.value.isInteger && !$0.isExclusive }) ?? true
      else { return .unknown }
    }
    let hasSteps = constraint.onlyIntegers || takesExponent
    guard let range = bounds.range(hasSteps: hasSteps, limit: Self.largest) else {
      return .unknown
    }
    if range.isEmpty { return .none }
    let digits = text.filter { $0 != 0x2D && $0 != 0x2E }
    if digits.count > Self.longest { return .unknown }
    var prefix: UInt128 = 0
    for digit in digits { prefix = prefix * 10 + UInt128(digit - 0x30) }
    return .within(
      prefix: prefix, isStart: isStart, range.lowerBound...range.upperBound - 1,
      takesExponent: takesExponent)
  }

  private static func negated(_ bound: NumberConstraint.Bound) -> NumberConstraint.Bound {
    NumberConstraint.Bound(value: bound.value.negated, isExclusive: bound.isExclusive)
  }
}

/// Bounds on a magnitude, of which the integer parts count.
private struct IntegerBounds {
  var near: NumberConstraint.Bound?
  var far: NumberConstraint.Bound

  /// The integer parts, or where only integers count the integers, within the bounds; `nil` where
  /// they are too large. Past a limit that no text of digits reaches, the far bound is that.
  func range(hasSteps: Bool, limit: UInt128) -> Range<UInt128>? {
    if far.value.isNegative { return 0..<0 }
    guard let lower = near.map({ $0.value.isNegative ? 0 : $0.value.floor(below: limit) }) ?? 0
    else { return nil }
    let upper = far.value.floor(below: limit) ?? limit
    var least = lower
    if hasSteps, let near, !near.value.isNegative, !near.value.isZero,
      near.isExclusive || !near.value.isInteger
    {
      least += 1
    }
    let end = far.isExclusive && far.value.isInteger ? upper : upper + 1
    return least < end ? least..<end : 0..<0
  }
}

extension ExactDecimal {
  /// The integer part of a number that is not negative, where it is small enough.
  fileprivate func floor(below limit: UInt128) -> UInt128? {
    var result: UInt128 = 0
    let places = digits.count + exponent
    if places <= 0 { return 0 }
    for place in 0..<places {
      result = result * 10 + UInt128(place < digits.count ? digits[place] : 0)
      if result >= limit { return nil }
    }
    return result
  }
}

extension NumberConstraint {
  /// The exponent of the power of ten of which all values are multiples, where nothing else is asked
  /// of their divisors.
  var decimalStep: Int? {
    var result: Int? = onlyIntegers ? 0 : nil
    for multiple in multiples {
      guard multiple.digits == [1] else { return nil }
      result = max(result ?? multiple.exponent, multiple.exponent)
    }
    return result
  }
}
