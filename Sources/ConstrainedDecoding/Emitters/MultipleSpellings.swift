// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// The plain spellings of the multiples of a number between two bounds, as an automaton over digits.
///
/// A state knows the remainder of the digits so far and how they compare with the bounds. For the
/// multiples of 0.25 from 1.5 on, all numbers are counted in hundredths: after `1.` the remainder is
/// that of 1, which has two digits to come, and so far the number equals the bound's digits. After
/// `1.7` it is above the bound, and only `5` makes 175 a multiple of 25.
struct MultipleSpellings {
  /// For each state, where characters lead; and whether the number may end there.
  private(set) var transitions: [[Int: ScalarSet]] = []
  private(set) var accepting: [Bool] = []

  private enum Place { case start, sign, zero, digits, point, fraction }

  private struct State: Hashable {
    var place = Place.start
    var isNegative = false
    /// How many digits the integer part or the fraction has, as far as that matters.
    var count = 0
    var remainder = 0
    /// How the digits compare with those of the lower bound and of the upper one.
    var low = 0
    var high = 0
  }

  /// The digits of a bound on a magnitude.
  private struct Bound {
    var whole: [UInt8]
    var fraction: [UInt8]
    var isExclusive: Bool

    init?(_ bound: SchemaNode.Bound?, places: Int) {
      guard let bound, !bound.value.isNegative else { return nil }
      let value = bound.value
      let zeros = [UInt8](repeating: 0, count: max(0, value.exponent))
      let digits = value.digits + zeros
      let order = max(0, value.order)
      whole = order == 0 ? [0] : Array(digits.prefix(order))
      let leading = [UInt8](repeating: 0, count: max(0, -value.order))
      fraction = (value.isZero ? [] : leading) + digits.dropFirst(order)
      fraction += [UInt8](repeating: 0, count: max(0, places - fraction.count))
      isExclusive = bound.isExclusive
    }
  }

  private let isInteger: Bool
  /// How many digits after the point numbers are counted with, and the multiple in their unit.
  private let places: Int
  private let modulus: Int
  private let bounds: (positive: (low: Bound?, high: Bound?), negative: (low: Bound?, high: Bound?))
  /// Whether a number with that sign can be within the bounds.
  private let allows: (positive: Bool, negative: Bool)

  /// The largest multiple, in units, and the most states.
  private static let modulusLimit = 1000
  private static let stateLimit = 2000

  /// `nil` where something else is asked, or the automaton is large.
  init?(_ constraint: NumberConstraint) {
    guard constraint.values == nil, constraint.excluded.isEmpty, constraint.nonMultiples.isEmpty,
      !constraint.onlyFractions, constraint.spelledAsInteger != false,
      constraint.multiples.count == 1, let multiple = constraint.multiples.first
    else { return nil }
    isInteger = constraint.onlyIntegers || constraint.spelledAsInteger == true
    let numbers =
      [multiple] + [constraint.lower?.value, constraint.upper?.value].compactMap(\.self)
    places = numbers.reduce(0) { max($0, -$1.exponent) }
    guard places <= 20, numbers.allSatisfy({ $0.order <= 20 }),
      let modulus = ExactDecimal(
        multiple.digits.map { $0 + 0x30 } + Array("e\(multiple.exponent + places)".utf8))?.integer,
      modulus > 0, modulus <= Self.modulusLimit
    else { return nil }
    self.modulus = modulus
    let places = places
    func sides(_ constraint: NumberConstraint) -> (low: Bound?, high: Bound?) {
      (Bound(constraint.lower, places: places), Bound(constraint.upper, places: places))
    }
    let mirrored = constraint.mirrored
    bounds = (sides(constraint), sides(mirrored))
    allows = (
      !(constraint.upper?.value.isNegative ?? false), !(mirrored.upper?.value.isNegative ?? false)
    )
    guard build() else { return nil }
  }

