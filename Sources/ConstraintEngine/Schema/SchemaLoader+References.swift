// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// References (JSON Schema core, section 8.2.3) and the dynamic scope in which they are followed.
extension SchemaLoader {
  /// The base URI at a place: that of the innermost identified subschema around it.
  func base(at place: Place) -> String {
    let resource = identifiers.resource(around: place, in: documents[place.document].json)
    return identifiers.bases[resource] ?? documents[place.document].base
  }

  /// The scope inside the resource that a place belongs to.
  func entering(_ place: Place, from scope: DynamicScope) -> DynamicScope {
    if identifiers.dynamicAnchors.isEmpty { return scope }
    let resource = identifiers.resource(around: place, in: documents[place.document].json)
    guard let anchors = identifiers.dynamicAnchors[resource] else { return scope }
    var inner = scope
    for (name, place) in anchors where inner.anchors[name] == nil { inner.anchors[name] = place }
    return inner
  }

  /// The subschema at a place that is come to in a scope.
  mutating func schema(
    at place: Place, in scope: DynamicScope, pointer: SchemaPointer
  ) -> SchemaNode.ID {
    schema(at: ScopedPlace(place: place, scope: entering(place, from: scope)), pointer: pointer)
  }

  /// The name under which a reference looks for anchors in the dynamic scope; `nil` where the place
  /// that it names was not made by a dynamic anchor, so that it is an ordinary reference.
  func dynamicAnchor(named reference: String, at place: Place) -> String? {
    let json = documents[place.document].json
    if documents[place.document].draft == .draft2019 {
      let anchor = json.member("$recursiveAnchor", of: place.node)
      return anchor.flatMap { json.boolean($0) } == true ? Identifiers.recursiveAnchor : nil
    }
    guard let fragment = URIReference(reference).fragment,
      let anchor = json.member("$dynamicAnchor", of: place.node), json.kind(anchor) == .string
    else { return nil }
    let name = URIReference.decodingPercents(fragment)
    return json.string(anchor) == name ? name : nil
  }

  /// The place that a reference names, or `nil` with a diagnostic.
  mutating func resolve(
    _ reference: String, from place: Place, keyword: String, pointer: SchemaPointer
  ) -> (place: Place, pointer: SchemaPointer)? {
    if let found = find(reference, from: place) {
      return checked(found, reference, keyword, pointer)
    }
    let resource = identifiers.resource(around: place, in: documents[place.document].json)
    let base = identifiers.bases[resource] ?? documents[place.document].base
    let uri = URIReference(reference).resolved(against: URIReference(base)).withoutFragment
    // What is registered and no JSON text has been named.
    if diagnostics.contains(where: { $0.location == "\(uri)#" && $0.keyword.isEmpty }) {
      return nil
    }
    if let near = nearReference(reference, from: place) {
      unresolved(keyword, pointer, "`\(reference)` names nothing; `\(near)` is there")
      return nil
    }
    unresolved(
      keyword, pointer,
      identifiers.resources[uri] == nil
        ? "`\(reference)` is not in this document; register the schema `\(uri)` in the options"
        : "`\(reference)` names nothing; define it or correct the reference")
    return nil
  }

  /// What a reference leads to, a schema or not.
  mutating func find(
    _ reference: String, from place: Place
  ) -> (place: Place, pointer: SchemaPointer)? {
    let json = documents[place.document].json
    let key = Reference(
      text: reference, resource: identifiers.resource(around: place, in: json),
      draft4Resource: draft4Identifiers.resource(around: place, in: json))
    if let known = foundReferences[key] { return known }
    let found = search(reference, from: place)
    if let found { foundReferences[key] = found }
    return found
  }

  private mutating func search(
    _ reference: String, from place: Place
  ) -> (place: Place, pointer: SchemaPointer)? {
    if let found = find(reference, from: place, identifiers) { return found }
    // `id` is no keyword where a document names no draft; documents written for draft 4 that name
    // none still refer by it.
    if documents[place.document].namesDraft { return nil }
    return find(reference, from: place, draft4Identifiers)
  }

