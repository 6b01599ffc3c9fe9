// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Finds where the reason stands that a schema has no value, and what it is.
///
/// The search goes down from the root, into what alone has no value: a subschema for the same value, a
/// member that must be there, an item that must come. Where several subschemas hold for one value, and
/// only together have none, it goes on with all of them.
///
/// Worked example: in `{"required": ["x"], "properties": {"x": {"type": "string", "const": 5}}}` the
/// root asks for `x`, which has no value; there no listed value has the type.
struct ContradictionSearch {
  typealias Diagnostic = GrammarError.Diagnostic

  /// A reason, and whether it says more than that there is one.
  struct Finding {
    var diagnostic: Diagnostic
    var isSpecific = true
  }

  /// The subschemas that one value must satisfy.
  struct Station {
    var schemas: [SchemaNode.ID]
    /// Why there must be such a value, where it is a part of another one.
    var asked: String?
    /// The subschemas one of whose branches is among the schemas.
    var decided: Set<SchemaNode.ID> = []
  }

  /// A copy: what the search works out, and a limit that it reaches, is no one else's.
  var obligations: Obligations
  var graph: SchemaGraph { obligations.graph }
  /// The members that subschemas declare.
  private var members: [SchemaNode.ID: [SchemaNode.Name: SchemaNode.ID]] = [:]

  init(_ obligations: Obligations) { self.obligations = obligations }

  /// Why the root has no value.
  mutating func diagnostics() -> [Diagnostic] {
    let findings = findings(from: Station(schemas: [0]), seen: [], level: 0)
    if !findings.contains(where: \.isSpecific) {
      let bounds = graph.contradictoryBounds()
      if !bounds.isEmpty { return bounds }
    }
    // A recursion is come to by several branches.
    var known: Set<Diagnostic> = []
    return findings.map(\.diagnostic).filter { known.insert($0).inserted }
  }

  /// The most choices within each other, and the most branches of one that are looked at.
  private static let mostLevels = 3
  private static let mostBranches = 4

  private mutating func findings(
    from start: Station, seen: Set<[SchemaNode.ID]>, level: Int
  ) -> [Finding] {
    var (station, seen) = (start, seen)
    while true {
      let parts = conjoined(station.schemas)
      guard hasTime() else { return [unspecific(station)] }
      guard seen.insert(station.schemas).inserted else {
        // A member of the same kind has no value either where another keyword rules it out.
        if let found = listReason(parts) { return [found] }
        if let found = choice(station, parts, seen: seen, level: level) { return found }
        return [
          finding(
            "", station.schemas[0],
            "a value would have to contain another one of the same kind, without end; make a "
              + "member on the way optional or allow null")
        ]
      }
      if let next = narrower(station) {
        station = next
        continue
      }
      if let found = reason(station, parts) { return [found] }
      if let next = requiredMember(parts) ?? requiredItem(parts) {
        station = next
        continue
      }
      if let found = listReason(parts) { return [found] }
      return choice(station, parts, seen: seen, level: level) ?? [unspecific(station)]
    }
  }

  // MARK: Going down

  /// Whether some subschemas have no value together. Where a limit was reached nobody knows.
  mutating func areContradictory(_ schemas: [SchemaNode.ID]) -> Bool {
    let goal = obligations.goal(schemas.map { Obligations.literal($0) })
    return !obligations.isSatisfiable(goal) && obligations.reachedFailure == nil
  }

  /// Whether no limit was reached yet.
  mutating func hasTime() -> Bool {
    obligations.languages.checkDeadline()
    return obligations.reachedFailure == nil
  }

  /// What `properties` of a subschema says of a member.
  mutating func declared(
    _ name: SchemaNode.Name, in part: SchemaNode.ID
  ) -> SchemaNode.ID? {
    if let known = members[part] { return known[name] }
    var table: [SchemaNode.Name: SchemaNode.ID] = [:]
    for property in graph.nodes[part].properties { table[property.name] = property.schema }
    members[part] = table
    return table[name]
  }

  /// All subschemas that hold for the value beside some, these first.
  private func conjoined(_ schemas: [SchemaNode.ID]) -> [SchemaNode.ID] {
    var result: [SchemaNode.ID] = []
    var known: Set<SchemaNode.ID> = []
    var rest = Array(schemas.reversed())
    while let id = rest.popLast() {
      guard known.insert(id).inserted else { continue }
      result.append(id)
      rest += obligations.graph.conjuncts(of: id).reversed()
    }
    return result
  }

  /// One of the subschemas for the same value, where it alone has none.
  private mutating func narrower(_ station: Station) -> Station? {
    let isOne = station.schemas.count == 1
    let candidates = isOne ? graph.conjuncts(of: station.schemas[0]) : station.schemas
    for id in candidates where areContradictory([id]) {
      // A subschema that chose a branch has none by that choice.
      if station.decided.contains(id) { continue }
      return Station(schemas: [id], asked: station.asked)
    }
    return nil
  }

  /// The subschemas of a part of the value.
  private func station(_ schemas: [SchemaNode.ID], asked: String) -> Station {
    Station(schemas: Set(schemas).sorted(), asked: asked)
  }

