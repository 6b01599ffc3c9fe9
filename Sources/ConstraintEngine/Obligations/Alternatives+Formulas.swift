// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keeping a choice undecided where an object can decide it member by member.
///
/// Alternatives multiply: eight `dependentRequired` of two ways each are 256 alternatives, and every
/// object would be read in that many ways at once. What speaks of members needs no choice
/// beforehand: it is kept as a formula (``ObjectFormulas``) that the members decide as they come.
///
/// Worked example: `[absent(a)] or [present(b), present(c)]` is one alternative with the formula
/// `a not there or (b there and c there)`.
extension Alternatives {
  /// Up to so many combinations, alternatives of an object are multiplied out: each is then read as
  /// an object of its own.
  static let multiplied = 16

  mutating func deferring(_ alternatives: [Facts], _ type: JSONTypes) -> [Facts] {
    type == .object ? deferring(alternatives) : alternatives
  }

  /// Several alternatives as one with a formula, where all that they do not share are facts about
  /// single members; the alternatives themselves otherwise.
  mutating func deferring(_ alternatives: [Facts]) -> [Facts] {
    guard alternatives.count > 1 else { return alternatives }
    let shared = alternatives[0].filter { fact in
      alternatives.dropFirst().allSatisfy { $0.contains(fact) }
    }
    var parts: [ObjectFormulas.ID] = []
    for alternative in alternatives {
      let others = alternative.filter { !shared.contains($0) }
      guard others.allSatisfy(Self.isAboutSingleMembers), let formula = formula(others) else {
        return alternatives
      }
      parts.append(formula)
    }
    let whole = formulas.some(parts)
    if whole == ObjectFormulas.never { return [] }
    return [whole == ObjectFormulas.always ? shared : shared + [.formula(whole)]]
  }

  private static func isAboutSingleMembers(_ fact: Fact) -> Bool {
    switch fact {
    case .absent, .present, .formula, .fails(_, .property), .fails(_, .patternProperty),
      .fails(_, .additionalProperties), .fails(_, .propertyNames),
      .unevaluatedProperties(_, _, false):
      true
    default: false
    }
  }

  /// Every way to hold one alternative of each factor. Those of objects are not multiplied where
  /// that would be many: each factor becomes a formula then.
  mutating func product(
    of factors: [[Facts]], _ query: Query, _ keyword: String
  ) throws(ObligationFailure) -> [Facts] {
    var result: [Facts] = [[]]
    var open: [[Facts]] = []
    var combinations = 1
    for factor in factors {
      if factor.count <= 1 {
        result = try product(result, factor, at: query.schema, keyword)
        if result.isEmpty { return [] }
      } else {
        open.append(factor)
        combinations = min(combinations * factor.count, limit + 1)
      }
    }
    let isDeferred =
      query.type == .object && !query.decidesAll
      && (open.count > 1 && combinations > min(Self.multiplied, limit) || combinations > limit)
    for factor in open {
      if isDeferred, let formula = formula(anyOf: factor) {
        result = try product(result, [[.formula(formula)]], at: query.schema, keyword)
      } else {
        result = try product(result, factor, at: query.schema, keyword)
      }
    }
    return result
  }

  /// A conditional as a formula: `then` or not `if`, and `else` or `if`; `nil` where that cannot be
  /// said of single members.
  mutating func formula(
    _ conditional: (condition: SchemaNode.ID, then: SchemaNode.ID?, otherwise: SchemaNode.ID?),
    _ query: Query
  ) throws(ObligationFailure) -> ObjectFormulas.ID? {
    guard let condition = formula(anyOf: try ways(of: conditional.condition, query)) else {
      return nil
    }
    var (met, unmet) = (ObjectFormulas.always, ObjectFormulas.always)
    if let then = conditional.then {
      guard let then = formula(anyOf: try ways(of: then, query)) else { return nil }
      met = then
    }
    if let otherwise = conditional.otherwise {
      guard let otherwise = formula(anyOf: try ways(of: otherwise, query)) else { return nil }
      unmet = otherwise
    }
    let negation = formulas.negation(of: condition)
    // The condition would stand in both signs, and be searched for what meets the one and the other.
    if met == ObjectFormulas.never { return formulas.all([negation, unmet]) }
    if unmet == ObjectFormulas.never { return formulas.all([condition, met]) }
    return formulas.all([formulas.some([negation, met]), formulas.some([condition, unmet])])
  }

  /// That exactly one of many branches holds, as a formula; `nil` where they are few, so that they are
  /// held against each other, or where that cannot be said of single members.
  mutating func formula(
    exactlyOneOf branches: [SchemaNode.ID], _ query: Query
  ) throws(ObligationFailure) -> ObjectFormulas.ID? {
    guard query.type == .object, !query.decidesAll, branches.count > Self.multiplied else {
      return nil
    }
    var parts: [ObjectFormulas.ID] = []
    for branch in branches {
      guard let part = formula(anyOf: try ways(of: branch, query)) else { return nil }
      parts.append(part)
    }
    return formulas.one(parts)
  }

  // MARK: Facts as formulas

  /// The formula that one of some alternatives holds.
  mutating func formula(anyOf alternatives: [Facts]) -> ObjectFormulas.ID? {
    var parts: [ObjectFormulas.ID] = []
    for facts in alternatives {
      guard let part = formula(facts) else { return nil }
      parts.append(part)
    }
    return formulas.some(parts)
  }

  private mutating func formula(_ facts: Facts) -> ObjectFormulas.ID? {
    var parts: [ObjectFormulas.ID] = []
    for fact in facts {
      guard let part = formula(fact) else { return nil }
      parts.append(part)
    }
    return formulas.all(parts)
  }

