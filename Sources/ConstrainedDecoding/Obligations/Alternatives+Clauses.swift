/// Keeping a choice undecided where an object can decide it member by member.
///
/// Alternatives multiply: eight `dependentRequired` of two ways each are 256 alternatives, and every
/// object would be read in that many ways at once. What speaks of single members only (a name is
/// there, a name is not there, a value fails its schema) needs no choice beforehand: it is kept as
/// *clauses*, each a disjunction, and the object keeps one bit for each one that is not yet true.
///
/// Worked example: `[absent(a)] or [present(b), present(c)]` is one alternative of two clauses,
/// `absent(a) or present(b)` and `absent(a) or present(c)`.
extension Alternatives {
  /// The most clauses that a disjunction is turned into.
  private static let clauseLimit = 24

  mutating func conjunctive(_ alternatives: [Facts], _ type: JSONTypes) -> [Facts] {
    type == .object ? conjunctive(alternatives) : alternatives
  }

  /// Several alternatives as one with clauses, where all that they do not share are facts about
  /// single members; the alternatives themselves otherwise.
  mutating func conjunctive(_ alternatives: [Facts]) -> [Facts] {
    guard alternatives.count > 1 else { return alternatives }
    let shared = alternatives[0].filter { fact in
      alternatives.dropFirst().allSatisfy { $0.contains(fact) }
    }
    var result: [Set<Fact>] = [[]]
    for alternative in alternatives {
      var disjunctions: [Set<Fact>] = []
      for fact in alternative where !shared.contains(fact) {
        guard let ways = ways(of: fact) else { return alternatives }
        disjunctions.append(ways)
      }
      var next: [Set<Fact>] = []
      for clause in result {
        for disjunction in disjunctions {
          let merged = clause.union(disjunction)
          if !isTrue(merged), !next.contains(where: { $0.isSubset(of: merged) }) {
            next.removeAll { merged.isSubset(of: $0) }
            next.append(merged)
          }
        }
      }
      guard next.count <= Self.clauseLimit else { return alternatives }
      result = next
    }
    var facts = shared
    for clause in result {
      if clause.count == 1, let fact = clause.first {
        facts.append(fact)
      } else {
        facts.append(.clause(index(of: clause)))
      }
    }
    return [facts]
  }

  /// The facts of which one makes a fact about single members true; `nil` for other facts.
  private func ways(of fact: Fact) -> Set<Fact>? {
    switch fact {
    case .absent, .present, .fails(_, .property), .fails(_, .patternProperty),
      .fails(_, .additionalProperties), .fails(_, .propertyNames),
      .unevaluatedProperties(_, _, false):
      [fact]
    case .clause(let index): Set(clauses[index])
    default: nil
    }
  }

  /// Whether a name is there or is not.
  private func isTrue(_ clause: Set<Fact>) -> Bool {
    clause.contains { fact in
      if case .absent(let name) = fact { return clause.contains(.present(name)) }
      return false
    }
  }

  /// The place of a clause in `clauses`, in an order that does not depend on hashing.
  private mutating func index(of clause: Set<Fact>) -> Int {
    if let known = clauseIndices[clause] { return known }
    clauses.append(clause.sorted { Self.rank($0).lexicographicallyPrecedes(Self.rank($1)) })
    clauseIndices[clause] = clauses.count - 1
    return clauses.count - 1
  }

  private static func rank(_ fact: Fact) -> [Int] {
    switch fact {
    case .absent(let name): [0, name]
    case .present(let name): [1, name]
    case .fails(let id, .property(let index)): [2, id, index]
    case .fails(let id, .patternProperty(let index)): [3, id, index]
    case .fails(let id, .additionalProperties): [4, id]
    case .fails(let id, .propertyNames): [5, id]
    case .unevaluatedProperties(let id, let evaluated, _): [6, id] + evaluated
    default: [7]
    }
  }
}
