// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The values that meet a goal, where they are few: what it takes to know whether items can differ.
///
/// Scalars come from lists, from small ranges of integers and from finite languages; containers are
/// put together from the values of their parts, item by item and member by member.
///
/// Worked example: `{"type": "array", "items": {"type": "boolean"}, "maxItems": 1}` has the values
/// `[]`, `[false]` and `[true]`.
extension Obligations {
  /// More values than this are not listed.
  static let listLimit = 1024
  /// More parts than this are not put together.
  private static let assemblyLimit = 4096

  /// The values that meet a goal, in any order; `nil` where they are more than can be listed.
  mutating func listedValues(_ goal: Goal) -> [ListedValues.ID]? {
    if let known = goalLists[goal] { return known }
    guard isSatisfiable(goal) else { return [] }
    // What contains itself has no end of values.
    guard listing.insert(goal).inserted else { return nil }
    let outer = (reliesOn, listingReliesOnMerge)
    (reliesOn, listingReliesOnMerge) = (.max, false)
    let result = findListedValues(goal)
    listing.remove(goal)
    // What relied on something in progress may become another list later.
    if reliesOn == .max, !listingReliesOnMerge { goalLists[goal] = .some(result) }
    reliesOn = min(outer.0, reliesOn)
    listingReliesOnMerge = listingReliesOnMerge || outer.1
    return result
  }

  private mutating func findListedValues(_ goal: Goal) -> [ListedValues.ID]? {
    var result: Set<ListedValues.ID> = []
    for type in JSONTypes.each {
      if isMerging(goal, type) {
        listingReliesOnMerge = true
        return nil
      }
      for node in nodes(goal, type) {
        guard list(node, into: &result), result.count <= Self.listLimit else { return nil }
      }
    }
    return result.sorted()
  }

  /// Adds the values of a node, and says whether they are few.
  private mutating func list(_ node: TypedNode, into result: inout Set<ListedValues.ID>) -> Bool {
    switch node {
    case .null: result.insert(listed.id(of: .null))
    case .boolean(let allowsTrue, let allowsFalse):
      if allowsTrue { result.insert(listed.id(of: .boolean(true))) }
      if allowsFalse { result.insert(listed.id(of: .boolean(false))) }
    case .number(let index):
      let constraint = numberConstraints[index]
      guard let values = constraint.values(atMost: Self.listLimit) else { return false }
      for value in values { result.insert(listed.id(of: .number(value))) }
    case .string(let node):
      guard let strings = strings(of: node) else { return false }
      for bytes in strings { result.insert(listed.id(of: .string(bytes))) }
    case .array(let index) where arrays[index].listing != nil:
      guard let values = listing(arrays[index].listing)?.arrays else { return false }
      result.formUnion(values)
    case .object(let index) where objects[index].listing != nil:
      guard let values = listing(objects[index].listing)?.objects else { return false }
      result.formUnion(values)
    case .array(let index):
      var assembly = Assembly(found: result)
      let none = [UInt32](repeating: 0, count: arrays[index].containments.count)
      guard list(array: index, count: 0, found: none, [], &assembly) else { return false }
      result = assembly.found
    case .object(let index):
      var assembly = Assembly(found: result)
      // Of undeclared keys there is no end, or they are of a pattern that is not listed.
      guard !canHaveExtras(index, tuple: startTuple(index)),
        list(object: index, member: 0, [], objects[index].formula, &assembly)
      else { return false }
      result = assembly.found
    }
    return true
  }

  /// Puts the shape of a long list in the place of the fact that a value is among it.
  ///
  /// - Returns: The subschema with the list, and whether a shape is all that the facts say.
  mutating func takeShape(
    _ facts: inout Alternatives.Facts
  ) -> (listing: SchemaNode.ID?, isShape: Bool) {
    var listing: SchemaNode.ID?
    if case .isAmong(let id)? = facts.first, let shape = self.listing(id)?.shape {
      facts = [.holds(shape)]
      listing = id
      hasListings = true
    }
    guard facts.count == 1, case .holds(let id) = facts[0] else { return (listing, false) }
    return (listing, graph.nodes[id].isShape)
  }

  /// Whether a goal is the shape of listed values.
  mutating func isShape(_ goal: Goal) -> Bool {
    guard goals.length(of: goal) == 1 else { return false }
    let conjunction = goals.word(0, of: goal)
    guard conjunctions.length(of: conjunction) == 1 else { return false }
    let literal = conjunctions.word(0, of: conjunction)
    return !Self.isNegated(literal) && graph.nodes[Self.schema(of: literal)].isShape
  }

  /// The arrays and objects that a subschema lists, where they are many.
  package mutating func listing(_ id: SchemaNode.ID?) -> ContainerListing? {
    id.flatMap { graph.nodes[$0].values?.listing }
  }

