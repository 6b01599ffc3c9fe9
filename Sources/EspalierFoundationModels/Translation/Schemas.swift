// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  import EspalierCore
  import Foundation
  import FoundationModels

  // A schema of this package becomes Apple's by way of its JSON, whose parts are what
  // `DynamicGenerationSchema` has initializers for. A constraint that has none there is an error that
  // names it and its place, and never left out. A schema of Apple's is read from its own JSON.

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension Apple.GenerationSchema {
    init(_ schema: Own.GenerationSchema) throws {
      do {
        let document = try Own.GeneratedContent(
          json: schema.jsonSchema(dialect: .foundationModels))
        let writer = DynamicSchemaWriter(rootName: document["title"]?.text ?? schema.name)
        let root = try writer.schema(document, name: writer.rootName, path: "#")
        let definitions = try (document["$defs"]?.members ?? []).map { name, definition in
          try writer.schema(definition, name: name, path: "#/$defs/\(name)")
        }
        self = try Apple.GenerationSchema(root: root, dependencies: definitions)
      } catch let problem as SchemaConversionError {
        throw Own.LanguageModelError.unsupportedGenerationGuide(
          .init(schemaName: schema.name, debugDescription: "\(problem)"))
      }
    }
  }

  extension Own.GenerationSchema {
    @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
    init(_ schema: Apple.GenerationSchema) throws {
      let data = try JSONEncoder().encode(schema)
      try self.init(jsonSchema: String(decoding: data, as: UTF8.self))
    }
  }

  extension Own.GeneratedContent {
    fileprivate subscript(key: String) -> Own.GeneratedContent? {
      if case .structure(let properties, _) = kind { properties[key] } else { nil }
    }

    fileprivate var members: [(String, Own.GeneratedContent)] {
      guard case .structure(let properties, let keys) = kind else { return [] }
      return keys.compactMap { key in properties[key].map { (key, $0) } }
    }

    fileprivate var elements: [Own.GeneratedContent] {
      if case .array(let elements) = kind { elements } else { [] }
    }

    fileprivate var text: String? { if case .string(let text) = kind { text } else { nil } }
  }

  /// Writes the parts of a JSON Schema of this package as dynamic schemas of Apple's.
  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  private struct DynamicSchemaWriter {
    let rootName: String

    private static let annotations: Set<String> = [
      "title", "description", "type", "$defs", "$schema",
    ]

    func schema(
      _ node: Own.GeneratedContent, name: String, path: String
    ) throws -> Apple.DynamicGenerationSchema {
      let description = node["description"]?.text
      if let reference = node["$ref"]?.text {
        return .init(referenceTo: reference == "#" ? rootName : Self.name(of: reference))
      }
      if let choices = node["anyOf"]?.elements {
        try check(node, allows: ["anyOf"], path: path)
        return .init(
          name: node["title"]?.text ?? name, description: description,
          anyOf: try choices.enumerated().map { index, choice in
            try schema(choice, name: "\(name)\(index)", path: "\(path)/anyOf/\(index)")
          })
      }
      if let constant = node["const"] {
        try check(node, allows: ["const"], path: path)
        guard let text = constant.text else { throw unsupported("const", path) }
        return .init(type: String.self, guides: [.constant(text)])
      }
      if let choices = node["enum"]?.elements {
        try check(node, allows: ["enum"], path: path)
        let texts = choices.compactMap(\.text)
        guard texts.count == choices.count else { throw unsupported("enum", path) }
        return .init(
          name: node["title"]?.text ?? name, description: description, anyOf: texts)
      }
      switch node["type"]?.text {
      case "object": return try object(node, name: name, description: description, path: path)
      case "array":
        try check(node, allows: ["items", "minItems", "maxItems"], path: path)
        guard let items = node["items"] else { throw unsupported("array without items", path) }
        return .init(
          arrayOf: try schema(items, name: "\(name)Item", path: "\(path)/items"),
          minimumElements: try integer("minItems", of: node),
          maximumElements: try integer("maxItems", of: node))
      case "string":
        try check(node, allows: ["pattern"], path: path)
        guard let pattern = node["pattern"]?.text else { return .init(type: String.self) }
        guard let regex = try? Regex(pattern) else { throw unsupported("pattern", path) }
        return .init(type: String.self, guides: [.pattern(regex)])
      case "integer":
        try check(node, allows: ["minimum", "maximum"], path: path)
        return .init(
          type: Int.self,
          guides: [
            try integer("minimum", of: node).map { .minimum($0) },
            try integer("maximum", of: node).map { .maximum($0) },
          ].compactMap { $0 })
      case "number":
        try check(node, allows: ["minimum", "maximum"], path: path)
        return .init(
          type: Double.self,
          guides: [
            try number("minimum", of: node).map { .minimum($0) },
            try number("maximum", of: node).map { .maximum($0) },
          ].compactMap { $0 })
      case "boolean":
        try check(node, allows: [], path: path)
        return .init(type: Bool.self)
      case "null":
        if #available(macOS 26.4, iOS 26.4, visionOS 26.4, *) { return .null }
        throw unsupported("null", path)
      default: throw unsupported("a schema without a type", path)
      }
    }

    private func object(
      _ node: Own.GeneratedContent, name: String, description: String?, path: String
    ) throws -> Apple.DynamicGenerationSchema {
      try check(
        node, allows: ["properties", "required", "x-order", "additionalProperties"], path: path)
      if let rest = node["additionalProperties"], rest.kind != .bool(false) {
        throw unsupported("additionalProperties", path)
      }
      let required = Set(node["required"]?.elements.compactMap(\.text) ?? [])
      let properties = node["properties"]?.members ?? []
      let order = node["x-order"]?.elements.compactMap(\.text) ?? properties.map(\.0)
      return .init(
        name: node["title"]?.text ?? name, description: description,
        properties: try order.compactMap { key in
          try node["properties"]?[key].map { property in
            .init(
              name: key, description: property["description"]?.text,
              schema: try schema(
                property, name: "\(name)_\(key)", path: "\(path)/properties/\(key)"),
              isOptional: !required.contains(key))
          }
        })
    }

    private func integer(_ key: String, of node: Own.GeneratedContent) throws -> Int? {
      try node[key]?.value(Int.self)
    }

    private func number(_ key: String, of node: Own.GeneratedContent) throws -> Double? {
      try node[key]?.value(Double.self)
    }

    /// The last part of a reference.
    private static func name(of reference: String) -> String {
      let last = reference.split(separator: "/").last.map(String.init) ?? reference
      return last.replacing("~1", with: "/").replacing("~0", with: "~")
    }

    private func check(
      _ node: Own.GeneratedContent, allows known: Set<String>, path: String
    ) throws {
      for (key, _) in node.members where !known.contains(key) && !Self.annotations.contains(key) {
        throw unsupported(key, path)
      }
    }

    private func unsupported(_ what: String, _ path: String) -> any Error {
      Own.LanguageModelError.unsupportedGenerationGuide(
        .init(
          schemaName: rootName,
          debugDescription: "The system's model cannot be held to '\(what)' at \(path). Leave it "
            + "out and check the value with a rule, or ask a guided model of the app's."))
    }
  }
#endif
