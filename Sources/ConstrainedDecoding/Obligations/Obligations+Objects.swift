/// Merging facts about objects.
extension Obligations {
  /// The index of a merged object node, or `nil` where no object satisfies the facts.
  mutating func object(_ facts: Alternatives.Facts) throws(ObligationFailure) -> Int? {
    var node = ObjectNode()
    var order: [SchemaNode.Name] = []
    var seen = Set<SchemaNode.Name>()
    var required = Set<SchemaNode.Name>()
    var absent = Set<SchemaNode.Name>()
    var forced: [SchemaNode.Name: [Literal]] = [:]
    func declare(_ name: SchemaNode.Name) {
      if seen.insert(name).inserted { order.append(name) }
    }
    for case .holds(let id) in facts {
      for property in graph.nodes[id].properties { declare(property.name) }
    }
    for fact in facts {
      switch fact {
      case .holds(let id):
        let schema = graph.nodes[id]
        node.sources.append(id)
        for name in schema.required {
          declare(name)
          required.insert(name)
        }
        node.minimum = max(node.minimum, schema.minProperties ?? 0)
        if let bound = schema.maxProperties { node.maximum = min(node.maximum ?? bound, bound) }
        if let names = schema.propertyNames {
          guard let group = keyGroup(Self.literal(names), &node) else { continue }
          node.keyGroups.append(group)
        }
      case .present(let name):
        declare(name)
        required.insert(name)
      case .absent(let name):
        declare(name)
        absent.insert(name)
      case .fails(let id, .property(let index)):
        let property = graph.nodes[id].properties[index]
        declare(property.name)
        required.insert(property.name)
        forced[property.name, default: []].append(Self.literal(property.schema, negated: true))
      case .fails(let id, let assertion): try fail(assertion, of: id, &node)
      case .unevaluatedProperties(let id, let evaluated, let holds):
        let schema = graph.nodes[id].unevaluatedProperties ?? graph.anything
        if holds {
          node.unevaluated.append((schema, evaluated))
        } else {
          node.existences.append(
            .init(keys: .unevaluated(evaluated), literal: Self.literal(schema, negated: true)))
        }
      default: break
      }
    }
    if !required.isDisjoint(with: absent) { return nil }
    for id in Set(node.sources + node.unevaluated.flatMap(\.evaluated)) {
      for pattern in graph.nodes[id].patternProperties {
        _ = component(of: pattern.language, &node)
      }
    }
    guard node.existences.count <= 30, node.components.count <= 30 else {
      throw ObligationFailure(
        keyword: "patternProperties", pointer: facts.isEmpty ? "#" : pointer(of: node),
        message: "more than 30 patterns and negations meet in one object; split the schema")
    }
    for name in order {
      node.memberIndices[name] = node.members.count
      node.members.append(
        member(
          name, node, isRequired: required.contains(name),
          isAbsent: absent.contains(name), forced: forced[name] ?? []))
    }
    return finish(&node)
  }

  private func pointer(of node: ObjectNode) -> String {
    node.sources.first.map { graph.nodes[$0].pointer } ?? "#"
  }

