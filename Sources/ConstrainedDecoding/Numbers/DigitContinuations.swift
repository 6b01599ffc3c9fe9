/// Which digits a number may go on with, as far as that is known without reading them.
enum DigitContinuations {
  /// No digit.
  case none
  /// Any digits. At the start of the integer part no number of several digits begins with zero.
  case any(isStart: Bool)
  /// Digits after a prefix such that the integer part can become one within a range; where
  /// exponents are allowed, also one whose zeros at the end an exponent takes away.
  case within(prefix: UInt64, isStart: Bool, ClosedRange<UInt64>, takesExponent: Bool)
  /// Each digit has to be read.
  case unknown

  /// Whether the integer part has no digit yet.
  var isStart: Bool {
    switch self {
    case .none, .unknown: false
    case .any(let isStart), .within(_, let isStart, _, _): isStart
    }
  }

  /// The values, among those of as many digits as a power of ten has zeros, that may follow, as
  /// ranges that do not overlap.
  ///
  /// After the prefix 1 under a maximum of 1300, two digits give 100…199, all of which fit, and
  /// three digits 1000…1999, of which 1000…1300 do.
  func ranges(power: UInt64, isSingle: Bool) -> [ClosedRange<UInt64>] {
    let first = isStart ? (isSingle ? 1 : power / 10) : 0
    switch self {
    case .none, .unknown: return []
    case .any: return [first...power - 1]
    case .within(let prefix, _, let range, let takesExponent):
      let (base, overflow) = prefix.multipliedReportingOverflow(by: power)
      guard !overflow, base <= UInt64.max - power else { return [] }
      var found: [ClosedRange<UInt64>] = []
      var scale: UInt64 = 1
      // With `scale` more digits to come, d stands for d × scale … d × scale + scale − 1.
      while true {
        let high = range.upperBound / scale
        let low = range.lowerBound / scale
        if high < base + first { break }
        let from = max(low, base + first)
        let to = min(high, base + power - 1)
        if from <= to { found.append(from - base...to - base) }
        let (next, overflow) = scale.multipliedReportingOverflow(by: 10)
        if overflow { break }
        scale = next
      }
      if takesExponent { found += Self.shortened(range, base + first...base + power - 1, base) }
      return Self.merged(found)
    }
  }

  /// The values, less a base, of integers in a range with zeros at the end that are in another
  /// without them: 150 stands for 15 as `150e-1`.
  private static func shortened(
    _ range: ClosedRange<UInt64>, _ values: ClosedRange<UInt64>, _ base: UInt64
  ) -> [ClosedRange<UInt64>] {
    var result: [ClosedRange<UInt64>] = []
    var scale: UInt64 = 10
    while scale <= values.upperBound {
      let from = max(range.lowerBound, (values.lowerBound + scale - 1) / scale)
      let to = min(range.upperBound, values.upperBound / scale)
      if from <= to {
        for short in from...to { result.append(short * scale - base...short * scale - base) }
      }
      let (next, overflow) = scale.multipliedReportingOverflow(by: 10)
      if overflow { break }
      scale = next
    }
    return result
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
  /// Which digits may follow in a state.
  func digitContinuations(_ state: State) -> DigitContinuations {
    guard let place = Place(rawValue: states.word(1, of: state)) else { return .unknown }
    if place == .zero { return .none }
    let isStart = place == .start || place == .sign
    let tag = Int(states.word(0, of: state))
    if tag < 3 { return .any(isStart: isStart) }
    let constraint = constraints[tag - 3]
    guard constraint.values == nil, constraint.multiples.isEmpty,
      constraint.nonMultiples.isEmpty, constraint.excluded.isEmpty, !constraint.onlyFractions,
      constraint.spelledAsInteger != false
    else { return .unknown }
    let takesExponent = spelling == .any && constraint.spelledAsInteger != true
    guard isStart || place == .digits || takesExponent && (place == .point || place == .fraction)
    else { return .unknown }
    let text = states[state].dropFirst(2)
    let isNegative = text.first == 0x2D
    let near = isNegative ? constraint.upper.map(Self.negated) : constraint.lower
    let far = isNegative ? constraint.lower.map(Self.negated) : constraint.upper
    guard let far else { return .any(isStart: isStart) }
    if takesExponent, !constraint.onlyIntegers, !far.value.isNegative, !far.value.isZero {
      guard let near, !near.value.isNegative, !near.value.isZero else {
        return .any(isStart: isStart)
      }
      // Between two bounds that are a factor of a hundred apart every digits have a scale.
      return near.value.order + 2 < far.value.order ? .any(isStart: isStart) : .unknown
    }
    guard isStart || place == .digits else { return .unknown }
    // Bounds on the magnitude, as integers: what is above `far` cannot start a number within, and a
    // number whose digits are those of `near` still can.
    guard let upper = Self.floor(far.value),
      let lower = near.map({ $0.value.isNegative ? 0 : Self.floor($0.value) }) ?? 0
    else { return .unknown }
    let isExact = far.value.isInteger
    if far.value.isNegative || (far.isExclusive && isExact && upper == 0) { return .none }
    var least = lower
    if constraint.onlyIntegers, let near, !near.value.isNegative, !near.value.isZero,
      near.isExclusive || !near.value.isInteger
    {
      least += 1
    }
    let most = far.isExclusive && isExact ? upper - 1 : upper
    if least > most { return .none }
    var prefix: UInt64 = 0
    for digit in text where digit != 0x2D {
      let (scaled, overflow) = prefix.multipliedReportingOverflow(by: 10)
      if overflow || scaled > UInt64(Int64.max) { return .unknown }
      prefix = scaled + UInt64(digit - 0x30)
    }
    return .within(
      prefix: prefix, isStart: isStart, least...most, takesExponent: takesExponent)
  }

  private static func negated(_ bound: SchemaNode.Bound) -> SchemaNode.Bound {
    SchemaNode.Bound(value: bound.value.negated, isExclusive: bound.isExclusive)
  }

  /// The integer part of a number that is not negative, where it is small; zero for negative ones.
  private static func floor(_ value: ExactDecimal) -> UInt64? {
    if value.isNegative { return 0 }
    var whole = value
    if value.exponent < 0 {
      let kept = max(0, value.digits.count + value.exponent)
      whole.digits = Array(value.digits.prefix(kept))
      whole.exponent = 0
      while whole.digits.last == 0 {
        whole.digits.removeLast()
        whole.exponent += 1
      }
      if whole.digits.isEmpty { return 0 }
    }
    guard let integer = whole.integer, integer < 1 << 62 else { return nil }
    return UInt64(integer)
  }
}