  private mutating func build() -> Bool {
    var indices: [State: Int] = [State(): 0]
    var order = [State()]
    while transitions.count < order.count {
      let state = order[transitions.count]
      var row: [Int: ScalarSet] = [:]
      for byte in "-.0123456789".utf8 {
        guard let next = next(state, byte) else { continue }
        if indices[next] == nil {
          guard order.count < Self.stateLimit else { return false }
          indices[next] = order.count
          order.append(next)
        }
        guard let index = indices[next] else { continue }
        row[index] = (row[index] ?? ScalarSet()).union(ScalarSet([UInt32(byte)...UInt32(byte)]))
      }
      transitions.append(row)
      accepting.append(mayEnd(state))
    }
    return true
  }

  private func sides(_ state: State) -> (low: Bound?, high: Bound?) {
    state.isNegative ? bounds.negative : bounds.positive
  }

  private func next(_ state: State, _ byte: UInt8) -> State? {
    var result = state
    switch (state.place, byte) {
    case (.start, 0x2D):
      guard allows.negative else { return nil }
      result.place = .sign
      result.isNegative = true
    case (.start, 0x30...0x39), (.sign, 0x30...0x39):
      guard state.isNegative || allows.positive else { return nil }
      result.place = byte == 0x30 ? .zero : .digits
      append(byte, to: &result)
    case (.digits, 0x30...0x39): append(byte, to: &result)
    case (.zero, 0x2E), (.digits, 0x2E):
      guard !isInteger else { return nil }
      result = endingWhole(state)
      result.place = .point
      result.count = 0
    case (.point, 0x30...0x39), (.fraction, 0x30...0x39):
      guard state.count < places || byte == 0x30 else { return nil }
      result.place = .fraction
      if state.count < places {
        let digit = byte - 0x30
        result.remainder = (state.remainder * 10 + Int(digit)) % modulus
        let (low, high) = sides(state)
        result.low = Self.compared(state.low, digit, low?.fraction[state.count])
        result.high = Self.compared(state.high, digit, high?.fraction[state.count])
        result.count += 1
      }
    default: return nil
    }
    return result
  }

  /// A comparison of digits after one more of them; without a bound there is nothing to compare.
  private static func compared(_ before: Int, _ digit: UInt8, _ other: UInt8?) -> Int {
    guard before == 0, let other else { return before }
    return digit < other ? -1 : digit > other ? 1 : 0
  }

  private func append(_ byte: UInt8, to state: inout State) {
    let digit = byte - 0x30
    let (low, high) = sides(state)
    state.remainder = (state.remainder * 10 + Int(digit)) % modulus
    func compare(_ before: Int, _ bound: Bound?) -> Int {
      guard let bound else { return 0 }
      // With more digits than the bound the number is greater, whatever they are.
      if state.count >= bound.whole.count { return 1 }
      return Self.compared(before, digit, bound.whole[state.count])
    }
    state.low = compare(state.low, low)
    state.high = compare(state.high, high)
    let longest = max(low?.whole.count ?? 0, high?.whole.count ?? 0)
    state.count = min(state.count + 1, longest)
  }

  /// The state once the integer part has ended: with fewer digits than a bound it is less.
  private func endingWhole(_ state: State) -> State {
    var result = state
    let (low, high) = sides(state)
    if let low, state.count < low.whole.count { result.low = -1 }
    if let high, state.count < high.whole.count { result.high = -1 }
    return result
  }

  private func mayEnd(_ state: State) -> Bool {
    var ended = state
    var digits = 0
    switch state.place {
    case .zero, .digits: ended = endingWhole(state)
    case .fraction: digits = state.count
    case .start, .sign, .point: return false
    }
    // The digits that are not written are zeros.
    var remainder = ended.remainder
    for _ in digits..<places { remainder = remainder * 10 % modulus }
    guard remainder == 0 else { return false }
    let (low, high) = sides(state)
    func final(_ compared: Int, _ bound: Bound) -> Int {
      compared == 0 && bound.fraction[min(digits, places)...].contains { $0 != 0 } ? -1 : compared
    }
    if let low {
      let compared = final(ended.low, low)
      if compared < 0 || compared == 0 && low.isExclusive { return false }
    }
    if let high {
      let compared = final(ended.high, high)
      if compared > 0 || compared == 0 && high.isExclusive { return false }
    }
    return true
  }
}
