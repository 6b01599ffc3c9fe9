// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The members of a schema object that are keywords.
///
/// Most of what schemas in the field say is said to people: such keys are passed over by their bytes,
/// and no string is made of them.
struct SchemaMembers {
  /// In document order, those whose key does not stand again later.
  private(set) var keywords: [(name: SchemaKeyword, value: JSONDocument.Node)] = []
  private(set) var reference: JSONDocument.Node?
  private(set) var condition: JSONDocument.Node?
  private(set) var then: JSONDocument.Node?
  private(set) var otherwise: JSONDocument.Node?
  /// Whether the bounds are exclusive, as draft 4 says it.
  private(set) var excludesMinimum = false
  private(set) var excludesMaximum = false

  init(_ json: JSONDocument, _ node: JSONDocument.Node) {
    keywords.reserveCapacity(min(json.count(node), 8))
    var key = node + 1
    for _ in 0..<json.count(node) {
      let value = key + 1
      if let name = SchemaKeyword(json.text(key)), !json.isRepeated(key) {
        switch name {
        case .reference: reference = value
        case .if: condition = value
        case .then: then = value
        case .else: otherwise = value
        case .exclusiveMinimum: excludesMinimum = json.boolean(value) == true
        case .exclusiveMaximum: excludesMaximum = json.boolean(value) == true
        default: break
        }
        keywords.append((name, value))
      }
      key = json.after(value)
    }
  }
}
