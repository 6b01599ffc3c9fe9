// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The URIs and anchors that documents give to themselves and to their parts (JSON Schema core,
/// section 8.2).
struct Identifiers {
  typealias Place = SchemaLoader.Place

  /// Places by absolute URI, with the anchor as the fragment.
  var resources: [String: Place] = [:]
  /// The base URI at each identified subschema.
  var bases: [Place: String] = [:]
  /// By document with a base URI below its root, the subtrees of the identified subschemas, in document
  /// order.
  private var subtrees: [Int: [Subtree]] = [:]
  /// How many bytes the URIs have that were noted.
  private var size = 0

  /// A subtree with an identifier of its own.
  private struct Subtree {
    var node: JSONDocument.Node
    var end: JSONDocument.Node
    /// The number of the one around it; -1 where there is none.
    var outer: Int
  }

  /// The most bytes of all URIs: an identifier is resolved to a URI as long as the one around it, so
  /// that a long one above many others would be kept as often as there are others.
  static let sizeLimit = 64 << 20

  /// Whether the identifiers of the documents are longer than the limit; then some are not known.
  var isTooLarge: Bool { size > Self.sizeLimit }
  /// By identified subschema, the dynamic anchors that belong to it.
  var dynamicAnchors: [Place: [(name: String, place: Place)]] = [:]

  /// What `$recursiveAnchor` (draft 2019-09) is called among the dynamic anchors; no anchor has this
  /// name.
  static let recursiveAnchor = "#"

  /// Where the value of a keyword has subschemas.
  private struct Subschemas: OptionSet {
    let rawValue: Int
    /// It is one.
    static let itself = Subschemas(rawValue: 1)
    /// Its elements are.
    static let elements = Subschemas(rawValue: 2)
    /// The values of its members are.
    static let members = Subschemas(rawValue: 4)
  }

  private static let subschemas: [String: Subschemas] = [
    "additionalItems": .itself, "additionalProperties": .itself, "contains": .itself,
    "contentSchema": .itself, "else": .itself, "if": .itself, "items": [.itself, .elements],
    "not": .itself, "propertyNames": .itself, "then": .itself, "unevaluatedItems": .itself,
    "unevaluatedProperties": .itself, "allOf": .elements, "anyOf": .elements, "oneOf": .elements,
    "prefixItems": .elements, "$defs": .members, "definitions": .members,
    "dependencies": .members, "dependentSchemas": .members, "patternProperties": .members,
    "properties": .members,
  ]

  /// Finds the identified subschemas and anchors of a document.
  ///
  /// - Parameters:
  ///   - base: the URI that the document was found at.
  ///   - isDraft4: whether `id` is a keyword.
  mutating func index(
    _ place: Place, base: String, _ document: SchemaLoader.Document, isDraft4: Bool
  ) {
    let json = document.json
    let mentions = Self.mentions(json)
    if mentions.isEmpty {
      bases[place] = base
      return
    }
    /// Whether there may be an identifier in a subtree.
    func hasMention(_ node: JSONDocument.Node) -> Bool {
      var (low, high) = (0, mentions.count)
      while low < high {
        let middle = (low + high) / 2
        if mentions[middle] < node { low = middle + 1 } else { high = middle }
      }
      return low < mentions.count && mentions[low] < json.after(node)
    }
    var pending: [(node: JSONDocument.Node, base: String, resource: Place)] = [
      (place.node, base, place)
    ]
    defer { noteSubtrees(of: place.document, json) }
    while let (node, outer, outerResource) = pending.popLast(), !isTooLarge {
      guard json.kind(node) == .object else { continue }
      let here = Place(document: place.document, node: node)
      var base = outer
      var resource = outerResource
      let hidesSiblings = document.draft <= .draft7 && json.member("$ref", of: node) != nil
      if !hidesSiblings, let identifier = Self.identifier(json, node, isDraft4: isDraft4) {
        let resolved = URIReference(identifier).resolved(against: URIReference(base))
        size += base.utf8.count + identifier.utf8.count
        if let fragment = resolved.fragment, !fragment.isEmpty {
          resources[resolved.withoutFragment + "#" + fragment] = here
        }
        // Draft 4 knows `id` alone: what `$id` names there can be referred to, and is no base below
        // the root.
        let isBase = !isDraft4 || node == place.node || json.member("id", of: node) != nil
        if !identifier.hasPrefix("#"), !isBase {
          resources[resolved.withoutFragment] = here
        } else if !identifier.hasPrefix("#") {
          base = resolved.withoutFragment
          resources[base] = here
          bases[here] = base
          resource = here
        }
      }
      if node == place.node { bases[here] = base }
      for keyword in ["$anchor", "$dynamicAnchor"] where document.draft >= .draft2019 {
        guard let anchor = json.member(keyword, of: node), json.kind(anchor) == .string else {
          continue
        }
        size += base.utf8.count
        resources[base + "#" + json.string(anchor)] = here
        if keyword == "$dynamicAnchor", document.draft >= .draft2020 {
          dynamicAnchors[resource, default: []].append((json.string(anchor), here))
        }
      }
      if document.draft == .draft2019, let anchor = json.member("$recursiveAnchor", of: node),
        json.boolean(anchor) == true
      {
        dynamicAnchors[resource, default: []].append((Self.recursiveAnchor, here))
      }
      for (key, value) in json.members(node) {
        guard [.object, .array].contains(json.kind(value)), hasMention(value),
          let found = Self.subschemas[json.string(key)]
        else { continue }
        if found.contains(.itself), json.kind(value) == .object {
          pending.append((value, base, resource))
        }
        if found.contains(.elements) {
          for element in json.elements(value) where hasMention(element) {
            pending.append((element, base, resource))
          }
        }
        if found.contains(.members) {
          for member in json.members(value) where hasMention(member.value) {
            pending.append((member.value, base, resource))
          }
        }
      }
    }
  }

