// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// A type whose values can be shown as text while they are being written.
protocol LiveText: Generable {
  /// What is known of a value so far.
  static func lines(_ partial: PartiallyGenerated, in language: Language) -> [String]
}

extension Generable {
  /// The schema of the type with some of its properties replaced: what is known beforehand is not
  /// left to the model.
  static func schema(
    fixing replacements: [String: DynamicGenerationSchema]
  ) throws -> GenerationSchema {
    try generationSchema.replacing(
      try replacements.mapValues { replacement in
        let schema = try GenerationSchema(root: replacement, dependencies: [])
        return try GeneratedContent(json: schema.jsonSchema(dialect: .draft2020))
      })
  }
}

extension GenerationSchema {
  /// The schema of an object with other schemas, written as JSON Schema, for some of its properties.
  func replacing(_ replacements: [String: GeneratedContent]) throws -> GenerationSchema {
    let document = try GeneratedContent(json: jsonSchema(dialect: .draft2020))
    guard case .structure(var members, let keys) = document.kind,
      case .structure(var properties, let order)? = members["properties"]?.kind
    else { return self }
    properties.merge(replacements) { $1 }
    members["properties"] = GeneratedContent(
      kind: .structure(properties: properties, orderedKeys: order))
    return try GenerationSchema(
      jsonSchema: GeneratedContent(kind: .structure(properties: members, orderedKeys: keys))
        .jsonString)
  }
}
