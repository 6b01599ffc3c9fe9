// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the conformances that `@Generable` writes for enumerations share.
extension GeneratedContent {
  /// The string that names a case of `type`.
  ///
  /// - Parameters:
  ///   - type: The enumeration, for errors.
  ///   - property: Where the content is an object, the property with the name.
  /// - Throws: ``ParsingError`` where there is no such string, or not all of it yet: the beginning
  ///   of one name may be another.
  public func choice(
    for type: Any.Type, in property: String? = nil
  ) throws -> String {
    guard let property else {
      try requireComplete(for: "a choice of \(type)")
      return try String(self)
    }
    guard let name = try value(GeneratedContent?.self, forProperty: property) else {
      throw ParsingError(
        rawContent: jsonString,
        debugDescription: "Expected a property '\(property)' that names a case of \(type).")
    }
    return try name.choice(for: type)
  }

  /// The error that says that `type` has no case named `choice`.
  public func unexpectedChoice(_ choice: String, for type: Any.Type) -> ParsingError {
    ParsingError(
      rawContent: jsonString, debugDescription: "Unexpected value \"\(choice)\" for \(type)")
  }
}
