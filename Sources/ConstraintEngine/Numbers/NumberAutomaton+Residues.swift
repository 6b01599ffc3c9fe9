// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One text for all that multiples treat alike.
///
/// Whether a number becomes a multiple depends on few things of its digits so far: their residue, how
/// many zeros they end with (an exponent may take these away), and how many stand behind the point.
/// A text becomes the shortest one that has these in common with it: under `multipleOf: 7`, `7777`
/// becomes `7`, `-15000` becomes `-1000`, and `1.90` becomes `0.50`. A number of a million digits then
/// goes through a few states instead of one for each digit, which would hold all digits before it.
extension NumberAutomaton {
  /// The number by which residues decide whether a number is a multiple, and no multiple, as a
  /// constraint asks; zero where it asks for none, where more decides, or where it is large.
  static func residueModulus(of constraint: NumberConstraint) -> Int {
    let steps = constraint.multiples + constraint.nonMultiples
    guard !steps.isEmpty, constraint.values == nil, constraint.excluded.isEmpty else { return 0 }
    let integers = steps.map { step in
      var integer = step
      integer.exponent = 0
      return integer
    }
    guard let modulus = NumberConstraint.leastCommonMultiple(integers)?.integer,
      modulus > 0, UInt64(modulus) <= 1_000_000_000_000, modulus <= Int.max / 16
    else { return 0 }
    return modulus
  }

  /// Whether only the multiples of a constraint decide how a text goes on: whether every number that
  /// starts with it is within the bounds.
  static func isDecidedByResidue(
    _ text: [UInt8], under constraint: NumberConstraint, at place: Place
  ) -> Bool {
    text.contains { (0x31...0x39).contains($0) }
      && isDecidedByResidue(isNegative: text.first == 0x2D, under: constraint, at: place)
  }

  /// The same of a text that has a digit other than zero.
  static func isDecidedByResidue(
    isNegative: Bool, under constraint: NumberConstraint, at place: Place
  ) -> Bool {
    guard [.digits, .point, .fraction].contains(place) else { return false }
    let (near, far) =
      isNegative
      ? (constraint.upper?.value.negated, constraint.lower)
      : (constraint.lower?.value, constraint.upper)
    return far == nil && near.map { $0.isNegative || $0.isZero } ?? true
  }

  /// Whether every multiple that starts with a text is beyond the one bound of a constraint: from then
  /// on the bound says nothing.
  ///
  /// An exponent makes a number small, but no multiple smaller than its digits times the last decimal
  /// place that multiples have. Under `minimum: 3` and `multipleOf: 0.25` these are hundredths: `7` is
  /// open, because of `75e-2`, and all multiples that start with `712` are at least 7.12.
  static func isBeyondBound(
    _ text: [UInt8], of constraint: NumberConstraint, at place: Place,
    _ spelling: CompilationOptions.Numbers
  ) -> Bool {
    guard [.digits, .point, .fraction].contains(place),
      let magnitude = ExactDecimal(text.drop { $0 == 0x2D })
    else { return false }
    return isBeyondBound(
      magnitude, isNegative: text.first == 0x2D, of: constraint, at: place, spelling)
  }

  /// The same, for the magnitude of a text.
  static func isBeyondBound(
    _ magnitude: ExactDecimal, isNegative: Bool, of constraint: NumberConstraint, at place: Place,
    _ spelling: CompilationOptions.Numbers
  ) -> Bool {
    guard [.digits, .point, .fraction].contains(place), constraint.values == nil,
      !magnitude.isZero, (isNegative ? constraint.lower : constraint.upper) == nil,
      let bound = isNegative ? constraint.upper : constraint.lower
    else { return false }
    var least = magnitude
    if spelling == .any, constraint.spelledAsInteger != true {
      var places = constraint.multiples.map(\.exponent)
      if constraint.onlyIntegers { places.append(0) }
      guard let last = places.max() else { return false }
      least.exponent = last
    }
    let value = isNegative ? bound.value.negated : bound.value
    return bound.isExclusive ? value < least : value <= least
  }

  /// The shortest text with the same residue, as many zeros at the end and as many digits behind the
  /// point.
  static func residue(of text: [UInt8], by modulus: Int) -> [UInt8] {
    let isNegative = text.first == 0x2D
    let written = isNegative ? text.dropFirst() : text[...]
    let decimals = written.firstIndex(of: 0x2E).map { written.endIndex - $0 - 1 }
    let digits = written.filter { $0 != 0x2E }
    let significant = digits[...(digits.lastIndex { $0 != 0x30 } ?? 0)]
    var rest = 0
    for digit in significant { rest = (rest * 10 + Int(digit - 0x30)) % modulus }
    var result = Self.digits(ofResidue: rest, by: modulus)
    result += [UInt8](repeating: 0x30, count: digits.count - significant.count)
    if let decimals {
      let missing = max(0, decimals + 1 - result.count)
      result = [UInt8](repeating: 0x30, count: missing) + result
      result.insert(0x2E, at: result.count - decimals)
    }
    return isNegative ? [0x2D] + result : result
  }

  /// The least digits that have a residue and end with no zero, if any do.
  static func digits(ofResidue residue: Int, by modulus: Int) -> [UInt8] {
    var rest = residue
    for _ in 0..<10 where rest == 0 || rest % 10 == 0 { rest += modulus }
    return Array(String(rest).utf8)
  }
}

/// A text of a number as the states keep it: one word for each run of equal bytes, since what stands
/// for long texts is mostly zeros.
package enum NumberText {
  static func runs(_ text: [UInt8]) -> [UInt32] {
    var result: [UInt32] = []
    for byte in text { append(UInt32(byte), to: &result) }
    return result
  }

  /// Adds a run to others, or to the last of them where that is of the same byte.
  static func append(_ run: UInt32, to runs: inout [UInt32]) {
    if let last = runs.last, last & 0xFF == run & 0xFF,
      last >> 8 + run >> 8 < 0xFF_FFFF
    {
      runs[runs.count - 1] = last + (run & ~0xFF) + 0x100
    } else {
      runs.append(run)
    }
  }

  /// Whether runs have more bytes than a number.
  static func isLonger(_ runs: ArraySlice<UInt32>, than count: Int) -> Bool {
    runs.reduce(0) { $0 + Int($1 >> 8) + 1 } > count
  }

  package static func bytes(_ runs: ArraySlice<UInt32>) -> [UInt8] {
    var result: [UInt8] = []
    for run in runs {
      result += repeatElement(UInt8(truncatingIfNeeded: run), count: Int(run >> 8) + 1)
    }
    return result
  }
}
