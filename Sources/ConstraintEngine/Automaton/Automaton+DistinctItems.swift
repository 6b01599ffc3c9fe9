// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Whether as many items as must come can all differ from each other and from those that have come
/// (``Obligations/filling(array:count:found:without:)``).
///
/// Worked example: two places with the values 1, 2 and 1. After `[1` the second place would have no
/// value left, so that the first one has to be 2.
extension Automaton {
  /// Whether the items that must still come into an array can all differ.
  mutating func canDiffer(array: Int, _ state: UInt32) -> Bool {
    guard obligations.arrays[array].isUnique else { return true }
    return filling(array: array, state, without: nil) != nil
  }

  /// The values after which too few are left for the places that must still be filled.
  mutating func neededValues(array: Int, _ state: UInt32) -> [UInt32] {
    guard let filling = filling(array: array, state, without: nil) else { return [] }
    return filling.filter { value in
      self.filling(array: array, state, without: value) == nil
    }
    .map { id(ofListed: $0) }
  }

  /// Values that fill the places with few of them; `nil` where there are too few.
  private mutating func filling(
    array: Int, _ state: UInt32, without value: ListedValues.ID?
  ) -> [ListedValues.ID]? {
    let count = Int(arrayStates.word(0, of: state))
    let node = obligations.arrays[array]
    if count >= node.minimum, missingContained(array: array, state) == 0 { return [] }
    let key = FillingKey(array: array, state: state, without: value)
    if let known = fillings[key] { return known }
    let found = Array(arrayStates[state].dropFirst(2).prefix(node.containments.count))
    var taken: Set<ListedValues.ID> = []
    if let value { taken.insert(value) }
    // Beyond the search no value is looked at: to list all that came, each time, takes the square.
    if obligations.searchesItems(array: array, count: count, found: found) {
      for id in seen(arrayState: state) {
        if let listed = listed(id) { taken.insert(listed) }
      }
    }
    let result = obligations.filling(array: array, count: count, found: found, without: taken)
    fillings[key] = .some(result)
    return result
  }

  /// The value of a list that a value read is; `nil` where it is longer than any in a list.
  private mutating func listed(_ id: UInt32) -> ListedValues.ID? {
    if let known = listedIDs[id] { return known }
    let result: ListedValues.ID? =
      switch values.scalar(id) {
      case .null: obligations.listed.id(of: .null)
      case .boolean(let value): obligations.listed.id(of: .boolean(value))
      case .number(let value): obligations.listed.id(of: .number(value))
      case .string(TextTable.unknown): nil
      case .string(let text): obligations.listed.id(of: .string(texts.bytes(of: text)))
      case nil: listed(container: id)
      }
    listedIDs[id] = .some(result)
    return result
  }

  private mutating func listed(container id: UInt32) -> ListedValues.ID? {
    if values.isArray(id) == true {
      var items: [ListedValues.ID] = []
      for item in values.items(of: id) {
        guard let item = listed(item) else { return nil }
        items.append(item)
      }
      return obligations.listed.id(of: .array(items))
    }
    var members: [ListedValues.Member] = []
    for key in values.keys(of: id) {
      guard key != TextTable.unknown, let value = values.member(key, of: id),
        let value = listed(value)
      else { return nil }
      members.append(.init(key: texts.bytes(of: key), value: value))
    }
    return obligations.listed.id(ofObject: members)
  }

  /// The value as it is when it is read.
  mutating func id(ofListed id: ListedValues.ID) -> UInt32 {
    switch obligations.listed[id] {
    case .null: return values.id(of: .null)
    case .boolean(let value): return values.id(of: .boolean(value))
    case .number(let value): return values.id(of: .number(value))
    case .string(let bytes): return values.id(of: .string(text(bytes)))
    case .array(let items):
      var parts: [UInt32] = []
      for item in items { parts.append(self.id(ofListed: item)) }
      return values.id(ofArray: parts)
    case .object(let members):
      var parts: [(key: UInt32, value: UInt32)] = []
      for member in members {
        parts.append((text(member.key), self.id(ofListed: member.value)))
      }
      return values.id(ofObject: parts)
    }
  }

  private mutating func text(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(TextTable.empty) { texts.append($1, to: $0) }
  }
}

/// An array in a state, and a value that may not come.
struct FillingKey: Hashable {
  var array: Int
  var state: UInt32
  var without: ListedValues.ID?
}
