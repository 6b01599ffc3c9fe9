// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Whether two subschemas are seen to have no value in common, without multiplying anything out.
extension Alternatives {
  /// Whether two subschemas are seen to have no value of a type in common, by a shared required
  /// property, or by their listed values.
  ///
  /// A quick sufficient test: it lets most `oneOf` go without any negation.
  mutating func areDisjoint(
    _ first: SchemaNode.ID, _ second: SchemaNode.ID, _ type: JSONTypes
  ) -> Bool {
    let key =
      UInt64(min(first, second)) << 35 | UInt64(max(first, second)) << 6 | UInt64(type.rawValue)
    if let known = disjointPairs[key] { return known }
    let result = areDisjoint(first, second, type, depth: 0)
    disjointPairs[key] = result
    return result
  }

  /// Whether two subschemas are seen to have no value in common.
  mutating func areDisjoint(_ first: SchemaNode.ID, _ second: SchemaNode.ID) -> Bool {
    for type in JSONTypes.each where !areDisjoint(first, second, type) { return false }
    return true
  }

  private mutating func areDisjoint(
    _ first: SchemaNode.ID, _ second: SchemaNode.ID, _ type: JSONTypes, depth: Int
  ) -> Bool {
    areDisjoint(conjuncts(of: first), conjuncts(of: second), type, depth: depth, opened: [])
  }

  /// Whether two lists of subschemas, all of one of which hold, are seen to have no value in common.
  private mutating func areDisjoint(
    _ a: [SchemaNode.ID], _ b: [SchemaNode.ID], _ type: JSONTypes, depth: Int,
    opened: Set<SchemaNode.ID>
  ) -> Bool {
    for left in a {
      for right in b {
        if valuesDisjoint(left, right, type) { return true }
        if isBelow(left, right, type) || isBelow(right, left, type) { return true }
        if type == .string, patternsDisjoint(left, right) { return true }
      }
    }
    if type == .array, depth < 3 { return areItemsApart(a, b, depth) }
    guard type == .object, depth < 3 else { return false }
    // A property that both declare and one requires, with values that have nothing in common.
    let required = Set((a + b).flatMap { graph.nodes[$0].required })
    for name in required {
      for left in a {
        guard let mine = graph.nodes[left].properties.first(where: { $0.name == name })
        else { continue }
        for right in b {
          guard let other = graph.nodes[right].properties.first(where: { $0.name == name })
          else { continue }
          var apart = true
          for type in JSONTypes.each where apart {
            apart = areDisjoint(mine.schema, other.schema, type, depth: depth + 1)
          }
          if apart { return true }
        }
      }
    }
    // A required property that the other one forbids.
    if forbidsRequired(a, b) || forbidsRequired(b, a) { return true }
    return isUnionApart(a, from: b, depth, opened) || isUnionApart(b, from: a, depth, opened)
  }

  /// Whether there is an item in every array of both, and no value that both allow there.
  private mutating func areItemsApart(
    _ a: [SchemaNode.ID], _ b: [SchemaNode.ID], _ depth: Int
  ) -> Bool {
    let least = (a + b).reduce(0) { max($0, graph.nodes[$1].minItems ?? 0) }
    for left in a {
      for right in b {
        let listed = max(
          graph.nodes[left].prefixItems.count, graph.nodes[right].prefixItems.count, 1)
        for place in 0..<min(least, listed, Self.mostItems) {
          guard let mine = item(place, of: left), let other = item(place, of: right) else {
            continue
          }
          var apart = true
          for type in JSONTypes.each where apart {
            apart = areDisjoint(mine, other, type, depth: depth + 1)
          }
          if apart { return true }
        }
      }
    }
    return false
  }

  /// What tells tuples apart stands at their beginning.
  private static let mostItems = 8

  private func item(_ place: Int, of id: SchemaNode.ID) -> SchemaNode.ID? {
    place < graph.nodes[id].prefixItems.count
      ? graph.nodes[id].prefixItems[place] : graph.nodes[id].items
  }

  /// Whether one of some subschemas is a union each branch of which has no object in common with others:
  /// a branch of a `oneOf` is often a `oneOf` itself.
  ///
  /// - Parameter opened: the unions whose branches are looked at already.
  private mutating func isUnionApart(
    _ parts: [SchemaNode.ID], from others: [SchemaNode.ID], _ depth: Int,
    _ opened: Set<SchemaNode.ID>
  ) -> Bool {
    for id in parts where !opened.contains(id) {
      guard let branches = graph.nodes[id].oneOf ?? graph.nodes[id].anyOf,
        branches.count <= comparisonsLeft
      else { continue }
      comparisonsLeft -= branches.count
      let isApart = branches.allSatisfy { branch in
        areDisjoint(
          parts + conjuncts(of: branch), others, .object, depth: depth + 1,
          opened: opened.union([id]))
      }
      if isApart { return true }
    }
    return false
  }

