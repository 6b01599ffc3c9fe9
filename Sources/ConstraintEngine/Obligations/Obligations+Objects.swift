// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Merging facts about objects.
extension Obligations {
  /// What is known of the names of an object: which are there, which are not, and what their values
  /// satisfy beside what the sources ask of them.
  private struct KnownNames {
    var required = Set<SchemaNode.Name>()
    var absent = Set<SchemaNode.Name>()
    var literals: [SchemaNode.Name: [Literal]] = [:]
  }

  /// The index of a merged object node, or `nil` where no object satisfies the facts.
  mutating func object(_ facts: Alternatives.Facts) throws(ObligationFailure) -> Int? {
    var (facts, node) = (facts, ObjectNode())
    var names = KnownNames()
    (node.listing, node.isShape) = takeShape(&facts)
    for case .holds(let id) in facts {
      for property in graph.nodes[id].properties { node.places.add(property.name) }
    }
    for fact in facts {
      switch fact {
      case .holds(let id):
        node.sources.append(id)
        for name in graph.nodes[id].required {
          node.places.add(name)
          names.required.insert(name)
        }
        node.minimum = max(node.minimum, graph.nodes[id].minProperties ?? 0)
        if let bound = graph.nodes[id].maxProperties {
          node.maximum = min(node.maximum ?? bound, bound)
        }
      case .present(let name):
        node.places.add(name)
        names.required.insert(name)
      case .absent(let name):
        node.places.add(name)
        names.absent.insert(name)
      case .fails(let id, .minProperties):
        let bound = (graph.nodes[id].minProperties ?? 0) - 1
        node.maximum = min(node.maximum ?? bound, bound)
      case .fails(let id, .maxProperties):
        node.minimum = max(node.minimum, (graph.nodes[id].maxProperties ?? 0) + 1)
      case .unevaluatedProperties(let id, let evaluated, true):
        let schema = graph.nodes[id].unevaluatedProperties ?? graph.anything
        node.unevaluated.append((schema, evaluated))
      default: break
      }
    }
    addComponents(&node)
    indexProperties(of: node.subschemas)
    guard addFormula(facts, &node, &names) else { return nil }
    guard names.required.isDisjoint(with: names.absent) else { return nil }
    for name in names.required.sorted() + names.absent.sorted() { node.places.add(name) }
    for signed in alternatives.formulas.support(of: node.formula) {
      if case .member(let name, _) = alternatives.formulas.atoms[Int(signed >> 1)] {
        node.places.add(name)
      }
    }
    node.orderedCount = node.places.names.count
    for name in finiteKeys(&node) { node.places.add(name) }
    for name in toldApart(in: node.formula) { node.places.add(name) }
    node.members.reserveCapacity(node.places.names.count)
    let atoms = AtomsByKey(node.formula, alternatives.formulas)
    for name in node.places.names {
      node.members.append(
        member(
          name, node, atoms, isRequired: names.required.contains(name),
          isAbsent: names.absent.contains(name), literals: names.literals[name] ?? []))
    }
    node.atoms = atoms
    return finish(&node)
  }

  // MARK: Keys

  /// Adds the languages that keys are held against.
  private mutating func addComponents(_ node: inout ObjectNode) {
    for (source, id) in node.sources.enumerated() {
      for pattern in graph.nodes[id].patternProperties {
        let place = component(of: pattern.language, &node)
        node.patternLiterals[place].append((source, Self.literal(pattern.schema)))
      }
      if let names = graph.nodes[id].propertyNames, let group = nameGroup(names, &node) {
        node.keyGroups.append(group)
      }
    }
    for id in node.unevaluated.flatMap(\.evaluated) { addPatterns(of: id, &node) }
  }

  private mutating func addPatterns(of id: SchemaNode.ID, _ node: inout ObjectNode) {
    for pattern in graph.nodes[id].patternProperties {
      _ = component(of: pattern.language, &node)
    }
  }

  private mutating func component(
    of language: RegularLanguages.State, _ node: inout ObjectNode
  ) -> Int {
    if let known = node.componentPlaces[language] { return known }
    node.components.append(language)
    node.patternLiterals.append([])
    node.componentPlaces[language] = node.components.count - 1
    return node.components.count - 1
  }

