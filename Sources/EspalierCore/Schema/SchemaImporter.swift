// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// Turns the document of a JSON Schema into nodes and definitions.
///
/// Every keyword is kept: what holds schemas becomes nodes, everything else stays as it is, for the
/// constraint engine to judge. References are followed as the engine follows them (`SchemaReferences`),
/// and what they lead to becomes a definition: once, or once for each way to it on which `$dynamicRef`
/// means something else. Spellings of draft-04 to draft-07 and of OpenAPI 3.0 become those of draft
/// 2020-12.
struct SchemaImporter {
  typealias Place = SchemaReferences.Place

  private var references: SchemaReferences
  private(set) var definitions: [GenerationSchema.Definition] = []
  private(set) var problems: [SchemaConversionError] = []
  /// The names of the definitions by what they are made of.
  private var names: [Place: String] = [:]
  private var usedNames: Set<String> = []
  /// With which number a name that is used goes on to be looked for.
  private var nextNumbers: [String: Int] = [:]
  /// The definitions that still have to be read. Read at once, a long chain of references would need
  /// a deep stack.
  private var pending: [(place: Place, definition: Int, pointer: SchemaPointer)] = []
  /// Where the values of the documents stand, by the number of the document.
  private var valuePlaces: [Int: JSONDocument.Places] = [:]

  init(text: String, documents: [String: String]) throws(GrammarError) {
    references = try SchemaReferences(text, documents: documents)
  }

  mutating func root() -> SchemaNode {
    let result = node(references.root, at: SchemaPointer(""))
    while let next = pending.popLast() {
      definitions[next.definition].node = node(next.place, at: next.pointer)
    }
    return result
  }

  private var ranOutOfTime = false

  /// Nobody reads more problems, and each takes more memory than what it is about.
  private static let mostProblems = 1000

  private mutating func report(_ pointer: SchemaPointer, _ problem: String, _ suggestion: String) {
    guard problems.count < Self.mostProblems, !ranOutOfTime else { return }
    problems.append(
      SchemaConversionError(location: pointer.text, problem: problem, suggestion: suggestion))
  }

  /// Whether reading takes too long, which is a problem of the schema.
  private mutating func isOutOfTime() -> Bool {
    guard !ranOutOfTime else { return true }
    guard references.isOutOfTime else { return false }
    ranOutOfTime = true
    problems = [
      SchemaConversionError(
        location: "", problem: "Reading the schema takes longer than \(Self.mostSeconds) seconds.",
        suggestion: "Give the model a smaller schema, with shorter identifiers.")
    ]
    return true
  }

  private static let mostSeconds = CompilationOptions.Limits().compileTime.components.seconds

  // MARK: Schemas

  private mutating func node(_ place: Place, at pointer: SchemaPointer) -> SchemaNode {
    guard !isOutOfTime() else { return SchemaNode() }
    let document = references.document(of: place)
    if let bool = document.boolean(place.node) { return SchemaNode(.boolean(bool)) }
    guard document.kind(place.node) == .object else {
      report(
        pointer, "Expected a schema, found \(GeneratedContent(place.node, of: document).kindName).",
        "A schema is an object or a Boolean.")
      return SchemaNode()
    }
    let members = Members(place: place, document: document)
    var result = SchemaNode()
    for (key, value) in document.members(place.node) where !document.isRepeated(key) {
      let keyword = document.string(key)
      if references.hides(keyword, at: place), !Self.annotations.contains(keyword) { continue }
      read(keyword, value, of: members, at: pointer, into: &result)
    }
    if members["nullable"]?.boolValue == true { allowNull(&result) }
    return result
  }

  /// What a model should know of a value even beside a `$ref` that hides it.
  private static let annotations: Set<String> = ["title", "description"]

  /// The members of a schema.
  private struct Members {
    let place: Place
    let document: JSONDocument

    subscript(_ keyword: String) -> GeneratedContent? {
      document.member(keyword, of: place.node).map { GeneratedContent($0, of: document) }
    }
  }

