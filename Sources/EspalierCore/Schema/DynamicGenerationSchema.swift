// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A part of a schema that is made at run time.
///
/// ```swift
/// let dish = DynamicGenerationSchema(
///   name: "Dish",
///   properties: [
///     .init(name: "name", schema: DynamicGenerationSchema(type: String.self)),
///     .init(name: "course", schema: DynamicGenerationSchema(name: "Course", anyOf: courses)),
///   ])
/// let schema = try GenerationSchema(root: dish, dependencies: [])
/// ```
public struct DynamicGenerationSchema: Sendable {
  let name: String?
  let form: Form

  indirect enum Form: Sendable {
    case object(description: String?, properties: [Property])
    case union(description: String?, choices: [DynamicGenerationSchema])
    case choice(description: String?, choices: [String])
    case array(DynamicGenerationSchema, minimum: Int?, maximum: Int?)
    case reference(String)
    case node(SchemaNode)
  }

  private init(_ name: String?, _ form: Form) {
    self.name = name
    self.form = form
  }

  /// The schema of `null`.
  public static var null: DynamicGenerationSchema {
    DynamicGenerationSchema(nil, .node(SchemaNode(type: .null)))
  }

  /// Creates the schema of an object.
  ///
  /// - Parameters:
  ///   - name: The name by which other schemas refer to this one.
  ///   - description: What the object is, for the model.
  ///   - properties: The properties in the order in which the model generates them.
  public init(name: String, description: String? = nil, properties: [Property]) {
    self.init(name, .object(description: description, properties: properties))
  }

  /// Creates the schema of an object. How nil is represented in content does not change it.
  public init(
    name: String, description: String? = nil, representNilExplicitlyInGeneratedContent: Bool,
    properties: [Property]
  ) {
    self.init(name: name, description: description, properties: properties)
  }

  /// Creates the schema of a value that is as one of several schemas.
  public init(name: String, description: String? = nil, anyOf choices: [DynamicGenerationSchema]) {
    self.init(name, .union(description: description, choices: choices))
  }

  /// Creates the schema of a string that is one of several.
  public init(name: String, description: String? = nil, anyOf choices: [String]) {
    self.init(name, .choice(description: description, choices: choices))
  }

  /// Creates the schema of an array, with inclusive bounds for its number of elements.
  public init(
    arrayOf itemSchema: DynamicGenerationSchema, minimumElements: Int? = nil,
    maximumElements: Int? = nil
  ) {
    self.init(nil, .array(itemSchema, minimum: minimumElements, maximum: maximumElements))
  }

  /// Creates the schema of a type, narrowed down by guides.
  public init<Value: Generable>(type: Value.Type, guides: [GenerationGuide<Value>] = []) {
    self.init(nil, .node(.type(type).guided(by: guides.flatMap(\.constraints))))
  }

  /// Creates a reference to a schema by name: to the root or to one of the dependencies.
  public init(referenceTo name: String) { self.init(nil, .reference(name)) }

  /// Creates a part of a schema from a whole one.
  public init(_ schema: GenerationSchema) {
    self.init(nil, .node(SchemaNode(.embedded(schema))))
  }

  /// A property of an object.
  public struct Property: Sendable {
    let name: String
    let description: String?
    let schema: DynamicGenerationSchema
    let isOptional: Bool

    /// Creates a property.
    public init(
      name: String, description: String? = nil, schema: DynamicGenerationSchema,
      isOptional: Bool = false
    ) {
      self.name = name
      self.description = description
      self.schema = schema
      self.isOptional = isOptional
    }
  }
}
