// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The URIs and anchors that documents give to themselves and to their parts (JSON Schema core,
/// section 8.2).
struct Identifiers {
  typealias Place = SchemaLoader.Place

  /// Places by absolute URI, with the anchor as the fragment.
  var resources: [String: Place] = [:]
  /// The base URI at each identified subschema.
  var bases: [Place: String] = [:]
  /// The documents with a base URI below their root.
  private(set) var documentsWithBases: Set<Int> = []
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
    while let (node, outer, outerResource) = pending.popLast() {
      guard json.kind(node) == .object else { continue }
      let here = Place(document: place.document, node: node)
      var base = outer
      var resource = outerResource
      let hidesSiblings = document.draft <= .draft7 && json.member("$ref", of: node) != nil
      if !hidesSiblings, let identifier = Self.identifier(json, node, isDraft4: isDraft4) {
        let resolved = URIReference(identifier).resolved(against: URIReference(base))
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
          if node != place.node { documentsWithBases.insert(place.document) }
          resource = here
        }
      }
      if node == place.node { bases[here] = base }
      for keyword in ["$anchor", "$dynamicAnchor"] where document.draft >= .draft2019 {
        guard let anchor = json.member(keyword, of: node), json.kind(anchor) == .string else {
          continue
        }
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
    var best = Place(document: place.document, node: json.root)
    guard documentsWithBases.contains(place.document) else { return best }
    for candidate in bases.keys where candidate.document == place.document {
      if candidate.node <= place.node, place.node < json.after(candidate.node),
        candidate.node >= best.node
      {
        best = candidate
      }
    }
    return best
  }
}

/// The dynamic anchors that are bound on the way to a subschema (JSON Schema core, section 7.1): of
/// those with one name the outermost.
struct DynamicScope: Hashable {
  var anchors: [String: SchemaLoader.Place] = [:]
}
