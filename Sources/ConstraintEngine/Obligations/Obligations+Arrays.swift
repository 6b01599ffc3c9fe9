// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Merging facts about arrays.
extension Obligations {
  /// The index of a merged array node, or `nil` where no array satisfies the facts.
  mutating func array(_ facts: Alternatives.Facts) throws(ObligationFailure) -> Int? {
    var (facts, node) = (facts, ArrayNode())
    (node.listing, node.isShape) = takeShape(&facts)
    for fact in facts {
      switch fact {
      case .holds(let id): add(items: id, to: &node)
      case .fails(let id, let assertion):
        fail(assertion, of: id, &node)
      case .unevaluatedItems(let id, let evaluated, let holds):
        let schema = graph.nodes[id].unevaluatedItems ?? graph.anything
        if holds {
          node.unevaluated.append((schema, evaluated))
        } else if let left = leftOver(by: evaluated, failing: schema) {
          node.containments.append(left)
        } else {
          return nil
        }
      default: break
      }
    }
    return try finish(&node, facts)
  }

  /// That some item which no subschema has looked at fails a schema; `nil` where none can be left.
  private mutating func leftOver(
    by evaluated: [SchemaNode.ID], failing schema: SchemaNode.ID
  ) -> ArrayNode.Containment? {
    var result = ArrayNode.Containment(
      literals: [Self.literal(schema, negated: true)], minimum: 1, maximum: nil, from: 0)
    for id in evaluated {
      let node = graph.nodes[id]
      if node.items != nil { return nil }
      result.from = max(result.from, node.prefixItems.count)
      if let contains = node.contains {
        result.literals.append(Self.literal(contains, negated: true))
      }
    }
    return result
  }

  private mutating func add(items id: SchemaNode.ID, to node: inout ArrayNode) {
    if !graph.nodes[id].prefixItems.isEmpty || graph.nodes[id].items != nil {
      node.sources.append(id)
    }
    node.minimum = max(node.minimum, graph.nodes[id].minItems ?? 0)
    if let bound = graph.nodes[id].maxItems { node.maximum = min(node.maximum ?? bound, bound) }
    if graph.nodes[id].uniqueItems { node.isUnique = true }
    if let contains = graph.nodes[id].contains {
      let minimum = graph.nodes[id].minContains ?? 1
      if minimum > 0 || graph.nodes[id].maxContains != nil {
        node.containments.append(
          .init(
            literals: [Self.literal(contains)], minimum: minimum,
            maximum: graph.nodes[id].maxContains, from: 0))
      }
    }
    if !node.sources.contains(id), graph.nodes[id].contains != nil { node.sources.append(id) }
  }

  private mutating func fail(
    _ assertion: Assertion, of id: SchemaNode.ID, _ node: inout ArrayNode
  ) {
    let schema = graph.nodes[id]
    switch assertion {
    case .prefixItem(let index):
      node.atIndex.append((index, Self.literal(schema.prefixItems[index], negated: true)))
      node.minimum = max(node.minimum, index + 1)
    case .items:
      guard let items = schema.items else { return }
      node.containments.append(
        .init(
          literals: [Self.literal(items, negated: true)], minimum: 1, maximum: nil,
          from: schema.prefixItems.count))
    case .minItems:
      let bound = (schema.minItems ?? 0) - 1
      node.maximum = min(node.maximum ?? bound, bound)
    case .maxItems: node.minimum = max(node.minimum, (schema.maxItems ?? 0) + 1)
    case .tooFewContained:
      guard let contains = schema.contains else { return }
      node.containments.append(
        .init(
          literals: [Self.literal(contains)], minimum: 0, maximum: (schema.minContains ?? 1) - 1,
          from: 0))
    case .tooManyContained:
      guard let contains = schema.contains else { return }
      node.containments.append(
        .init(
          literals: [Self.literal(contains)], minimum: (schema.maxContains ?? 0) + 1, maximum: nil,
          from: 0))
    case .uniqueItems:
      node.needsDuplicate = true
      node.minimum = max(node.minimum, 2)
    default: break
    }
  }

