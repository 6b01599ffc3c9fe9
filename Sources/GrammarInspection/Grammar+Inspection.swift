// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ConstraintEngine

extension Grammar {
  /// What each stage holds for a beginning of a value.
  ///
  /// - Parameters:
  ///   - prefix: the beginning, which the grammar must allow.
  ///   - vocabulary: the tokens that masks are made for; its longest one decides which stacks count as
  ///     the same.
  ///   - goalLimit: the most goals that are looked at.
  /// - Throws: ``MatcherError`` where the grammar does not allow the prefix.
  /// - Complexity: the engine's state is copied, so that nothing of it changes.
  package func inspection(
    after prefix: [UInt8], vocabulary: Vocabulary, goalLimit: Int = 24
  ) throws(MatcherError) -> GrammarInspection {
    var automaton = storage.original.withState { $0.automaton }
    let configuration = try automaton.configuration(after: prefix)
    let goals = automaton.reachedGoals(limit: goalLimit)
    return GrammarInspection(
      subschemas: automaton.obligations.graph.described,
      warnings: warnings.map(\.description),
      goals: goals.first.map { automaton.obligations.described(goal: $0) },
      furtherGoals: goals.further,
      stacks: automaton.described(configuration, vocabulary),
      steps: automaton.describedSteps(configuration),
      mayEnd: automaton.mayEnd(configuration))
  }

  /// The mask after a beginning of a value.
  ///
  /// - Parameter exampleLimit: the most examples of tokens allowed, and of tokens refused.
  package func maskInspection(
    after prefix: [UInt8], vocabulary: Vocabulary, exampleLimit: Int
  ) throws(MatcherError) -> MaskInspection {
    let mask = try mask(after: prefix, vocabulary)
    let limit = max(0, exampleLimit)
    let refused = (0..<vocabulary.count).lazy.filter {
      !mask.contains($0) && !vocabulary.bytes(of: $0).isEmpty
    }
    return MaskInspection(
      count: mask.count, vocabularyCount: vocabulary.count,
      baseCount: mask.storage.base.count, base: mask.storage.base.described(vocabulary),
      addedCount: mask.storage.added.count, removedCount: mask.storage.removed.count,
      allowed: Array(mask.tokens.prefix(limit)), refused: Array(refused.prefix(limit)))
  }

  /// The way of a token after a beginning of a value.
  package func inspection(
    ofToken token: Int, after prefix: [UInt8], vocabulary: Vocabulary
  ) throws(MatcherError) -> TokenInspection {
    let mask = try mask(after: prefix, vocabulary)
    var automaton = storage.original.withState { $0.automaton }
    var configuration = try automaton.configuration(after: prefix)
    let isEnd = vocabulary.isEnd(token)
    var result = TokenInspection(
      steps: [], isAllowed: isEnd && automaton.mayEnd(configuration),
      isInMask: mask.contains(token), stacks: [])
    let trie = vocabulary.storage.trie
    var node: Int? = TokenTrie.root
    for byte in vocabulary.bytes(of: token) {
      node = node.flatMap { trie.child(byte, of: $0) }
      let next = automaton.next(configuration, byte)
      result.steps.append(
        TokenInspection.Step(
          byte: Automaton.quoted(byte), node: node,
          nodesBelow: node.map { trie.below($0).count } ?? 0,
          tops: automaton.describedTops(next)))
      result.isAllowed = next != Automaton.dead
      if next == Automaton.dead {
        result.expected = automaton.expectation(configuration)
        return result
      }
      configuration = next
    }
    if result.isAllowed { result.stacks = automaton.described(configuration, vocabulary) }
    return result
  }

  private func mask(
    after prefix: [UInt8], _ vocabulary: Vocabulary
  ) throws(MatcherError) -> TokenMask {
    var matcher = Matcher(grammar: self, vocabulary: vocabulary)
    try matcher.accept(bytes: prefix)
    let mask = matcher.allowedTokens()
    try matcher.checkLimit()
    return mask
  }
}

extension Automaton {
  /// The configuration after a beginning of a text.
  fileprivate mutating func configuration(
    after prefix: [UInt8]
  ) throws(MatcherError) -> Configuration {
    if let refusal = refusal(of: prefix, after: start) { throw refusal }
    return next(start, prefix[...])
  }

  /// The goals that are met from the outermost value on, breadth first: the first of them, and how many
  /// more their members and items lead to at once.
  fileprivate mutating func reachedGoals(
    limit: Int
  ) -> (first: [Obligations.Goal], further: Int) {
    guard start != Self.dead, Self.isOneStack(start), stacks[start].kind == .value else {
      return ([], 0)
    }
    var found = [stacks[start].a]
    var at = 0
    while at < found.count, at < limit {
      for goal in obligations.goals(within: found[at]) where !found.contains(goal) {
        found.append(goal)
      }
      at += 1
    }
    return (Array(found.prefix(limit)), max(0, found.count - limit))
  }
}
