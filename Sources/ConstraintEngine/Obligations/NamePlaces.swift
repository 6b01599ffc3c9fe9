// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Names in the order in which they were first added, and the place of each: few are looked for one
/// after the other, many in a table.
struct NamePlaces {
  private(set) var names: [SchemaNode.Name] = []
  /// The place of each name, where there are many.
  private var table: FlatMap?

  /// How many names are looked for one after the other.
  private static let fewest = 8

  /// The place of a name.
  subscript(name: SchemaNode.Name) -> Int? {
    if let table { return table[UInt64(name)].map(Int.init) }
    return names.firstIndex(of: name)
  }

  /// Adds a name behind the others, where it is not among them.
  mutating func add(_ name: SchemaNode.Name) {
    if self[name] != nil { return }
    if table == nil, names.count == Self.fewest {
      var table = FlatMap()
      for (place, name) in names.enumerated() { table.set(UInt64(name), UInt32(place)) }
      self.table = table
    }
    table?.set(UInt64(name), UInt32(names.count))
    names.append(name)
  }
}