  private mutating func finish(
    _ node: inout ArrayNode, _ facts: Alternatives.Facts
  ) throws(ObligationFailure) -> Int? {
    if node.isUnique, node.needsDuplicate { return nil }
    var uniform = 0
    for id in node.sources { uniform = max(uniform, graph.nodes[id].prefixItems.count) }
    for rule in node.unevaluated {
      for id in rule.evaluated { uniform = max(uniform, graph.nodes[id].prefixItems.count) }
    }
    for entry in node.atIndex { uniform = max(uniform, entry.index + 1) }
    for containment in node.containments { uniform = max(uniform, containment.from) }
    node.uniformFrom = uniform
    for index in 0...uniform {
      node.goals.append(itemGoal(node, index, isRest: index == uniform))
    }
    // Items from the first impossible one on cannot be there.
    for index in 0...uniform where !isSatisfiable(node.goals[index]) {
      node.maximum = min(node.maximum ?? index, index)
      break
    }
    if let maximum = node.maximum, maximum < node.minimum { return nil }
    if node.isUnique, let distinct = countedValues(node.goals[uniform]) {
      // A finite item language bounds how many items there can be.
      let bound = uniform + distinct
      node.maximum = min(node.maximum ?? bound, bound)
      if bound < node.minimum { return nil }
    }
    for containment in node.containments {
      node.minimum = max(node.minimum, containment.minimum > 0 ? containment.from : 0)
      node.minimum = max(node.minimum, containment.minimum)
    }
    if let maximum = node.maximum, maximum < node.minimum { return nil }
    node.saturation = max(uniform, node.minimum, node.maximum ?? 0)
    for goal in node.goals.prefix(max(0, node.minimum)) {
      guard isSatisfiable(goal) else { return nil }
    }
    node.isPlain = node.containments.isEmpty && !node.isUnique && !node.needsDuplicate
    arrays.append(node)
    let index = arrays.count - 1
    if node.isPlain { return index }
    let none = [UInt32](repeating: 0, count: node.containments.count)
    guard canComplete(array: index, count: 0, found: none) else { return nil }
    // One item differs from all others.
    if node.isUnique, node.minimum > 1 || !node.containments.isEmpty,
      filling(array: index, count: 0, found: none, without: []) == nil
    {
      return nil
    }
    if node.needsDuplicate, node.isBounded {
      guard laterItems(array: index, count: 0, found: none).hasPair else { return nil }
    }
    if node.isUnique || node.needsDuplicate { comparesItems = true }
    if node.containments.contains(where: { $0.maximum == nil }) { countsItems = true }
    return index
  }

  /// The ways to take one more item: what it must satisfy, and how many items then have satisfied
  /// each containment. A containment either counts the item or not; one with an upper bound must
  /// know which.
  mutating func ways(
    array index: Int, count: Int, found: [UInt32]
  ) -> [(goal: Goal, found: [UInt32])] {
    guard let goal = nextGoal(array: index, count: count) else { return [] }
    if arrays[index].containments.isEmpty { return [(goal, found)] }
    let node = arrays[index]
    let listed = listedWays(goal, count, found, node)
    var ways = listed ?? [(goal, found)]
    var isMany = missingCount(found, node) > Self.mostUnordered
    var isAnyBehind = false
    for (place, containment) in node.containments.enumerated() where count >= containment.from {
      if listed != nil, isListing(containment) { continue }
      // Those that do not depend on each other are not asked about over and over.
      if ways.count > Self.mostUnrelated, !isAnyBehind { isMany = false }
      var next: [(goal: Goal, found: [UInt32])] = []
      for way in ways {
        let before = Int(way.found[place])
        if containment.maximum == nil, before >= containment.minimum {
          next.append(way)
          continue
        }
        if containment.maximum.map({ before < $0 }) ?? true {
          var counted = way
          counted.goal = self.goal(way.goal, and: containment.literals)
          counted.found[place] += 1
          let counts = isSatisfiable(counted.goal)
          let isBehind =
            counts && isMany
            && node.containments.indices.prefix(place).contains {
              way.found[$0] == found[$0] && count >= node.containments[$0].from
                && Int(found[$0]) < node.containments[$0].minimum
                && mustCount(counted.goal, node.containments[$0])
            }
          if counts, !isBehind { next.append(counted) }
          isAnyBehind = isAnyBehind || isBehind
          if counts, isMany, mustCount(way.goal, containment) { continue }
        }
        var passed = way
        if containment.maximum != nil {
          passed.goal = self.goal(way.goal, and: containment.literals.map { Self.negation(of: $0) })
        }
        if isSatisfiable(passed.goal) { next.append(passed) }
      }
      ways = next
    }
    return ways
  }

