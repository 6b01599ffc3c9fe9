/// What the value of a member must satisfy, by the keywords that speak of its name.
extension Obligations {
  mutating func member(
    _ name: SchemaNode.Name, _ node: inout ObjectNode, isRequired: Bool, isAbsent: Bool
  ) -> ObjectNode.Member {
    var accepted: UInt32 = 0
    for (index, component) in node.components.enumerated()
    where languages.contains(component, graph.names[name]) {
      accepted |= 1 << UInt32(index)
    }
    var goal = nothing
    if !isAbsent, admits(key: accepted, node) {
      goal = self.goal(literals(name: name, accepted: accepted, node))
    }
    var result = ObjectNode.Member(
      name: name, goal: goal, isRequired: isRequired,
      fulfils: fulfilments(name: name, accepted: accepted, node))
    result.isTracked = node.clauses.contains { $0.ways.contains(.absent(name)) }
    return result
  }

  /// The clauses that a member can make true, each with what its value must satisfy for that.
  func fulfilments(
    name: SchemaNode.Name?, accepted: UInt32, _ node: ObjectNode
  ) -> [ObjectNode.Fulfilment] {
    var result: [ObjectNode.Fulfilment] = []
    if node.clauses.isEmpty { return result }
    for (index, clause) in node.clauses.enumerated() {
      for way in clause.ways {
        switch way {
        case .member(name, let literal):
          result.append(.init(clause: index, literal: literal))
        case .keys(let keys, let literal)
        where covers(keys, name: name, accepted: accepted, node):
          result.append(.init(clause: index, literal: literal))
        default: break
        }
      }
    }
    return result
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
      var isMatched = false
      if let name, let place = property(name, of: id) {
        result.append(Self.literal(graph.nodes[id].properties[place].schema))
        isMatched = true
      }
      for pattern in graph.nodes[id].patternProperties
      where accepts(pattern.language, accepted, node) {
        result.append(Self.literal(pattern.schema))
        isMatched = true
      }
      if !isMatched, let additional = graph.nodes[id].additionalProperties {
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
    if graph.nodes[id].additionalProperties != nil { return true }
    return isMatched(by: id, name, accepted, node)
  }

  /// How many properties of a subschema are looked for one after the other.
  private static let fewProperties = 16

  /// The place of a name among the properties that a subschema declares.
  private func property(_ name: SchemaNode.Name, of id: SchemaNode.ID) -> Int? {
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

  private func isMatched(
    by id: SchemaNode.ID, _ name: SchemaNode.Name?, _ accepted: UInt32, _ node: ObjectNode
  ) -> Bool {
    if let name, property(name, of: id) != nil { return true }
    return graph.nodes[id].patternProperties.contains { accepts($0.language, accepted, node) }
  }

  func covers(
    _ keys: ObjectNode.Keys, name: SchemaNode.Name?, accepted: UInt32, _ node: ObjectNode
  ) -> Bool {
    switch keys {
    case .component(let index): accepted >> UInt32(index) & 1 == 1
    case .additional(let id): !isMatched(by: id, name, accepted, node)
    case .unevaluated(let ids): !ids.contains { evaluates($0, name, accepted, node) }
    case .refused(let group): !group.contains { accepted >> UInt32($0) & 1 == 1 }
    }
  }
}
