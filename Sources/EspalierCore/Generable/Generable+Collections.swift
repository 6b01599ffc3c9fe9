// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Dictionary: Generable where Key == String, Value: Generable {
  public typealias PartiallyGenerated = [String: Value.PartiallyGenerated]

  /// An object with any properties, the values of which are of one type.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      name: "Dictionary",
      root: SchemaNode(type: .object, ["additionalProperties": .schema(.type(Value.self))]))
  }
}

extension Dictionary: ConvertibleFromGeneratedContent
where Key == String, Value: ConvertibleFromGeneratedContent {
  /// Creates a dictionary from an object. Of content that is still being generated, a last property
  /// that is not yet a value is left out.
  public init(_ content: GeneratedContent) throws {
    if let kept: [String: Value] = try SnapshotCache.members(of: content) {
      self = kept
      return
    }
    guard case .structure(let structure) = content.value else {
      throw content.mismatch(expected: "an object")
    }
    self = [:]
    for key in structure.orderedKeys {
      guard let property = structure[key] else { continue }
      if try !set(key, toValueOf: property) { return }
    }
  }

  /// Sets a member to the value of a property.
  ///
  /// - Returns: Whether it is one: content that is still being generated may not be yet.
  /// - Throws: ``GeneratedContent/ParsingError`` where complete content does not fit.
  mutating func set(_ key: String, toValueOf content: GeneratedContent) throws -> Bool {
    do {
      self[key] = try Value(content)
      return true
    } catch {
      guard content.isComplete else { return false }
      throw GeneratedContent.ParsingError.wrapping(
        error, at: .property(key), rawContent: content.jsonString)
    }
  }
}

extension Dictionary: ConvertibleToGeneratedContent
where Key == String, Value: ConvertibleToGeneratedContent {
  /// An object with the keys in alphabetical order, so that equal dictionaries give equal JSON.
  public var generatedContent: GeneratedContent {
    var structure = GeneratedContent.Structure()
    for (key, value) in sorted(by: { $0.key < $1.key }) { structure[key] = value.generatedContent }
    return GeneratedContent(.structure(structure))
  }
}

extension Dictionary: PromptRepresentable
where Key == String, Value: ConvertibleToGeneratedContent {
  public var promptRepresentation: Prompt { return Prompt(text: generatedContent.jsonString) }
}

extension Dictionary: InstructionsRepresentable
where Key == String, Value: ConvertibleToGeneratedContent {
  public var instructionsRepresentation: Instructions {
    return Instructions(text: generatedContent.jsonString)
  }
}

extension Set: Generable where Element: Generable {
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  /// An array without equal elements.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      name: "Set",
      root: SchemaNode(
        type: .array, ["items": .schema(.type(Element.self)), "uniqueItems": .bool(true)]))
  }
}

extension Set: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  public init(_ content: GeneratedContent) throws {
    self = Set(try [Element](content))
  }
}

extension Set: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  /// An array in the order of the elements' JSON, so that equal sets give equal JSON.
  public var generatedContent: GeneratedContent {
    let elements = map(\.generatedContent).map { (json: $0.jsonString, content: $0) }
    return GeneratedContent(.array(elements.sorted { $0.json < $1.json }.map(\.content)))
  }
}

extension Set: PromptRepresentable where Element: ConvertibleToGeneratedContent {
  public var promptRepresentation: Prompt { return Prompt(text: generatedContent.jsonString) }
}

extension Set: InstructionsRepresentable where Element: ConvertibleToGeneratedContent {
  public var instructionsRepresentation: Instructions {
    return Instructions(text: generatedContent.jsonString)
  }
}
