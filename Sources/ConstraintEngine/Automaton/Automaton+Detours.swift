// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How far a token can put off the end.
///
/// While the budget is larger than the shortest completion by what a token can add to it at most, no
/// token has to be looked at: this bound is found once for a grammar.
extension Automaton {
  /// The most bytes by which one byte can lengthen the shortest completion: the longest of the
  /// minimal texts of all goals that the grammar can come to, with the key that opens the value;
  /// `nil` where there are too many to know.
  mutating func longestDetour() -> Int? {
    if let detour { return detour < 0 ? nil : detour }
    let found = searchLongestDetour()
    detour = found ?? -1
    return found
  }

  private mutating func searchLongestDetour() -> Int? {
    guard start != Self.dead, Self.isOneStack(start) else { return nil }
    let isRules = stacks[start].kind == .rule
    guard let (goals, rulesDetour) = isRules ? detoursOfRules() : ([stacks[start].a], 0) else {
      return nil
    }
    var pending = goals
    var seen = Set(pending)
    var longest = rulesDetour
    while let goal = pending.popLast() {
      guard seen.count < 4096, let text = minimalText(goal) else { return nil }
      longest = max(longest, text.count)
      guard let inner = goalsWithin(goal) else { return nil }
      for (goal, overhead) in inner {
        longest = max(longest, overhead)
        if seen.insert(goal).inserted { pending.append(goal) }
      }
    }
    return 2 * longest + 16
  }

  /// The goals of the members and items of the values that meet a goal, each with the bytes of its
  /// key; `nil` where they depend on what came before.
  private mutating func goalsWithin(
    _ goal: Obligations.Goal
  ) -> [(goal: Obligations.Goal, overhead: Int)]? {
    var result: [(goal: Obligations.Goal, overhead: Int)] = []
    let space = isSpaced ? 1 : 0
    for case .string(let node) in obligations.nodes(goal, .string) {
      guard let longest = longestCompletion(node) else { return nil }
      result.append((goal, longest))
    }
    for case .array(let index) in obligations.nodes(goal, .array) {
      let node = obligations.arrays[index]
      guard node.containments.isEmpty, node.listing == nil else { return nil }
      for item in node.goals where obligations.isSatisfiable(item) {
        result.append((item, 2 + space))
      }
    }
    for case .object(let index) in obligations.nodes(goal, .object) {
      let node = obligations.objects[index]
      guard node.formula == ObjectFormulas.always, node.listing == nil else { return nil }
      for member in node.members where obligations.isSatisfiable(member.goal) {
        result.append((member.goal, obligations.graph.names[member.name].count + 4 + 2 * space))
      }
      guard let classes = obligations.classes(ofKeys: obligations.startTuple(index)) else {
        return nil
      }
      for keyClass in classes {
        let extra = obligations.extraGoal(index, keyClass)
        if obligations.isSatisfiable(extra.goal) { result.append((extra.goal, 4 + 2 * space)) }
      }
    }
    return result
  }

  /// The longest of the shortest completions from anywhere in a string.
  private mutating func longestCompletion(_ node: StringNode) -> Int? {
    if obligations.languages.isFreeState(node.language) { return node.minimum + 1 }
    guard node.minimum == 0 else { return nil }
    var pending = [stacks.intern(Frame(kind: .string, a: node.language, d: .max))]
    var seen = Set(pending)
    var longest = 0
    while let at = pending.popLast() {
      guard seen.count < 512, let text = stringCompletion(at) else { return nil }
      longest = max(longest, text.count)
      for byte in UInt8(0x20)...0xFF where byte != 0x22 {
        var reached: [StackID] = []
        step(string: stacks[at], byte, into: &reached)
        for after in reached where seen.insert(after).inserted { pending.append(after) }
      }
    }
    return longest
  }
}
