// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Whether some value meets a goal.
///
/// A subschema may refer to itself, so that this is a least fixed point: values are finite, and what can
/// only be completed by itself never is. While a conjunction is looked at it counts as unsatisfiable.
/// An answer "no" that relied on such a guess may be wrong and is not kept, unless it was the guess about
/// the conjunction itself: that was the outermost one, and the guess has proved right.
///
/// Worked example: `node` is `{"required": ["next"], "properties": {"next": {"$ref": "#/$defs/node"}}}`
/// and `type: object`. To complete a node takes a node, which is being looked at: none can be completed.
/// Where `next` may also be `null`, the search finds that first, and both are satisfiable.
extension Obligations {
  /// Whether some value meets a goal.
  package mutating func isSatisfiable(_ goal: Goal) -> Bool {
    for place in 0..<goals.length(of: goal)
    where isSatisfiable(conjunction: goals.word(place, of: goal)) {
      return true
    }
    return false
  }

  /// Whether some value satisfies all literals of a conjunction.
  private mutating func isSatisfiable(conjunction: Conjunction) -> Bool {
    while satisfiable.count <= Int(conjunction) { satisfiable.append(0) }
    if satisfiable[Int(conjunction)] != 0 { return satisfiable[Int(conjunction)] == 2 }
    if graph.hasEvidentValue(conjunctions[conjunction]) {
      satisfiable[Int(conjunction)] = 2
      return true
    }
    if let hasString = graph.listsShareString(conjunctions[conjunction]) {
      satisfiable[Int(conjunction)] = hasString ? 2 : 1
      return hasString
    }
    if let depth = inProgress[conjunction] {
      reliesOn = min(reliesOn, depth)
      return false
    }
    let depth = inProgress.count
    guard depth < options.limits.depth else {
      noteFailure(
        "required", at: firstSubschema(of: conjunction),
        "members or items that must be there nest more than \(depth) levels; "
          + "make one of them optional or raise the limit `depth`")
      return false
    }
    inProgress[conjunction] = depth
    let outer = reliesOn
    reliesOn = .max
    var result = false
    if depth != Self.usualDepth {
      result = hasNode(conjunction)
    } else if let found = LargeStack.run(
      levels: options.limits.depth, { hasNode(conjunction) })
    {
      result = found
    } else {
      noteFailure(
        "required", at: firstSubschema(of: conjunction),
        "members or items that must be there nest more than \(depth) levels, "
          + "\(LargeStack.absence); make one of them optional")
    }
    inProgress[conjunction] = nil
    if result || reliesOn >= depth { satisfiable[Int(conjunction)] = result ? 2 : 1 }
    reliesOn = reliesOn >= depth ? outer : min(outer, reliesOn)
    return result
  }

  /// The levels of members and items that must be there for which any stack has room.
  private static let usualDepth = 8

  /// Whether a conjunction has a typed node: only those that a value satisfies are made.
  private mutating func hasNode(_ conjunction: Conjunction) -> Bool {
    for type in JSONTypes.each where !nodes(conjunction: conjunction, type).isEmpty { return true }
    return false
  }

  private func firstSubschema(of conjunction: Conjunction) -> SchemaNode.ID? {
    conjunctions[conjunction].first.map { Self.schema(of: $0) }
  }
}