  /// The components of which one accepts the keys that satisfy a subschema; `nil`: all keys do.
  private mutating func nameGroup(_ names: SchemaNode.ID, _ node: inout ObjectNode) -> [Int]? {
    if let known = node.nameGroups[names] { return known }
    var group: [Int] = []
    for case .string(let string) in nodes(goal([Self.literal(names)]), .string) {
      if string.language == RegularLanguages.free, string.minimum == 0, string.maximum == nil {
        return nil
      }
      var language = string.language
      if string.minimum > 0 || string.maximum != nil {
        let counted = RegularExpression.repetition(
          .scalar(.all), minimum: string.minimum, maximum: string.maximum)
        switch languages.language(of: counted) {
        case .success(let state): language = languages.intersection(of: [language, state])
        case .failure(let error): noteFailure("propertyNames", at: names, error.message)
        }
      }
      group.append(component(of: language, &node))
    }
    node.nameGroups[names] = group
    return group
  }

  /// The names among the undeclared keys of the patterns that match a few keys only: each can come
  /// once, so that they are counted like declared ones.
  private mutating func finiteKeys(_ node: inout ObjectNode) -> [SchemaNode.Name] {
    var result: [SchemaNode.Name] = []
    for (index, component) in node.components.enumerated() {
      guard let keys = languages.strings(of: component) else { continue }
      node.finiteComponents.insert(UInt32(index))
      for key in keys { result.append(graph.name(key[...])) }
    }
    return result
  }

  // MARK: Formulas

  /// Adds what the members decide; `false` where no object can make it true.
  ///
  /// What a formula says of a name whatever else comes is drawn from it: a name that must be there,
  /// or must not, or whose value must satisfy a literal.
  private mutating func addFormula(
    _ facts: Alternatives.Facts, _ node: inout ObjectNode, _ names: inout KnownNames
  ) -> Bool {
    var parts: [ObjectFormulas.ID] = []
    for fact in facts {
      switch fact {
      case .formula(let formula): parts.append(formula)
      case .fails(_, .minProperties), .fails(_, .maxProperties): break
      case .fails, .unevaluatedProperties(_, _, false):
        guard let part = alternatives.formula(anyOf: [[fact]]) else { return false }
        parts.append(part)
      default: break
      }
    }
    if parts.isEmpty { return true }
    let anything = Self.literal(graph.anything)
    var formula = withoutCertainties(alternatives.formulas.all(parts), node)
    var isKnown: [ObjectFormulas.Atom: Bool] = [:]
    var known: [(atom: ObjectFormulas.Atom, isTrue: Bool)] = []
    func learn(_ atom: ObjectFormulas.Atom, _ isTrue: Bool) {
      if isKnown.updateValue(isTrue, forKey: atom) == nil { known.append((atom, isTrue)) }
    }
    while formula != ObjectFormulas.never {
      known = []
      for part in alternatives.formulas.conjuncts(of: formula) {
        guard let atom = alternatives.formulas.atom(of: part),
          case .member(let name, let literal) = alternatives.formulas.atoms[Int(atom)]
        else { continue }
        let isTrue = alternatives.formulas.form(of: part) == .atom
        learn(atom, isTrue)
        if isTrue {
          names.required.insert(name)
          if literal != anything { names.literals[name, default: []].append(literal) }
        } else if literal == anything {
          names.absent.insert(name)
        } else {
          names.literals[name, default: []].append(Self.negation(of: literal))
        }
      }
      // What names that are there, or are not, decide.
      for signed in alternatives.formulas.support(of: formula) {
        switch alternatives.formulas.atoms[Int(signed >> 1)] {
        case .member(let name, _) where names.absent.contains(name): learn(signed >> 1, false)
        case .member(let name, anything) where names.required.contains(name):
          learn(signed >> 1, true)
        case .member(let name, let literal):
          if isRuledOut(literal, of: name, node) { learn(signed >> 1, false) }
        case .keys(.misnamed(let id), _):
          if nameGroup(id, &node) == nil { learn(signed >> 1, false) }
        case .keys(.matching(let language), _): _ = component(of: language, &node)
        case .keys(.additional(let id), _): addPatterns(of: id, &node)
        case .keys(.unevaluated(let ids), _): for id in ids { addPatterns(of: id, &node) }
        }
      }
      if known.isEmpty { break }
      formula = alternatives.formulas.assigning(known, in: formula)
    }
    node.formula = formula
    return formula != ObjectFormulas.never
  }

