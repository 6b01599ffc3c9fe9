// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Prefixes of numbers where exponents are allowed.
///
/// An exponent can move the point anywhere, so that a mantissa decides by its digits alone: after
/// `7`, some number of a set must lie in 7…8, 70…80, 0.7…0.8 and so on. Between 3 and 4 none does;
/// between 3 and 30 `7` itself does. Only the scales between the bounds have to be tried. Once the
/// exponent has begun the mantissa is fixed, and the exponents that give an allowed value are held
/// against the digits read: where bounds and steps decide, these are a range, such as −2 … 4 of 700 for
/// integers up to 7,000,000.
extension NumberAutomaton {
  /// Whether some allowed number has a spelling that starts with a text, where the constraint has no
  /// list.
  func isViableInAnySpelling(
    _ constraint: NumberConstraint, _ place: Place, _ text: [UInt8]
  ) -> Bool {
    if place == .start { return constraint.isSatisfiable }
    let isNegative = text.first == 0x2D
    let zero = NumberConstraint.Bound(value: ExactDecimal(), isExclusive: false)
    let magnitudes = (isNegative ? constraint.mirrored : constraint).within(
      lower: zero, upper: nil)
    let parts = text.dropFirst(isNegative ? 1 : 0).split(
      maxSplits: 1, omittingEmptySubsequences: false
    ) { $0 | 0x20 == 0x65 }
    let digits = parts.first.map { $0.filter { $0 != 0x2E }.drop { $0 == 0x30 } } ?? []
    switch place {
    case .exponent, .exponentSign, .exponentDigits:
      guard let mantissa = parts.first.flatMap({ ExactDecimal($0) }) else { return false }
      if mantissa.isZero { return magnitudes.admits(mantissa) }
      return isViable(magnitudes, mantissa, exponent: parts.count > 1 ? Array(parts[1]) : [])
    default:
      if digits.isEmpty { return magnitudes.isSatisfiable }
      return isViable(magnitudes, digits: digits.map { $0 - 0x30 })
    }
  }

  /// The exponents that make the mantissa of a text an allowed number, and what is written of one; nil
  /// where more than bounds and steps decides, or no exponent matters.
  func exponents(_ index: Int, _ text: [UInt8]) -> (range: Range<Int>, written: WrittenExponent)? {
    guard let step = steps[index], let end = text.firstIndex(where: { $0 | 0x20 == 0x65 }),
      let mantissa = ExactDecimal(text[..<end].drop { $0 == 0x2D }), !mantissa.isZero,
      let written = WrittenExponent(Array(text[(end + 1)...]))
    else { return nil }
    var (least, most) = (-WrittenExponent.limit, WrittenExponent.limit)
    let (near, far) = bounds(constraints[index], isNegative: text.first == 0x2D)
    func isWithin(_ exponent: Int, _ admits: (ExactDecimal) -> Bool) -> Bool {
      var value = mantissa
      value.exponent += exponent
      return admits(value)
    }
    if let far {
      if far.value.isNegative || far.value.isZero { return (0..<0, written) }
      let same = far.value.order - mantissa.order
      let fits = isWithin(same) { NumberConstraint.satisfies($0, upper: far) }
      most = min(most, fits ? same : same - 1)
    }
    if let near, !near.value.isNegative, !near.value.isZero {
      let same = near.value.order - mantissa.order
      let fits = isWithin(same) { NumberConstraint.satisfies($0, lower: near) }
      least = max(least, fits ? same : same + 1)
    }
    if case .multiples(let factor, let place) = step {
      guard let zeros = NumberPrefix.zeros(after: mantissa.digits, toMultipleOf: factor) else {
        return (0..<0, written)
      }
      least = max(least, place - mantissa.exponent + zeros)
    }
    return (least..<max(least, most + 1), written)
  }

  /// The digits of the exponent in a text, held against those that make its mantissa an allowed number.
  func exponentPrefix(_ index: Int, _ text: [UInt8]) -> NumberPrefix? {
    guard let (range, written) = exponents(index, text) else { return nil }
    let magnitudes = written.magnitudes(range)
    return NumberPrefix(
      digits: written.digits.map { $0 - 0x30 }, isStart: false,
      near: ExactDecimal(magnitudes.lowerBound), far: ExactDecimal(magnitudes.upperBound - 1),
      step: .multiples(of: 1, place: 0), places: .whole)
  }

