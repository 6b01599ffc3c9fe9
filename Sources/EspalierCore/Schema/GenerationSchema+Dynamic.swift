// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GenerationSchema {
  /// Creates a schema from parts made at run time.
  ///
  /// - Parameters:
  ///   - root: What is generated.
  ///   - dependencies: What the root and the dependencies themselves refer to by name.
  /// - Throws: ``SchemaError`` where names clash or lead nowhere, or a choice is empty;
  ///   ``SchemaConversionError`` where JSON Schema cannot say what a guide asks for.
  public init(
    root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]
  ) throws {
    var assembly = DynamicSchemaAssembly(rootName: root.name)
    for dependency in dependencies { try assembly.declare(dependency) }
    let node = try assembly.rootNode(of: root)
    try assembly.checkReferences()
    self.init(name: root.name ?? "Root", root: node, definitions: assembly.definitions)
    _ = try resolved()
  }
}

/// Sorts dynamic schemas into definitions and references to them.
private struct DynamicSchemaAssembly {
  let rootName: String?
  private(set) var definitions: [GenerationSchema.Definition] = []
  private var declared: [String: DynamicGenerationSchema] = [:]
  private var placed: [String: DynamicGenerationSchema] = [:]
  private var undefined: [String] = []

  init(rootName: String?) { self.rootName = rootName }

  mutating func declare(_ schema: DynamicGenerationSchema) throws {
    guard let name = schema.name else { return }
    if declared.updateValue(schema, forKey: name) != nil || name == rootName {
      throw duplicateType(name)
    }
  }

  mutating func rootNode(of root: DynamicGenerationSchema) throws -> SchemaNode {
    if let name = root.name { placed[name] = root }
    return try node(of: root)
  }

  func checkReferences() throws {
    guard !undefined.isEmpty else { return }
    throw GenerationSchema.SchemaError.undefinedReferences(
      schema: rootName, references: undefined,
      context: .init(
        debugDescription: "There is no schema named "
          + "\(undefined.map { "'\($0)'" }.joined(separator: ", "))."))
  }

  /// The schema where it is used: itself, or a reference where it has a name and parts.
  private mutating func use(_ schema: DynamicGenerationSchema) throws -> SchemaNode {
    switch schema.form {
    case .object, .union:
      guard let name = schema.name else { return try node(of: schema) }
      return try place(schema, as: name)
    case .reference(let name):
      if name == rootName { return .reference(to: .root) }
      guard let target = declared[name] ?? placed[name] else {
        if !undefined.contains(name) { undefined.append(name) }
        return .reference(to: .definition(name))
      }
      return try use(target)
    case .choice, .array, .node: return try node(of: schema)
    }
  }

  private mutating func place(
    _ schema: DynamicGenerationSchema, as name: String
  ) throws -> SchemaNode {
    if let earlier = placed[name] {
      guard earlier.isSame(as: schema) else { throw duplicateType(name) }
      return .reference(to: name == rootName ? .root : .definition(name))
    }
    placed[name] = schema
    let index = definitions.count
    definitions.append(.init(name: name, node: SchemaNode()))
    definitions[index].node = try node(of: schema)
    return .reference(to: .definition(name))
  }

  private mutating func node(of schema: DynamicGenerationSchema) throws -> SchemaNode {
    switch schema.form {
    case .object(let description, let properties):
      var seen: Set<String> = []
      var result: [SchemaNode.Property] = []
      for property in properties {
        guard seen.insert(property.name).inserted else {
          throw GenerationSchema.SchemaError.duplicateProperty(
            schema: schema.name ?? "", property: property.name,
            context: .init(
              debugDescription: "'\(schema.name ?? "")' has two properties named "
                + "'\(property.name)'."))
        }
        result.append(
          .init(
            name: property.name,
            node: try use(property.schema).guided(by: [], description: property.description),
            isOptional: property.isOptional))
      }
      return .object(title: schema.name, description: description, properties: result)
    case .union(let description, let choices):
      try requireChoices(!choices.isEmpty, of: schema)
      var nodes: [SchemaNode] = []
      for choice in choices { nodes.append(try use(choice)) }
      return .union(of: nodes, title: schema.name, description: description)
    case .choice(let description, let choices):
      try requireChoices(!choices.isEmpty, of: schema)
      return .choice(of: choices, description: description)
    case .array(let element, let minimum, let maximum):
      return SchemaNode(type: .array, ["items": .schema(try use(element))])
        .guided(by: [.counts(minimum: minimum, maximum: maximum)])
    case .reference: return try use(schema)
    case .node(let node): return node
    }
  }

  private func requireChoices(_ hasChoices: Bool, of schema: DynamicGenerationSchema) throws {
    guard hasChoices else {
      throw GenerationSchema.SchemaError.emptyTypeChoices(
        schema: schema.name ?? "",
        context: .init(debugDescription: "'\(schema.name ?? "")' has nothing to choose from."))
    }
  }

  private func duplicateType(_ name: String) -> GenerationSchema.SchemaError {
    .duplicateType(
      schema: rootName, type: name,
      context: .init(debugDescription: "There are two schemas named '\(name)'."))
  }
}

extension DynamicGenerationSchema {
  /// Whether two schemas are made of the same parts.
  fileprivate func isSame(as other: DynamicGenerationSchema) -> Bool {
    String(reflecting: self) == String(reflecting: other)
  }
}
