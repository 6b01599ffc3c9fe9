// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GenerationSchema {
  /// The schema with its objects closed: those that declare members have no others.
  ///
  /// JSON Schema allows members that a schema does not name, and small models like to write some. Tools of
  /// an MCP server seldom say `"additionalProperties": false`:
  ///
  /// ```swift
  /// let parameters = try GenerationSchema(jsonSchema: tool.inputSchema).closed
  /// ```
  ///
  /// Objects that declare no members, that require others, or that say what others are, stay as they
  /// are. So does a schema in which one object is declared in several places, as with `allOf` or `if`:
  /// closed, each place would refuse the members of the others. Types with `@Generable` are closed
  /// already.
  ///
  /// - Complexity: Linear in the size of the schema.
  public var closed: GenerationSchema {
    if root.isComposed || definitions.contains(where: \.node.isComposed) { return self }
    let definitions = definitions.map { Definition(name: $0.name, node: $0.node.closed) }
    return GenerationSchema(name: name, root: root.closed, definitions: definitions, type: type)
  }
}

extension SchemaNode {
  private static let composing: Set = [
    "allOf", "if", "dependentSchemas", "contains", "unevaluatedProperties", "$dynamicRef",
  ]
  /// What adds members where an object has some of its own.
  private static let branching: Set = ["anyOf", "oneOf", "$ref"]
  /// What lies in keywords that say what a value is, each of another value than the rest.
  private static let parts: Set = [
    "properties", "additionalProperties", "items", "prefixItems", "anyOf", "oneOf",
  ]

  /// Whether members of one object are declared in several places.
  fileprivate var isComposed: Bool {
    let declares = self["properties"] != nil
    return keywords.contains { keyword in
      Self.composing.contains(keyword.name)
        || declares && Self.branching.contains(keyword.name)
        || Self.parts.contains(keyword.name) && keyword.value.nodes.contains(where: \.isComposed)
    }
  }

  fileprivate var closed: SchemaNode {
    guard case .keywords(var keywords) = form else { return self }
    for place in keywords.indices where Self.parts.contains(keywords[place].name) {
      keywords[place].value = keywords[place].value.closed
    }
    if namesItsMembers {
      let nothing = SchemaNode(.boolean(false))
      keywords.append(Keyword(name: "additionalProperties", value: .schema(nothing)))
    }
    var node = self
    node.form = .keywords(keywords)
    return node
  }

  /// Whether an object declares members, all that it requires among them, and says nothing of others.
  private var namesItsMembers: Bool {
    guard case .named(let members)? = self["properties"], self["additionalProperties"] == nil,
      self["patternProperties"] == nil
    else { return false }
    let required = self["required"]?.content?.arrayValue ?? []
    return required.allSatisfy { name in members.contains { $0.name == name.stringValue } }
  }
}

extension SchemaNode.Value {
  fileprivate var nodes: [SchemaNode] {
    switch self {
    case .schema(let node): [node]
    case .schemas(let nodes): nodes
    case .named(let members): members.map(\.node)
    case .value, .reference: []
    }
  }

  fileprivate var closed: Self {
    switch self {
    case .schema(let node): .schema(node.closed)
    case .schemas(let nodes): .schemas(nodes.map(\.closed))
    case .named(let members): .named(members.map { ($0.name, $0.node.closed) })
    case .value, .reference: self
    }
  }
}
