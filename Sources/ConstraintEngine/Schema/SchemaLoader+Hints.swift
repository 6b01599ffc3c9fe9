// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What is read otherwise than whoever wrote it may have meant, and what to write instead.
extension SchemaLoader {
  /// Warns of escapes and classes that other dialects of regular expressions have.
  mutating func warnOfForeignSyntax(_ pattern: String, _ keyword: Keyword) {
    for part in ForeignSyntax.parts(of: pattern) {
      warn(
        keyword.name.rawValue, keyword.pointer,
        "`\(part.text)` at character \(part.offset) is read as \(part.reading); \(part.advice)")
    }
  }

  /// Warns of a member of other dialects of schemas that changes what is meant; whether it is one.
  mutating func warnOfDialect(
    _ name: String, _ json: JSONDocument, _ node: JSONDocument.Node, _ pointer: SchemaPointer
  ) -> Bool {
    switch name {
    case "propertyOrdering":
      warn(
        name, pointer,
        "no keyword of JSON Schema; members come in the order of `properties`, so write these in "
          + "the order that is meant")
      return true
    case "nullable":
      if let value = json.member(name, of: node), json.boolean(value) == true,
        let advice = Self.adviceOnNull(json, node)
      {
        warn(name, pointer, "OpenAPI 3.0's, and no keyword of JSON Schema; \(advice)")
      }
      return true
    default: return false
    }
  }

  /// How JSON Schema says that a value may be null; nil where the schema says so.
  private static func adviceOnNull(_ json: JSONDocument, _ node: JSONDocument.Node) -> String? {
    guard let type = json.member("type", of: node) else {
      guard json.member("$ref", of: node) != nil else { return nil }
      return "write `anyOf` with the `$ref` and `{\"type\": \"null\"}`"
    }
    let types = json.kind(type) == .array ? json.elements(type) : [type]
    let names = types.map { json.string($0) }
    guard !names.contains("null") else { return nil }
    let list = (names + ["null"]).map { "\"\($0)\"" }.joined(separator: ", ")
    let values = json.member("enum", of: node).flatMap { list in
      json.kind(list) == .array ? json.elements(list) : nil
    }
    let lacksNull = values.map { !$0.contains { json.kind($0) == .null } } ?? false
    return "write `\"type\": [\(list)]`" + (lacksNull ? ", and `null` in the `enum`" : "")
  }

  /// Warns of required members that are nearly declared ones.
  mutating func warnOfUndeclaredMembers(
    _ json: JSONDocument, _ node: JSONDocument.Node, _ pointer: SchemaPointer
  ) {
    guard let required = json.member("required", of: node), json.kind(required) == .array,
      let properties = json.member("properties", of: node), json.kind(properties) == .object,
      json.count(properties) <= Self.mostCompared, json.count(required) <= Self.mostCompared
    else { return }
    let names = json.elements(required).filter { json.kind($0) == .string }
    let undeclared = names.filter { json.member(json.string($0), of: properties) == nil }
    guard !undeclared.isEmpty else { return }
    let declared = json.keys(of: properties).map { Array(json.text($0)) }
    let known = Set(names.map { Array(json.text($0)) })
    for name in undeclared {
      guard let meant = Misspelling.meant(by: Array(json.text(name)), among: declared, but: known)
      else { continue }
      warn(
        "required", pointer,
        "`\(json.string(name))` is not among `properties`, so that it may have any value; was "
          + "`\(String(decoding: meant, as: UTF8.self))` meant?")
    }
  }

  /// To compare more names takes long.
  private static let mostCompared = 500

  /// What may have been meant by a `type` that is none.
  func hint(onType value: JSONDocument.Node, _ keyword: Keyword, _ json: JSONDocument) -> String {
    guard json.kind(value) == .string else { return "" }
    if keyword.place.node == json.root, let inner = Self.innerSchema(of: json) {
      return "; is the schema at `#\(json.pointer(to: inner))`?"
    }
    let name = json.string(value).lowercased()
    let meant =
      Self.otherTypes[name]
      ?? Misspelling.meant(
        by: Array(name.utf8), among: Self.typeNames.map { Array($0.utf8) }, but: []
      ).map { String(decoding: $0, as: UTF8.self) }
    return meant.map { "; was `\($0)` meant?" } ?? ""
  }

  static let typeNames = ["null", "boolean", "integer", "number", "string", "array", "object"]

  /// The types of other languages.
  private static let otherTypes = [
    "int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
    "float": "number", "double": "number", "decimal": "number", "bool": "boolean",
    "str": "string", "text": "string", "list": "array", "tuple": "array", "dict": "object",
    "map": "object", "struct": "object", "none": "null", "nil": "null",
  ]

  /// A reference to the same name where definitions stand in another draft, if that leads somewhere.
  mutating func nearReference(_ reference: String, from place: Place) -> String? {
    guard let hash = reference.firstIndex(of: "#") else { return nil }
    let homes = ["#/$defs/", "#/definitions/", "#/components/schemas/"]
    guard let home = homes.first(where: { reference[hash...].hasPrefix($0) }) else { return nil }
    for other in homes where other != home {
      let near = reference[..<hash] + other + reference[hash...].dropFirst(home.count)
      if find(String(near), from: place) != nil { return String(near) }
    }
    return nil
  }

  /// The schema in a document that is none: a tool, the format of a response, a document of OpenAPI.
  static func innerSchema(of json: JSONDocument) -> JSONDocument.Node? {
    let others = json.keys(of: json.root).filter { key in
      let name = json.string(key)
      return SchemaKeyword(json.text(key)) == nil && !name.hasPrefix("$") && name != "definitions"
        && !annotations.contains(name)
    }
    return others.lazy.compactMap { schema(in: json, $0 + 1, depth: 0) }.first
  }

  /// The first object that reads as a schema, from a node down.
  private static func schema(
    in json: JSONDocument, _ node: JSONDocument.Node, depth: Int
  ) -> JSONDocument.Node? {
    guard json.kind(node) == .object, depth < 4 else { return nil }
    if json.member("properties", of: node) != nil { return node }
    if let type = json.member("type", of: node) {
      // What is called a type elsewhere, as in `"type": "function"`, is none of a schema.
      if json.kind(type) != .string || typeNames.contains(json.string(type)) { return node }
    }
    return json.keys(of: node).lazy.compactMap { schema(in: json, $0 + 1, depth: depth + 1) }.first
  }
}

extension JSONDocument {
  /// The keys of an object, in order.
  func keys(of node: Node) -> [Node] {
    var result: [Node] = []
    var key = node + 1
    for _ in 0..<count(node) {
      result.append(key)
      key = after(key + 1)
    }
    return result
  }
}
