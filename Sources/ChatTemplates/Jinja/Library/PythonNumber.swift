// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Numbers as Python writes and computes them.
enum PythonNumber {
  /// What `repr` gives: the shortest digits that read back as the same number.
  static func repr(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-inf" : "inf" }
    let sign = value.sign == .minus ? "-" : ""
    let (digits, point) = shortest(value.magnitude)
    if point > -4, point <= 16 {
      return sign + fixed(digits, point: point, least: 1)
    }
    let exponent = point - 1
    let rest = digits.dropFirst()
    return sign + String(digits.prefix(1)) + (rest.isEmpty ? "" : "." + rest) + "e"
      + (exponent < 0 ? "-" : "+") + (abs(exponent) < 10 ? "0" : "") + String(abs(exponent))
  }

  /// The shortest digits of a number, and where its decimal point is among them.
  private static func shortest(_ value: Double) -> (digits: String, point: Int) {
    guard value != 0 else { return ("0", 1) }
    let parts = value.description.lowercased().split(separator: "e")
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let whole = halves[0]
    let fraction = halves.count > 1 ? halves[1] : ""
    let all = whole + fraction
    let leading = all.prefix { $0 == "0" }.count
    var digits = all.dropFirst(leading)
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    return (String(digits), whole.count + exponent - leading)
  }

  /// Digits with a decimal point, and at least so many after it.
  private static func fixed(_ digits: String, point: Int, least: Int) -> String {
    var whole = point > 0 ? String(digits.prefix(point)) : "0"
    whole += String(repeating: "0", count: max(0, point - digits.count))
    var fraction = String(repeating: "0", count: max(0, -point)) + digits.dropFirst(max(0, point))
    fraction += String(repeating: "0", count: max(0, least - fraction.count))
    return fraction.isEmpty ? whole : whole + "." + fraction
  }

  /// All digits of a number: it is a sum of powers of two, and so has an end.
  ///
  ///     0.1 = 3602879701896397 / 2⁵⁵ = 3602879701896397 · 5⁵⁵ / 10⁵⁵
  private static func exactDigits(_ value: Double) -> (digits: [UInt8], fraction: Int) {
    guard value != 0 else { return ([0], 0) }
    let isSubnormal = value.exponentBitPattern == 0
    let significand = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    let power = isSubnormal ? -1074 : Int(value.exponent) - 52
    // Least significant first, in base 10⁹.
    var limbs: [UInt64] = [significand % 1_000_000_000, significand / 1_000_000_000]
    for _ in 0..<abs(power) {
      var carry: UInt64 = 0
      for index in limbs.indices {
        let product = limbs[index] * (power < 0 ? 5 : 2) + carry
        limbs[index] = product % 1_000_000_000
        carry = product / 1_000_000_000
      }
      if carry > 0 { limbs.append(carry) }
    }
    var digits: [UInt8] = []
    for limb in limbs.reversed() {
      let text = String(limb)
      digits += repeatElement(0, count: 9 - text.count)
      digits += text.utf8.map { $0 - 48 }
    }
    return (digits, max(0, -power))
  }

  /// The number with so many digits after the point, rounded to the nearest and ties to even.
  static func fixed(_ value: Double, places: Int) -> String {
    if !value.isFinite { return repr(value) }
    let sign = value.sign == .minus ? "-" : ""
    var (digits, fraction) = exactDigits(value.magnitude)
    if places < fraction {
      digits = rounded(digits, dropping: fraction - places)
      fraction = places
    }
    let least = fraction + 1
    if digits.count < least {
      digits = Array(repeating: 0, count: least - digits.count) + digits
    }
    let whole = digits.dropLast(fraction).drop { $0 == 0 }
    var text = sign + (whole.isEmpty ? "0" : String(decoding: whole.map { $0 + 48 }, as: UTF8.self))
    if places > 0 {
      text += "." + String(decoding: digits.suffix(fraction).map { $0 + 48 }, as: UTF8.self)
      text += String(repeating: "0", count: places - fraction)
    }
    return text
  }

  /// Digits without the last ones, which round those that stay.
  private static func rounded(_ digits: [UInt8], dropping count: Int) -> [UInt8] {
    let padded = Array(repeating: 0, count: max(0, count + 1 - digits.count)) + digits
    var kept = Array(padded.dropLast(count))
    let dropped = padded.suffix(count)
    let half = dropped.first.map { first in
      first != 5 ? Int(first) - 5 : dropped.dropFirst().contains { $0 != 0 } ? 1 : 0
    }
    guard let half, half > 0 || (half == 0 && (kept.last ?? 0) % 2 == 1) else { return kept }
    var index = kept.count - 1
    while index >= 0 {
      kept[index] += 1
      if kept[index] < 10 { return kept }
      kept[index] = 0
      index -= 1
    }
    return [1] + kept
  }

