// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

extension GenerationSchema {
  /// The schema as the text of a JSON Schema document, properties in order.
  ///
  /// - Parameter dialect: Which keywords say what.
  /// - Returns: JSON without white space; the same bytes for the same schema, always.
  /// - Throws: ``SchemaConversionError`` where the dialect cannot say what the schema asks for.
  /// - Complexity: Linear in the size of the schema; in draft 2020-12 constant from the second time on.
  public func jsonSchema(
    dialect: SchemaDialect = .draft2020
  ) throws(SchemaConversionError) -> String {
    guard dialect == .draft2020 else { return try jsonContent(dialect: dialect).jsonString }
    if let text = written.text.withLock({ $0 }) { return text }
    let text = try jsonContent(dialect: dialect).jsonString
    written.text.withLock { $0 = text }
    return text
  }

  /// The schema for a grammar: in draft 2020-12, with the numbers that the Swift types can hold as
  /// bounds where the schema has none.
  ///
  /// - Throws: ``SchemaConversionError`` where draft 2020-12 cannot say what the schema asks for.
  package func grammarText() throws(SchemaConversionError) -> String {
    if let text = written.grammarText.withLock({ $0 }) { return text }
    let text = try jsonContent(dialect: .draft2020, hasTypeRanges: true).jsonString
    written.grammarText.withLock { $0 = text }
    return text
  }

  /// What the schema asks for and a dialect cannot say.
  ///
  /// - Throws: ``SchemaConversionError`` where the schema cannot be written in any dialect.
  public func unsupportedConstraints(
    in dialect: SchemaDialect
  ) throws(SchemaConversionError) -> [SchemaConversionError] {
    var writer = SchemaWriter(dialect: dialect)
    _ = writer.document(of: try resolved())
    return writer.impossible + writer.unsupported
  }

  /// The schema as a JSON document.
  package func jsonContent(
    dialect: SchemaDialect, hasTypeRanges: Bool = false
  ) throws(SchemaConversionError) -> GeneratedContent {
    var writer = SchemaWriter(dialect: dialect, hasTypeRanges: hasTypeRanges)
    let document = writer.document(of: try resolved())
    if let problem = writer.impossible.first { throw problem }
    if let problem = writer.unsupported.first, !dialect.leavesOutUnsupportedConstraints {
      throw problem
    }
    return document
  }
}

extension GenerationSchema: CustomDebugStringConvertible {
  /// The schema as JSON, as FoundationModels has it; of one that cannot be written, why not.
  ///
  /// Apps take it for the document: they parse it, or send it on.
  public var debugDescription: String {
    do {
      return try jsonSchema(dialect: .foundationModels)
    } catch {
      return "GenerationSchema(\(name): \(error.problem))"
    }
  }
}

extension GenerationSchema: Equatable {
  /// Schemas are equal when they ask for the same, properties in the same order.
  public static func == (left: GenerationSchema, right: GenerationSchema) -> Bool {
    left.name == right.name && left.canonicalText == right.canonicalText
  }

  /// The document with its keys in alphabetical order; `x-order` keeps that of the properties.
  private var canonicalText: String? {
    try? jsonContent(dialect: .foundationModels).sortingKeys().jsonString
  }
}

extension GeneratedContent {
  fileprivate func sortingKeys() -> GeneratedContent {
    switch value {
    case .array(let elements): GeneratedContent(.array(elements.map { $0.sortingKeys() }))
    case .structure(let structure):
      GeneratedContent(
        .structure(
          Structure(
            orderedKeys: structure.orderedKeys.sorted(),
            properties: structure.properties.mapValues { $0.sortingKeys() })))
    default: self
    }
  }
}