  private mutating func fail(
    _ assertion: Assertion, of id: SchemaNode.ID, _ node: inout ObjectNode
  ) throws(ObligationFailure) {
    let schema = graph.nodes[id]
    switch assertion {
    case .patternProperty(let index):
      let pattern = schema.patternProperties[index]
      let component = component(of: pattern.language, &node)
      node.existences.append(
        .init(keys: .component(component), literal: Self.literal(pattern.schema, negated: true)))
    case .additionalProperties:
      guard let additional = schema.additionalProperties else { return }
      for pattern in schema.patternProperties { _ = component(of: pattern.language, &node) }
      node.existences.append(
        .init(keys: .additional(id), literal: Self.literal(additional, negated: true)))
    case .propertyNames:
      guard let names = schema.propertyNames else { return }
      guard let group = keyGroup(Self.literal(names), &node) else {
        node.maximum = -1
        return
      }
      node.existences.append(
        .init(keys: .refused(group), literal: Self.literal(graph.anything)))
    case .minProperties:
      let bound = (schema.minProperties ?? 0) - 1
      node.maximum = min(node.maximum ?? bound, bound)
    case .maxProperties: node.minimum = max(node.minimum, (schema.maxProperties ?? 0) + 1)
    default: break
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
          if failure == nil {
            failure = ObligationFailure(
              keyword: "propertyNames", pointer: graph.nodes[Int(literal >> 1)].pointer,
              message: error.message)
          }
        }
      }
      group.append(component(of: language, &node))
    }
    return group
  }

  private mutating func member(
    _ name: SchemaNode.Name, _ node: ObjectNode, isRequired: Bool, isAbsent: Bool,
    forced: [Literal]
  ) -> ObjectNode.Member {
    let text = graph.names[name]
    var accepted: UInt32 = 0
    for (index, component) in node.components.enumerated()
    where languages.contains(component, text) {
      accepted |= 1 << UInt32(index)
    }
    var goal = nothing
    if !isAbsent, admits(key: accepted, node) {
      goal = self.goal(literals(name: name, accepted: accepted, node) + forced)
    }
    var fulfils: UInt32 = 0
    for (index, existence) in node.existences.enumerated()
    where covers(existence.keys, name: name, accepted: accepted, node) {
      fulfils |= 1 << UInt32(index)
    }
    return ObjectNode.Member(name: name, goal: goal, isRequired: isRequired, fulfils: fulfils)
  }

  /// Whether the key language takes a key that some components accept.
  func admits(key accepted: UInt32, _ node: ObjectNode) -> Bool {
    node.keyGroups.allSatisfy { group in group.contains { accepted >> UInt32($0) & 1 == 1 } }
  }

  /// What the value of a member must satisfy; a `nil` name is one that is declared nowhere.
  func literals(
    name: SchemaNode.Name?, accepted: UInt32, _ node: ObjectNode
  ) -> [Literal] {
    var result: [Literal] = []
    for id in node.sources {
      let schema = graph.nodes[id]
      var isMatched = false
      if let name, let property = schema.properties.first(where: { $0.name == name }) {
        result.append(Self.literal(property.schema))
        isMatched = true
      }
      for pattern in schema.patternProperties where accepts(pattern.language, accepted, node) {
        result.append(Self.literal(pattern.schema))
        isMatched = true
      }
      if !isMatched, let additional = schema.additionalProperties {
        result.append(Self.literal(additional))
      }
    }
    for rule in node.unevaluated
    where !rule.evaluated.contains(where: { evaluates($0, name, accepted, node) }) {
      result.append(Self.literal(rule.schema))
    }
    return result
  }

  private func accepts(
    _ language: RegularLanguages.State, _ accepted: UInt32, _ node: ObjectNode
  ) -> Bool {
    guard let known = node.patterns.first(where: { $0.language == language }) else { return false }
    return accepted >> UInt32(known.component) & 1 == 1
  }

  /// Whether a subschema's keywords speak of a member.
  private func evaluates(
    _ id: SchemaNode.ID, _ name: SchemaNode.Name?, _ accepted: UInt32, _ node: ObjectNode
  ) -> Bool {
    let schema = graph.nodes[id]
    if schema.additionalProperties != nil || schema.unevaluatedProperties != nil { return true }
    return isMatched(by: schema, name, accepted, node)
  }

  private func isMatched(
    by schema: SchemaNode, _ name: SchemaNode.Name?, _ accepted: UInt32, _ node: ObjectNode
  ) -> Bool {
    if let name, schema.properties.contains(where: { $0.name == name }) { return true }
    return schema.patternProperties.contains { accepts($0.language, accepted, node) }
  }

  func covers(
    _ keys: ObjectNode.Existence.Keys, name: SchemaNode.Name?, accepted: UInt32, _ node: ObjectNode
  ) -> Bool {
    switch keys {
    case .component(let index): accepted >> UInt32(index) & 1 == 1
    case .additional(let id): !isMatched(by: graph.nodes[id], name, accepted, node)
    case .unevaluated(let ids): !ids.contains { evaluates($0, name, accepted, node) }
    case .refused(let group): !group.contains { accepted >> UInt32($0) & 1 == 1 }
    }
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
    objects.append(node)
    let index = objects.count - 1
    guard node.minimum > 0 || !node.existences.isEmpty else { return index }
    // The start state decides whether what is asked for can be there at all.
    let extras = canHaveExtras(index, tuple: startTuple(index))
    if node.minimum > 0, !extras {
      var available = 0
      for member in node.members where isSatisfiable(member.goal) { available += 1 }
      if available < node.minimum { return nil }
    }
    for existence in node.existences.indices {
      guard canFulfil(existence, index) else { return nil }
    }
    return index
  }

  private mutating func canFulfil(_ existence: Int, _ index: Int) -> Bool {
    let node = objects[index]
    let literal = node.existences[existence].literal
    for member in node.members where member.fulfils >> UInt32(existence) & 1 == 1 {
      if isSatisfiable(goal(member.goal, and: literal)) { return true }
    }
    for accepted in keyClasses(index, tuple: startTuple(index)) {
      let extra = extraGoal(index, accepted)
      if extra.fulfils >> UInt32(existence) & 1 == 1,
        isSatisfiable(goal(extra.goal, and: literal))
      {
        return true
      }
    }
    return false
  }
}
