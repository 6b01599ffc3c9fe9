// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Masks within a budget: every token is read, and the shortest completion after it is counted.
///
/// Few configurations are met on the way, each by thousands of tokens. So where their bytes lead is kept
/// for the time of the walk, and how far it is from there to the end.
///
/// Where items must differ, every token of a string leads to a place of its own, and to complete many items
/// that differ takes long. Where the budget is ample, or after some, a bound stands for it: what the frames
/// need, and a few times what the items needed beyond that before the token. If the item that is being
/// written comes to equal one of the completion, that one can be what the item would have been.
extension Automaton {
  /// What a walk over the tokens has met.
  private struct MetConfigurations {
    private(set) var all: [Configuration] = []
    private var indices: [Configuration: UInt32] = [:]
    /// By index and byte, the index of the configuration after it.
    var rows = ByteRows()
    /// By index, the tokens of the shortest completion; -1 where they were not counted.
    var lengths: [Int] = []

    mutating func index(of configuration: Configuration) -> UInt32 {
      if configuration == Automaton.dead { return Automaton.dead }
      if let known = indices[configuration] { return known }
      let index = UInt32(all.count)
      indices[configuration] = index
      all.append(configuration)
      lengths.append(-1)
      return index
    }
  }

  /// The bits of the tokens after which the value can still be completed within a budget; `nil`
  /// where those are all that may come next.
  mutating func narrowed(
    _ configuration: Configuration, to tokenBudget: Int, _ vocabulary: Vocabulary
  ) -> [UInt32]? {
    // What takes a token that is known by its id alone has no completion in bytes to fit.
    guard let shortest = shortestCompletion(configuration), rules?.hasTokens != true else {
      return nil
    }
    let trie = vocabulary.storage.trie
    if hasRoom(shortest, trie, within: tokenBudget) { return nil }
    var room = distinctItemsRoom(configuration, shortest)
    var words = [UInt32](repeating: 0, count: (vocabulary.count + 31) / 32)
    func allow(_ token: Int) { words[token >> 5] |= 1 << UInt32(token & 31) }
    var met = MetConfigurations()
    var path = [UInt32](
      repeating: met.index(of: configuration), count: trie.maximumDepth + 1)
    var text = [UInt8](repeating: 0, count: trie.maximumDepth)
    var node = 0
    while node < trie.count {
      let depth = Int(trie.nodes[node].depth)
      let byte = trie.nodes[node].byte
      text[depth - 1] = byte
      let before = path[depth - 1]
      let place = met.rows.place(before, byte)
      var after = met.rows[place]
      if after == ByteRows.unknown {
        let at = met.all[Int(before)]
        // Every token that goes on with a key would lead to a place of its own, if its text were
        // kept. What comes after a key depends on it.
        let isKeyRead = byte == 0x22 && hasUnrecordedKey(at)
        recordsKeys = isKeyRead || obligations.comparesItems
        after = met.index(of: isKeyRead ? next(configuration, text[..<depth]) : next(at, byte))
        recordsKeys = true
        if !isKeyRead { met.rows[place] = after }
      }
      if after == Self.dead {
        node = Int(trie.nodes[node].end)
        continue
      }
      path[depth] = after
      var token = trie.nodes[node].token
      if token >= 0 {
        if met.lengths[Int(after)] < 0 {
          let at = met.all[Int(after)]
          let recorded = hasUnrecordedKey(at) ? next(configuration, text[..<depth]) : at
          met.lengths[Int(after)] = completionLength(recorded, trie, within: tokenBudget, &room)
        }
        while token >= 0 {
          if met.lengths[Int(after)] < tokenBudget { allow(Int(token)) }
          token = trie.duplicates[Int(token)]
        }
      }
      node += 1
    }
    if mayEnd(configuration) {
      for end in vocabulary.storage.ends { allow(Int(end)) }
    }
    if words.allSatisfy({ $0 == 0 }), let first = trie.tokens(covering: shortest).tokens.first {
      allow(first)
    }
    return words
  }

  /// Whether after any token the value can still be completed: a byte of a token lengthens the
  /// shortest completion by one detour at most.
  private mutating func hasRoom(
    _ shortest: [UInt8], _ trie: TokenTrie, within tokenBudget: Int
  ) -> Bool {
    guard shortest.count + trie.maximumDepth < tokenBudget, let detour = longestDetour() else {
      return false
    }
    return shortest.count + trie.maximumDepth * detour < tokenBudget
  }

  /// What bounds completions whose items must differ.
  private struct DistinctItemsRoom {
    /// The most bytes that such items are taken to need beyond what their frames do.
    var excess: Int
    /// How many more completions are searched for one mask.
    var searches: Int
  }

  private mutating func distinctItemsRoom(
    _ configuration: Configuration, _ shortest: [UInt8]
  ) -> DistinctItemsRoom? {
    guard obligations.comparesItems, let byFrames = completionByFrames(configuration) else {
      return nil
    }
    let excess = max(0, shortest.count - byFrames.count)
    let rest = max(0, byFrames.count - (lastCompletion?.text.count ?? 0))
    return DistinctItemsRoom(
      excess: 3 * excess + 2 * rest + 16, searches: Self.searchLimit / (shortest.count + 1))
  }

  /// How many completions are searched for one mask, times their bytes: long ones take longer.
  private static let searchLimit = 4096

  /// The tokens to the end, or an upper bound where the budget is ample or no more is searched.
  private mutating func completionLength(
    _ configuration: Configuration, _ trie: TokenTrie, within budget: Int,
    _ room: inout DistinctItemsRoom?
  ) -> Int {
    guard let known = room else { return completionLength(configuration, trie) }
    if let ample = ampleLength(configuration, within: budget) { return ample }
    if known.searches > 0 {
      room?.searches = known.searches - 1
      return completionLength(configuration, trie)
    }
    guard let byFrames = completionByFrames(configuration) else { return .max }
    let (tokens, rest) = trie.tokens(covering: byFrames)
    return rest.isEmpty ? tokens.count + known.excess : .max
  }

  /// Whether a key is being read whose text is not known.
  private mutating func hasUnrecordedKey(_ configuration: Configuration) -> Bool {
    stacks(of: configuration).contains {
      stacks[$0].kind == .key && stacks[$0].e == TextTable.unknown
    }
  }
}
