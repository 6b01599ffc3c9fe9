// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The scalars that some subschemas list, grouped by the subschemas that list them.
///
/// Worked example: subschema 0 lists `a` and `b`, subschema 1 lists `b` and `c`. The groups are those that
/// 0 lists without 1 (`a`), those of both (`b`), and those that 1 lists without 0 (`c`).
struct ValueGroups {
  /// By place among the subschemas.
  struct Group {
    /// Those that list the values.
    var listing: [Int]
    /// Others that list some of what those list together.
    var excluded: [Int]
  }

  private enum Scalar: Hashable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    case string(SchemaNode.Name)
  }

  private(set) var groups: [Group] = []

  init(_ schemas: [SchemaNode.ID], _ graph: SchemaGraph) {
    var listing: [Scalar: [Int]] = [:]
    var order: [Scalar] = []
    let lists = schemas.map { Self.scalars(graph.nodes[$0]) }
    for (place, list) in lists.enumerated() {
      for scalar in list {
        if listing[scalar] == nil { order.append(scalar) }
        listing[scalar, default: []].append(place)
      }
    }
    var known = Set<[Int]>()
    for scalar in order {
      guard let places = listing[scalar], known.insert(places).inserted else { continue }
      let shortest = places.min { lists[$0].count < lists[$1].count }
      var excluded: [Int] = []
      for other in shortest.map({ lists[$0] }) ?? [] {
        let mine = listing[other] ?? []
        guard mine.count > places.count, places.allSatisfy(mine.contains) else { continue }
        for place in mine where !places.contains(place) && !excluded.contains(place) {
          excluded.append(place)
        }
      }
      groups.append(Group(listing: places, excluded: excluded))
    }
  }

  private static func scalars(_ node: SchemaNode) -> [Scalar] {
    guard let values = node.values else { return [] }
    var result: [Scalar] = []
    if node.types.contains(.string) { result += values.stringNames.map { .string($0) } }
    if node.types.contains(.number) { result += values.numbers.map { .number($0) } }
    if node.types.contains(.boolean) {
      result += [false, true].filter(values.booleans.contains).map { .boolean($0) }
    }
    if node.types.contains(.null), values.null { result.append(.null) }
    return result
  }
}