  /// With more containments than this that have no upper bound and still miss items, a way that counts an
  /// item less often than all its values allow is left out: another one counts it everywhere. Otherwise
  /// containments that some type of values satisfies at once, as numbers do `required`, would make a way for
  /// each set of them.
  private static let mostUnordered = 6
  private static let mostUnrelated = 64

  private func missingCount(_ found: [UInt32], _ node: ArrayNode) -> Int {
    node.containments.indices.count {
      node.containments[$0].maximum == nil && Int(found[$0]) < node.containments[$0].minimum
    }
  }

  /// Whether every value of a goal counts for a containment without an upper bound.
  private mutating func mustCount(_ goal: Goal, _ containment: ArrayNode.Containment) -> Bool {
    guard containment.maximum == nil, containment.literals.count == 1 else { return false }
    return !isSatisfiable(
      self.goal(goal, and: containment.literals.map { Self.negation(of: $0) }))
  }

  /// Whether a containment counts the items that a list of scalars has, and has no upper bound.
  private mutating func isListing(_ containment: ArrayNode.Containment) -> Bool {
    containment.maximum == nil && containment.literals.count == 1
      && containment.literals.allSatisfy {
        !Self.isNegated($0) && graph.listsScalars(Self.schema(of: $0))
      }
  }

  /// The ways to take one more item as far as lists of scalars count it: one for each group of values
  /// that the same lists have, and one for all others. Two hundred `contains` of a constant each are
  /// two hundred and one ways, and never a set of the constants so far for each set of those counted.
  /// `nil` where fewer than two lists still count.
  private mutating func listedWays(
    _ goal: Goal, _ count: Int, _ found: [UInt32], _ node: ArrayNode
  ) -> [(goal: Goal, found: [UInt32])]? {
    let missing = node.containments.indices.filter { place in
      let containment = node.containments[place]
      return isListing(containment) && count >= containment.from
        && Int(found[place]) < containment.minimum
    }
    if missing.count < 2 { return nil }
    let literals = missing.map { node.containments[$0].literals[0] }
    var ways: [(goal: Goal, found: [UInt32])] = []
    for group in ValueGroups(literals.map { Self.schema(of: $0) }, graph).groups {
      let kind = self.goal(
        goal,
        and: group.listing.map { literals[$0] }
          + group.excluded.map { Self.negation(of: literals[$0]) })
      guard isSatisfiable(kind) else { continue }
      var counted = found
      for place in group.listing { counted[missing[place]] += 1 }
      ways.append((kind, counted))
    }
    let rest = self.goal(goal, and: literals.map { Self.negation(of: $0) })
    if isSatisfiable(rest) { ways.append((rest, found)) }
    return ways
  }

  /// Whether containments do not depend on each other: items can be added one by one until each has
  /// enough.
  private mutating func areIndependent(_ node: ArrayNode, from count: Int) -> Bool {
    node.maximum == nil && count >= node.uniformFrom
      && node.containments.allSatisfy { $0.maximum == nil }
  }

  /// Whether an item that counts for a containment can come among those that are alike. What is found to
  /// be so stays so.
  private mutating func canContain(_ node: ArrayNode, _ index: Int, _ place: Int) -> Bool {
    let key = UInt64(index) << 32 | UInt64(place)
    if containables[key] != nil { return true }
    let result = isSatisfiable(
      goal(node.goals[node.uniformFrom], and: node.containments[place].literals))
    if result { containables.set(key, 1) }
    return result
  }

  /// What one more item must satisfy by its place, or `nil` where none may come.
  mutating func nextGoal(array index: Int, count: Int) -> Goal? {
    if let maximum = arrays[index].maximum, count >= maximum { return nil }
    let goal = arrays[index].goals[min(count, arrays[index].uniformFrom)]
    return isSatisfiable(goal) ? goal : nil
  }

