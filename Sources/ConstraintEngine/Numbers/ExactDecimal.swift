// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A decimal number of any size, exact: `sign × digits × 10^exponent`.
///
/// JSON Schema compares numbers by value, with decimal literals: `0.3` is a multiple of `0.1`, and
/// `1e400` is larger than any binary floating-point number. The digits carry no leading and no
/// trailing zeros, so that equal values are equal structures: `1.50e1` is `15 × 10^0`.
package struct ExactDecimal: Hashable, Sendable {
  package var isNegative = false
  /// Most significant first, each 0…9; empty for zero.
  package var digits: [UInt8] = []
  package var exponent = 0

  /// Zero.
  package init() {}

  /// Creates an integer.
  package init(_ value: Int) {
    self.init(Array(String(value).utf8)[...])!
  }

  /// 10^15, or 10^8 where integers have 32 bits: sums of a few exponents must not overflow.
  private static let exponentLimit = (0..<(Int.bitWidth > 32 ? 15 : 8)).reduce(1) { power, _ in
    power * 10
  }

  /// Reads a number as JSON spells it; `nil` where it is not one, or where it is not zero and its
  /// exponent is beyond ±10^15 (``exponentLimit``).
  package init?(_ text: some Collection<UInt8>) {
    var exponent = 0
    var phase = 0
    var written = 0
    var writtenNegative = false
    for byte in text {
      switch byte {
      case 0x2D:
        if phase == 2 { writtenNegative = true } else { isNegative = true }
      case 0x2B: break
      case 0x2E: phase = 1
      case 0x65, 0x45: phase = 2
      case 0x30...0x39:
        if phase == 2 {
          // Zero stays zero, whatever its exponent.
          if digits.isEmpty { continue }
          guard written < Self.exponentLimit else { return nil }
          written = written * 10 + Int(byte - 0x30)
        } else {
          if phase == 1 { exponent -= 1 }
          if !(digits.isEmpty && byte == 0x30) { digits.append(byte - 0x30) }
        }
      default: return nil
      }
    }
    exponent += writtenNegative ? -written : written
    self.exponent = exponent
    normalise()
  }

  private mutating func normalise() {
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty {
      exponent = 0
      isNegative = false
    }
  }

  /// Whether the value is zero.
  package var isZero: Bool { digits.isEmpty }

  /// Whether the value has no fraction.
  package var isInteger: Bool { exponent >= 0 }

  /// The value as a machine integer, where it is one and fits.
  package var integer: Int? {
    guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
    var magnitude: UInt64 = 0
    for digit in digits { magnitude = magnitude * 10 + UInt64(digit) }
    for _ in 0..<exponent { magnitude = magnitude * 10 }
    if isNegative {
      return magnitude <= UInt64(Int.max) + 1 ? Int(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int(exactly: magnitude)
  }

  /// The value with the opposite sign.
  package var negated: ExactDecimal {
    var result = self
    result.isNegative = !isNegative && !isZero
    return result
  }

  /// The value as JSON spells it without an exponent.
  package var plainSpelling: String { String(decoding: plainText, as: UTF8.self) }

  /// The number as a person would write it: with an exponent where there would be many zeros.
  package var shortSpelling: String {
    if abs(exponent) <= 20 { return plainSpelling }
    let digits = String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
    return (isNegative ? "-" : "") + digits + "e\(exponent)"
  }

  /// The same as bytes.
  var plainText: [UInt8] {
    if isZero { return [0x30] }
    var text: [UInt8] = isNegative ? [0x2D] : []
    if -exponent >= digits.count {
      text += [0x30, 0x2E] + repeatElement(0x30, count: -exponent - digits.count)
      text += digits.lazy.map { $0 + 0x30 }
      return text
    }
    for (place, digit) in digits.enumerated() {
      if place == digits.count + exponent { text.append(0x2E) }
      text.append(digit + 0x30)
    }
    if exponent > 0 { text += repeatElement(0x30, count: exponent) }
    return text
  }
}

extension ExactDecimal: Comparable {
  package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative
      ? compareMagnitudes(right, left) < 0 : compareMagnitudes(left, right) < 0
  }

  /// Negative, zero or positive as the first magnitude is smaller, equal or larger.
  static func compareMagnitudes(_ left: ExactDecimal, _ right: ExactDecimal) -> Int {
    if left.isZero || right.isZero { return (left.isZero ? 0 : 1) - (right.isZero ? 0 : 1) }
    let order = (left.digits.count + left.exponent) - (right.digits.count + right.exponent)
    if order != 0 { return order }
    for place in 0..<max(left.digits.count, right.digits.count) {
      let a = place < left.digits.count ? Int(left.digits[place]) : 0
      let b = place < right.digits.count ? Int(right.digits[place]) : 0
      if a != b { return a - b }
    }
    return 0
  }
}

extension ExactDecimal {
  /// Whether the value is a whole multiple of another, in exact decimal arithmetic.
  ///
  /// `4.35` is a multiple of `0.01`: 435 × 10^-2 over 1 × 10^-2. The remainder is taken digit by
  /// digit, so that the size of the value does not matter; a huge exponent costs its logarithm.
  package func isMultiple(of divisor: ExactDecimal) -> Bool {
    if isZero { return true }
    if divisor.isZero { return false }
    // digits × 10^shift must be divisible by the divisor's digits. These digits end in no zero: they
    // are no multiple of ten.
    var shift = exponent - divisor.exponent
    if shift < 0 { return false }
    guard divisor.digits.count <= 18 else { return isMultipleByLongDivision(of: divisor) }
    var modulus: UInt64 = 0
    for digit in divisor.digits { modulus = modulus * 10 + UInt64(digit) }
    var remainder: UInt64 = 0
    for digit in digits {
      remainder = (remainder &* 10 &+ UInt64(digit)) % modulus
    }
    var power: UInt64 = 10 % modulus
    while shift > 0 {
      if shift & 1 == 1 {
        remainder = UInt64(UInt128(remainder) * UInt128(power) % UInt128(modulus))
      }
      power = UInt64(UInt128(power) * UInt128(power) % UInt128(modulus))
      shift >>= 1
    }
    return remainder == 0
  }

  private func isMultipleByLongDivision(of divisor: ExactDecimal) -> Bool {
    // More zeros than the divisor can have factors of two or five change nothing.
    let zeros = min(exponent - divisor.exponent, 4 * divisor.digits.count)
    let whole = digits + [UInt8](repeating: 0, count: zeros)
    return Self.remainder(of: whole, dividingBy: divisor.digits).isEmpty
  }

  /// What is left of an integer, digit by digit; no digits where nothing is.
  private static func remainder(of digits: [UInt8], dividingBy divisor: [UInt8]) -> [UInt8] {
    var remainder: [UInt8] = []
    for digit in digits {
      if !(remainder.isEmpty && digit == 0) { remainder.append(digit) }
      while notLess(remainder, divisor) { subtract(divisor, from: &remainder) }
    }
    return remainder
  }

  private static func notLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    if left.count != right.count { return left.count > right.count }
    for place in 0..<left.count where left[place] != right[place] {
      return left[place] > right[place]
    }
    return true
  }

  private static func subtract(_ amount: [UInt8], from value: inout [UInt8]) {
    var borrow: UInt8 = 0
    for place in 1...value.count {
      let part = (place <= amount.count ? amount[amount.count - place] : 0) + borrow
      let at = value.count - place
      borrow = value[at] < part ? 1 : 0
      value[at] = value[at] &+ (borrow == 1 ? 10 : 0) &- part
    }
    while value.first == 0 { value.removeFirst() }
  }

  /// The smallest multiple of a positive value that is not below this one, which is not negative.
  func roundedUp(toMultipleOf step: ExactDecimal) -> ExactDecimal {
    let least = min(exponent, step.exponent)
    let by = step.digits(at: least)
    var missing = by
    let rest = Self.remainder(of: digits(at: least), dividingBy: by)
    if rest.isEmpty { return self }
    Self.subtract(rest, from: &missing)
    var difference = ExactDecimal()
    difference.digits = missing
    difference.exponent = least
    return adding(difference)
  }

  /// The sum of two values that are not negative.
  func adding(_ other: ExactDecimal) -> ExactDecimal {
    let least = min(exponent, other.exponent)
    let (left, right) = (digits(at: least), other.digits(at: least))
    var sum: [UInt8] = []
    var carry: UInt8 = 0
    for place in 1...max(left.count, right.count, 1) {
      let digit =
        (place <= left.count ? left[left.count - place] : 0)
        + (place <= right.count ? right[right.count - place] : 0) + carry
      sum.append(digit % 10)
      carry = digit / 10
    }
    if carry > 0 { sum.append(carry) }
    var result = ExactDecimal()
    result.digits = sum.reversed()
    result.exponent = least
    result.normalise()
    return result
  }

  /// The digits of the magnitude as a whole number of some power of ten.
  private func digits(at exponent: Int) -> [UInt8] {
    isZero ? [] : digits + [UInt8](repeating: 0, count: self.exponent - exponent)
  }
}
