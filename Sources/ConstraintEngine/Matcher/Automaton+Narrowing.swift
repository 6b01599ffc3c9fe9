// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Masks within a budget: every token is read, and the shortest completion after it is counted.
///
/// Few configurations are met on the way, each by thousands of tokens. So where their bytes lead is kept
/// for the time of the walk, and how far it is from there to the end.
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
    // A byte of a token lengthens the shortest completion by one detour at most.
    if shortest.count + trie.maximumDepth < tokenBudget, let detour = longestDetour(),
      shortest.count + trie.maximumDepth * detour < tokenBudget
    {
      return nil
    }
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
          met.lengths[Int(after)] = completionLength(
            hasUnrecordedKey(at) ? next(configuration, text[..<depth]) : at, trie)
        }
        while token >= 0 {
          if met.lengths[Int(after)] < tokenBudget { allow(Int(token)) }
          token = trie.duplicates[Int(token)]
        }
      }
      node += 1
    }
    if mayEnd(configuration) { allow(vocabulary.endOfSequence) }
    if words.allSatisfy({ $0 == 0 }), let first = trie.tokens(covering: shortest).tokens.first {
      allow(first)
    }
    return words
  }

  /// Whether a key is being read whose text is not known.
  private mutating func hasUnrecordedKey(_ configuration: Configuration) -> Bool {
    stacks(of: configuration).contains {
      stacks[$0].kind == .key && stacks[$0].e == TextTable.unknown
    }
  }
}
