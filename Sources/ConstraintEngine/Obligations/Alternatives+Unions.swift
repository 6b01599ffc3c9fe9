// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Branches of which one must hold: `anyOf` and `oneOf`.
///
/// The alternatives of `anyOf` are those of its branches together. Only where `unevaluated…` depends on
/// which branches hold is each of them decided. For `oneOf` every other branch must fail, which would
/// multiply; so a branch is negated only where it is not seen to be disjoint from the one that holds
/// (`Alternatives+Disjointness`, `Alternatives+Discriminators`). Many branches of objects that do overlap
/// are counted in a formula.
///
/// Worked example: of `{oneOf: [{type: string}, {type: integer}, {minimum: 5}]}` a number has the
/// alternatives `integer, not at least 5` and `at least 5, not an integer`; the first branch has none.
extension Alternatives {
  /// The alternatives of `anyOf`.
  mutating func some(
    of branches: [SchemaNode.ID], _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    guard query.decidesAll else {
      var result = AlternativeUnion()
      for branch in branches { result.add(try ways(of: branch, query)) }
      return result.list
    }
    var result: [Facts] = []
    // Each branch holds or does not; at least one holds.
    var decided: [(facts: Facts, any: Bool)] = [([], false)]
    for branch in branches {
      let yes = try ways(of: branch, query)
      let no = try ways(of: branch, query, negated: true)
      var next: [(facts: Facts, any: Bool)] = []
      for part in decided {
        let base = [part.facts]
        next += try product(base, yes, at: query.schema, "anyOf").map { ($0, true) }
        next += try product(base, no, at: query.schema, "anyOf").map { ($0, part.any) }
      }
      guard next.count <= limit else {
        _ = try product(next.map(\.facts), next.map(\.facts), at: query.schema, "anyOf")
        return []
      }
      decided = next
    }
    for part in decided where part.any {
      if !result.contains(part.facts) { result.append(part.facts) }
    }
    return result
  }

  /// The alternatives of `oneOf`: each branch with the negations of those that it can overlap with.
  mutating func exactlyOne(
    of branches: [SchemaNode.ID], _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    var result: [Facts] = []
    var plausible: [SchemaNode.ID] = []
    for branch in branches where try !ways(of: branch, query).isEmpty { plausible.append(branch) }
    var overlapping: [[SchemaNode.ID]] = []
    let areApart = query.type == .object && areToldApart(plausible)
    for branch in plausible {
      overlapping.append(
        areApart
          ? [] : plausible.filter { $0 != branch && !areDisjoint(branch, $0, query.type) })
    }
    if let most = overlapping.map(\.count).max(), most >= Self.multiplied,
      let formula = try formula(exactlyOneOf: plausible, query)
    {
      return formula == ObjectFormulas.never ? [] : [[.formula(formula)]]
    }
    for (branch, others) in zip(plausible, overlapping) {
      var factors = [try ways(of: branch, query)]
      for other in others { factors.append(try ways(of: other, query, negated: true)) }
      result = Self.union(result, try product(of: factors, query, "oneOf"))
    }
    // The same subschema twice can never hold exactly once.
    return Set(plausible).count == plausible.count ? result : try distinct(plausible, query)
  }

  /// The same where some branches are there more than once: none of these can be the one that holds.
  private mutating func distinct(
    _ branches: [SchemaNode.ID], _ query: Query
  ) throws(ObligationFailure) -> [Facts] {
    let repeated = Set(branches.filter { id in branches.filter { $0 == id }.count > 1 })
    var result: [Facts] = []
    for branch in branches where !repeated.contains(branch) {
      var factors = [try ways(of: branch, query)]
      for other in Set(branches) where other != branch {
        factors.append(try ways(of: other, query, negated: true))
      }
      result = Self.union(result, try product(of: factors, query, "oneOf"))
    }
    return result
  }
}

/// Alternatives of which one must hold, each once, of lists that may be as long as an `enum`.
struct AlternativeUnion {
  private(set) var list: [Alternatives.Facts] = []
  /// Those of the list, once there are many.
  private var seen: Set<Alternatives.Facts> = []
  /// So many are compared one by one.
  private static let few = 16

  mutating func add(_ more: [Alternatives.Facts]) {
    for facts in more {
      // An alternative without facts allows everything: nothing beside it matters.
      if list.first?.isEmpty == true { return }
      if facts.isEmpty {
        list = [[]]
        return
      }
      if list.count < Self.few {
        if list.contains(facts) { continue }
      } else {
        if seen.isEmpty { seen = Set(list) }
        guard seen.insert(facts).inserted else { continue }
      }
      list.append(facts)
    }
  }
}
