// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The next byte of a number whose text is long: mostly zeros, as in `1000…` or `0.000…01`.
//
// A state keeps runs of equal bytes, but the functions of the other files read a text byte by byte: with
// 100,000 zeros each further byte would cost as much as all before it. Here a text is four things, none of
// which grows with the zeros:
//
//     -0.0005300   negative, digits 53, 2 zeros behind them, 7 decimals
//
// Under `multipleOf` and `type: integer` these are all that matters, since the digits are few: they are
// reduced to a residue or a one. Beside bounds alone the first digits matter, as many as bounds have, and
// how many come after them: those are read as zeros. A number with a long text and many digits that all
// matter takes the slow way.

/// A text of a number without an exponent, by its digits and how many zeros stand around them.
struct LongNumberText: Equatable {
  var isNegative = false
  /// From the first to the last that is not zero, as bytes of text.
  var digits: [UInt8] = []
  /// How many zeros follow the digits; where there are no digits, how many there are.
  var zeros = 0
  /// How many digits stand behind the point; nil where there is none.
  var decimals: Int?
  /// Whether more digits than are kept were there: a one and zeros stand for the others.
  private(set) var isCut = false

  /// How many digits other than the zeros around them are read.
  private static let digitLimit = 64

  /// Reads the runs of a state; nil where a text has an exponent.
  init?(runs: ArraySlice<UInt32>) {
    for run in runs {
      let byte = UInt8(truncatingIfNeeded: run)
      let count = Int(run >> 8) + 1
      switch byte {
      case 0x2D: isNegative = true
      case 0x2E: decimals = 0
      case 0x30:
        zeros += count
        decimals = decimals.map { $0 + count }
      case 0x31...0x39:
        decimals = decimals.map { $0 + count }
        let before = digits.isEmpty ? 0 : zeros
        let written = digits.count + before + count
        digits += [UInt8](repeating: 0x30, count: min(before, Self.digitLimit))
        digits += [UInt8](repeating: byte, count: min(count, Self.digitLimit))
        zeros = 0
        if written > Self.digitLimit {
          isCut = true
          digits = digits.prefix(Self.digitLimit - 1) + [0x31]
          zeros = written - Self.digitLimit
        }
      default: return nil
      }
    }
    // What a run can count.
    guard max(zeros, decimals ?? 0) < 1 << 23 else { return nil }
  }

  /// The runs of the text.
  var runs: [UInt32] {
    let count = digits.count + zeros
    var result: [UInt32] = isNegative ? [0x2D] : []
    guard let decimals else { return result + Self.runs(of: digits, zeros: zeros, splitAt: nil) }
    let missing = max(0, decimals + 1 - count)
    let leading = [UInt8](repeating: 0x30, count: missing > 0 ? 1 : 0)
    guard missing > 0 else {
      return result + Self.runs(of: digits, zeros: zeros, splitAt: count - decimals)
    }
    result += NumberText.runs(leading + [0x2E])
    if missing > 1 { result.append(0x30 | UInt32(missing - 2) << 8) }
    for run in Self.runs(of: digits, zeros: zeros, splitAt: nil) {
      NumberText.append(run, to: &result)
    }
    return result
  }

  /// The runs of digits and of zeros behind them, with a point before a place of these.
  private static func runs(of digits: [UInt8], zeros: Int, splitAt place: Int?) -> [UInt32] {
    func run(_ count: Int) -> [UInt32] { count > 0 ? [0x30 | UInt32(count - 1) << 8] : [] }
    guard let place else { return NumberText.runs(digits) + run(zeros) }
    if place <= digits.count {
      return NumberText.runs(Array(digits[..<place]) + [0x2E] + digits[place...]) + run(zeros)
    }
    let before = place - digits.count
    return NumberText.runs(digits) + run(before) + [0x2E] + run(zeros - before)
  }

  /// The magnitude.
  var magnitude: ExactDecimal {
    var result = ExactDecimal()
    guard !digits.isEmpty else { return result }
    result.digits = digits.map { $0 - 0x30 }
    result.exponent = zeros - (decimals ?? 0)
    return result
  }

