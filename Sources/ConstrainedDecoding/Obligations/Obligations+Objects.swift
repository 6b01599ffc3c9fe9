/// Merging facts about objects.
extension Obligations {
  /// The index of a merged object node, or `nil` where no object satisfies the facts.
  mutating func object(_ facts: Alternatives.Facts) throws(ObligationFailure) -> Int? {
    var node = ObjectNode()
    var required = Set<SchemaNode.Name>()
    var absent = Set<SchemaNode.Name>()
    for case .holds(let id) in facts {
      for property in graph.nodes[id].properties { node.places.add(property.name) }
    }
    for fact in facts {
      switch fact {
      case .holds(let id):
        node.sources.append(id)
        for name in graph.nodes[id].required {
          node.places.add(name)
          required.insert(name)
        }
        node.minimum = max(node.minimum, graph.nodes[id].minProperties ?? 0)
        if let bound = graph.nodes[id].maxProperties {
          node.maximum = min(node.maximum ?? bound, bound)
        }
        if let names = graph.nodes[id].propertyNames {
          guard let group = keyGroup(Self.literal(names), &node) else { continue }
          node.keyGroups.append(group)
        }
      case .present(let name):
        node.places.add(name)
        required.insert(name)
      case .absent(let name):
        node.places.add(name)
        absent.insert(name)
      case .fails(let id, .minProperties):
        let bound = (graph.nodes[id].minProperties ?? 0) - 1
        node.maximum = min(node.maximum ?? bound, bound)
      case .fails(let id, .maxProperties):
        node.minimum = max(node.minimum, (graph.nodes[id].maxProperties ?? 0) + 1)
      case .fails:
        node.clauses.append(.init(ways: way(for: fact, &node).map { [$0] } ?? []))
      case .clause(let index):
        node.clauses.append(
          .init(ways: alternatives.clauses[index].compactMap { way(for: $0, &node) }))
      case .unevaluatedProperties(let id, let evaluated, let holds):
        let schema = graph.nodes[id].unevaluatedProperties ?? graph.anything
        if holds {
          node.unevaluated.append((schema, evaluated))
        } else if let way = way(for: fact, &node) {
          node.clauses.append(.init(ways: [way]))
        }
      default: break
      }
    }
    for id in node.subschemas {
      for pattern in graph.nodes[id].patternProperties {
        _ = component(of: pattern.language, &node)
      }
    }
    guard settle(&node.clauses, &required, &absent) else { return nil }
    for name in required.sorted() + absent.sorted() { node.places.add(name) }
    guard node.clauses.count <= 64, node.components.count <= 30 else {
      throw ObligationFailure(
        keyword: node.components.count > 30 ? "patternProperties" : "not",
        pointer: facts.isEmpty ? "#" : pointer(of: node),
        message: "more than 30 patterns or 64 negations meet in one object; split the schema")
    }
    for way in node.clauses.flatMap(\.ways) {
      switch way {
      case .absent(let name), .member(let name, _): node.places.add(name)
      case .keys: break
      }
    }
    dropImplied(&node, required)
    indexProperties(of: node.subschemas)
    node.orderedCount = node.places.names.count
    for name in finiteKeys(&node) { node.places.add(name) }
    for name in toldApart(in: node.clauses) { node.places.add(name) }
    node.members.reserveCapacity(node.places.names.count)
    for name in node.places.names {
      let member = member(
        name, &node, isRequired: required.contains(name), isAbsent: absent.contains(name))
      node.members.append(member)
    }
    return finish(&node)
  }

  /// Draws the conclusions of clauses about names that are there or are not; `false` where the
  /// clauses contradict each other.
  private func settle(
    _ clauses: inout [ObjectNode.Clause], _ required: inout Set<SchemaNode.Name>,
    _ absent: inout Set<SchemaNode.Name>
  ) -> Bool {
    let anything = Self.literal(graph.anything)
    var changed = true
    while changed {
      changed = false
      var kept: [ObjectNode.Clause] = []
      for var clause in clauses {
        var isTrue = false
        clause.ways.removeAll { way in
          switch way {
          case .absent(let name):
            if absent.contains(name) { isTrue = true }
            return required.contains(name)
          case .member(let name, let literal):
            if literal == anything, required.contains(name) { isTrue = true }
            return absent.contains(name)
          case .keys: return false
          }
        }
        if isTrue { continue }
        guard let only = clause.ways.first else { return false }
        if clause.ways.count == 1 {
          switch only {
          case .absent(let name):
            absent.insert(name)
            changed = true
            continue
          case .member(let name, let literal):
            if required.insert(name).inserted { changed = true }
            if literal == anything { continue }
          case .keys: break
          }
        }
        if !kept.contains(clause) { kept.append(clause) }
      }
      clauses = kept
    }
    clauses.sort { $0.ways.count < $1.ways.count }
    return required.isDisjoint(with: absent)
  }

  /// Drops the clauses that the values of required members make true whatever they are: branches that
  /// a discriminator tells apart.
  private mutating func dropImplied(_ node: inout ObjectNode, _ required: Set<SchemaNode.Name>) {
    guard !node.clauses.isEmpty else { return }
    var known: [SchemaNode.Name: [Literal]] = [:]
    swap(&alternatives.languages, &languages)
    defer { swap(&alternatives.languages, &languages) }
    var kept: [ObjectNode.Clause] = []
    for clause in node.clauses {
      let isImplied = clause.ways.contains { way in
        guard case .member(let name, let literal) = way, literal & 1 == 1, required.contains(name)
        else { return false }
        let literals = known[name] ?? declaredLiterals(name, node)
        known[name] = literals
        return literals.contains {
          alternatives.areDisjoint(SchemaNode.ID($0 >> 1), SchemaNode.ID(literal >> 1))
        }
      }
      if !isImplied { kept.append(clause) }
    }
    node.clauses = kept
  }

