/// The masks of one grammar over one vocabulary, computed once for each configuration.
struct MaskCache {
  let vocabulary: Vocabulary
  var masks: [Automaton.Configuration: TokenMask] = [:]

  init(vocabulary: Vocabulary) { self.vocabulary = vocabulary }

  /// The tokens that may come next in a configuration.
  mutating func mask(
    _ configuration: Automaton.Configuration, _ automaton: inout Automaton
  ) -> TokenMask {
    if let known = masks[configuration] { return known }
    let trie = vocabulary.storage.trie
    var words = [UInt64](repeating: 0, count: (vocabulary.count + 63) / 64)
    var path = [Automaton.Configuration](repeating: configuration, count: trie.maximumDepth + 1)
    var node = 0
    while node < trie.count {
      let depth = Int(trie.depths[node])
      let next = automaton.next(path[depth - 1], trie.bytes[node])
      if next == Automaton.dead {
        node = Int(trie.ends[node])
        continue
      }
      path[depth] = next
      var token = trie.tokens[node]
      while token >= 0 {
        words[Int(token) >> 6] |= 1 << UInt64(token & 63)
        token = trie.duplicates[Int(token)]
      }
      node += 1
    }
    if automaton.mayEnd(configuration) {
      let token = vocabulary.endOfSequence
      words[token >> 6] |= 1 << UInt64(token & 63)
    }
    let mask = TokenMask(storage: TokenMask.Storage(words: words))
    masks[configuration] = mask
    return mask
  }
}
