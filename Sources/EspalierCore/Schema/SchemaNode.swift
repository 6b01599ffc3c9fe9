// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One schema object of JSON Schema: its keywords in order.
///
/// A node may stand for a Swift type that is looked at only when the whole schema is resolved, so
/// that a type can contain itself.
package struct SchemaNode: Sendable {
  package indirect enum Form: Sendable {
    case keywords([Keyword])
    /// The schema that every value satisfies, or none.
    case boolean(Bool)
    /// The schema of a Swift type.
    case type(any Generable.Type)
    /// A schema that brings its own definitions.
    case embedded(GenerationSchema)
  }

  package struct Keyword: Sendable {
    package var name: String
    package var value: Value
  }

  /// The value of a keyword.
  package indirect enum Value: Sendable {
    case value(GeneratedContent)
    case schema(SchemaNode)
    case schemas([SchemaNode])
    case named([(name: String, node: SchemaNode)])
    case reference(Reference)
  }

  /// What `$ref` refers to within the same document.
  package enum Reference: Sendable, Hashable {
    case root
    case definition(String)
  }

  package enum SimpleType: String, Sendable {
    case object, array, string, integer, number, boolean, null
  }

  package var form: Form

  /// What narrows the schema down further, applied when the node is resolved.
  package var constraints: [GuideConstraint] = []

  /// What describes the schema in its place; it stands before the schema's own description.
  package var descriptionInPlace: String?

  /// The least and the largest number of the Swift type that reads the value. Grammars alone are told:
  /// of `Int` the schema says as little as that of FoundationModels.
  package var typeRange: TypeRange?

  package struct TypeRange: Sendable {
    var least: JSONNumber
    var largest: JSONNumber
  }

  package init(_ form: Form = .keywords([])) { self.form = form }

  func guided(by constraints: [GuideConstraint], description: String? = nil) -> SchemaNode {
    var node = self
    node.constraints += constraints
    node.descriptionInPlace = description ?? descriptionInPlace
    return node
  }

  package init(type: SimpleType, _ keywords: KeyValuePairs<String, Value> = [:]) {
    self.init(
      .keywords(
        [Keyword(name: "type", value: .string(type.rawValue))]
          + keywords.map { Keyword(name: $0.key, value: $0.value) }))
  }

  package static func type(_ type: any Generable.Type) -> SchemaNode { SchemaNode(.type(type)) }

  package static func reference(to target: Reference) -> SchemaNode {
    SchemaNode(.keywords([Keyword(name: "$ref", value: .reference(target))]))
  }

  /// The keywords in order; none where the node is of another form.
  package var keywords: [Keyword] {
    get { if case .keywords(let keywords) = form { keywords } else { [] } }
    set { form = .keywords(newValue) }
  }

  package subscript(keyword: String) -> Value? {
    get { keywords.first { $0.name == keyword }?.value }
    set {
      let index = keywords.firstIndex { $0.name == keyword }
      switch (index, newValue) {
      case (let index?, let value?): changeKeywords { $0[index].value = value }
      case (let index?, nil): changeKeywords { $0.remove(at: index) }
      case (nil, let value?): append(Keyword(name: keyword, value: value))
      case (nil, nil): return
      }
    }
  }

  /// Adds a keyword that is known not to be there: nothing is looked for.
  package mutating func append(_ keyword: Keyword) {
    changeKeywords { $0.append(keyword) }
  }

  /// Changes the keywords in their place: with the form held beside them, each change would copy all.
  private mutating func changeKeywords(_ change: (inout [Keyword]) -> Void) {
    var keywords = keywords
    form = .boolean(true)
    change(&keywords)
    form = .keywords(keywords)
  }

  /// The value of `type` where it is one name.
  package var simpleType: SimpleType? {
    self["type"]?.content?.stringValue.flatMap(SimpleType.init)
  }
}

extension SchemaNode.Value {
  package static func string(_ string: String) -> Self { .value(GeneratedContent(.string(string))) }

  package static func integer(_ integer: Int) -> Self {
    .value(GeneratedContent(.number(.integer(Int64(integer)))))
  }

  package static func bool(_ bool: Bool) -> Self { .value(GeneratedContent(.bool(bool))) }

  package static func strings(_ strings: [String]) -> Self { .value(strings.generatedContent) }

  package var content: GeneratedContent? {
    if case .value(let content) = self { content } else { nil }
  }
}

extension GeneratedContent {
  package var stringValue: String? {
    if let node { return node.stringValue }
    if case .string(let string) = value { return string }
    return nil
  }

  package var boolValue: Bool? { if case .bool(let bool) = value { bool } else { nil } }

  package var numberValue: JSONNumber? {
    if case .number(let number) = value { number } else { nil }
  }

  package var arrayValue: [GeneratedContent]? {
    if case .array(let elements) = value { elements } else { nil }
  }

  package var structureValue: Structure? {
    if case .structure(let structure) = value { structure } else { nil }
  }
}