  private mutating func read(
    _ keyword: String, _ child: JSONDocument.Node, of object: Members,
    at pointer: SchemaPointer, into result: inout SchemaNode
  ) {
    let place = pointer + ("/" + JSONPointer.escape(keyword))
    let schema = Source(node: child, owner: object)
    // Read where it is needed: of what holds schemas it would be read once a level.
    var value: GeneratedContent { schema.content }
    switch keyword {
    case "$defs", "definitions", "$schema", "$id", "id", "$anchor", "$dynamicAnchor",
      "$recursiveAnchor", "$vocabulary", "x-order", "nullable":
      return
    case "$ref", "$dynamicRef", "$recursiveRef":
      guard let target = reference(value, keyword, of: object, at: place) else { return }
      if result["$ref"] == nil {
        result["$ref"] = target
      } else {
        var second = SchemaNode()
        second["$ref"] = target
        result["allOf"] = .schemas((result["allOf"]?.schemas ?? []) + [second])
      }
    case "properties":
      result[keyword] = .named(named(schema, order: object["x-order"], at: place))
    case "patternProperties", "dependentSchemas":
      result[keyword] = .named(named(schema, order: nil, at: place))
    case "dependencies": readDependencies(schema, at: place, into: &result)
    case "items":
      if object.document.kind(child) == .array {
        result["prefixItems"] = .schemas(nodes(schema, at: place))
      } else {
        result[keyword] = .schema(node(schema, at: place))
      }
    case "additionalItems":
      if object["items"]?.arrayValue != nil { result["items"] = .schema(node(schema, at: place)) }
    case "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else",
      "unevaluatedItems", "unevaluatedProperties", "contentSchema":
      result[keyword] = .schema(node(schema, at: place))
    case "allOf", "anyOf", "oneOf", "prefixItems":
      guard object.document.kind(child) == .array else {
        report(place, "Expected schemas, found \(value.kindName).", "Write an array of schemas.")
        return
      }
      // A second reference of one schema is in `allOf` already.
      let others = keyword == "allOf" ? result[keyword]?.schemas ?? [] : []
      result[keyword] = .schemas(others + nodes(schema, at: place))
    case "exclusiveMinimum", "exclusiveMaximum":
      // In draft-04 and OpenAPI 3.0 a Boolean that says how `minimum` is meant.
      let bound = keyword == "exclusiveMinimum" ? "minimum" : "maximum"
      if value.boolValue == nil {
        result[keyword] = .value(value)
      } else if value.boolValue == true, let number = object[bound] {
        result[bound] = nil
        result[keyword] = .value(number)
      }
    case "minimum" where object["exclusiveMinimum"]?.boolValue == true,
      "maximum" where object["exclusiveMaximum"]?.boolValue == true:
      return
    case "type":
      let names = value.arrayValue ?? [value]
      if references.hasTypeAny(object.place), names.contains(where: { $0.stringValue == "any" }) {
        return
      }
      checkType(value, at: place)
      result[keyword] = .value(value)
    case "divisibleBy":
      if object["multipleOf"] == nil { result["multipleOf"] = .value(value) }
    // `dependencies` may have written it.
    case "dependentRequired": result[keyword] = .value(value)
    default: result.append(.init(name: keyword, value: .value(value)))
    }
  }

  /// A value of a schema, of which parts may be schemas.
  private struct Source {
    let node: JSONDocument.Node
    let owner: Members

    var content: GeneratedContent { GeneratedContent(node, of: owner.document) }
  }

  private mutating func node(_ source: Source, at pointer: SchemaPointer) -> SchemaNode {
    node(references.child(source.node, of: source.owner.place), at: pointer)
  }

  private mutating func nodes(_ source: Source, at pointer: SchemaPointer) -> [SchemaNode] {
    var result: [SchemaNode] = []
    for (index, element) in source.owner.document.elements(source.node).enumerated() {
      result.append(
        node(Source(node: element, owner: source.owner), at: pointer + "/\(index)"))
    }
    return result
  }

  private mutating func named(
    _ source: Source, order: GeneratedContent?, at pointer: SchemaPointer
  ) -> [(name: String, node: SchemaNode)] {
    let document = source.owner.document
    guard document.kind(source.node) == .object else {
      report(
        pointer, "Expected schemas by name, found \(source.content.kindName).",
        "Write an object.")
      return []
    }
    var result: [(name: String, node: SchemaNode)] = []
    for (key, value) in document.members(source.node) where !document.isRepeated(key) {
      let name = document.string(key)
      let place = pointer + ("/" + JSONPointer.escape(name))
      result.append((name, node(Source(node: value, owner: source.owner), at: place)))
    }
    let first = order?.arrayValue?.compactMap(\.stringValue) ?? []
    guard !first.isEmpty else { return result }
    var places: [String: Int] = [:]
    for (index, name) in first.enumerated() where places[name] == nil { places[name] = index }
    return result.enumerated().sorted {
      (places[$0.element.name] ?? first.count, $0.offset)
        < (places[$1.element.name] ?? first.count, $1.offset)
    }.map(\.element)
  }