  /// What the `properties` of the subschemas ask of a name.
  private func declaredLiterals(_ name: SchemaNode.Name, _ node: ObjectNode) -> [Literal] {
    node.sources.compactMap { id in
      graph.nodes[id].properties.first { $0.name == name }.map { Self.literal($0.schema) }
    }
  }

  /// The names among the undeclared keys of the patterns that match a few keys only: each can come
  /// once, so that they are counted like declared ones.
  private mutating func finiteKeys(_ node: inout ObjectNode) -> [SchemaNode.Name] {
    var result: [SchemaNode.Name] = []
    for (index, component) in node.components.enumerated() {
      guard let keys = languages.strings(of: component) else {
        continue
      }
      node.finiteComponents |= 1 << UInt32(index)
      for key in keys { result.append(graph.name(key)) }
    }
    return result
  }

  /// The names that a subschema declares of which a clause asks for other keys: these are not such.
  private func toldApart(in clauses: [ObjectNode.Clause]) -> [SchemaNode.Name] {
    var result: [SchemaNode.Name] = []
    for case .keys(let keys, _) in clauses.flatMap(\.ways) {
      let declaring =
        switch keys {
        case .additional(let id): [id]
        case .unevaluated(let ids): ids
        case .component, .refused: [SchemaNode.ID]()
        }
      for id in declaring { result += graph.nodes[id].properties.map(\.name) }
    }
    return result
  }

  private func pointer(of node: ObjectNode) -> String {
    node.sources.first.map { graph.nodes[$0].pointer } ?? "#"
  }

  /// How a negated assertion about an object comes true; `nil` where it cannot.
  private mutating func way(for fact: Fact, _ node: inout ObjectNode) -> ObjectNode.Way? {
    switch fact {
    case .absent(let name): return .absent(name)
    case .present(let name): return .member(name, literal: Self.literal(graph.anything))
    case .unevaluatedProperties(let id, let evaluated, _):
      let schema = graph.nodes[id].unevaluatedProperties ?? graph.anything
      return .keys(.unevaluated(evaluated), literal: Self.literal(schema, negated: true))
    case .fails(let id, .property(let index)):
      let property = graph.nodes[id].properties[index]
      return .member(property.name, literal: Self.literal(property.schema, negated: true))
    case .fails(let id, .patternProperty(let index)):
      let pattern = graph.nodes[id].patternProperties[index]
      let component = component(of: pattern.language, &node)
      return .keys(.component(component), literal: Self.literal(pattern.schema, negated: true))
    case .fails(let id, .additionalProperties):
      guard let additional = graph.nodes[id].additionalProperties else { return nil }
      for pattern in graph.nodes[id].patternProperties {
        _ = component(of: pattern.language, &node)
      }
      return .keys(.additional(id), literal: Self.literal(additional, negated: true))
    case .fails(let id, .propertyNames):
      guard let names = graph.nodes[id].propertyNames,
        let group = keyGroup(Self.literal(names), &node)
      else { return nil }
      return .keys(.refused(group), literal: Self.literal(graph.anything))
    default: return nil
    }
  }

  private mutating func component(
    of language: RegularLanguages.State, _ node: inout ObjectNode
  ) -> Int {
    if let known = node.patterns.first(where: { $0.language == language }) {
      return known.component
    }
    node.components.append(language)
    node.patterns.append((language, node.components.count - 1))
    return node.components.count - 1
  }

  /// The components of which one accepts the keys that satisfy a literal; `nil`: all keys do.
  private mutating func keyGroup(_ literal: Literal, _ node: inout ObjectNode) -> [Int]? {
    var group: [Int] = []
    for case .string(let string) in nodes(goal([literal]), .string) {
      if string.language == RegularLanguages.free, string.minimum == 0, string.maximum == nil {
        return nil
      }
      var language = string.language
      if string.minimum > 0 || string.maximum != nil {
        let counted = RegularExpression.repetition(
          .scalar(.all), minimum: string.minimum, maximum: string.maximum)
        switch languages.language(of: counted) {
        case .success(let state): language = languages.intersection(of: [language, state])
        case .failure(let error):
          noteFailure("propertyNames", at: Int(literal >> 1), error.message)
        }
      }
      group.append(component(of: language, &node))
    }
    return group
  }

  private mutating func finish(_ node: inout ObjectNode) -> Int? {
    let required = node.members.count { $0.isRequired }
    if let maximum = node.maximum, maximum < max(required, node.minimum) { return nil }
    for member in node.members where member.isRequired {
      guard isSatisfiable(member.goal) else { return nil }
    }
    node.trie = languages.trie.add(node.members.map { graph.names[$0.name] })
    node.minimum = max(node.minimum, 0)
    if node.minimum <= required { node.minimum = 0 }
    node.isPlain = node.clauses.isEmpty && !node.counts
    objects.append(node)
    let index = objects.count - 1
    guard !node.isPlain else { return index }
    let progress = ObjectProgress(
      isOpen: [Bool](repeating: true, count: node.members.count),
      isTaken: [Bool](repeating: false, count: node.members.count),
      pending: node.clauses.isEmpty ? 0 : UInt64.max >> UInt64(64 - node.clauses.count))
    return canComplete(object: index, progress) ? index : nil
  }
}
