// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the value of a member must satisfy, by the keywords that speak of its name.
extension Obligations {
  mutating func member(
    _ name: SchemaNode.Name, _ node: ObjectNode, _ atoms: AtomsByKey, isRequired: Bool,
    isAbsent: Bool, literals: [Literal]
  ) -> ObjectNode.Member {
    var accepted: [UInt32] = []
    for (index, component) in node.components.enumerated()
    where languages.contains(component, graph.names[name]) {
      accepted.append(UInt32(index))
    }
    let keyClass = keyClasses.intern(accepted)
    var goal = nothing
    if !isAbsent, admits(key: keyClass, node) {
      goal = self.goal(self.literals(name: name, keyClass, node) + literals)
    }
    return ObjectNode.Member(
      name: name, goal: goal, isRequired: isRequired,
      atoms: atomLists.intern(atoms[name] + self.atoms(name: name, keyClass, node, atoms)))
  }

  /// The atoms about classes of keys that a member can make true.
  mutating func atoms(
    name: SchemaNode.Name?, _ keyClass: UInt32, _ node: ObjectNode, _ atoms: AtomsByKey
  ) -> [ObjectFormulas.Atom] {
    atoms.keys.filter { covers($0.keys, name: name, keyClass, node) }.map(\.atom)
  }

  /// Whether a key that some components accept is one of those that may come.
  mutating func admits(key keyClass: UInt32, _ node: ObjectNode) -> Bool {
    node.keyGroups.allSatisfy { group in group.contains { isComponent($0, of: keyClass) } }
  }

  /// Whether the keys of a class are accepted by a component.
  package mutating func isComponent(_ component: Int, of keyClass: UInt32) -> Bool {
    let components = keyClasses[keyClass]
    if components.count < 8 { return components.contains(UInt32(component)) }
    var (low, high) = (components.startIndex, components.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if components[middle] < component { low = middle + 1 } else { high = middle }
    }
    return low < components.endIndex && components[low] == component
  }

  /// What the value of a member must satisfy; a `nil` name is one that is declared nowhere.
  mutating func literals(
    name: SchemaNode.Name?, _ keyClass: UInt32, _ node: ObjectNode
  ) -> [Literal] {
    var result: [Literal] = []
    var matched = Set<Int>()
    for component in keyClasses[keyClass] where component < node.patternLiterals.count {
      for (source, literal) in node.patternLiterals[Int(component)] {
        result.append(literal)
        matched.insert(source)
      }
    }
    for (source, id) in node.sources.enumerated() {
      if let name, let place = property(name, of: id) {
        result.append(Self.literal(graph.nodes[id].properties[place].schema))
      } else if let additional = graph.nodes[id].additionalProperties,
        matched.isEmpty || !matched.contains(source)
      {
        result.append(Self.literal(additional))
      }
    }
    for rule in node.unevaluated
    where !rule.evaluated.contains(where: { evaluates($0, name, keyClass, node) }) {
      result.append(Self.literal(rule.schema))
    }
    return result
  }

  private mutating func accepts(
    _ language: RegularLanguages.State, _ keyClass: UInt32, _ node: ObjectNode
  ) -> Bool {
    node.componentPlaces[language].map { isComponent($0, of: keyClass) } ?? false
  }

  /// Whether a subschema's keywords speak of a member.
  private mutating func evaluates(
    _ id: SchemaNode.ID, _ name: SchemaNode.Name?, _ keyClass: UInt32, _ node: ObjectNode
  ) -> Bool {
    if graph.nodes[id].additionalProperties != nil { return true }
    return isMatched(by: id, name, keyClass, node)
  }

  /// How many properties of a subschema are looked for one after the other.
  private static let fewProperties = 16

  /// The place of a name among the properties that a subschema declares.
  mutating func property(_ name: SchemaNode.Name, of id: SchemaNode.ID) -> Int? {
    if graph.nodes[id].properties.count > Self.fewProperties, let places = propertyPlaces[id] {
      return places[UInt64(name)].map(Int.init)
    }
    return graph.nodes[id].properties.firstIndex { $0.name == name }
  }

  /// Makes a table of the properties of subschemas that declare many.
  mutating func indexProperties(of ids: [SchemaNode.ID]) {
    for id in ids
    where graph.nodes[id].properties.count > Self.fewProperties && propertyPlaces[id] == nil {
      var places = FlatMap()
      for (place, property) in graph.nodes[id].properties.enumerated().reversed() {
        places.set(UInt64(property.name), UInt32(place))
      }
      propertyPlaces[id] = places
    }
  }

  private mutating func isMatched(
    by id: SchemaNode.ID, _ name: SchemaNode.Name?, _ keyClass: UInt32, _ node: ObjectNode
  ) -> Bool {
    if let name, property(name, of: id) != nil { return true }
    return graph.nodes[id].patternProperties.contains { accepts($0.language, keyClass, node) }
  }

  private mutating func covers(
    _ keys: ObjectNode.Keys, name: SchemaNode.Name?, _ keyClass: UInt32, _ node: ObjectNode
  ) -> Bool {
    switch keys {
    case .matching(let language): accepts(language, keyClass, node)
    case .additional(let id): !isMatched(by: id, name, keyClass, node)
    case .unevaluated(let ids): !ids.contains { evaluates($0, name, keyClass, node) }
    case .misnamed(let id):
      node.nameGroups[id].map { group in
        !group.contains { isComponent($0, of: keyClass) }
      } ?? false
    }
  }
}
