/// Merging facts about arrays.
extension Obligations {
  /// The index of a merged array node, or `nil` where no array satisfies the facts.
  mutating func array(_ facts: Alternatives.Facts) throws(ObligationFailure) -> Int? {
    var node = ArrayNode()
    for fact in facts {
      switch fact {
      case .holds(let id): add(items: id, to: &node)
      case .fails(let id, let assertion):
        try fail(assertion, of: id, &node)
      case .unevaluatedItems(let id, let evaluated, let holds):
        let schema = graph.nodes[id].unevaluatedItems ?? graph.anything
        if holds {
          node.unevaluated.append((schema, evaluated))
        } else {
          throw ObligationFailure(
            keyword: "unevaluatedItems", pointer: graph.nodes[id].pointer,
            message: "cannot be negated here; write the negation out")
        }
      default: break
      }
    }
    return finish(&node)
  }

  private mutating func add(items id: SchemaNode.ID, to node: inout ArrayNode) {
    let schema = graph.nodes[id]
    if !schema.prefixItems.isEmpty || schema.items != nil { node.sources.append(id) }
    node.minimum = max(node.minimum, schema.minItems ?? 0)
    if let bound = schema.maxItems { node.maximum = min(node.maximum ?? bound, bound) }
    if schema.uniqueItems { node.isUnique = true }
    if let contains = schema.contains {
      let minimum = schema.minContains ?? 1
      if minimum > 0 || schema.maxContains != nil {
        node.containments.append(
          .init(
            literal: Self.literal(contains), minimum: minimum, maximum: schema.maxContains, from: 0
          ))
      }
    }
    if !node.sources.contains(id), schema.contains != nil { node.sources.append(id) }
  }

  private mutating func fail(
    _ assertion: Assertion, of id: SchemaNode.ID, _ node: inout ArrayNode
  ) throws(ObligationFailure) {
    let schema = graph.nodes[id]
    switch assertion {
    case .prefixItem(let index):
      node.atIndex.append((index, Self.literal(schema.prefixItems[index], negated: true)))
      node.minimum = max(node.minimum, index + 1)
    case .items:
      guard let items = schema.items else { return }
      node.containments.append(
        .init(
          literal: Self.literal(items, negated: true), minimum: 1, maximum: nil,
          from: schema.prefixItems.count))
    case .minItems:
      let bound = (schema.minItems ?? 0) - 1
      node.maximum = min(node.maximum ?? bound, bound)
    case .maxItems: node.minimum = max(node.minimum, (schema.maxItems ?? 0) + 1)
    case .tooFewContained:
      guard let contains = schema.contains else { return }
      node.containments.append(
        .init(
          literal: Self.literal(contains), minimum: 0, maximum: (schema.minContains ?? 1) - 1,
          from: 0))
    case .tooManyContained:
      guard let contains = schema.contains else { return }
      node.containments.append(
        .init(
          literal: Self.literal(contains), minimum: (schema.maxContains ?? 0) + 1, maximum: nil,
          from: 0))
    default:
      throw ObligationFailure(
        keyword: "uniqueItems", pointer: schema.pointer,
        message: "cannot be negated: no bound on what must be remembered; write it out")
    }
  }

  private mutating func finish(_ node: inout ArrayNode) -> Int? {
    var uniform = 0
    for id in node.sources + node.unevaluated.flatMap(\.evaluated) {
      uniform = max(uniform, graph.nodes[id].prefixItems.count)
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
    if node.isUnique, let distinct = distinctValues(node.goals[uniform]) {
      // A finite item language bounds how many items there can be.
      let bound = uniform + distinct
      node.maximum = min(node.maximum ?? bound, bound)
      if bound < node.minimum { return nil }
    }
    node.saturation = max(
      uniform, node.minimum, node.maximum ?? 0)
    for containment in node.containments where containment.minimum > 0 {
      let possible = (0...uniform).contains { index in
        index >= containment.from && (node.maximum.map { index < $0 } ?? true)
          && isSatisfiable(goal(node.goals[index], and: containment.literal))
      }
      guard possible else { return nil }
      if let maximum = node.maximum, maximum - containment.from < containment.minimum {
        return nil
      }
      node.minimum = max(node.minimum, containment.from + containment.minimum)
    }
    node.saturation = max(node.saturation, node.minimum)
    for index in 0..<node.minimum where index <= uniform {
      guard isSatisfiable(node.goals[min(index, uniform)]) else { return nil }
    }
    arrays.append(node)
    return arrays.count - 1
  }

  private mutating func itemGoal(_ node: ArrayNode, _ index: Int, isRest: Bool) -> Goal {
    var literals: [Literal] = []
    for id in node.sources {
      let schema = graph.nodes[id]
      if index < schema.prefixItems.count {
        literals.append(Self.literal(schema.prefixItems[index]))
      } else if let items = schema.items {
        literals.append(Self.literal(items))
      }
    }
    for entry in node.atIndex where entry.index == index && !isRest {
      literals.append(entry.literal)
    }
    var sets = [literals]
    for rule in node.unevaluated {
      var isEvaluated = false
      var contained: [SchemaNode.ID] = []
      for id in rule.evaluated {
        let schema = graph.nodes[id]
        if index < schema.prefixItems.count || schema.items != nil
          || schema.unevaluatedItems != nil
        {
          isEvaluated = true
        }
        if let contains = schema.contains { contained.append(contains) }
      }
      if isEvaluated { continue }
      let ways = [rule.schema] + contained
      sets = sets.flatMap { set in ways.map { set + [Self.literal($0)] } }
    }
    return goal(anyOf: sets)
  }

  /// How many values meet a goal, where that is known to be a small number.
  private mutating func distinctValues(_ goal: Goal) -> Int? {
    var count = 0
    for type in JSONTypes.each {
      var strings = Set<RegularLanguages.State>()
      var values = Set<ExactDecimal>()
      var booleans = Set<Bool>()
      for node in nodes(goal, type) {
        switch node {
        case .null: count += 1
        case .boolean(let allowsTrue, let allowsFalse):
          if allowsTrue { booleans.insert(true) }
          if allowsFalse { booleans.insert(false) }
        case .number(let index):
          guard let list = numberConstraints[index].values else { return nil }
          values.formUnion(list)
        case .string(let string):
          guard case .trie = languages.definitions[Int(string.language)],
            strings.isEmpty || strings.contains(string.language)
          else { return nil }
          strings.insert(string.language)
        default: return nil
        }
      }
      for language in strings { count += languages.countStrings(language) }
      count += values.count + booleans.count
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
