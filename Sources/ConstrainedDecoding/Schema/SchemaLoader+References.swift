/// Identifiers, anchors and references (JSON Schema core, sections 8 and 9).
extension SchemaLoader {
  /// Keywords whose value is a subschema.
  static let schemaKeywords: Set<String> = [
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items",
    "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
  ]
  /// Keywords whose value is an array of subschemas.
  static let schemaArrayKeywords: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems", "items"]
  /// Keywords whose value is an object of subschemas.
  static let schemaMapKeywords: Set<String> = [
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
  ]

  /// Finds the identified subschemas and anchors of a document.
  mutating func index(_ place: Place, base: String) {
    let json = documents[place.document].json
    guard Self.mentionsIdentifier(json) else {
      bases[place] = base
      return
    }
    var pending: [(node: JSONDocument.Node, base: String)] = [(place.node, base)]
    while let (node, outer) = pending.popLast() {
      guard json.kind(node) == .object else { continue }
      let here = Place(document: place.document, node: node)
      var base = outer
      let hidesSiblings =
        documents[place.document].draft <= .draft7 && json.member("$ref", of: node) != nil
      if !hidesSiblings, let identifier = identifier(json, node, place.document) {
        let resolved = URIReference(identifier).resolved(against: URIReference(base))
        if let fragment = resolved.fragment, !fragment.isEmpty {
          resources[resolved.withoutFragment + "#" + fragment] = here
        }
        if !identifier.hasPrefix("#") {
          base = resolved.withoutFragment
          resources[base] = here
          bases[here] = base
        }
      }
      if node == place.node { bases[here] = base }
      for keyword in ["$anchor", "$dynamicAnchor"] {
        if let anchor = json.member(keyword, of: node), json.kind(anchor) == .string {
          resources[base + "#" + json.string(anchor)] = here
        }
      }
      for (key, value) in json.members(node) {
        let keyword = json.string(key)
        if Self.schemaKeywords.contains(keyword), json.kind(value) == .object {
          pending.append((value, base))
        }
        if Self.schemaArrayKeywords.contains(keyword) {
          for element in json.elements(value) { pending.append((element, base)) }
        }
        if Self.schemaMapKeywords.contains(keyword) {
          for member in json.members(value) { pending.append((member.value, base)) }
        }
      }
    }
  }

  private static func mentionsIdentifier(_ json: JSONDocument) -> Bool {
    for keyword in ["$id", "id", "$anchor", "$dynamicAnchor"] {
      let bytes = Array(keyword.utf8)
      for record in json.records where record.kind == .string {
        if record.end - record.start == bytes.count,
          json.bytes[record.start..<record.end].elementsEqual(bytes)
        {
          return true
        }
      }
    }
    return false
  }

  private func identifier(
    _ json: JSONDocument, _ node: JSONDocument.Node, _ document: Int
  ) -> String? {
    if let id = json.member("$id", of: node), json.kind(id) == .string { return json.string(id) }
    guard documents[document].draft == .draft4 || json.member("$schema", of: json.root) == nil
    else { return nil }
    if let id = json.member("id", of: node), json.kind(id) == .string { return json.string(id) }
    return nil
  }

  /// The base URI at a place: that of the innermost identified subschema around it.
  func base(at place: Place) -> String {
    // Nodes lie in document order, so that the innermost subtree around a node is the one that
    // starts last before it and still holds it.
    var best: (start: Int, base: String)?
    for (candidate, base) in bases where candidate.document == place.document {
      let json = documents[place.document].json
      if candidate.node <= place.node, place.node < json.after(candidate.node),
        candidate.node >= best?.start ?? -1
      {
        best = (candidate.node, base)
      }
    }
    return best?.base ?? documents[place.document].base
  }

  /// The place that a reference names, or `nil` with a diagnostic.
  mutating func resolve(
    _ reference: String, from place: Place, keyword: String, pointer: String
  ) -> (place: Place, pointer: String)? {
    let json = documents[place.document].json
    if reference == "#", bases.count <= documents.count {
      return (Place(document: place.document, node: json.root), "#")
    }
    let base = base(at: place)
    let target = URIReference(reference).resolved(against: URIReference(base))
    let uri = target.withoutFragment
    if resources[uri] == nil { loadRegistered(uri) }
    guard let resource = resources[uri] else {
      unresolved(
        keyword, pointer,
        "`\(reference)` is not in this document; register the schema `\(uri)` in the options")
      return nil
    }
    guard let fragment = target.fragment, !fragment.isEmpty else {
      return (resource, pointers[resource] ?? "\(uri)#")
    }
    if let anchored = resources[uri + "#" + fragment] {
      return (anchored, pointers[anchored] ?? "\(uri)#\(fragment)")
    }
    let decoded = URIReference.decodingPercents(fragment)
    if let anchored = resources[uri + "#" + decoded] {
      return (anchored, pointers[anchored] ?? "\(uri)#\(decoded)")
    }
    if decoded.hasPrefix("/"), let node = follow(decoded, from: resource) {
      let found = Place(document: resource.document, node: node)
      let kind = documents[found.document].json.kind(node)
      guard [.object, .true, .false].contains(kind) else {
        report(keyword, pointer, "`\(reference)` names a value that is no schema")
        return nil
      }
      return (found, uri == documents[0].base ? "#\(decoded)" : "\(uri)#\(decoded)")
    }
    unresolved(keyword, pointer, "`\(reference)` names nothing; define it or correct the reference")
    return nil
  }

  private mutating func unresolved(_ keyword: String, _ pointer: String, _ message: String) {
    if options.toleratesUnresolvedReferences {
      graph.warnings.append(.init(keyword: keyword, location: pointer, message: message))
    } else {
      report(keyword, pointer, message)
    }
  }

  private mutating func loadRegistered(_ uri: String) {
    guard loadedURIs.insert(uri).inserted else { return }
    guard let text = options.documents[uri] ?? options.documents[uri + "#"] else { return }
    _ = add(document: text, uri: uri)
  }

  /// The node that a JSON Pointer (RFC 6901) leads to.
  private func follow(_ pointer: String, from place: Place) -> JSONDocument.Node? {
    let json = documents[place.document].json
    var node = place.node
    for token in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      let name = Self.decodingPointer(token)
      switch json.kind(node) {
      case .object:
        guard let next = json.member(name, of: node) else { return nil }
        node = next
      case .array:
        guard let index = Int(name), index >= 0, index < json.count(node) else { return nil }
        node = json.elements(node)[index]
      default: return nil
      }
    }
    return node
  }

  private static func decodingPointer(_ token: Substring) -> String {
    var result = ""
    var escaped = false
    for character in token {
      if escaped {
        result.append(character == "1" ? "/" : "~")
        escaped = false
      } else if character == "~" {
        escaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// A key as a token of a JSON Pointer.
  static func encodingPointer(_ key: String) -> String {
    var result = ""
    for character in key {
      switch character {
      case "~": result += "~0"
      case "/": result += "~1"
      default: result.append(character)
      }
    }
    return result
  }
}
