// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A JSON number without loss: 64-bit integers stay integers, and what neither an integer nor a
/// double can hold stays text.
package enum JSONNumber: Sendable {
  case integer(Int64)
  case double(Double)
  /// A number in JSON's spelling that the other two cases cannot hold exactly.
  case literal(String)

  /// The number that `text`, a JSON number, spells.
  package init(text: String) {
    if let integer = Int64(text), text != "-0" {
      self = .integer(integer)
    } else if let double = DecimalScientific(text)?.exactDouble {
      self = .double(double)
    } else {
      self = .literal(text)
    }
  }

  package init(_ value: some BinaryInteger) {
    if let integer = Int64(exactly: value) {
      self = .integer(integer)
    } else {
      self = .literal(value.description)
    }
  }

  /// The nearest double; infinite where the number is out of a double's range.
  package var doubleValue: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    case .literal(let text): Double(text) ?? .nan
    }
  }

  /// Whether JSON can say it: NaN and the infinities have no spelling.
  var isFinite: Bool { if case .double(let double) = self { double.isFinite } else { true } }

  /// The nearest decimal, or nil where the number is out of `Decimal`'s range.
  package var decimalValue: Decimal? {
    switch self {
    case .integer(let integer): Decimal(integer)
    case .double(let double): Decimal(string: double.description, locale: .posix)
    case .literal(let text): Decimal(string: text, locale: .posix)
    }
  }

  /// The number as an integer, or nil where it has a fraction or is out of the type's range.
  package func integerValue<Value: FixedWidthInteger>(as type: Value.Type) -> Value? {
    switch self {
    case .integer(let integer): Value(exactly: integer)
    case .double(let double): Value(exactly: double)
    case .literal(let text): DecimalScientific(text)?.integerText.flatMap { Value($0) }
    }
  }

  /// The number in JSON's spelling; `null` for what JSON cannot say (NaN and the infinities).
  package var jsonText: String {
    switch self {
    case .integer(let integer): return String(integer)
    case .double(let double):
      guard double.isFinite else { return "null" }
      if let integer = Int64(exactly: double), integer.magnitude < 1 << 53,
        integer != 0 || double.sign == .plus
      {
        return String(integer)
      }
      return double.description
    case .literal(let text): return text
    }
  }
}

extension JSONNumber: Hashable {
  /// Numbers are equal when their values are, however they are spelled.
  package static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    default: Self.areEqual(left.jsonText, right.jsonText)
    }
  }

  /// Numbers that are too large or too small to be compared are equal where they are spelled alike.
  private static func areEqual(_ left: String, _ right: String) -> Bool {
    let (first, second) = (DecimalScientific(left), DecimalScientific(right))
    return first == nil && second == nil ? left == right : first == second
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(DecimalScientific(jsonText))
  }
}

/// A decimal number as its significant digits, without zeros at either end, and an exponent.
struct DecimalScientific: Hashable {
  private var isNegative = false
  private var digits: [UInt8] = []
  /// The power of ten of the last digit.
  private var exponent = 0

  init?(_ text: String) {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest.removeFirst()
    }
    let mantissa = rest.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    if mantissa.count < rest.count {
      guard let given = Int(Substring(rest.dropFirst(mantissa.count + 1))),
        given.magnitude <= 1 << 28
      else { return nil }
      exponent = given
    }
    var isFraction = false
    for byte in mantissa {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if isFraction { exponent -= 1 }
        if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
      case UInt8(ascii: "."): isFraction = true
      default: return nil
      }
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty {
      exponent = 0
      isNegative = false
    }
  }

  /// The number as a double, where the way there and back changes nothing: a decimal of at most 15
  /// digits survives it.
  var exactDouble: Double? {
    guard digits.count <= 15, (-290...290).contains(exponent) else { return nil }
    return Double(
      "\(isNegative ? "-" : "")\(digits.isEmpty ? "0" : text(of: digits))e\(exponent)")
  }

  /// The number in plain digits, or nil where it has a fraction or more digits than any integer
  /// type of the standard library.
  var integerText: String? {
    guard exponent >= 0, digits.count + exponent <= 40 else { return nil }
    let zeros = String(repeating: "0", count: exponent)
    return (isNegative ? "-" : "") + (digits.isEmpty ? "0" : text(of: digits) + zeros)
  }

  private func text(of digits: [UInt8]) -> String { String(decoding: digits, as: UTF8.self) }
}

extension Locale {
  /// The locale in which numbers are spelled as JSON spells them.
  static var posix: Locale { Locale(identifier: "en_US_POSIX") }
}
