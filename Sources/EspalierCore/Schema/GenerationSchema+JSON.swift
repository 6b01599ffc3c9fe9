extension GenerationSchema {
  /// The schema as the text of a JSON Schema document, properties in order.
  ///
  /// - Parameter dialect: Which keywords say what.
  /// - Returns: JSON without white space; the same bytes for the same schema, always.
  /// - Throws: ``SchemaConversionError`` where the dialect cannot say what the schema asks for.
  public func jsonSchema(
    dialect: SchemaDialect = .draft2020
  ) throws(SchemaConversionError) -> String {
    try jsonContent(dialect: dialect).jsonString
  }

  /// The schema as a JSON document.
  package func jsonContent(
    dialect: SchemaDialect
  ) throws(SchemaConversionError) -> GeneratedContent {
    let resolved = try resolved()
    var document = content(of: resolved.root, dialect: dialect)
    if !resolved.definitions.isEmpty {
      var definitions = GeneratedContent.Structure()
      for definition in resolved.definitions {
        definitions[definition.name] = content(of: definition.node, dialect: dialect)
      }
      var structure = document.structureValue ?? .init()
      structure[dialect.definitionsKeyword] = GeneratedContent(.structure(definitions))
      document = GeneratedContent(.structure(structure))
    }
    return document
  }

  private func content(of node: SchemaNode, dialect: SchemaDialect) -> GeneratedContent {
    switch node.form {
    case .boolean(let bool): return GeneratedContent(.bool(bool))
    case .type, .embedded: return GeneratedContent(.structure(.init()))
    case .keywords(let keywords):
      var result = GeneratedContent.Structure()
      for keyword in keywords {
        result[keyword.name] = content(of: keyword.value, dialect: dialect)
        if case .named(let properties) = keyword.value, keyword.name == "properties",
          dialect.kind == .foundationModels
        {
          result["x-order"] = properties.map(\.name).generatedContent
        }
      }
      return GeneratedContent(.structure(result))
    }
  }

  private func content(of value: SchemaNode.Value, dialect: SchemaDialect) -> GeneratedContent {
    switch value {
    case .value(let content): return content
    case .schema(let node): return content(of: node, dialect: dialect)
    case .schemas(let nodes):
      return GeneratedContent(.array(nodes.map { content(of: $0, dialect: dialect) }))
    case .named(let nodes):
      var result = GeneratedContent.Structure()
      for (name, node) in nodes { result[name] = content(of: node, dialect: dialect) }
      return GeneratedContent(.structure(result))
    case .reference(.root): return GeneratedContent(.string("#"))
    case .reference(.definition(let name)):
      return GeneratedContent(.string("#/\(dialect.definitionsKeyword)/\(name)"))
    }
  }
}

extension SchemaDialect {
  fileprivate var definitionsKeyword: String { kind == .draft7 ? "definitions" : "$defs" }
}

extension GenerationSchema: CustomDebugStringConvertible {
  public var debugDescription: String {
    do {
      return "GenerationSchema(\(try jsonSchema(dialect: .foundationModels)))"
    } catch {
      return "GenerationSchema(\(name): \(error.problem))"
    }
  }
}
