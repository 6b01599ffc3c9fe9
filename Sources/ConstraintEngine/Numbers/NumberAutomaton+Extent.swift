// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How far numbers go that nothing bounds.
///
/// `2e846` and a number of 400 digits are JSON, but most readers take them for infinity or an error.
/// In plain spellings an integer part therefore has at most 200 digits, and an exponent two: all is
/// below 10²⁹⁹, and `Double` ends at 1.8 × 10³⁰⁸. What a schema itself says goes further: a bound
/// holds as it is, and so do multiples of numbers that large.
///
/// A model that writes a third, or π, has no reason to stop: after 20 digits behind the point that decide
/// nothing, a number has to end. A `Double` tells 17 apart.
extension NumberAutomaton {
  package struct Extent {
    /// The most digits of the integer part where the constraint has no bound on that side.
    var digits: Int
    /// With so many digits to come every beginning leads to an allowed number.
    var slack: Int

    static let unlimited = Extent(digits: .max, slack: 0)

    init(_ constraint: NumberConstraint) {
      let steps = constraint.multiples + constraint.nonMultiples
      let others =
        [constraint.lower?.value, constraint.upper?.value].compactMap(\.self) + constraint.excluded
      let slack =
        1 + steps.reduce(0) { $0 + max($1.digits.count, $1.order) }
        + others.reduce(0) { max($0, $1.order) }
      self.init(digits: slack <= Self.digitLimit / 2 ? Self.digitLimit : .max, slack: slack)
    }

    private init(digits: Int, slack: Int) {
      self.digits = digits
      self.slack = slack
    }

    private static let digitLimit = 200
    private static let fractionLimit = 20

    /// The most digits at a place of a number that is free to go on.
    package static func limit(at place: Place) -> Int {
      switch place {
      case .start, .sign, .digits: digitLimit
      case .point, .fraction: fractionLimit
      case .exponent, .exponentSign, .exponentDigits: 2
      default: .max
      }
    }
  }

  /// How many digits may still come at the end of a text; negative where it has too many.
  func room(of index: Int, _ text: [UInt8], _ place: Place, _ count: Int) -> Int {
    let constraint = constraints[index]
    let isBounded = (text.first == 0x2D ? constraint.lower : constraint.upper) != nil
    return place != .digits || isBounded || constraint.values != nil
      || extents[index].digits == .max ? .max : extents[index].digits - count
  }

  /// How many digits may follow in a state without a text.
  func room(_ state: State, at place: Place) -> Int {
    guard isWithinDouble else { return .max }
    let limit = Extent.limit(at: place)
    return limit == .max ? .max : max(0, limit - Int(states.word(2, of: state)))
  }

  /// Whether tokens of so many digits can follow among the digits of an integer part without coming
  /// near to the end of what is left.
  func hasRoom(_ state: State, for length: Int) -> Bool {
    let tag = Int(states.word(0, of: state))
    if tag < 3 { return length <= room(state, at: .digits) }
    let extent = extents[tag - 3]
    return extent.digits == .max
      || Int(states.word(2, of: state)) + length + extent.slack <= extent.digits
  }
}
