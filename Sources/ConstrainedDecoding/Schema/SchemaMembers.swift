// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The members of a schema object that are keywords.
///
/// Most of what schemas in the field say is said to people: such keys are passed over by their bytes,
/// and no string is made of them.
struct SchemaMembers {
  /// Which function of the loader reads a keyword.
  enum Group {
    case validation, string, array, object, applicator, conditional
  }

  /// In document order, those whose key does not stand again later.
  private(set) var keywords: [(name: String, group: Group, value: JSONDocument.Node)] = []
  private(set) var reference: JSONDocument.Node?
  private(set) var condition: JSONDocument.Node?
  private(set) var then: JSONDocument.Node?
  private(set) var otherwise: JSONDocument.Node?
  /// Whether the bounds are exclusive, as draft 4 says it.
  private(set) var excludesMinimum = false
  private(set) var excludesMaximum = false

  init(_ json: JSONDocument, _ node: JSONDocument.Node) {
    let table = Self.table
    keywords.reserveCapacity(min(json.count(node), 8))
    var key = node + 1
    for _ in 0..<json.count(node) {
      let value = key + 1
      if let (name, group) = table[json.text(key)], !json.isRepeated(key) {
        switch name {
        case "$ref": reference = value
        case "if": condition = value
        case "then": then = value
        case "else": otherwise = value
        case "exclusiveMinimum": excludesMinimum = json.boolean(value) == true
        case "exclusiveMaximum": excludesMaximum = json.boolean(value) == true
        default: break
        }
        keywords.append((name, group, value))
      }
      key = json.after(value)
    }
  }

  private static let table = Table([
    (
      .validation,
      [
        "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "multipleOf", "divisibleBy",
      ]
    ),
    (.string, ["minLength", "maxLength", "pattern", "format"]),
    (
      .array,
      [
        "items", "prefixItems", "minItems", "maxItems", "contains", "minContains", "maxContains",
        "uniqueItems", "unevaluatedItems",
      ]
    ),
    (
      .object,
      [
        "properties", "patternProperties", "additionalProperties", "propertyNames", "required",
        "minProperties", "maxProperties", "dependentRequired", "dependentSchemas",
        "dependencies", "unevaluatedProperties",
      ]
    ),
    (.applicator, ["allOf", "anyOf", "oneOf", "not", "$ref", "$dynamicRef", "$recursiveRef"]),
    (.conditional, ["if", "then", "else"]),
  ])

  /// Keywords by their bytes.
  private struct Table: Sendable {
    private var entries: [(name: String, group: Group)] = []
    /// By hash, a place in `entries`.
    private var places = FlatMap()
    private var longest = 0

    init(_ groups: [(Group, [String])]) {
      for (group, names) in groups {
        for name in names {
          places.set(Self.hash(name.utf8), UInt32(entries.count))
          entries.append((name, group))
          longest = max(longest, name.utf8.count)
        }
      }
    }

    /// FNV-1a. No two keywords have the same hash; whether a key is the keyword with its hash is seen
    /// from its bytes.
    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
      bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } >> 1
    }

    subscript(key: ArraySlice<UInt8>) -> (name: String, group: Group)? {
      guard key.count <= longest, let place = places[Self.hash(key)] else { return nil }
      let entry = entries[Int(place)]
      return key.elementsEqual(entry.name.utf8) ? entry : nil
    }
  }
}
