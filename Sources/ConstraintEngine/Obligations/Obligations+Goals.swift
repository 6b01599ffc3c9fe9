// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Making goals out of literals.
///
/// A conjunction is sorted, has each literal once, and names the representatives of equal subschemas; what
/// is always true is left out, and what contradicts itself has no conjunction. So goals that ask for the
/// same mostly have one id.
extension Obligations {
  /// The literal of a subschema or of its negation.
  @inline(__always)
  package static func literal(_ schema: SchemaNode.ID, negated: Bool = false) -> Literal {
    UInt32(schema) << 1 | (negated ? 1 : 0)
  }

  @inline(__always)
  package static func schema(of literal: Literal) -> SchemaNode.ID { SchemaNode.ID(literal >> 1) }

  @inline(__always)
  package static func isNegated(_ literal: Literal) -> Bool { literal & 1 == 1 }

  /// Literals of a subschema and of its negation stand side by side in their order.
  @inline(__always)
  package static func negation(of literal: Literal) -> Literal { literal ^ 1 }

  /// The conjunction of some literals, or `nil` where two of them contradict each other.
  mutating func conjunction(_ literals: [Literal]) -> Conjunction? {
    if literals.count == 1 {
      let literal = representative(of: literals[0])
      guard let boolean = graph.nodes[Self.schema(of: literal)].boolean else {
        return conjunctions.intern(word: literal)
      }
      return boolean == (!Self.isNegated(literal)) ? conjunctions.intern([]) : nil
    }
    var sorted = literals
    for place in sorted.indices { sorted[place] = representative(of: sorted[place]) }
    sorted.sort()
    var kept = 0
    for literal in sorted {
      if let boolean = graph.nodes[Self.schema(of: literal)].boolean {
        if boolean == (!Self.isNegated(literal)) { continue }
        return nil
      }
      if kept > 0, sorted[kept - 1] == literal { continue }
      if kept > 0, sorted[kept - 1] == Self.negation(of: literal), Self.isNegated(literal) {
        return nil
      }
      sorted[kept] = literal
      kept += 1
    }
    return conjunctions.intern(sorted[..<kept])
  }

  /// The literal that stands for all that say the same as one.
  private mutating func representative(of literal: Literal) -> Literal {
    tellsEqualsApart ? literal : alternatives.representative(of: literal)
  }

  /// The goal that some literals hold together.
  package mutating func goal(_ literals: [Literal]) -> Goal {
    guard let conjunction = conjunction(literals) else { return nothing }
    return goals.intern(word: conjunction)
  }

  /// The goal that one of some sets of literals holds.
  package mutating func goal(anyOf sets: [[Literal]]) -> Goal {
    var members: [Conjunction] = []
    for set in sets {
      if let conjunction = conjunction(set) { members.append(conjunction) }
    }
    members = Set(members).sorted()
    return goals.intern(members)
  }

  /// The goal with a literal more on every alternative.
  package mutating func goal(_ goal: Goal, and literal: Literal) -> Goal {
    let key = UInt64(goal) << 32 | UInt64(literal)
    if let known = extendedGoals[key] { return known }
    let result = self.goal(goal, and: [literal])
    extendedGoals.set(key, result)
    return result
  }

  /// The goal with some literals more on every alternative.
  package mutating func goal(_ goal: Goal, and added: [Literal]) -> Goal {
    if goals.length(of: goal) == 1 {
      let literals = Array(conjunctions[goals.word(0, of: goal)]) + added
      return self.goal(literals)
    }
    var members: [Conjunction] = []
    for conjunction in Array(goals[goal]) {
      let literals = Array(conjunctions[conjunction]) + added
      if let merged = self.conjunction(literals) { members.append(merged) }
    }
    return goals.intern(Set(members).sorted())
  }

  /// The goal that two goals are met.
  package mutating func goal(both goal: Goal, _ other: Goal) -> Goal {
    var members: Swift.Set<Conjunction> = []
    for conjunction in Array(goals[other]) {
      let part = self.goal(goal, and: Array(conjunctions[conjunction]))
      members.formUnion(goals[part])
    }
    return goals.intern(members.sorted())
  }
}
