extension GenerationSchema {
  /// Reads a schema from JSON Schema: the input of an MCP tool, say, or a component of OpenAPI.
  ///
  /// - Parameters:
  ///   - jsonSchema: The text of the document. Properties keep their order.
  ///   - name: The name, where the document's `title` is not to be used.
  /// - Throws: ``SchemaConversionError`` with a JSON Pointer where the text is not a schema.
  public init(jsonSchema: String, name: String? = nil) throws {
    let document = try GeneratedContent(json: jsonSchema)
    let importer = SchemaImporter(document: document)
    try self.init(
      name: name ?? document.structureValue?["title"]?.stringValue ?? "Schema",
      root: importer.node(document, at: ""), definitions: importer.definitions())
  }
}

private struct SchemaImporter {
  let document: GeneratedContent

  func definitions() throws(SchemaConversionError) -> [GenerationSchema.Definition] {
    var result: [GenerationSchema.Definition] = []
    for keyword in ["$defs", "definitions"] {
      guard let named = document.structureValue?[keyword]?.structureValue else { continue }
      for name in named.orderedKeys {
        guard let schema = named[name] else { continue }
        result.append(
          .init(name: name, node: try node(schema, at: "/\(keyword)/\(name)")))
      }
    }
    return result
  }

  func node(
    _ content: GeneratedContent, at pointer: String
  ) throws(SchemaConversionError) -> SchemaNode {
    if let bool = content.boolValue { return SchemaNode(.boolean(bool)) }
    guard let structure = content.structureValue else {
      throw SchemaConversionError(
        pointer: pointer, problem: "Expected a schema, found \(content.kindName).",
        suggestion: "A schema is an object or a Boolean.")
    }
    var result = SchemaNode()
    for key in structure.orderedKeys {
      guard let value = structure[key] else { continue }
      let here = "\(pointer)/\(key)"
      switch key {
      case "$defs", "definitions", "x-order", "$schema": continue
      case "properties":
        var named: [(name: String, node: SchemaNode)] = []
        let members = value.structureValue ?? .init()
        let order = structure["x-order"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let rest = members.orderedKeys.filter { !order.contains($0) }
        for name in order + rest {
          guard let member = members[name] else { continue }
          named.append((name, try node(member, at: "\(here)/\(name)")))
        }
        result[key] = .named(named)
      case "items", "additionalProperties", "not":
        result[key] = .schema(try node(value, at: here))
      case "anyOf", "oneOf", "allOf":
        var nodes: [SchemaNode] = []
        for (index, element) in (value.arrayValue ?? []).enumerated() {
          nodes.append(try node(element, at: "\(here)/\(index)"))
        }
        result[key] = .schemas(nodes)
      case "$ref":
        guard let text = value.stringValue, text.hasPrefix("#") else {
          throw SchemaConversionError(
            pointer: here, problem: "Expected a reference within the document.",
            suggestion: "Put what it refers to into $defs.")
        }
        let name = text.split(separator: "/").last.map(String.init) ?? ""
        result[key] = .reference(text == "#" ? .root : .definition(name))
      default: result[key] = .value(value)
      }
    }
    return result
  }
}
