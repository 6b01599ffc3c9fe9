// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Why a text cannot become, or is not, a text of a grammar.
public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The byte that is refused, counted from the start of the text; no text that goes on differently
  /// from here on was ruled out before. Where the text ends too early, the number of its bytes.
  public var offset: Int
  /// The value at fault, as a JSON Pointer into the text; empty for the outermost value.
  public var instanceLocation: String
  /// The keyword of the schema that refuses the byte. Empty where the text is not JSON at all, where
  /// a member is repeated, where the policy asks for another spelling, or where there is no schema.
  public var keyword: String
  /// Where the keyword stands: a JSON Pointer as a URI fragment (`#/properties/age/minimum`).
  public var schemaLocation: String
  /// What could have come instead, in words.
  public var expected: String
  /// What came, in words.
  public var found: String

  /// Creates a violation from its parts.
  public init(
    offset: Int, instanceLocation: String, keyword: String, schemaLocation: String,
    expected: String, found: String
  ) {
    self.offset = offset
    self.instanceLocation = instanceLocation
    self.keyword = keyword
    self.schemaLocation = schemaLocation
    self.expected = expected
    self.found = found
  }

  public var description: String {
    let place = instanceLocation.isEmpty ? "" : ", at \(instanceLocation)"
    let source = schemaLocation.isEmpty ? "" : " (\(schemaLocation))"
    return "byte \(offset)\(place): expected \(expected); found \(found)\(source)"
  }
}
