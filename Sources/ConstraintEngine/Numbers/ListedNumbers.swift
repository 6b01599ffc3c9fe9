// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A list of numbers, in orders in which those that a text can become lie together.
///
/// Where exponents are allowed, a mantissa decides by its digits alone: `12` begins spellings of 12, of
/// 0.125 and of 1,200. So the magnitudes are sorted by their digits without zeros at the end, and one
/// search says whether any begins so. Plain spellings are sorted as texts.
///
/// Worked example: of 5, 12 and 1,250, sorted by digits 12, 125 (for 1,250), 5; after `1250` the first
/// that is not before 125 is 125 itself, which begins so if zeros are put after it.
struct ListedNumbers {
  private let values: Set<ExactDecimal>
  /// The plain spellings, where no others are allowed.
  private var texts: [[UInt8]] = []
  /// The values above zero, and the magnitudes of those below, where exponents are allowed.
  private var positive: [ExactDecimal] = []
  private var negative: [ExactDecimal] = []

  /// How many digits the longest of the values has, without zeros at the end.
  let digitCount: Int

  /// - Returns: Nil where the constraint has no list.
  init?(_ constraint: NumberConstraint, _ spelling: CompilationOptions.Numbers) {
    guard let listed = constraint.values?.filter(constraint.admitsBesideList) else { return nil }
    values = Set(listed)
    digitCount = listed.reduce(0) { max($0, $1.digits.count) }
    if spelling == .plain || constraint.spelledAsInteger == true {
      for value in listed {
        // Integers also as many writers of JSON write them. More zeros are not taken, because a list
        // would have endless spellings then.
        let text = value.plainText
        texts.append(text)
        if value.isInteger { texts.append(text + [0x2E, 0x30]) }
      }
      texts.sort { $0.lexicographicallyPrecedes($1) }
    } else {
      positive = Self.sorted(listed.filter { !$0.isNegative && !$0.isZero })
      negative = Self.sorted(listed.filter(\.isNegative))
    }
  }

  private static func sorted(_ values: [ExactDecimal]) -> [ExactDecimal] {
    values.sorted { $0.digits.lexicographicallyPrecedes($1.digits) }
  }

  func contains(_ value: ExactDecimal) -> Bool { values.contains(value) }

  /// Whether a text begins a plain spelling of one of the numbers.
  func hasPlainSpelling(startingWith text: [UInt8]) -> Bool {
    let place = Self.first(texts) { !$0.lexicographicallyPrecedes(text) }
    return place < texts.count && texts[place].starts(with: text)
  }

  /// Whether a text begins any spelling of one of the numbers.
  func hasSpelling(startingWith text: [UInt8]) -> Bool {
    guard let first = text.first else { return !values.isEmpty }
    let isNegative = first == 0x2D
    let magnitudes = isNegative ? negative : positive
    let mantissaText = text.prefix { $0 | 0x20 != 0x65 }
    if mantissaText.count < text.count {
      guard let mantissa = ExactDecimal(mantissaText) else { return false }
      if mantissa.isZero { return values.contains(mantissa) }
      guard let exponent = WrittenExponent(Array(text[(mantissaText.count + 1)...])) else {
        return false
      }
      let start = Self.first(magnitudes) {
        !$0.digits.lexicographicallyPrecedes(mantissa.digits)
      }
      return magnitudes[start...].lazy.prefix { $0.digits == mantissa.digits }
        .contains { exponent.mayBecome($0.exponent - mantissa.exponent) }
    }
    let digits = mantissaText.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
      .map { $0 - 0x30 }
    if digits.isEmpty { return !magnitudes.isEmpty || values.contains(ExactDecimal()) }
    let written = digits.lastIndex { $0 != 0 }.map { digits[...$0] } ?? digits[...]
    let place = Self.first(magnitudes) { !$0.digits.lexicographicallyPrecedes(written) }
    guard place < magnitudes.count else { return false }
    let found = magnitudes[place].digits
    return digits.indices.allSatisfy { digits[$0] == ($0 < found.count ? found[$0] : 0) }
  }

  /// The place of the first element of which something is true that is true of all after it.
  private static func first<Element>(
    _ elements: [Element], where isAfter: (Element) -> Bool
  ) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(elements[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The exponent of a number, as far as it is written.
struct WrittenExponent {
  private let sign: UInt8?
  /// The digits without zeros at the start.
  let digits: [UInt8]
  private let isUnsigned: Bool

  /// - Parameter text: What follows the `e`.
  /// - Returns: Nil where no number has such an exponent.
  init?(_ text: [UInt8]) {
    sign = text.first.flatMap { $0 == 0x2B || $0 == 0x2D ? $0 : nil }
    digits = Array(text.dropFirst(sign == nil ? 0 : 1).drop { $0 == 0x30 })
    isUnsigned = sign == nil && !text.isEmpty
    if digits.count > Self.mostDigits { return nil }
  }

  private static let mostDigits = Int.bitWidth > 32 ? 12 : 8
  /// No exponent has a greater magnitude: that many nines.
  static let limit = (0..<mostDigits).reduce(0) { value, _ in value * 10 + 9 }

  /// Whether an exponent has a spelling that begins so.
  func mayBecome(_ exponent: Int) -> Bool {
    if exponent < 0, isUnsigned || sign == 0x2B { return false }
    if exponent > 0, sign == 0x2D { return false }
    return digits.isEmpty || String(exponent.magnitude).utf8.starts(with: digits)
  }

  /// Whether one of a range of exponents has a spelling that begins so.
  func mayBecome(oneOf exponents: Range<Int>) -> Bool {
    if sign == nil, !isUnsigned { return !exponents.isEmpty }
    let magnitudes = magnitudes(exponents)
    if digits.isEmpty { return !magnitudes.isEmpty }
    var least = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    var end = least + 1
    while least < magnitudes.upperBound {
      if magnitudes.lowerBound < end { return true }
      (least, end) = (least * 10, end * 10)
    }
    return false
  }

  /// The magnitudes of those of a range of exponents that have the sign that is written.
  func magnitudes(_ exponents: Range<Int>) -> Range<Int> {
    let (least, end) =
      sign == 0x2D
      ? (1 - exponents.upperBound, 1 - exponents.lowerBound)
      : (exponents.lowerBound, exponents.upperBound)
    return max(0, least)..<max(0, least, end)
  }
}
