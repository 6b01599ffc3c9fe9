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
  /// Digits after which a multiple between bounds can be reached.
  case some(NumberPrefix, isStart: Bool)
  /// Each digit has to be read.
  case unknown

  /// The values that some digits may have.
  struct Values {
    /// A range of values, of which all fit or those that a test takes.
    struct Part {
      var values: Range<UInt64>
      var test: NumberPrefix.StepTest?
    }

    /// Ranges that do not overlap.
    var parts: [Part] = []
    /// Other values, whose digits have to be read.
    var doubtful: [UInt64] = []
  }

  /// Whether the integer part has no digit yet.
  var isStart: Bool {
    switch self {
    case .none, .unknown: false
    case .any(let isStart, _), .some(_, let isStart): isStart
    }
  }

  /// The values of so many digits that may follow, without a zero that stands alone.
  func values(length: Int) -> Values {
    switch self {
    case .none, .unknown: return Values()
    case .any(let isStart, let most):
      guard length <= most, let power = NumberPrefix.power(length) else { return Values() }
      return Values(parts: [.init(values: (isStart ? power / 10 : 0)..<power)])
    case .some(let prefix, _): return prefix.following(length: length)
    }
  }
}

extension NumberAutomaton {
  /// Which digits may follow in a state, in tokens of no more than so many.
  func digitContinuations(_ state: State, longest: Int) -> DigitContinuations {
    guard let place = Place(rawValue: states.word(1, of: state)) else { return .unknown }
    if place == .zero { return .none }
    let isStart = place == .start || place == .sign
    let tag = Int(states.word(0, of: state))
    if tag < 3 {
      let room = room(state, at: place)
      return .any(isStart: isStart, atMost: room < DigitContinuations.longestToken ? room : .max)
    }
    let index = tag - 3
    let constraint = constraints[index]
    guard constraint.values == nil, !constraint.onlyFractions,
      constraint.spelledAsInteger != false
    else { return .unknown }
    let runs = states[state].dropFirst(3)
    let mayShift =
      isStart || place == .digits
      || takesExponent(constraint) && (place == .point || place == .fraction)
    // Without an end more digits lead to every remainder and past every value.
    if mayShift, bounds(constraint, isNegative: runs.first == 0x2D).far == nil {
      return hasRoom(state, for: DigitContinuations.longestToken)
        ? .any(isStart: isStart, atMost: .max) : .unknown
    }
    // A zero stays zero, whatever its exponent.
    if [.exponent, .exponentSign, .exponentDigits].contains(place),
      !runs.prefix(while: { $0 | 0x20 != 0x65 }).contains(where: {
        (0x31...0x39).contains($0 & 0xFF)
      })
    {
      return .any(isStart: false, atMost: .max)
    }
    // Long texts are read by their runs.
    guard !NumberText.isLonger(runs, than: longTextLength - longest),
      let prefix = prefix(index, place, NumberText.bytes(runs))
    else { return .unknown }
    return prefix.takesAnyDigits(upTo: longest)
      ? .any(isStart: isStart, atMost: .max) : .some(prefix, isStart: isStart)
  }

  /// Whether digits of some value and length may follow in a state.
  mutating func takes(_ value: UInt64, length: Int, after state: State) -> Bool {
    var state = state
    for place in (0..<length).reversed() where state != Self.dead {
      state = next(state, 0x30 + UInt8(value / (NumberPrefix.power(place) ?? 1) % 10))
    }
    return state != Self.dead
  }

  /// Whether some allowed number has a spelling that starts with a text; nil where that is not seen at
  /// its digits.
  func isKnownToBeViable(_ index: Int, _ place: Place, _ text: [UInt8]) -> Bool? {
    if let (range, written) = exponents(index, text) { return written.mayBecome(oneOf: range) }
    return prefix(index, place, text)?.isViable
  }

  /// The digits of a text, or of its exponent where that has begun, held against what they may become;
  /// nil where more than bounds and steps decides, or the bounds leave no digit but zero.
  func prefix(_ index: Int, _ place: Place, _ text: [UInt8]) -> NumberPrefix? {
    guard let step = steps[index] else { return nil }
    let constraint = constraints[index]
    let digits = text.filter { (0x30...0x39).contains($0) }.map { $0 - 0x30 }
    let isStart = place == .start || place == .sign
    let bounds = bounds(constraint, isNegative: text.first == 0x2D)
    var far = bounds.far?.value
    var places = NumberPrefix.Places.whole
    switch place {
    case .zero: return nil
    case .exponent, .exponentSign, .exponentDigits: return exponentPrefix(index, text)
    case .start, .sign, .digits, .point, .fraction:
      if takesExponent(constraint) {
        places = .any
      } else if let point = text.firstIndex(of: 0x2E) {
        places = .behindPoint(decimals: text.count - point - 1)
        // Above all numbers with this integer part.
        if far == nil {
          far = ExactDecimal(1)
          far?.exponent = point
        }
      }
    }
    guard let far else { return nil }
    return NumberPrefix(
      digits: digits, isStart: isStart, near: bounds.near?.value, far: far, step: step,
      places: places)
  }

  /// Whether numbers of a constraint may be spelled with an exponent.
  func takesExponent(_ constraint: NumberConstraint) -> Bool {
    spelling == .any && constraint.spelledAsInteger != true
  }

  /// The bounds on the magnitude of numbers with a sign or without one.
  func bounds(
    _ constraint: NumberConstraint, isNegative: Bool
  ) -> (near: NumberConstraint.Bound?, far: NumberConstraint.Bound?) {
    guard isNegative else { return (constraint.lower, constraint.upper) }
    func negated(_ bound: NumberConstraint.Bound) -> NumberConstraint.Bound {
      NumberConstraint.Bound(value: bound.value.negated, isExclusive: bound.isExclusive)
    }
    return (constraint.upper.map(negated), constraint.lower.map(negated))
  }
}
