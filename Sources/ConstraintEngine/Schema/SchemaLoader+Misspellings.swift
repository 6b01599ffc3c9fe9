// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Members that say nothing, where something may have been meant.
///
/// The specification has schemas ignore what they do not know, so that nothing here is an error. Whoever
/// has a schema checked wants to know of `minLenght` all the same, and of a document that has its
/// schema further down.
extension SchemaLoader {
  /// Warns of the members of a schema that are nearly a keyword, and of a document without any.
  mutating func warnOfMisspellings(
    _ json: JSONDocument, _ node: JSONDocument.Node, _ pointer: SchemaPointer
  ) {
    var others: [JSONDocument.Node] = []
    var hasKeywords = false
    for key in json.keys(of: node) {
      let name = json.string(key)
      if SchemaKeyword(json.text(key)) != nil || name.hasPrefix("$") || name == "definitions" {
        hasKeywords = true
        continue
      }
      if Self.annotations.contains(name) { continue }
      others.append(key)
      guard !name.hasPrefix("x-"), let meant = Misspelling.keyword(like: name) else { continue }
      warn(name, pointer, "no keyword, so that it says nothing; was `\(meant)` meant?")
    }
    guard !hasKeywords, !others.isEmpty, node == json.root else { return }
    let inner = others.lazy.compactMap { Self.schema(in: json, $0 + 1, depth: 0) }.first
    let hint = inner.map { "; is the schema at `#\(json.pointer(to: $0))`?" } ?? ""
    warn(
      "", pointer,
      "no member is a keyword of JSON Schema, so that any value satisfies it" + hint)
  }

  /// What schemas say to people and to tools.
  private static let annotations: Set<String> = [
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "id", "contentMediaType", "contentEncoding", "contentSchema", "example",
    "nullable", "discriminator",
  ]

  /// The first object that reads as a schema, from a node down.
  private static func schema(
    in json: JSONDocument, _ node: JSONDocument.Node, depth: Int
  ) -> JSONDocument.Node? {
    guard json.kind(node) == .object, depth < 4 else { return nil }
    if json.member("type", of: node) != nil || json.member("properties", of: node) != nil {
      return node
    }
    return json.keys(of: node).lazy.compactMap { schema(in: json, $0 + 1, depth: depth + 1) }.first
  }
}

extension JSONDocument {
  /// The keys of an object, in order.
  fileprivate func keys(of node: Node) -> [Node] {
    var result: [Node] = []
    var key = node + 1
    for _ in 0..<count(node) {
      result.append(key)
      key = after(key + 1)
    }
    return result
  }
}
