// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What `unevaluatedProperties` leaves over, decided as the members are read.
///
/// Whether a branch has looked at a member depends on whether the branch holds. With the branches
/// multiplied out that is known beforehand, but forty conditions are 2⁴⁰ alternatives. Where branches
/// look at names alone, a name that one of them declares needs no choice: it is not there, or its value
/// is what may be left over, or one of the branches that declare it holds, which is a formula
/// (``ObjectFormulas``).
///
/// Worked example: with `{if: A, then: {properties: {x: …}}}` and `unevaluatedProperties: false`,
/// the formula of `x` is "`x` is not there, or A".
extension Alternatives {
  /// The subschemas that look at members of an object, and when.
  private struct Evaluators {
    /// Those that do in any case.
    var unconditional: [SchemaNode.ID] = []
    /// Those that do where a formula is true.
    var conditional: [(id: SchemaNode.ID, condition: ObjectFormulas.ID)] = []
    /// How many choices there are between branches, and how many combinations of all of them.
    var choices = 0
    var combinations = 1
    /// The levels of references and boolean keywords gone down.
    var depth = 0

    mutating func addChoice(of ways: Int, _ limit: Int) {
      if ways < 2 { return }
      choices += 1
      combinations = min(combinations * min(ways, limit + 1), limit + 1)
    }
  }

  /// References and boolean keywords are followed for so many levels; where there are more, the
  /// branches are multiplied out.
  private static let evaluatorDepth = 16

  /// The alternatives of a subschema with `unevaluatedProperties` for which its branches need not be
  /// multiplied out; `nil` where they are few or look at more than names.
  mutating func leavingOverAsRead(_ query: Query) throws(ObligationFailure) -> [Facts]? {
    let id = query.schema
    guard query.type == .object, let schema = graph.nodes[id].unevaluatedProperties else {
      return nil
    }
    var inner = query
    inner.decidesAll = false
    var evaluators = Evaluators()
    guard try add(evaluatorsIn: id, ObjectFormulas.always, inner, to: &evaluators),
      evaluators.choices > 1 && evaluators.combinations > Self.multiplied
        || evaluators.combinations > limit,
      evaluators.conditional.allSatisfy({ looksAtNamesAlone($0.id) })
    else { return nil }
    let applied = try applied(inner)
    let all = evaluators.unconditional + evaluators.conditional.map(\.id)
    var facts: Facts = [.unevaluatedProperties(id, evaluated: all, holds: true)]
    if let formula = namesLeftOver(evaluators, schema) { facts.append(.formula(formula)) }
    return try product(applied, [facts], at: id, "unevaluatedProperties")
  }

  /// That each name which only branches declare is declared by one that holds, or is not there, or has
  /// a value that may be left over.
  private mutating func namesLeftOver(
    _ evaluators: Evaluators, _ schema: SchemaNode.ID
  ) -> ObjectFormulas.ID? {
    var names: [SchemaNode.Name] = []
    var conditions: [SchemaNode.Name: [ObjectFormulas.ID]] = [:]
    for (id, condition) in evaluators.conditional {
      for property in graph.nodes[id].properties {
        if conditions[property.name] == nil { names.append(property.name) }
        conditions[property.name, default: []].append(condition)
      }
    }
    var parts: [ObjectFormulas.ID] = []
    for name in names
    where !evaluators.unconditional.contains(where: { looks(at: name, $0) }) {
      let leftOver = isThere(name, not: schema)
      parts.append(formulas.some([formulas.negation(of: leftOver)] + (conditions[name] ?? [])))
    }
    return parts.isEmpty ? nil : formulas.all(parts)
  }

  private func looksAtNamesAlone(_ id: SchemaNode.ID) -> Bool {
    graph.nodes[id].patternProperties.isEmpty && graph.nodes[id].additionalProperties == nil
  }

  private mutating func looks(at name: SchemaNode.Name, _ id: SchemaNode.ID) -> Bool {
    if graph.nodes[id].additionalProperties != nil { return true }
    if graph.nodes[id].properties.contains(where: { $0.name == name }) { return true }
    for pattern in graph.nodes[id].patternProperties
    where languages.contains(pattern.language, graph.names[name]) {
      return true
    }
    return false
  }

  /// Adds the subschemas that look at members where a subschema is applied; whether that can be told.
  private mutating func add(
    evaluatorsIn id: SchemaNode.ID, _ condition: ObjectFormulas.ID, _ query: Query,
    to evaluators: inout Evaluators
  ) throws(ObligationFailure) -> Bool {
    let nodes = graph.nodes
    if nodes[id].boolean != nil || condition == ObjectFormulas.never { return true }
    guard nodes[id].types.contains(.object) else { return true }
    if evaluators.depth > 0, nodes[id].unevaluatedProperties != nil { return false }
    guard evaluators.depth < Self.evaluatorDepth else { return false }
    evaluators.depth += 1
    defer { evaluators.depth -= 1 }
    if !nodes[id].properties.isEmpty || !looksAtNamesAlone(id) {
      if condition == ObjectFormulas.always {
        evaluators.unconditional.append(id)
      } else {
        evaluators.conditional.append((id, condition))
      }
    }
    for part in nodes[id].allOf + (nodes[id].reference.map { [$0] } ?? []) {
      guard try add(evaluatorsIn: part, condition, query, to: &evaluators) else { return false }
    }
    for _ in nodes[id].anyOf ?? [] { evaluators.addChoice(of: 2, limit) }
    evaluators.addChoice(of: nodes[id].oneOf?.count ?? 1, limit)
    for branch in (nodes[id].anyOf ?? []) + (nodes[id].oneOf ?? []) {
      guard let holds = formula(anyOf: try ways(of: branch, query)),
        try add(evaluatorsIn: branch, of: holds, condition, query, to: &evaluators)
      else { return false }
    }
    if let conditional = nodes[id].ifThenElse {
      evaluators.addChoice(of: 2, limit)
      guard let holds = formula(anyOf: try ways(of: conditional.condition, query)) else {
        return false
      }
      let fails = formulas.negation(of: holds)
      for (part, when) in [
        (conditional.condition, holds), (conditional.then, holds), (conditional.otherwise, fails),
      ] {
        guard let part else { continue }
        guard try add(evaluatorsIn: part, of: when, condition, query, to: &evaluators) else {
          return false
        }
      }
    }
    for (name, schema) in nodes[id].dependentSchemas {
      evaluators.addChoice(of: 2, limit)
      let isThere = isThere(name)
      guard try add(evaluatorsIn: schema, of: isThere, condition, query, to: &evaluators) else {
        return false
      }
    }
    return true
  }

  /// Adds those of a branch that may hold or not.
  private mutating func add(
    evaluatorsIn branch: SchemaNode.ID, of holds: ObjectFormulas.ID, _ condition: ObjectFormulas.ID,
    _ query: Query, to evaluators: inout Evaluators
  ) throws(ObligationFailure) -> Bool {
    try add(evaluatorsIn: branch, formulas.all([condition, holds]), query, to: &evaluators)
  }
}