  private mutating func strings(of node: StringNode) -> [[UInt8]]? {
    var strings: [[UInt8]]
    if case .trie(let place) = languages.definitions[Int(node.language)] {
      guard languages.countStrings(node.language) <= Self.listLimit else { return nil }
      strings = languages.trie.strings(from: place)
    } else {
      guard let listed = languages.strings(of: node.language) else { return nil }
      strings = listed
    }
    if node.minimum == 0, node.maximum == nil { return strings }
    strings.removeAll {
      let length = String(decoding: $0, as: UTF8.self).unicodeScalars.count
      return length < node.minimum || length > node.maximum ?? .max
    }
    return strings
  }

  // MARK: Containers

  /// Values put together so far, and how many parts that took.
  private struct Assembly {
    var found: Set<ListedValues.ID>
    var steps = 0

    /// Whether there is room for one part more.
    mutating func takesOneMore() -> Bool {
      steps += 1
      return steps <= Obligations.assemblyLimit && found.count <= Obligations.listLimit
    }
  }

  private mutating func list(
    array index: Int, count: Int, found: [UInt32], _ items: [ListedValues.ID],
    _ assembly: inout Assembly
  ) -> Bool {
    guard assembly.takesOneMore() else { return false }
    let node = arrays[index]
    if count >= node.minimum,
      node.containments.indices.allSatisfy({ Int(found[$0]) >= node.containments[$0].minimum }),
      !node.needsDuplicate || Set(items).count < items.count
    {
      assembly.found.insert(listed.id(of: .array(items)))
    }
    for way in ways(array: index, count: count, found: found) {
      let after = min(count + 1, node.saturation)
      guard canComplete(array: index, count: after, found: way.found) else { continue }
      guard let values = listedValues(way.goal) else { return false }
      for value in values where !node.isUnique || !items.contains(value) {
        guard list(array: index, count: after, found: way.found, items + [value], &assembly) else {
          return false
        }
      }
    }
    return true
  }

  /// - Parameter formula: What the members so far leave of the object's formula.
  private mutating func list(
    object index: Int, member place: Int, _ members: [ListedValues.Member],
    _ formula: ObjectFormulas.ID, _ assembly: inout Assembly
  ) -> Bool {
    guard assembly.takesOneMore() else { return false }
    let node = objects[index]
    guard place < node.members.count else {
      if members.count >= node.minimum, members.count <= node.maximum ?? .max,
        alternatives.formulas.isTrueAtEnd(formula)
      {
        assembly.found.insert(listed.id(ofObject: members))
      }
      return true
    }
    let member = node.members[place]
    if !member.isRequired {
      guard list(object: index, member: place + 1, members, formula, &assembly) else {
        return false
      }
    }
    if let maximum = node.maximum, members.count >= maximum { return true }
    let key = graph.names[member.name]
    for split in splits(of: formula, member.goal, member.atoms) {
      guard let values = listedValues(split.goal) else { return false }
      for value in values {
        let next = members + [.init(key: key, value: value)]
        guard list(object: index, member: place + 1, next, split.formula, &assembly) else {
          return false
        }
      }
    }
    return true
  }

  // MARK: Counting

  /// How many values meet a goal, where these are scalars that can be counted without a list.
  mutating func countedValues(_ goal: Goal) -> Int? {
    if let known = goalCounts[goal] { return known }
    let outer = reliesOn
    reliesOn = .max
    var isMerging = false
    let result = countValues(goal, &isMerging)
    if reliesOn == .max, !isMerging { goalCounts[goal] = .some(result) }
    reliesOn = min(outer, reliesOn)
    return result
  }

  private mutating func countValues(_ goal: Goal, _ isMerging: inout Bool) -> Int? {
    var count = 0
    for type in JSONTypes.each {
      if self.isMerging(goal, type) {
        isMerging = true
        return nil
      }
      var strings = Set<RegularLanguages.State>()
      var values = Set<ExactDecimal>()
      var booleans = Set<Bool>()
      var hasNull = false
      let nodes = nodes(goal, type)
      for node in nodes {
        switch node {
        case .null: hasNull = true
        case .boolean(let allowsTrue, let allowsFalse):
          if allowsTrue { booleans.insert(true) }
          if allowsFalse { booleans.insert(false) }
        case .number(let index):
          if let list = numberConstraints[index].values {
            values.formUnion(list.filter(numberConstraints[index].admitsBesideList))
          } else if nodes.count == 1, let range = numberConstraints[index].count {
            count += range
          } else {
            return nil
          }
        case .string(let string):
          guard case .trie = languages.definitions[Int(string.language)], string.minimum == 0,
            string.maximum == nil, strings.isEmpty || strings.contains(string.language)
          else { return nil }
          strings.insert(string.language)
        default: return nil
        }
      }
      for language in strings { count += languages.countStrings(language) }
      count += values.count + booleans.count + (hasNull ? 1 : 0)
    }
    return count
  }
}

extension RegularLanguages {
  /// The number of strings of a trie.
  mutating func countStrings(_ state: State) -> Int {
    guard case .trie(let node) = definitions[Int(state)] else { return 0 }
    var count = 0
    var pending = [node]
    while let node = pending.popLast() {
      if trie.isEnd(node) { count += 1 }
      pending += trie.children(of: node).map(\.1)
    }
    return count
  }
}