  private static let keywords = ["$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"]
    .map { Array($0.utf8) }

  /// The strings that are spelled like a keyword that identifies a subschema, in document order.
  private static func mentions(_ json: JSONDocument) -> [JSONDocument.Node] {
    let keywords = keywords
    let lengths = keywords.reduce(0 as UInt64) { $0 | 1 << UInt64($1.count) }
    return json.records.indices.filter { node in
      let record = json.records[node]
      let length = record.end - record.start
      guard record.kind == .string, length < 64, lengths >> UInt64(length) & 1 == 1 else {
        return false
      }
      return keywords.contains { json.bytes[record.start..<record.end].elementsEqual($0) }
    }
  }

  private static func identifier(
    _ json: JSONDocument, _ node: JSONDocument.Node, isDraft4: Bool
  ) -> String? {
    if isDraft4, let id = json.member("id", of: node), json.kind(id) == .string {
      return json.string(id)
    }
    if let id = json.member("$id", of: node), json.kind(id) == .string { return json.string(id) }
    return nil
  }

  /// The innermost identified subschema around a place; the document's root where there is none.
  func resource(around place: Place, in json: JSONDocument) -> Place {
    // Nodes lie in document order, so that the innermost subtree around a node is the one that
    // starts last before it and still holds it.
    let root = Place(document: place.document, node: json.root)
    guard let subtrees = subtrees[place.document] else { return root }
    var (low, high) = (0, subtrees.count)
    while low < high {
      let middle = (low + high) / 2
      if subtrees[middle].node <= place.node { low = middle + 1 } else { high = middle }
    }
    var candidate = low - 1
    while candidate >= 0, subtrees[candidate].end <= place.node {
      candidate = subtrees[candidate].outer
    }
    return candidate < 0
      ? root : Place(document: place.document, node: subtrees[candidate].node)
  }

  /// Notes which identified subtrees of a document are within which.
  private mutating func noteSubtrees(of document: Int, _ json: JSONDocument) {
    let nodes = bases.keys.filter { $0.document == document }.map(\.node).sorted()
    guard nodes.contains(where: { $0 != json.root }) else { return }
    var found: [Subtree] = []
    var open: [Int] = []
    for node in nodes {
      while let last = open.last, found[last].end <= node { open.removeLast() }
      found.append(Subtree(node: node, end: json.after(node), outer: open.last ?? -1))
      open.append(found.count - 1)
    }
    subtrees[document] = found
  }
}

/// The dynamic anchors that are bound on the way to a subschema (JSON Schema core, section 7.1): of
/// those with one name the outermost.
struct DynamicScope: Hashable {
  var anchors: [String: SchemaLoader.Place] = [:]
}