  private func forbidsRequired(_ a: [SchemaNode.ID], _ b: [SchemaNode.ID]) -> Bool {
    let required = a.flatMap { graph.nodes[$0].required }
    for id in b {
      if let not = graph.nodes[id].not, holds(forNames: required, not) { return true }
      guard let additional = graph.nodes[id].additionalProperties,
        graph.nodes[id].patternProperties.isEmpty, graph.nodes[additional].boolean == false
      else { continue }
      let isMissing = required.contains { name in
        !graph.nodes[id].properties.contains { $0.name == name }
      }
      if isMissing { return true }
    }
    return false
  }

  /// Whether a subschema holds for every object that has some names.
  private func holds(forNames names: [SchemaNode.Name], _ id: SchemaNode.ID) -> Bool {
    var node = graph.nodes[id]
    guard node.boolean == nil, node.types.contains(.object) else { return node.boolean == true }
    if let branches = node.anyOf {
      node.anyOf = nil
      return node.isFlat(.object) && !node.hasOwnAssertions(.object)
        && branches.contains { holds(forNames: names, $0) }
    }
    return node.isFlat(.object) && node.onlyRequires
      && node.required.allSatisfy { names.contains($0) }
  }

  /// The subschemas that must all hold where one does: itself, its reference, its `allOf`.
  func conjuncts(of id: SchemaNode.ID) -> [SchemaNode.ID] {
    var result = [id]
    var at = 0
    while at < result.count, result.count < 32 {
      let id = result[at]
      if let next = graph.nodes[id].reference, !result.contains(next) { result.append(next) }
      for next in graph.nodes[id].allOf where !result.contains(next) { result.append(next) }
      at += 1
    }
    return result
  }

  /// Whether no string matches the patterns of both, or the pattern of one and the list of the other.
  private mutating func patternsDisjoint(_ a: SchemaNode.ID, _ b: SchemaNode.ID) -> Bool {
    let (left, right) = (graph.nodes[a].pattern, graph.nodes[b].pattern)
    if let left, let right {
      // Past a limit nothing is decided any more, and each pair would take memory.
      if languages.reachedLimit != nil { return left != right }
      return left != right && !languages.isLive(languages.intersection(of: [left, right]))
    }
    guard let pattern = left ?? right,
      let listed = graph.nodes[a].values ?? graph.nodes[b].values
    else { return false }
    return !listed.strings.contains { languages.contains(pattern, $0) }
  }

  /// Whether one subschema's greatest number or size is below the least of another.
  private func isBelow(_ a: SchemaNode.ID, _ b: SchemaNode.ID, _ type: JSONTypes) -> Bool {
    func isLess(_ greatest: Int?, _ least: Int?) -> Bool {
      if let greatest, let least { greatest < least } else { false }
    }
    let nodes = graph.nodes
    switch type {
    case .number:
      guard let greatest = nodes[a].maximum, let least = nodes[b].minimum else { return false }
      let isTouching = greatest.value == least.value
      return greatest.value < least.value
        || isTouching && (greatest.isExclusive || least.isExclusive)
    case .string: return isLess(nodes[a].maxLength, nodes[b].minLength)
    case .array: return isLess(nodes[a].maxItems, nodes[b].minItems)
    case .object: return isLess(nodes[a].maxProperties, nodes[b].minProperties)
    default: return false
    }
  }

  /// Whether two lists have nothing in common. Often one is a constant and the other long.
  private static func areDisjoint<Value: Hashable>(_ left: [Value], _ right: [Value]) -> Bool {
    let (few, many) = left.count < right.count ? (left, right) : (right, left)
    return few.count <= 2
      ? !few.contains { many.contains($0) } : Set(few).isDisjoint(with: many)
  }

  private func valuesDisjoint(
    _ a: SchemaNode.ID, _ b: SchemaNode.ID, _ type: JSONTypes
  ) -> Bool {
    let (first, second) = (graph.nodes[a].boolean, graph.nodes[b].boolean)
    if first == false || second == false { return true }
    if first != nil || second != nil { return false }
    if !graph.nodes[a].types.contains(type) || !graph.nodes[b].types.contains(type) { return true }
    let (mine, other) = (graph.nodes[a].values, graph.nodes[b].values)
    guard let left = mine ?? other else { return false }
    if let right = mine != nil ? other : nil {
      switch type {
      case .null: return !(left.null && right.null)
      case .boolean: return left.booleans.isDisjoint(with: right.booleans)
      case .number: return Self.areDisjoint(left.numbers, right.numbers)
      case .string: return Self.areDisjoint(left.strings, right.strings)
      case .array: return !left.hasArrays || !right.hasArrays
      case .object: return !left.hasObjects || !right.hasObjects
      default: return false
      }
    }
    switch type {
    case .null: return !left.null
    case .boolean: return left.booleans.isEmpty
    case .number: return left.numbers.isEmpty
    case .string: return left.strings.isEmpty
    case .array: return !left.hasArrays
    case .object: return !left.hasObjects
    default: return false
    }
  }
}