  /// `dependencies` of draft-07: names of properties, or schemas.
  private mutating func readDependencies(
    _ source: Source, at pointer: SchemaPointer, into result: inout SchemaNode
  ) {
    let document = source.owner.document
    var required = GeneratedContent.Structure()
    var schemas: [(name: String, node: SchemaNode)] = []
    for (key, value) in document.members(source.node) where !document.isRepeated(key) {
      let name = document.string(key)
      let dependency = Source(node: value, owner: source.owner)
      if document.kind(value) == .array {
        required[name] = dependency.content
      } else if document.kind(value) == .string {
        // One name, as draft 3 has it.
        required[name] = GeneratedContent(.array([dependency.content]))
      } else {
        let place = pointer + ("/" + JSONPointer.escape(name))
        schemas.append((name, node(dependency, at: place)))
      }
    }
    if !required.orderedKeys.isEmpty {
      result["dependentRequired"] = .value(GeneratedContent(.structure(required)))
    }
    if !schemas.isEmpty { result["dependentSchemas"] = .named(schemas) }
  }

  private mutating func checkType(_ value: GeneratedContent, at pointer: SchemaPointer) {
    let names = value.arrayValue ?? [value]
    for name in names where name.stringValue.flatMap(SchemaNode.SimpleType.init) == nil {
      report(
        pointer, "There is no type \(name.jsonString) in JSON Schema.",
        "The types are object, array, string, integer, number, boolean and null.")
    }
  }

  /// OpenAPI 3.0's `nullable`: it adds to `type`, and an `enum` lists `null` or has none.
  private func allowNull(_ node: inout SchemaNode) {
    let null = GeneratedContent(.string("null"))
    if let type = node["type"]?.content {
      node["type"] = .value(GeneratedContent(.array((type.arrayValue ?? [type]) + [null])))
    } else if node["$ref"] != nil {
      node = .union(of: [node, SchemaNode(type: .null)], title: nil, description: nil)
    }
  }

  // MARK: References

  private mutating func reference(
    _ value: GeneratedContent, _ keyword: String, of object: Members, at pointer: SchemaPointer
  ) -> SchemaNode.Value? {
    guard let text = value.stringValue else {
      report(pointer, "Expected a reference, found \(value.kindName).", "Write a string.")
      return nil
    }
    let isDynamic = keyword != "$ref"
    guard let target = references.target(of: text, isDynamic: isDynamic, from: object.place)
    else {
      report(
        pointer, "'\(text)' leads nowhere.",
        "Put what it refers to into the document's '$defs', register it as one of 'documents', or "
          + "correct the reference.")
      return nil
    }
    if target == references.root { return .reference(.root) }
    if let name = names[target] { return .reference(.definition(name)) }
    let number = target.documentNumber
    var places = valuePlaces.removeValue(forKey: number) ?? .init(references.document(of: target))
    let name = unusedName(for: places.name(of: target.node) ?? name(of: target))
    names[target] = name
    pending.append((target, definitions.count, places.pointer(to: target.node)))
    valuePlaces[number] = places
    definitions.append(.init(name: name, node: SchemaNode()))
    return .reference(.definition(name))
  }

  /// What a whole document is called: the last step of its URI, without the ending.
  private func name(of place: Place) -> String {
    let steps = references.uri(of: place).split(separator: "/")
    return steps.last?.split(separator: ".").first.map(String.init) ?? "Schema"
  }

  private mutating func unusedName(for name: String) -> String {
    if usedNames.insert(name).inserted { return name }
    var number = nextNumbers[name] ?? 2
    while !usedNames.insert("\(name)_\(number)").inserted { number += 1 }
    nextNumbers[name] = number + 1
    return "\(name)_\(number)"
  }
}

extension SchemaNode.Value {
  fileprivate var schemas: [SchemaNode]? {
    if case .schemas(let schemas) = self { schemas } else { nil }
  }
}

extension GeneratedContent {
  /// A value of a document, as deep as documents nest.
  fileprivate init(_ node: JSONDocument.Node, of document: JSONDocument) {
    switch document.kind(node) {
    case .null: self.init(.null)
    case .false: self.init(.bool(false))
    case .true: self.init(.bool(true))
    case .number: self.init(.number(JSONNumber(text: document.string(node))))
    case .string: self.init(.string(document.string(node)))
    case .array:
      self.init(.array(document.elements(node).map { GeneratedContent($0, of: document) }))
    case .object:
      var structure = Structure()
      for (key, value) in document.members(node) {
        structure[document.string(key)] = GeneratedContent(value, of: document)
      }
      self.init(.structure(structure))
    }
  }
}
