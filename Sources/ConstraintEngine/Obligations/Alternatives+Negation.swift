// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The alternatives of a subschema that must not hold: one of its keywords fails, by De Morgan's laws.
extension Alternatives {
  mutating func negative(_ query: Query) throws(ObligationFailure) -> [Facts] {
    let id = query.schema
    let nodes = graph.nodes
    if let boolean = nodes[id].boolean { return boolean ? [] : [[]] }
    guard nodes[id].types.contains(query.type) else { return [[]] }
    var result: [Facts] = []
    if let values = nodes[id].values {
      result = Self.union(result, try notListed(values, id, query))
    }
    for assertion in nodes[id].ownAssertions(query.type) {
      if case .required(let name) = assertion {
        result = Self.union(result, [[.absent(name)]])
      } else {
        result = Self.union(result, [[.fails(id, assertion)]])
      }
    }
    if let reference = nodes[id].reference {
      result = Self.union(result, try ways(of: reference, query, negated: true))
    }
    for part in nodes[id].allOf {
      result = Self.union(result, try ways(of: part, query, negated: true))
    }
    if let branches = nodes[id].anyOf {
      result = Self.union(result, try none(of: branches, query, "anyOf"))
    }
    if let branches = nodes[id].oneOf, let one = try formula(exactlyOneOf: branches, query) {
      let failing = formulas.negation(of: one)
      if failing != ObjectFormulas.never { result = Self.union(result, [[.formula(failing)]]) }
    } else if let branches = nodes[id].oneOf {
      result = Self.union(result, try none(of: branches, query, "oneOf"))
      for (index, first) in branches.enumerated() {
        for second in branches[(index + 1)...] {
          let both = try product(ways(of: first, query), ways(of: second, query), at: id, "oneOf")
          result = Self.union(result, both)
        }
      }
    }
    if let not = nodes[id].not {
      result = Self.union(result, try ways(of: not, query))
    }
    if let conditional = nodes[id].ifThenElse {
      if let then = conditional.then {
        let failed = try product(
          ways(of: conditional.condition, query), ways(of: then, query, negated: true), at: id,
          "then")
        result = Self.union(result, failed)
      }
      if let otherwise = conditional.otherwise {
        let failed = try product(
          ways(of: conditional.condition, query, negated: true),
          ways(of: otherwise, query, negated: true),
          at: id, "else")
        result = Self.union(result, failed)
      }
    }
    if query.type == .object {
      for (name, names) in nodes[id].dependentRequired {
        for missing in names where missing != name {
          result = Self.union(result, [[.present(name), .absent(missing)]])
        }
      }
      for (name, schema) in nodes[id].dependentSchemas {
        let failed = try product(
          [[.present(name)]], ways(of: schema, query, negated: true), at: id, "dependentSchemas")
        result = Self.union(result, failed)
      }
    }
    return Self.union(result, try unevaluatedFailing(query))
  }

  /// The alternatives in which everything of a subschema holds but `unevaluated…`.
  private mutating func unevaluatedFailing(
    _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    let isObject =
      query.type == .object && graph.nodes[query.schema].unevaluatedProperties != nil
    let isArray = query.type == .array && graph.nodes[query.schema].unevaluatedItems != nil
    guard isObject || isArray else { return [] }
    var whole = query
    whole.isNegated = false
    return try leavingOver(whole).compactMap { facts in
      guard let place = facts.lastIndex(where: { Self.isUnevaluated($0, of: query.schema) })
      else { return nil }
      var failing = facts
      switch facts[place] {
      case .unevaluatedProperties(let id, let sources, _):
        failing[place] = .unevaluatedProperties(id, evaluated: sources, holds: false)
      case .unevaluatedItems(let id, let sources, _):
        failing[place] = .unevaluatedItems(id, evaluated: sources, holds: false)
      default: break
      }
      return failing
    }
  }

  private static func isUnevaluated(_ fact: Fact, of schema: SchemaNode.ID) -> Bool {
    switch fact {
    case .unevaluatedProperties(let id, _, true), .unevaluatedItems(let id, _, true): id == schema
    default: false
    }
  }

  private mutating func notListed(
    _ values: ConstantSet, _ id: SchemaNode.ID, _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    switch query.type {
    case .null: return values.null ? [] : [[]]
    case .boolean:
      if values.booleans.isEmpty { return [[]] }
      return values.booleans.count == 2 ? [] : [[.isNotListed(id)]]
    case .number: return values.numbers.isEmpty ? [[]] : [[.isNotListed(id)]]
    case .string: return values.strings.isEmpty ? [[]] : [[.isNotListed(id)]]
    default:
      let constants = query.type == .array ? values.arrays : values.objects
      let isListed = query.type == .array ? values.hasArrays : values.hasObjects
      if isListed, constants.isEmpty { throw isTooLong(id) }
      return try none(of: constants, query, "enum")
    }
  }

  /// The alternatives in which none of some subschemas holds.
  private mutating func none(
    of branches: [SchemaNode.ID], _ query: Query, _ keyword: String
  ) throws(ObligationFailure) -> [Facts] {
    var factors: [[Facts]] = []
    for branch in branches { factors.append(try ways(of: branch, query, negated: true)) }
    return try product(of: factors, query, keyword)
  }
}
