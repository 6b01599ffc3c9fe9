// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GenerationSchema {
  /// A case of an enumeration with payloads: an object whose `type` is the name of the case.
  public struct Case: Sendable {
    let name: String
    let properties: [Property]

    /// Creates a case.
    ///
    /// - Parameters:
    ///   - name: The name of the case in JSON.
    ///   - properties: The associated values in order.
    public init(name: String, properties: [Property]) {
      self.name = name
      self.properties = properties
    }

    /// The name of the definition: `DiscriminatedDay` for `day`.
    var definitionName: String {
      "Discriminated" + name.prefix(1).uppercased() + name.dropFirst()
    }
  }

  /// Creates the schema of an enumeration with payloads.
  ///
  /// - Parameters:
  ///   - type: The enumeration.
  ///   - description: What a value of the type is, for the model.
  ///   - cases: The cases in order.
  public init(type: any Generable.Type, description: String? = nil, cases: [Case]) {
    self.init(
      type: type, name: unqualifiedName(of: type), description: description, cases: cases)
  }

  /// Creates the schema of an enumeration with payloads under a name of its own.
  public init(
    type: any Generable.Type, name: String, description: String? = nil, cases: [Case]
  ) {
    self.init(
      name: name,
      root: .union(
        of: cases.map { .reference(to: .definition($0.definitionName)) }, title: name,
        description: description),
      definitions: cases.map { oneCase in
        let type = SchemaNode.Property(
          name: "type", node: SchemaNode(.keywords([])).guided(by: [.constant(oneCase.name)]),
          isOptional: false)
        return Definition(
          name: oneCase.definitionName,
          node: .object(
            title: oneCase.definitionName, description: nil,
            properties: [type] + oneCase.properties.map(\.schemaProperty)))
      },
      type: type)
  }
}

extension GenerationSchema.Property {
  var schemaProperty: SchemaNode.Property {
    SchemaNode.Property(name: name, node: node, isOptional: isOptional)
  }
}