  /// Whether some allowed magnitude has digits that start in a certain way.
  func isViable(_ magnitudes: NumberConstraint, digits: [UInt8]) -> Bool {
    guard let upper = magnitudes.upper else { return true }
    if upper.value.isZero || upper.value.isNegative { return false }
    let most = upper.value.order - digits.count
    guard let least = magnitudes.leastOrder.map({ $0 - digits.count - 1 }) else { return true }
    guard least <= most else { return false }
    // Where a number may be ten times as large, what a smaller shift reaches the last but one does.
    let tried = magnitudes.step == nil ? 1000 : 1
    for shift in (max(least, most - tried)...most).reversed() {
      var near = ExactDecimal()
      near.digits = digits
      near.exponent = shift
      let lower = near.normalised
      guard let after = ExactDecimal(Self.incrementedDigits(digits) + Array("e\(shift)".utf8))
      else { continue }
      let part = magnitudes.within(
        lower: NumberConstraint.Bound(value: lower, isExclusive: false),
        upper: NumberConstraint.Bound(value: after, isExclusive: true))
      if part.isSatisfiable { return true }
    }
    return false
  }

  /// The digits of an integer plus one, as text.
  private static func incrementedDigits(_ digits: [UInt8]) -> [UInt8] {
    var result = digits.map { $0 + 0x30 }
    var at = result.count - 1
    while at >= 0 {
      if result[at] != 0x39 {
        result[at] += 1
        return result
      }
      result[at] = 0x30
      at -= 1
    }
    return [0x31] + result
  }

  /// Whether some exponent that starts with a text makes a mantissa an allowed magnitude.
  private func isViable(
    _ magnitudes: NumberConstraint, _ mantissa: ExactDecimal, exponent text: [UInt8]
  ) -> Bool {
    guard let written = WrittenExponent(text) else { return false }
    func fits(_ exponent: Int) -> Bool {
      guard written.mayBecome(exponent) else { return false }
      var value = mantissa
      value.exponent += exponent
      return magnitudes.admits(value)
    }
    let order = mantissa.order
    var most = magnitudes.upper.map { $0.value.order - order }
    if magnitudes.onlyFractions { most = min(most ?? .max, -mantissa.exponent - 1) }
    var least = magnitudes.leastOrder.map { $0 - order }
    if magnitudes.onlyIntegers { least = max(least ?? .min, -mantissa.exponent) }
    let from = least ?? (most ?? 0) - 64
    let to = most ?? max(from, 0) + 64
    if from <= to {
      if (max(from, to - 2000)...to).contains(where: fits) { return true }
      if (from...min(to, from + 2000)).contains(where: fits) { return true }
    }
    // Of more exponents than that, those that start with the digits read are tried one digit on.
    guard let start = Int(String(decoding: written.digits, as: UTF8.self)) else { return false }
    let candidates = [start] + (0...9).map { start * 10 + $0 }
    return candidates.contains { fits($0) || fits(-$0) }
  }
}

extension NumberConstraint {
  /// The set of the negatives of all numbers in the set.
  package var mirrored: NumberConstraint {
    var result = self
    result.lower = upper.map { Bound(value: $0.value.negated, isExclusive: $0.isExclusive) }
    result.upper = lower.map { Bound(value: $0.value.negated, isExclusive: $0.isExclusive) }
    result.values = values?.map(\.negated)
    result.excluded = Set(excluded.map(\.negated))
    return result
  }

  /// The place before the point that the first digit of a positive number of the set has at least;
  /// `nil` where there are numbers as small as one likes.
  var leastOrder: Int? {
    var result: Int?
    if let lower, !lower.value.isZero, !lower.value.isNegative { result = lower.value.order }
    for step in multiples { result = max(result ?? .min, step.order) }
    if onlyIntegers { result = max(result ?? .min, 1) }
    return result
  }
}

extension ExactDecimal {
  /// How many digits the integer part has: 3 for 120, 0 for 0.5, −1 for 0.05.
  package var order: Int { digits.count + exponent }

  /// The same value without zeros at the end.
  var normalised: ExactDecimal {
    var result = self
    while result.digits.last == 0 {
      result.digits.removeLast()
      result.exponent += 1
    }
    if result.digits.isEmpty { return ExactDecimal() }
    return result
  }
}