  /// The value; nil where not all of its digits are known.
  var value: ExactDecimal? { isCut ? nil : isNegative ? magnitude.negated : magnitude }
}

extension NumberAutomaton {
  /// The state after one more byte of a long text; nil where the other functions have to find it.
  mutating func stateAfterLongText(
    _ index: Int, _ words: [UInt32], _ byte: UInt8, _ place: Place, _ count: Int
  ) -> State? {
    guard [.digits, .point, .fraction].contains(place),
      NumberText.isLonger(words.dropFirst(3), than: longTextLength),
      var text = LongNumberText(runs: words.dropFirst(3)),
      let way = wayOfLongText(index, text, place),
      // Of zeros alone, a value that is left out may still come.
      constraints[index].excluded.isEmpty || text.digits.isEmpty && byte == 0x30
    else { return nil }
    if text.isCut {
      guard case .prefix(let count) = way, count < 64 else { return nil }
    }
    append(byte, to: &text, way)
    guard text.digits.count <= 64 else { return nil }
    guard isViable(index, text, place) else { return Self.dead }
    return reduced(index, place, count, text)
  }

  /// What of the digits matters.
  private enum Way {
    /// Where the last of them stands that is not zero.
    case lastPlace
    /// Their residue.
    case residue(modulus: Int)
    /// So many of them, and how many follow.
    case prefix(count: Int)
    /// All of them: there are none yet, or few.
    case digits
  }

  private func wayOfLongText(_ index: Int, _ text: LongNumberText, _ place: Place) -> Way? {
    let constraint = constraints[index]
    // Digits of an integer part have an end there.
    if spelling == .plain || constraint.spelledAsInteger == true, place == .digits { return nil }
    if constraint.values != nil {
      return spelling == .any && constraint.spelledAsInteger == nil ? .digits : nil
    }
    let hasSteps = constraint.onlyIntegers || !constraint.multiples.isEmpty
    if isOfIntegers(index) && spelling != .plain
      || Self.dependsOnDecimalPlaces(
        constraint, isNegative: text.isNegative, hasDigits: !text.digits.isEmpty)
    {
      return .lastPlace
    }
    if moduli[index] > 0, !text.digits.isEmpty,
      Self.isDecidedByResidue(isNegative: text.isNegative, under: constraint, at: place)
    {
      return .residue(modulus: moduli[index])
    }
    if hasSteps || text.digits.isEmpty && spelling == .plain { return .digits }
    guard spelling == .any, constraint.spelledAsInteger == nil, constraint.nonMultiples.isEmpty,
      !constraint.onlyFractions
    else { return nil }
    let bounds = [constraint.lower, constraint.upper].map { $0?.value.digits.count ?? 0 }
    return .prefix(count: max(bounds[0], bounds[1]) + 2)
  }

  private func append(_ byte: UInt8, to text: inout LongNumberText, _ way: Way) {
    if byte == 0x2E {
      text.decimals = 0
      return
    }
    text.decimals = text.decimals.map { $0 + 1 }
    if byte == 0x30 {
      text.zeros += 1
      return
    }
    switch way {
    case .lastPlace: text.digits = [0x31]
    case .residue(let modulus):
      text.digits = Self.digits(
        ofResidue: Self.residue(of: text.digits, zeros: text.zeros + 1, adding: byte, by: modulus),
        by: modulus)
    case .prefix(let count) where text.digits.count + text.zeros >= count && !text.digits.isEmpty:
      // Behind the digits of bounds a one says that the number is above them.
      let missing = count - text.digits.count
      guard missing > 0 else {
        text.zeros += 1
        return
      }
      text.digits += [UInt8](repeating: 0x30, count: missing - 1) + [0x31]
      text.zeros += 1 - missing
      return
    case .digits, .prefix:
      // More of them than are looked at here take the slow way.
      let zeros = text.digits.isEmpty ? 0 : min(text.zeros, 65)
      text.digits += [UInt8](repeating: 0x30, count: zeros) + [byte]
    }
    text.zeros = 0
  }

