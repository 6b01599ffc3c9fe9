// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Values that are seen to satisfy a subschema without multiplying it out.
///
/// Whether a member may come is asked for every property of an object, and most of them never do
/// come: their subschemas need not be compiled to know that the simplest value of some type, `""`,
/// `[]`, `{}`, `0`, `true` or `null`, satisfies them, or one that is listed. Where no such value is
/// seen, nothing is known.
///
/// Worked example: `{"type": "string", "maxLength": 5}` has `""`; `{"$ref": "#/$defs/person"}` has
/// `{}` if nothing is required of a person; of `{"pattern": "^a"}` nothing is seen for strings, and
/// `null` is.
extension SchemaGraph {
  /// How many references and branches are followed.
  private static let depthLimit = 16

  /// Whether some value is seen to satisfy all of some literals, which are subschemas or
  /// negations.
  func hasEvidentValue(_ literals: some Collection<UInt32>) -> Bool {
    if literals.contains(where: { Obligations.isNegated($0) }) { return false }
    for type in JSONTypes.each
    where literals.allSatisfy({
      evidently(Obligations.schema(of: $0), acceptsSimplest: type, depth: 0)
    }) {
      return true
    }
    return literals.count == 1
      && literals.contains { acceptsListed(nodes[Obligations.schema(of: $0)]) }
  }

  private func evidently(
    _ id: SchemaNode.ID, acceptsSimplest type: JSONTypes, depth: Int
  ) -> Bool {
    if let boolean = nodes[id].boolean { return boolean }
    guard depth < Self.depthLimit, nodes[id].acceptsSimplest(type) else { return false }
    func accepts(_ id: SchemaNode.ID) -> Bool {
      evidently(id, acceptsSimplest: type, depth: depth + 1)
    }
    return nodes[id].reference.map(accepts) != false && nodes[id].allOf.allSatisfy(accepts)
      && nodes[id].anyOf?.contains(where: accepts) != false
  }

  /// Whether a value satisfies all of some literals that list values and their types and ask nothing
  /// else of them, one of them only strings; nil if they are not of that kind.
  ///
  /// Which branches of `oneOf` are still open is asked of every pair of their lists.
  func listsShareString(_ literals: some Collection<UInt32>) -> Bool? {
    var shortest: [SchemaNode.Name]?
    for literal in literals {
      let node = nodes[Obligations.schema(of: literal)]
      guard let values = node.valuesAlone else { return nil }
      let isOnlyStrings =
        node.types == .string
        || values.numbers.isEmpty && values.booleans.isEmpty && !values.null
          && !values.hasArrays && !values.hasObjects
      if !Obligations.isNegated(literal), isOnlyStrings,
        values.stringNames.count < shortest?.count ?? .max
      {
        shortest = node.types.contains(.string) ? values.stringNames : []
      }
    }
    guard var shared = shortest else { return nil }
    for literal in literals {
      let node = nodes[Obligations.schema(of: literal)]
      let listed = node.types.contains(.string) ? node.values?.stringNames ?? [] : []
      Self.keep(&shared, listed: !Obligations.isNegated(literal), in: listed)
      if shared.isEmpty { return false }
    }
    return true
  }

  /// Keeps those of some ascending names that are in an ascending list, or those that are not.
  private static func keep(
    _ names: inout [SchemaNode.Name], listed isListed: Bool, in list: [SchemaNode.Name]
  ) {
    var (kept, at) = (0, 0)
    for place in names.indices {
      let name = names[place]
      while at < list.count, list[at] < name { at += 1 }
      if (at < list.count && list[at] == name) == isListed {
        names[kept] = name
        kept += 1
      }
    }
    names.removeSubrange(kept...)
  }

  /// Whether a subschema is a list of scalars, and asks nothing of them but a type.
  func listsScalars(_ id: SchemaNode.ID) -> Bool {
    guard let values = nodes[id].valuesAlone else { return false }
    return !values.hasArrays && !values.hasObjects
  }

  /// Whether a subschema is a list of values and their types, and one of them is a scalar of these.
  private func acceptsListed(_ node: SchemaNode) -> Bool {
    guard let values = node.valuesAlone else { return false }
    return !values.strings.isEmpty && node.types.contains(.string)
      || !values.numbers.isEmpty && node.types.contains(.number)
      || !values.booleans.isEmpty && node.types.contains(.boolean)
      || values.null && node.types.contains(.null)
  }
}

extension SchemaNode {
  /// Whether the keywords of a subschema, those with subschemas of their own for the same value left
  /// aside, are seen to allow the simplest value of a type.
  @inline(__always)
  fileprivate func acceptsSimplest(_ type: JSONTypes) -> Bool {
    guard types.contains(type), values == nil, not == nil, oneOf == nil, ifThenElse == nil else {
      return false
    }
    switch type {
    case .number: return minimum == nil && maximum == nil
    case .string: return minLength ?? 0 <= 0 && pattern == nil && format == nil
    case .array: return minItems ?? 0 <= 0 && contains == nil
    case .object: return required.isEmpty && minProperties ?? 0 <= 0
    default: return true
    }
  }
}
