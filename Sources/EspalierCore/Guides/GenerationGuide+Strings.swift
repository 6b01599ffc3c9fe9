// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GenerationGuide where Value == String {
  /// The string is exactly `value`.
  public static func constant(_ value: String) -> GenerationGuide<String> {
    GenerationGuide(.constant(value))
  }

  /// The string is one of `values`.
  public static func anyOf(_ values: [String]) -> GenerationGuide<String> {
    GenerationGuide(.choices(values))
  }

  /// The string is one of `values`: `.anyOf("dairy", "meat")`.
  public static func anyOf(_ values: String...) -> GenerationGuide<String> { .anyOf(values) }

  /// The whole string matches a regular expression.
  public static func pattern<Output>(_ regex: Regex<Output>) -> GenerationGuide<String> {
    GenerationGuide(.pattern(RegularExpressionSource(regex)))
  }

  /// The whole string matches a regular expression in the syntax of ECMA-262.
  public static func pattern(_ regularExpression: String) -> GenerationGuide<String> {
    GenerationGuide(.pattern(RegularExpressionSource(regularExpression)))
  }

  /// The string has at least this many Unicode code points.
  public static func minimumLength(_ length: Int) -> GenerationGuide<String> {
    GenerationGuide(.lengths(minimum: length, maximum: nil))
  }

  /// The string has at most this many Unicode code points.
  public static func maximumLength(_ length: Int) -> GenerationGuide<String> {
    GenerationGuide(.lengths(minimum: nil, maximum: length))
  }

  /// The number of Unicode code points in the string is in the range.
  public static func length(_ range: ClosedRange<Int>) -> GenerationGuide<String> {
    GenerationGuide(.lengths(minimum: range.lowerBound, maximum: range.upperBound))
  }

  /// The string has exactly this many Unicode code points.
  public static func length(_ length: Int) -> GenerationGuide<String> { .length(length...length) }

  /// The string has a format of JSON Schema, such as `email`.
  public static func format(_ format: StringFormat) -> GenerationGuide<String> {
    GenerationGuide(.format(format.rawValue))
  }
}

/// A format of strings (JSON Schema 2020-12 Validation, section 7.3).
public struct StringFormat: RawRepresentable, Sendable, Hashable {
  /// The value of the keyword `format`.
  public let rawValue: String

  /// Creates a format that JSON Schema or a server knows by this name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A date and a time with its offset: `2026-11-21T08:30:00Z` (RFC 3339).
  public static let dateTime = StringFormat(rawValue: "date-time")
  /// A date: `2026-11-21` (RFC 3339).
  public static let date = StringFormat(rawValue: "date")
  /// A time with its offset: `08:30:00Z` (RFC 3339).
  public static let time = StringFormat(rawValue: "time")
  /// A duration: `P1DT12H` (RFC 3339, appendix A).
  public static let duration = StringFormat(rawValue: "duration")
  /// An address of electronic mail (RFC 5321).
  public static let email = StringFormat(rawValue: "email")
  /// A host name (RFC 1123).
  public static let hostname = StringFormat(rawValue: "hostname")
  /// An IPv4 address in four decimal numbers.
  public static let ipv4 = StringFormat(rawValue: "ipv4")
  /// An IPv6 address (RFC 4291).
  public static let ipv6 = StringFormat(rawValue: "ipv6")
  /// An absolute URI (RFC 3986).
  public static let uri = StringFormat(rawValue: "uri")
  /// A UUID in its 36 characters (RFC 4122).
  public static let uuid = StringFormat(rawValue: "uuid")
}