  private static func residue(
    of digits: [UInt8], zeros: Int, adding byte: UInt8, by modulus: Int
  ) -> Int {
    var rest = 0
    for digit in digits { rest = (rest * 10 + Int(digit - 0x30)) % modulus }
    var power = 10 % modulus
    var left = zeros
    while left > 0 {
      if left & 1 == 1 { rest = product(rest, power, modulus) }
      power = product(power, power, modulus)
      left >>= 1
    }
    return (rest + Int(byte - 0x30)) % modulus
  }

  private static func product(_ left: Int, _ right: Int, _ modulus: Int) -> Int {
    Int(UInt128(left) * UInt128(right) % UInt128(modulus))
  }

  /// Whether some allowed number has a spelling that starts with a text.
  private func isViable(_ index: Int, _ text: LongNumberText, _ place: Place) -> Bool {
    let constraint = constraints[index]
    if let list = lists[index] {
      let zeros = [UInt8](repeating: 0x30, count: min(text.zeros, list.digitCount + 1))
      return list.hasSpelling(startingWith: (text.isNegative ? [0x2D] : []) + text.digits + zeros)
    }
    if spelling == .any, constraint.spelledAsInteger != true {
      let zero = NumberConstraint.Bound(value: ExactDecimal(), isExclusive: false)
      let magnitudes = (text.isNegative ? constraint.mirrored : constraint).within(
        lower: zero, upper: nil)
      if text.digits.isEmpty { return magnitudes.isSatisfiable }
      guard let upper = magnitudes.upper else { return true }
      // Digits behind the last place of a multiple as large as the bound are zeros, or too many.
      let last = (magnitudes.multiples.map(\.exponent) + [0]).min() ?? 0
      let bound = max(upper.value.digits.count, magnitudes.lower?.value.digits.count ?? 0)
      let count = max(bound, upper.value.order - last) + 2
      let zeros = max(0, min(text.zeros, count - text.digits.count))
      return isViable(
        magnitudes,
        digits: text.digits.map { $0 - 0x30 } + [UInt8](repeating: 0, count: zeros))
    }
    // Between a text and the next one of as many decimals there is no other multiple, once its decimals
    // are more than those of multiples.
    let last = constraint.multiples.map(\.exponent).min()
    if text.digits.isEmpty, let decimals = text.decimals {
      var next = ExactDecimal(1)
      next.exponent = -decimals
      let zero = NumberConstraint.Bound(value: ExactDecimal(), isExclusive: false)
      return (text.isNegative ? constraint.mirrored : constraint)
        .within(lower: zero, upper: .init(value: next, isExclusive: true)).isSatisfiable
    }
    if let last, text.decimals ?? 0 > max(0, -last) {
      return text.value.map(constraint.admits) ?? false
    }
    return isViable(constraint, place, NumberText.bytes(text.runs[...]), room: .max)
  }

  private mutating func reduced(
    _ index: Int, _ place: Place, _ count: Int, _ text: LongNumberText
  ) -> State {
    var text = text
    switch wayOfLongText(index, text, place) {
    case .lastPlace:
      if !text.digits.isEmpty { text.digits = [0x31] }
      text.isNegative = false
    case .residue(let modulus):
      let residue = text.digits.reduce(0) { ($0 * 10 + Int($1 - 0x30)) % modulus }
      text.digits = Self.digits(ofResidue: residue, by: modulus)
    case .prefix(let count):
      // Behind the point the number of digits does not matter, once there are more than bounds have.
      guard let decimals = text.decimals, !text.digits.isEmpty else { break }
      let written = text.digits.count + text.zeros
      let rest = min(text.zeros, written - max(written - decimals + 1, count))
      if rest > 0 {
        text.zeros -= rest
        text.decimals = decimals - rest
      }
    default:
      if moduli[index] > 0 || constraints[index].onlyIntegers && !isWithinDouble,
        Self.isBeyondBound(
          text.magnitude, isNegative: text.isNegative, of: constraints[index], at: place, spelling)
      {
        return reduced(indexWithoutBound(index), place, count, text)
      }
    }
    return state(index, place, count, text.runs)
  }
}
