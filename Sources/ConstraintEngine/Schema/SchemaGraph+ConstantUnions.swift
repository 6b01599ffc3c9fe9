// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Constants in unions, which are lists.
///
/// `{"oneOf": [{"const": "red", "title": "Red"}, {"const": "blue"}]}` says what `{"enum": ["red", "blue"]}` does:
/// generators write enumerations so whose cases have titles. As a union each case would be an alternative, and
/// each of `oneOf` be held against all others.
extension SchemaGraph {
  /// Reads constants among the branches of unions as lists of these.
  mutating func listUnionsOfConstants() {
    // What a union has in it was mostly added after it.
    for id in nodes.indices.reversed() {
      if let branches = nodes[id].anyOf, let values = constants(in: branches, areApart: false) {
        nodes[id].anyOf = list(values, "anyOf", of: branches, at: id)
      }
      if let branches = nodes[id].oneOf, let values = constants(in: branches, areApart: true) {
        nodes[id].oneOf = list(values, "oneOf", of: branches, at: id)
      }
    }
  }

  /// The branches that are left where those that are constants are read as one list.
  private mutating func list(
    _ values: ConstantSet, _ keyword: String, of branches: [SchemaNode.ID], at id: SchemaNode.ID
  ) -> [SchemaNode.ID]? {
    let others = branches.filter { scalars(of: $0) == nil }
    if others.isEmpty, nodes[id].values == nil {
      nodes[id].values = values
      nodes[id].valuesKeyword = keyword
      return nil
    }
    var node = SchemaNode(at: nodes[id].place)
    node.values = values
    node.valuesKeyword = keyword
    return [add(node)] + others
  }

  /// The scalars of those branches that have nothing else, where there are two such or no other.
  ///
  /// - Parameter areApart: whether no value may be one of two branches.
  private func constants(in branches: [SchemaNode.ID], areApart: Bool) -> ConstantSet? {
    var result = ConstantSet()
    var (numbers, strings) = (Set<ExactDecimal>(), Set<[UInt8]>())
    var found = 0
    for branch in branches {
      guard let values = scalars(of: branch) else { continue }
      found += 1
      let count = result.count + values.count
      result.null = result.null || values.null
      result.booleans.formUnion(values.booleans)
      result.numbers += values.numbers.filter { numbers.insert($0).inserted }
      result.strings += values.strings.filter { strings.insert($0).inserted }
      result.stringNames += values.stringNames
      if areApart, result.count < count { return nil }
    }
    guard found >= min(2, branches.count), found > 0 else { return nil }
    result.stringNames = Set(result.stringNames).sorted()
    return result
  }

  /// The scalars that a subschema lists, or the subschema that it refers to.
  private func scalars(of id: SchemaNode.ID) -> ConstantSet? {
    var id = id
    for _ in 0..<8 {
      guard let reference = nodes[id].referenceAlone else { break }
      id = reference
    }
    if nodes[id].types == .null, nodes[id].boolean == nil, nodes[id].values == nil,
      nodes[id].reference == nil, nodes[id].saysNoMoreOfScalars
    {
      return ConstantSet(null: true)
    }
    guard var values = nodes[id].valuesAlone, !values.hasArrays, !values.hasObjects else {
      return nil
    }
    let types = nodes[id].types
    values.null = values.null && types.contains(.null)
    if !types.contains(.boolean) { values.booleans = [] }
    if !types.contains(.number) { values.numbers = [] }
    if !types.contains(.string) { (values.strings, values.stringNames) = ([], []) }
    // A branch without values keeps its own reason for that.
    return values.count == 0 ? nil : values
  }
}

extension SchemaNode {
  /// The values that a subschema lists, if it asks nothing of them but a type.
  var valuesAlone: ConstantSet? {
    guard let values, reference == nil, saysNoMoreOfScalars,
      !onlyIntegers || !integersAreSpelled && values.numbers.allSatisfy(\.isInteger)
    else { return nil }
    return values
  }

  /// What a subschema refers to, if it says nothing else of a scalar.
  fileprivate var referenceAlone: ID? {
    guard let reference, values == nil, types == .all, saysNoMoreOfScalars else { return nil }
    return reference
  }

  /// Whether no keyword but `type`, `enum`, `const` and references says anything of a scalar.
  fileprivate var saysNoMoreOfScalars: Bool {
    pattern == nil && format == nil && minLength == nil && maxLength == nil && minimum == nil
      && maximum == nil && multipleOf == nil && allOf.isEmpty && anyOf == nil
      && oneOf == nil && not == nil && ifThenElse == nil
  }
}

extension ConstantSet {
  /// The number of scalars.
  fileprivate var count: Int {
    (null ? 1 : 0) + booleans.count + numbers.count + strings.count
  }
}
