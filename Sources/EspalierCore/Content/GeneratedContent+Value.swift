// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GeneratedContent {
  /// The content as a value of a type.
  ///
  /// - Throws: ``ParsingError`` where the content does not fit the type.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self
  ) throws -> Value {
    try Value(self)
  }

  /// The value of a property.
  ///
  /// - Throws: ``ParsingError`` where there is no such property or it does not fit the type; its
  ///   path says where.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self, forProperty property: String
  ) throws -> Value {
    guard let content = try content(of: property) else {
      throw ParsingError(
        rawContent: jsonString,
        debugDescription: "GeneratedContent does not contain a property '\(property)'.")
    }
    do {
      return try Value(content)
    } catch {
      throw ParsingError.wrapping(error, at: .property(property), rawContent: content.jsonString)
    }
  }

  /// The value of a property, or nil where it is absent, null, or not yet complete enough to be a
  /// value of the type.
  ///
  /// - Throws: ``ParsingError`` where a complete property does not fit the type.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value?.Type = Value?.self, forProperty property: String
  ) throws -> Value? {
    guard let content = try content(of: property) else { return nil }
    if content.isNull { return nil }
    do {
      return try Value(content)
    } catch {
      guard content.isComplete else { return nil }
      throw ParsingError.wrapping(error, at: .property(property), rawContent: content.jsonString)
    }
  }

  /// The content of a property; nil where there is none, or nothing at all yet.
  private func content(of property: String) throws -> GeneratedContent? {
    if isStructure { return self.property(property) }
    if isNull, !isComplete { return nil }
    throw ParsingError(
      rawContent: jsonString,
      debugDescription: "Expected an object with a property '\(property)', found \(kindName).")
  }

  /// The error that says that this content is not what a type needs.
  package func mismatch(expected: String) -> ParsingError {
    ParsingError(
      rawContent: jsonString, debugDescription: "Expected \(expected), found \(kindName).")
  }

  /// Throws where the content is still being generated and its type has no partial values.
  package func requireComplete(for expected: String) throws {
    guard isComplete else {
      throw ParsingError(
        rawContent: jsonString, debugDescription: "Expected \(expected), which is not complete yet."
      )
    }
  }
}