  private mutating func requiredMember(_ parts: [SchemaNode.ID]) -> Station? {
    guard types(parts).contains(.object) else { return nil }
    var names: [SchemaNode.Name] = []
    for part in parts { names += graph.nodes[part].required }
    for name in names {
      guard hasTime() else { return nil }
      let schemas = parts.flatMap { memberSchemas(name, of: $0) }
      if !schemas.isEmpty, areContradictory(schemas) {
        return station(schemas, asked: "`required` asks for the member `\(text(name))`")
      }
    }
    return nil
  }

  /// What a subschema asks of a member.
  private mutating func memberSchemas(
    _ name: SchemaNode.Name, of part: SchemaNode.ID
  ) -> [SchemaNode.ID] {
    let node = graph.nodes[part]
    var result = declared(name, in: part).map { [$0] } ?? []
    for pattern in node.patternProperties
    where obligations.languages.contains(pattern.language, graph.names[name]) {
      result.append(pattern.schema)
    }
    if result.isEmpty, let additional = node.additionalProperties { result.append(additional) }
    return result
  }

  private mutating func requiredItem(_ parts: [SchemaNode.ID]) -> Station? {
    guard types(parts).contains(.array) else { return nil }
    let count = parts.compactMap { graph.nodes[$0].minItems }.max() ?? 0
    let listed = parts.map { graph.nodes[$0].prefixItems.count }.max() ?? 0
    for index in 0..<min(count, listed + 1) {
      let schemas = parts.compactMap { part in
        let node = graph.nodes[part]
        return index < node.prefixItems.count ? node.prefixItems[index] : node.items
      }
      if !schemas.isEmpty, areContradictory(schemas) {
        return station(schemas, asked: "`minItems` asks for \(count)")
      }
    }
    for part in parts {
      let node = graph.nodes[part]
      guard let contained = node.contains, node.minContains ?? 1 > 0 else { continue }
      let items = listed == 0 ? parts.compactMap { graph.nodes[$0].items } : []
      if areContradictory([contained] + items) {
        return station([contained] + items, asked: "`contains` asks for such an item")
      }
    }
    return nil
  }

  /// Why no branch of a choice has a value.
  private mutating func choice(
    _ station: Station, _ parts: [SchemaNode.ID], seen: Set<[SchemaNode.ID]>, level: Int
  ) -> [Finding]? {
    guard level < Self.mostLevels else { return nil }
    for part in parts where !station.decided.contains(part) {
      let isAny = graph.nodes[part].anyOf != nil
      guard let branches = graph.nodes[part].anyOf ?? graph.nodes[part].oneOf,
        branches.count > 1
      else { continue }
      let areAllDead = branches.allSatisfy { areContradictory([$0]) }
      var result: [Finding] = []
      for branch in branches.prefix(Self.mostBranches) {
        let next =
          areAllDead
          ? Station(schemas: [branch], asked: station.asked)
          : Station(
            schemas: Set(station.schemas + [branch]).sorted(), asked: station.asked,
            decided: station.decided.union(station.schemas + [part]))
        result += findings(from: next, seen: seen, level: level + 1)
      }
      if result.allSatisfy(\.isSpecific), !result.isEmpty { return result }
      return [
        finding(
          isAny ? "anyOf" : "oneOf", part,
          isAny
            ? "no branch agrees with the keywords beside it; correct them, or add a branch"
            : "no value satisfies exactly one branch; correct what stands beside it, or make the "
              + "branches exclude each other")
      ]
    }
    return nil
  }

  // MARK: Words

  func finding(_ keyword: String, _ place: SchemaNode.ID, _ message: String) -> Finding {
    Finding(
      diagnostic: Diagnostic(keyword: keyword, location: pointer(place), message: message))
  }

  private func unspecific(_ station: Station) -> Finding {
    var message = "no value satisfies it: its keywords contradict each other"
    let others = station.schemas.dropFirst().map { "`\(pointer($0))`" }
    if !others.isEmpty {
      message = "no value satisfies it beside \(others.prefix(3).joined(separator: ", "))"
    }
    if let asked = station.asked { message += ", and \(asked)" }
    var result = finding("", station.schemas[0], message)
    result.isSpecific = false
    return result
  }

  /// Where a subschema stands; the root for one that stands nowhere.
  func pointer(_ id: SchemaNode.ID) -> String {
    let pointer = graph.nodes[id].pointer
    return pointer.isEmpty ? "#" : pointer
  }

  /// A subschema as another one names it: nothing where it is the same.
  func place(of id: SchemaNode.ID, seenFrom other: SchemaNode.ID) -> String {
    id == other ? "" : " at `\(pointer(id))`"
  }

  func text(_ name: SchemaNode.Name) -> String {
    String(decoding: graph.names[name], as: UTF8.self)
  }

  /// The types of the values that all of some subschemas may have.
  func types(_ parts: [SchemaNode.ID]) -> JSONTypes {
    parts.reduce(JSONTypes.all) { $0.intersection(graph.nodes[$1].types) }
  }
}

extension SchemaGraph {
  /// The subschemas that hold for every value of a subschema.
  fileprivate func conjuncts(of id: SchemaNode.ID) -> [SchemaNode.ID] {
    let node = nodes[id]
    var result = node.allOf
    if let reference = node.reference { result.append(reference) }
    for branches in [node.anyOf, node.oneOf] {
      if let branches, branches.count == 1 { result += branches }
    }
    return result
  }
}