  /// A formula that asks only whether a member is there, where a source declares of its values what the
  /// formula asks of them. Branches of a union that are nearly the same leave little then.
  private mutating func withoutCertainties(
    _ formula: ObjectFormulas.ID, _ node: ObjectNode
  ) -> ObjectFormulas.ID {
    var certain: [(atom: ObjectFormulas.Atom, by: ObjectFormulas.Atom)] = []
    for signed in alternatives.formulas.support(of: formula) {
      let atom = signed >> 1
      guard certain.last?.atom != atom,
        case .member(let name, let literal) = alternatives.formulas.atoms[Int(atom)],
        literal != Self.literal(graph.anything)
      else { continue }
      let asked = alternatives.representative(of: literal)
      let isCertain = node.sources.contains { id in
        guard let place = property(name, of: id) else { return false }
        let declared = Self.literal(graph.nodes[id].properties[place].schema)
        return alternatives.representative(of: declared) == asked
      }
      if isCertain { certain.append((atom, alternatives.presence(of: name))) }
    }
    return certain.isEmpty ? formula : alternatives.formulas.replacing(certain, in: formula)
  }

  /// Whether the values of a member, by what the sources declare, are seen never to satisfy a literal:
  /// branches that a discriminator tells apart.
  private mutating func isRuledOut(
    _ literal: Literal, of name: SchemaNode.Name, _ node: ObjectNode
  ) -> Bool {
    swap(&alternatives.languages, &languages)
    defer { swap(&alternatives.languages, &languages) }
    for id in node.sources {
      guard let place = property(name, of: id) else { continue }
      let declared = graph.nodes[id].properties[place].schema
      if alternatives.areDisjoint(declared, Self.schema(of: literal)) { return true }
    }
    return false
  }

  /// The names that a subschema declares of which a formula asks for other keys: these are not such.
  private mutating func toldApart(in formula: ObjectFormulas.ID) -> [SchemaNode.Name] {
    var result: [SchemaNode.Name] = []
    for signed in alternatives.formulas.support(of: formula) {
      guard case .keys(let keys, _) = alternatives.formulas.atoms[Int(signed >> 1)]
      else { continue }
      let declaring =
        switch keys {
        case .additional(let id): [id]
        case .unevaluated(let ids): ids
        case .matching, .misnamed: [SchemaNode.ID]()
        }
      for id in declaring { result += graph.nodes[id].properties.map(\.name) }
    }
    return result
  }

  private mutating func finish(_ node: inout ObjectNode) -> Int? {
    let required = node.members.count { $0.isRequired }
    if let maximum = node.maximum, maximum < max(required, node.minimum) { return nil }
    for member in node.members where member.isRequired {
      guard isSatisfiable(member.goal) else { return nil }
    }
    node.required = [UInt32](repeating: 0, count: (node.members.count + 31) / 32)
    for (place, member) in node.members.enumerated() where member.isRequired {
      node.required[place / 32] |= 1 << UInt32(place % 32)
    }
    node.trie = languages.trie.add(node.members.map { graph.names[$0.name] })
    node.minimum = max(node.minimum, 0)
    if node.minimum <= required { node.minimum = 0 }
    node.isPlain = node.formula == ObjectFormulas.always && !node.counts
    objects.append(node)
    let index = objects.count - 1
    guard !node.isPlain else { return index }
    return canComplete(object: index, ObjectProgress(formula: node.formula)) ? index : nil
  }
}

/// The atoms of a formula, by the keys that they speak of.
struct AtomsByKey {
  private var members: [SchemaNode.Name: [ObjectFormulas.Atom]] = [:]
  /// The atoms about classes of keys.
  private(set) var keys: [(atom: ObjectFormulas.Atom, keys: ObjectNode.Keys)] = []

  init() {}

  init(_ formula: ObjectFormulas.ID, _ formulas: ObjectFormulas) {
    var last: ObjectFormulas.Atom?
    for signed in formulas.support(of: formula) where signed >> 1 != last {
      last = signed >> 1
      switch formulas.atoms[Int(signed >> 1)] {
      case .member(let name, _): members[name, default: []].append(signed >> 1)
      case .keys(let keys, _): self.keys.append((signed >> 1, keys))
      }
    }
  }

  /// The atoms about the member of a name.
  subscript(name: SchemaNode.Name) -> [ObjectFormulas.Atom] { members[name] ?? [] }
}