  /// What items can still come, where two of them must be equal: a search through the counts that
  /// can be reached.
  mutating func laterItems(array index: Int, count: Int, found: [UInt32]) -> LaterItems {
    let node = arrays[index]
    let start = arrayProgress.intern([UInt32(index), UInt32(count)] + found)
    if let known = laterItems[start] { return known }
    var result = LaterItems()
    let after = min(count + 1, node.saturation)
    // Items beyond those that differ by their place are alike.
    let isAlike = node.containments.isEmpty && count > node.uniformFrom + 1
    let next = isAlike ? [] : ways(array: index, count: count, found: found)
    if isAlike, node.maximum.map({ count < $0 }) ?? true {
      result.goals = [node.goals[node.uniformFrom]]
      result.hasPair = node.maximum.map { count + 1 < $0 } ?? true
    }
    // Noted before what comes later is looked at, so that it counts: the limit is one of depth too.
    laterItems[start] = result
    for way in next where canComplete(array: index, count: after, found: way.found) {
      if after == count, way.found == found {
        // Nothing has changed: the same item can come again and again.
        result.hasPair = true
        if !result.goals.contains(way.goal) { result.goals.append(way.goal) }
        continue
      }
      guard laterItems.count < 1000 else {
        noteFailure(
          "uniqueItems", at: node.sources.first,
          "whether two items can be equal takes more than 1,000 steps to find out; "
            + "lower `minContains`, `maxContains` or the bounds of the array")
        return result
      }
      let later = laterItems(array: index, count: after, found: way.found)
      result.hasPair =
        result.hasPair || later.hasPair
        || later.goals.contains { isSatisfiable(goal(both: way.goal, $0)) }
      for goal in [way.goal] + later.goals where !result.goals.contains(goal) {
        result.goals.append(goal)
      }
    }
    laterItems[start] = result
    return result
  }

  /// Whether items can follow such that every containment is met within the bounds: a search through
  /// the counts that can be reached.
  mutating func canComplete(array index: Int, count: Int, found: [UInt32]) -> Bool {
    if arrays[index].containments.isEmpty { return true }
    let node = arrays[index]
    if areIndependent(node, from: count) {
      return node.containments.indices.allSatisfy { place in
        Int(found[place]) >= node.containments[place].minimum || canContain(node, index, place)
      }
    }
    let start = arrayProgress.intern([UInt32(index), UInt32(count)] + found)
    if let known = completableArrays[start] { return known }
    var pending: [(count: Int, found: [UInt32], state: UInt32)] = [(count, found, start)]
    /// By state that was reached, the one before it.
    var seen: [UInt32: UInt32] = [start: start]
    while let (count, found, state) = pending.popLast() {
      let isComplete =
        count >= node.minimum
        && node.containments.indices.allSatisfy { Int(found[$0]) >= node.containments[$0].minimum }
      if isComplete || completableArrays[state] == true {
        // So can all on the way to it, which reading comes to next.
        var at = state
        while at != start {
          completableArrays[at] = true
          at = seen[at] ?? start
        }
        completableArrays[start] = true
        return true
      }
      guard seen.count < 50_000 else {
        noteFailure(
          "contains", at: node.sources.first,
          "whether an array can be completed takes more than 50,000 steps to find out; "
            + "lower `minContains`, `maxContains` or the bounds of the array")
        return false
      }
      // Items that count are tried first: they lie last.
      for way in ways(array: index, count: count, found: found).reversed() {
        let after = min(count + 1, node.saturation)
        let next = arrayProgress.intern([UInt32(index), UInt32(after)] + way.found)
        if completableArrays[next] == false || seen[next] != nil { continue }
        seen[next] = state
        pending.append((after, way.found, next))
      }
    }
    for state in seen.keys { completableArrays[state] = false }
    return false
  }

  private mutating func itemGoal(_ node: ArrayNode, _ index: Int, isRest: Bool) -> Goal {
    var literals: [Literal] = []
    for id in node.sources {
      if index < graph.nodes[id].prefixItems.count {
        literals.append(Self.literal(graph.nodes[id].prefixItems[index]))
      } else if let items = graph.nodes[id].items {
        literals.append(Self.literal(items))
      }
    }
    for entry in node.atIndex where entry.index == index && !isRest {
      literals.append(entry.literal)
    }
    if node.unevaluated.isEmpty { return goal(literals) }
    var sets = [literals]
    for rule in node.unevaluated {
      var isEvaluated = false
      var contained: [SchemaNode.ID] = []
      for id in rule.evaluated {
        let schema = graph.nodes[id]
        if index < schema.prefixItems.count || schema.items != nil { isEvaluated = true }
        if let contains = schema.contains { contained.append(contains) }
      }
      if isEvaluated { continue }
      let ways = [rule.schema] + contained
      sets = sets.flatMap { set in ways.map { set + [Self.literal($0)] } }
    }
    return goal(anyOf: sets)
  }
}
