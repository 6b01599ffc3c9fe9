// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a value that a model generates looks like.
///
/// The `@Generable` macro makes the schema of a type; ``DynamicGenerationSchema`` makes one at run
/// time; ``init(jsonSchema:name:documents:)`` reads one from JSON Schema.
///
/// Two encodings of one schema are the same bytes, in every process and on every platform.
public struct GenerationSchema: Sendable {
  /// The name of the schema: that of the type, without its module.
  public var name: String { didSet { written = WrittenSchema() } }

  package let root: SchemaNode

  /// What `root` and the definitions themselves refer to by name, in order.
  package let definitions: [Definition]

  /// The type that `root` describes, so that its references to itself are found.
  package let type: (any Generable.Type)?

  /// What has been written of the schema: a request asks for its text several times.
  private(set) var written = WrittenSchema()

  package struct Definition: Sendable {
    package var name: String
    package var node: SchemaNode
  }

  package init(
    name: String, root: SchemaNode, definitions: [Definition] = [],
    type: (any Generable.Type)? = nil
  ) {
    self.name = name
    self.root = root
    self.definitions = definitions
    self.type = type
  }
}

extension GenerationSchema {
  /// Creates the schema of a structure.
  ///
  /// - Parameters:
  ///   - type: The structure, whose unqualified name becomes the title.
  ///   - description: What a value of the type is, for the model.
  ///   - properties: The properties in the order in which the model generates them.
  public init(
    type: any Generable.Type, description: String? = nil, properties: [Property]
  ) {
    self.init(
      type: type, description: description, representNilExplicitlyInGeneratedContent: false,
      properties: properties)
  }

  /// Creates the schema of a structure.
  ///
  /// - Parameters:
  ///   - type: The structure, whose unqualified name becomes the title.
  ///   - description: What a value of the type is, for the model.
  ///   - representNilExplicitlyInGeneratedContent: Whether content that is made of a value says
  ///     `null` where an optional property is nil. The schema is the same either way.
  ///   - properties: The properties in the order in which the model generates them.
  public init(
    type: any Generable.Type, description: String? = nil,
    representNilExplicitlyInGeneratedContent: Bool, properties: [Property]
  ) {
    self.init(
      type: type, name: unqualifiedName(of: type), description: description,
      representNilExplicitlyInGeneratedContent: representNilExplicitlyInGeneratedContent,
      properties: properties)
  }

  /// Creates the schema of a structure under a name of its own.
  ///
  /// - Parameters:
  ///   - type: The structure.
  ///   - name: The title, in place of the type's name.
  ///   - description: What a value of the type is, for the model.
  ///   - representNilExplicitlyInGeneratedContent: Whether content that is made of a value says
  ///     `null` where an optional property is nil. The schema is the same either way.
  ///   - properties: The properties in the order in which the model generates them.
  public init(
    type: any Generable.Type, name: String, description: String? = nil,
    representNilExplicitlyInGeneratedContent: Bool = false, properties: [Property]
  ) {
    self.init(
      name: name,
      root: .object(
        title: name, description: description,
        properties: properties.map(\.schemaProperty)),
      type: type)
  }

  /// Creates the schema of a choice between strings.
  public init(
    type: any Generable.Type, description: String? = nil, anyOf choices: [String]
  ) {
    self.init(type: type, name: unqualifiedName(of: type), description: description, anyOf: choices)
  }

  /// Creates the schema of a choice between strings under a name of its own.
  public init(
    type: any Generable.Type, name: String, description: String? = nil, anyOf choices: [String]
  ) {
    self.init(name: name, root: .choice(of: choices, description: description), type: type)
  }

  /// Creates the schema of a union: a value of one of the types.
  public init(
    type: any Generable.Type, description: String? = nil, anyOf types: [any Generable.Type]
  ) {
    self.init(type: type, name: unqualifiedName(of: type), description: description, anyOf: types)
  }

  /// Creates the schema of a union under a name of its own.
  public init(
    type: any Generable.Type, name: String, description: String? = nil,
    anyOf types: [any Generable.Type]
  ) {
    self.init(
      name: name,
      root: .union(of: types.map(SchemaNode.type), title: name, description: description),
      type: type)
  }
}

extension SchemaNode {
  struct Property {
    var name: String
    var node: SchemaNode
    var isOptional: Bool
  }

  /// An object with these properties and no others. Of two properties of one name the later counts.
  static func object(
    title: String?, description: String?, properties: [Property]
  ) -> SchemaNode {
    var node = SchemaNode()
    if let title { node["title"] = .string(title) }
    if let description { node["description"] = .string(description) }
    node["type"] = .string("object")
    var unique: [Property] = []
    for property in properties {
      if let index = unique.firstIndex(where: { $0.name == property.name }) {
        unique[index] = property
      } else {
        unique.append(property)
      }
    }
    node["properties"] = .named(unique.map { ($0.name, $0.node) })
    node["required"] = .strings(unique.filter { !$0.isOptional }.map(\.name))
    node["additionalProperties"] = .bool(false)
    return node
  }

  static func choice(of choices: [String], description: String?) -> SchemaNode {
    var node = SchemaNode(type: .string)
    if let description { node["description"] = .string(description) }
    node["enum"] = .strings(choices)
    return node
  }

  static func union(
    of choices: [SchemaNode], title: String?, description: String?
  ) -> SchemaNode {
    var node = SchemaNode()
    if let title { node["title"] = .string(title) }
    if let description { node["description"] = .string(description) }
    node["anyOf"] = .schemas(choices)
    return node
  }
}

/// The text of a schema, once it has been written. Copies of the schema share it.
final class WrittenSchema: Sendable {
  /// JSON Schema in draft 2020-12; nil until it is asked for.
  let text = Mutex<String?>(nil)
  /// The same with the bounds of Swift's types.
  let grammarText = Mutex<String?>(nil)
}

/// The name of a type without its module and the types around it; generic arguments follow as
/// names of their own: `Page<Item>` is `PageItem`.
func unqualifiedName(of type: any Any.Type) -> String {
  String(describing: type).filter { $0.isLetter || $0.isNumber || $0 == "_" }
}
