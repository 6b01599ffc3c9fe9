// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Masks of grammars written by hand.
extension MaskBuilder {
  /// Adds the tokens that start inside a language: its automaton's rows are read directly, and
  /// wherever a text of it is complete, what follows it is entered from there.
  mutating func addLanguage(_ frame: Frame, _ automaton: inout Automaton) {
    guard frame.kind == .rule,
      case .language(_, let next) = automaton.rules?.nodes[Int(frame.a)]
    else { return }
    let following = automaton.continuation(next, parent: frame.parent)
    let filter = automaton.firstBytes(following)
    let trie = vocabulary.trie
    var states = [RegularLanguages.State](repeating: frame.b, count: trie.maximumDepth + 2)
    var node = 0
    while node < trie.count {
      let depth = Int(trie.nodes[node].depth)
      let after = automaton.obligations.languages.liveNext(states[depth - 1], trie.nodes[node].byte)
      let end = Int(trie.nodes[node].end)
      if after == RegularLanguages.dead {
        node = end
        continue
      }
      states[depth] = after
      if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, .tokens) }
      if !filter.isEmpty, automaton.obligations.languages.accepts(after) {
        walk(trie, below: node, from: following, &automaton, .tokens)
      }
      node += 1
    }
  }
}

extension Automaton {
  /// A mask with the tokens that a configuration asks for by their id added.
  mutating func withTokens(
    _ configuration: Configuration, _ mask: TokenMask, of vocabulary: Vocabulary
  ) -> TokenMask {
    guard rules?.hasTokens == true, configuration != Self.dead else { return mask }
    let wanted = tokens(of: configuration)
    if wanted.isEmpty { return mask }
    var words = mask.storage.words
    let count = vocabulary.count
    func set(_ token: Int) { words[token >> 5] |= 1 << UInt32(token & 31) }
    for (id, isNegated) in wanted {
      if isNegated {
        for token in 0..<count where token != id && !vocabulary.isEnd(token) { set(token) }
      } else if id >= 0, id < count {
        set(id)
      }
    }
    return TokenMask(storage: TokenMask.Storage(words: words))
  }
}