  private mutating func find(
    _ reference: String, from place: Place, _ names: Identifiers
  ) -> (place: Place, pointer: SchemaPointer)? {
    let json = documents[place.document].json
    let innermost = names.resource(around: place, in: json)
    let base = names.bases[innermost] ?? documents[place.document].base
    let (uri, targetFragment) = Self.target(of: reference, at: base)
    if identifiers.resources[uri] == nil, names.resources[uri] == nil { loadRegistered(uri) }
    guard let resource = names.resources[uri] ?? identifiers.resources[uri] else { return nil }
    guard let fragment = targetFragment, !fragment.isEmpty else {
      return (resource, pointer(to: resource) ?? SchemaPointer("\(uri)#"))
    }
    let decoded = URIReference.decodingPercents(fragment)
    for name in fragment == decoded ? [decoded] : [String(fragment), decoded] {
      let anchor = uri + "#" + name
      if let anchored = names.resources[anchor] ?? identifiers.resources[anchor] {
        return (anchored, pointer(to: anchored) ?? SchemaPointer(anchor))
      }
    }
    guard decoded.hasPrefix("/"), let node = follow(decoded, from: resource) else { return nil }
    let found = Place(document: resource.document, node: node)
    let start = uri == documents[0].base ? "#" : "\(uri)#"
    return (found, SchemaPointer(start + decoded))
  }

  /// The URI without a fragment, and the fragment, that a reference means at a base. Most references
  /// are a fragment alone.
  private static func target(
    of reference: String, at base: String
  ) -> (uri: String, fragment: Substring?) {
    if reference.utf8.first == UInt8(ascii: "#") {
      let end = base.utf8.firstIndex(of: UInt8(ascii: "#")) ?? base.endIndex
      return (String(base[..<end]), reference.dropFirst())
    }
    let target = URIReference(reference).resolved(against: URIReference(base))
    return (target.withoutFragment, target.fragment)
  }

  /// What a reference names, if it is a schema.
  private mutating func checked(
    _ found: (place: Place, pointer: SchemaPointer), _ reference: String, _ keyword: String,
    _ pointer: SchemaPointer
  ) -> (place: Place, pointer: SchemaPointer)? {
    let kind = documents[found.place.document].json.kind(found.place.node)
    guard [.object, .true, .false].contains(kind) else {
      report(keyword, pointer, "`\(reference)` names a value that is no schema")
      return nil
    }
    return found
  }

  private mutating func unresolved(
    _ keyword: String, _ pointer: SchemaPointer, _ message: String
  ) {
    if options.toleratesUnresolvedReferences {
      warn(keyword, pointer, message)
    } else {
      report(keyword, pointer, message)
    }
  }

  private mutating func loadRegistered(_ uri: String) {
    guard loadedURIs.insert(uri).inserted else { return }
    guard
      let text = options.documents[uri] ?? options.documents[uri + "#"] ?? Metaschemas.text(of: uri)
    else { return }
    _ = add(document: text, uri: uri)
  }

  /// The node that a JSON Pointer (RFC 6901) leads to.
  private mutating func follow(_ pointer: String, from place: Place) -> JSONDocument.Node? {
    let json = documents[place.document].json
    var node = place.node
    let tokens = pointer.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for token in tokens {
      let name = Self.decodingPointer(Substring(token))
      switch json.kind(node) {
      case .object:
        guard let next = json.member(name, of: node) else { return nil }
        node = next
      case .array:
        guard let index = Int(name), index >= 0, index < json.count(node) else { return nil }
        node = element(index, of: Place(document: place.document, node: node), in: json)
      default: return nil
      }
    }
    return node
  }

  /// An element of an array. Of a long one the places are kept: to go there takes as long as it is.
  private mutating func element(
    _ index: Int, of array: Place, in json: JSONDocument
  ) -> JSONDocument.Node {
    if json.count(array.node) < 32 { return json.elements(array.node)[index] }
    if elements[array] == nil { elements[array] = json.elements(array.node) }
    return elements[array]?[index] ?? json.elements(array.node)[index]
  }

  private static func decodingPointer(_ token: Substring) -> String {
    if !token.utf8.contains(UInt8(ascii: "~")) { return String(token) }
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
    if !key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) {
      return key
    }
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