  private mutating func formula(_ fact: Fact) -> ObjectFormulas.ID? {
    switch fact {
    case .formula(let formula): return formula
    case .unseen: return ObjectFormulas.always
    case .present(let name): return isThere(name)
    case .absent(let name): return formulas.negation(of: isThere(name))
    case .holds(let id): return holding(id)
    case .fails(let id, .property(let index)):
      let property = graph.nodes[id].properties[index]
      return isThere(property.name, not: property.schema)
    case .fails(let id, .patternProperty(let index)):
      let pattern = graph.nodes[id].patternProperties[index]
      return some(.matching(pattern.language), not: pattern.schema)
    case .fails(let id, .additionalProperties):
      return graph.nodes[id].additionalProperties.map {
        some(.additional(additionalKeys.first(like: id, in: graph)), not: $0)
      }
    case .fails(let id, .propertyNames):
      return graph.nodes[id].propertyNames.map { some(.misnamed($0), not: graph.nothing) }
    case .unevaluatedProperties(let id, let evaluated, let holds):
      let schema = graph.nodes[id].unevaluatedProperties ?? graph.anything
      let left = some(.unevaluated(evaluated), not: schema)
      return holds ? formulas.negation(of: left) : left
    default: return nil
    }
  }

  /// The formula that a subschema's own assertions about objects hold; `nil` where it counts members.
  private mutating func holding(_ id: SchemaNode.ID) -> ObjectFormulas.ID? {
    let nodes = graph.nodes
    guard nodes[id].minProperties ?? 0 <= 0, nodes[id].maxProperties == nil else { return nil }
    var failures: [ObjectFormulas.ID] = []
    for name in nodes[id].required { failures.append(formulas.negation(of: isThere(name))) }
    for property in nodes[id].properties {
      failures.append(isThere(property.name, not: property.schema))
    }
    for pattern in nodes[id].patternProperties {
      failures.append(some(.matching(pattern.language), not: pattern.schema))
    }
    if let additional = nodes[id].additionalProperties {
      failures.append(some(.additional(additionalKeys.first(like: id, in: graph)), not: additional))
    }
    if let names = nodes[id].propertyNames {
      failures.append(some(.misnamed(names), not: graph.nothing))
    }
    return formulas.negation(of: formulas.some(failures))
  }

  mutating func isThere(_ name: SchemaNode.Name) -> ObjectFormulas.ID {
    formulas.formula(presence(of: name))
  }

  /// The atom that there is a member of a name.
  mutating func presence(of name: SchemaNode.Name) -> ObjectFormulas.Atom {
    formulas.atom(.member(name, literal: Obligations.literal(graph.anything)))
  }

  /// The formula that there is a member of a name whose value does not satisfy a subschema.
  mutating func isThere(
    _ name: SchemaNode.Name, not schema: SchemaNode.ID
  ) -> ObjectFormulas.ID {
    let literal = representative(of: Obligations.literal(schema))
    if let boolean = graph.nodes[Obligations.schema(of: literal)].boolean {
      return boolean ? ObjectFormulas.never : isThere(name)
    }
    let atom = formulas.atom(.member(name, literal: memberLiterals.first(name, literal, schema)))
    let fails = formulas.formula(atom, isNegated: true)
    return formulas.all([isThere(name), fails])
  }

  /// The formula that some member with a key of a class has a value that does not satisfy a subschema.
  private mutating func some(
    _ keys: ObjectNode.Keys, not schema: SchemaNode.ID
  ) -> ObjectFormulas.ID {
    if graph.nodes[schema].boolean == true { return ObjectFormulas.never }
    let literal =
      graph.nodes[schema].boolean == false
      ? Obligations.literal(graph.anything) : Obligations.literal(schema, negated: true)
    return formulas.formula(formulas.atom(.keys(keys, literal: literal)))
  }
}

/// Finds subschemas of one member that say the same, so that one atom speaks for all; its place in the
/// schema is still one where that member is declared.
struct MemberLiterals {
  private struct Declared: Hashable {
    var name: SchemaNode.Name
    var representative: UInt32
  }

  private var firsts: [Declared: UInt32] = [:]

  /// The literal of the first subschema that a member was met with, of those with a representative.
  mutating func first(
    _ name: SchemaNode.Name, _ representative: UInt32, _ schema: SchemaNode.ID
  ) -> UInt32 {
    let declared = Declared(name: name, representative: representative)
    if let first = firsts[declared] { return first }
    let literal = Obligations.literal(schema)
    firsts[declared] = literal
    return literal
  }
}

/// Finds subschemas of which the same keys are additional, so that one atom speaks for all.
///
/// Worked example: the branches `{properties: {t: {const: "a"}, p: …}, additionalProperties: false}`
/// and the same with `b` refuse the same members.
struct AdditionalKeys {
  private struct Declared: Hashable {
    var names: [SchemaNode.Name]
    var patterns: [RegularLanguages.State]
  }

  private var firsts: [Declared: SchemaNode.ID] = [:]

  /// The first subschema that was met of which the same keys are additional.
  mutating func first(like id: SchemaNode.ID, in graph: SchemaGraph) -> SchemaNode.ID {
    let declared = Declared(
      names: graph.nodes[id].properties.map(\.name).sorted(),
      patterns: graph.nodes[id].patternProperties.map(\.language).sorted())
    if let first = firsts[declared] { return first }
    firsts[declared] = id
    return id
  }
}