  /// The number with one digit before the point and so many after it: `1.50e+01`.
  static func scientific(_ value: Double, places: Int) -> String {
    if !value.isFinite { return repr(value) }
    let sign = value.sign == .minus ? "-" : ""
    let (exact, fraction) = exactDigits(value.magnitude)
    var digits = Array(exact.drop { $0 == 0 })
    var exponent = digits.isEmpty ? 0 : digits.count - fraction - 1
    if digits.isEmpty { digits = [0] }
    if digits.count > places + 1 {
      let count = digits.count
      digits = rounded(digits, dropping: count - places - 1)
      if digits.count > places + 1 {
        digits.removeLast()
        exponent += 1
      }
    }
    digits += Array(repeating: 0, count: max(0, places + 1 - digits.count))
    let text = String(decoding: digits.map { $0 + 48 }, as: UTF8.self)
    return sign + text.prefix(1) + (places > 0 ? "." + text.dropFirst() : "") + "e"
      + (exponent < 0 ? "-" : "+") + (abs(exponent) < 10 ? "0" : "") + String(abs(exponent))
  }

  /// The number with so many digits that count, in whichever form is shorter.
  static func general(_ value: Double, digits: Int, keepsZeros: Bool = false) -> String {
    if !value.isFinite { return repr(value) }
    let digits = max(1, digits)
    let scientific = scientific(value, places: digits - 1)
    let parts = scientific.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]) else { return scientific }
    func stripped(_ text: Substring) -> String {
      guard text.contains("."), !keepsZeros else { return String(text) }
      var text = text
      while text.last == "0" { text.removeLast() }
      if text.last == "." { text.removeLast() }
      return String(text)
    }
    if exponent < -4 || exponent >= digits { return stripped(parts[0]) + "e" + parts[1] }
    return stripped(fixed(value, places: digits - 1 - exponent)[...])
  }

  /// What `round` gives.
  static func rounded(_ value: Double, places: Int) -> Double {
    guard value.isFinite, places <= 330 else { return value }
    if places >= 0 { return Double(fixed(value, places: places)) ?? value }
    guard places > -330 else { return value.sign == .minus ? -0.0 : 0 }
    let text = fixed(value.rounded(.toNearestOrEven), places: 0)
    let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") }.map { $0 - 48 })
    let kept = rounded(digits, dropping: -places)
    let zeros = String(repeating: "0", count: -places)
    return Double(
      (value.sign == .minus ? "-" : "") + String(decoding: kept.map { $0 + 48 }, as: UTF8.self)
        + zeros) ?? value
  }

  /// `left % right`: with the sign of the right one.
  static func remainder(_ left: Double, _ right: Double) -> Double {
    let result = left.truncatingRemainder(dividingBy: right)
    if result == 0 { return right < 0 ? -0.0 : 0 }
    return (result < 0) != (right < 0) ? result + right : result
  }

  /// A power with a whole exponent, or a square root: what templates ask for.
  static func power(_ base: Double, _ exponent: Double) throws(ChatTemplateError) -> Double {
    if exponent == 0.5, base >= 0 { return base.squareRoot() }
    guard let count = Int(exactly: exponent), abs(count) <= 1024 else {
      throw ChatTemplateError(
        message: "Powers have a whole exponent of at most 1024 here.", line: nil)
    }
    guard base != 0 || count >= 0 else {
      throw ChatTemplateError(message: "A division by zero.", line: nil)
    }
    var result = 1.0
    for _ in 0..<abs(count) { result *= base }
    return count < 0 ? 1 / result : result
  }

  /// What `float` reads; nil where it is no number.
  static func double(of text: String) -> Double? {
    let trimmed = TemplateText(text).trimmed().string
    guard trimmed.utf8.count <= 400 else { return nil }
    let plain = trimmed.filter { $0 != "_" }
    switch plain.lowercased() {
    case "nan", "+nan", "-nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default:
      guard !plain.isEmpty, plain.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
        trimmed == plain || !trimmed.hasPrefix("_") && !trimmed.hasSuffix("_")
      else { return nil }
      let whole = plain.hasPrefix(".") ? "0" + plain : plain
      return Double(whole.hasSuffix(".") ? whole + "0" : whole)
    }
  }

  /// What `int` reads of a text; nil where it is no whole number.
  static func integer(of text: String, base: Int = 10) -> TemplateValue? {
    var digits = TemplateText(text).trimmed().string.filter { $0 != "_" }
    var base = base
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits.removeFirst() }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)]
    where digits.lowercased().hasPrefix(prefix) && (base == radix || base == 0) {
      digits.removeFirst(2)
      base = radix
    }
    if base == 0 { base = 10 }
    guard (2...36).contains(base), let first = digits.unicodeScalars.first,
      first != "+", first != "-"
    else { return nil }
    if let value = Int((isNegative ? "-" : "") + digits, radix: base) { return .integer(value) }
    guard base == 10, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    let plain = digits.drop { $0 == "0" }
    return .bigInteger(TemplateText((isNegative ? "-" : "") + plain))
  }

  /// The whole part of a number, as `int` gives it.
  static func integer(of value: Double) -> TemplateValue? {
    guard value.isFinite else { return nil }
    let whole = value.rounded(.towardZero)
    if let integer = Int(exactly: whole) { return .integer(integer) }
    return .bigInteger(TemplateText(fixed(whole, places: 0)))
  }
}
