// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Values of `enum` and `const`.
///
/// A scalar is compared with the list as a whole, which is one fact. Of arrays and objects each constant
/// is a subschema that only it satisfies, so that a short list is an alternative for each. A long list
/// (``ContainerListing``) is one fact as long as nothing else is said of the value.
extension Alternatives {
  /// The alternatives in which a value is one of a list.
  mutating func listed(
    _ values: ConstantSet, _ id: SchemaNode.ID, _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    switch query.type {
    case .null: return values.null ? [[]] : []
    case .boolean:
      if values.booleans.count == 2 { return [[]] }
      return values.booleans.isEmpty ? [] : [[.isListed(id)]]
    case .number: return values.numbers.isEmpty ? [] : [[.isListed(id)]]
    case .string: return values.strings.isEmpty ? [] : [[.isListed(id)]]
    default:
      if let listing = values.listing {
        let isEmpty = query.type == .array ? listing.arrays.isEmpty : listing.objects.isEmpty
        return isEmpty ? [] : [[.isAmong(id)]]
      }
      return try equalToOne(of: query.type == .array ? values.arrays : values.objects, query)
    }
  }

  /// The alternatives in which a container is one of some constants, each a subschema of its own.
  private mutating func equalToOne(
    of constants: [SchemaNode.ID], _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    var result = AlternativeUnion()
    for constant in constants { result.add(try ways(of: constant, query)) }
    return result.list
  }

  /// Facts in which a long list stands alone, or as many alternatives as it has values: what is said
  /// beside it is held against each.
  mutating func spellingOut(
    _ facts: Facts, _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    let place = facts.firstIndex { if case .isAmong = $0 { true } else { false } }
    guard facts.count > 1, let place, case .isAmong(let id) = facts[place] else { return [facts] }
    var others = facts
    others.remove(at: place)
    if others.allSatisfy({ if case .unseen = $0 { true } else { false } }) {
      return [[facts[place]]]
    }
    let values = graph.nodes[id].values ?? ConstantSet()
    let constants = query.type == .array ? values.arrays : values.objects
    if constants.isEmpty { throw isTooLong(id) }
    var result: [Facts] = []
    for alternative in try product([others], equalToOne(of: constants, query), at: id, "enum") {
      result += try spellingOut(alternative, query)
    }
    return result
  }

  /// A list of which no subschemas were made.
  func isTooLong(_ id: SchemaNode.ID) -> ObligationFailure {
    ObligationFailure(
      keyword: graph.nodes[id].valuesKeyword, pointer: graph.nodes[id].pointer,
      message: "of more than \(limit) arrays and objects nothing else can be said, neither beside "
        + "them nor by a negation; shorten the list or raise the limit `alternatives`")
  }
}
