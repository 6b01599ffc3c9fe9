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
    if json.kind(value) == .null { return "; was the string `null` meant?" }
    guard json.kind(value) == .string else { return "" }
    if keyword.place.node == json.root, let inner = Self.innerSchema(of: json) {
      return "; is the schema at `#\(json.pointer(to: inner))`?"
    }
    let name = json.string(value).lowercased()
    if name == "any" { return "; leave `type` out where any value may stand" }
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
    "map": "object", "struct": "object", "none": "null", "nil": "null", "short": "integer",
    "int8": "integer", "int16": "integer", "uint8": "integer", "uint16": "integer",
    "uint32": "integer", "uint64": "integer", "float32": "number", "float64": "number",
    "timestamp": "string", "date": "string", "datetime": "string", "date-time": "string",
    "time": "string", "uuid": "string", "guid": "string", "uri": "string", "url": "string",
    "email": "string", "file": "string", "binary": "string", "bytes": "string", "char": "string",
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

  /// What may be wrong with a text that is no JSON.
  static func hint(on error: JSONDocument.SyntaxError, in text: String) -> String {
    let bytes = text.utf8.dropFirst(text.hasPrefix("\u{FEFF}") ? 3 : 0)
    let blanks = Set(" \t\r\n".utf8)
    guard let first = bytes.first(where: { !blanks.contains($0) }) else { return "" }
    // A key, a comment or an element of YAML.
    let isWord = Unicode.Scalar(first).properties.isAlphabetic
    if isWord || [UInt8(ascii: "#"), UInt8(ascii: "-")].contains(first) {
      return "; YAML has to be made JSON first"
    }
    let rest = text.utf8.dropFirst(error.offset)
    switch rest.first {
    case UInt8(ascii: "/"): return "; JSON has no comments"
    case UInt8(ascii: "'"): return "; JSON has double quotes alone"
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      let last = text.utf8.prefix(error.offset).last { !blanks.contains($0) }
      return last == UInt8(ascii: ",") ? "; leave out the comma before it" : ""
    default: return ""
    }
  }

  /// The schema in a document that is none: a tool or a list of them, the format of a response, a
  /// document of OpenAPI.
  static func innerSchema(of json: JSONDocument) -> JSONDocument.Node? {
    if json.kind(json.root) == .array { return schema(in: json, json.root, depth: 0) }
    guard json.kind(json.root) == .object else { return nil }
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
    if json.kind(node) == .array, depth < 4 {
      return json.elements(node).lazy.compactMap { schema(in: json, $0, depth: depth + 1) }.first
    }
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
