// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Forced bytes as tokens, in the cut of the model's own tokenizer.
///
/// A model was trained on texts as its tokenizer cuts them, and answers worse to any other cut. So
/// the tokenizer cuts the text so far together with the forced bytes, and a forced token is taken
/// only where no continuation that the grammar allows would be cut otherwise.
///
/// A continuation changes the cut only where some token of it begins in the forced bytes and ends
/// after them. The trie has these tokens, the grammar says which may come, and the tokenizer cuts
/// the text with each: what all these cuts have in common is settled.
///
/// Example: `{"city":"` is forced, and the tokenizer cuts it `{"` `city` `":"`. An empty city would
/// be cut `{"` `city` `":""`; so `{"` and `city` are settled, and the model is asked how to go on.
extension Matcher {
  /// The tokens that must come next, as the model's tokenizer cuts them, so that the model need not
  /// be asked for them.
  ///
  /// - Parameters:
  ///   - text: What was written before, back to a place where the tokenizer cuts in any case: the
  ///     last special token, or the beginning of a word some hundred bytes back.
  ///   - encode: The model's tokenizer, for a text that may follow other text: nothing is put
  ///     before it, and names of special tokens are text.
  /// - Returns: The tokens; empty where none is settled, or where the text before ends inside a
  ///   token of its cut.
  /// - Complexity: A cut of `text` and the forced bytes for each continuation that could change
  ///   the cut; most often a few hundred at most.
  public mutating func forcedTokens(
    after text: some Collection<UInt8>, encode: (String) -> [Int]
  ) -> [Int] {
    forcedText(after: text, encode: encode).settled
  }

  /// Forced bytes in the tokens of a cut.
  package struct ForcedText: Sendable, Equatable {
    /// The tokens that must come.
    package var settled: [Int] = []
    /// The tokens of the forced bytes after them: what follows may still change them.
    package var likely: [Int] = []

    package static var none: ForcedText { ForcedText() }
  }

  /// The same with the tokens that are not settled: most often the model writes just these.
  package mutating func forcedText(
    after text: some Collection<UInt8>, encode: (String) -> [Int]
  ) -> ForcedText {
    let forced = forcedBytes()
    guard !forced.isEmpty else { return .none }
    let start = text.count
    var whole = Array(text)
    whole += forced
    whole.removeLast(UTF8Text.unfinishedCount(whole))
    guard whole.count > start, let known = String(validating: whole, as: UTF8.self) else {
      return .none
    }
    let vocabulary = vocabulary
    let cut = TokenCut(encode(known), vocabulary)
    guard cut.ends.last == whole.count, let first = cut.index(endingAt: start) else {
      return .none
    }
    // What the last character lacks is part of the forced bytes, but of no cut.
    let written = Array(forced.prefix(whole.count - start))
    let trie = vocabulary.storage.trie
    let settled = withState { state, configuration in
      let after = state.automaton.next(configuration, written[...])
      var settled = cut.tokens.count
      for place in (max(0, whole.count - trie.maximumDepth)..<whole.count).reversed() {
        // A token from this place on leaves at least what ends before it.
        let kept = max(first, cut.count(endingBy: place))
        guard settled > kept, let node = trie.node(whole[place...]) else { continue }
        state.automaton.forEachContinuation(of: after, below: node, in: trie) { continuation in
          let text = whole + continuation + UTF8Text.fill(continuation)
          guard let text = String(validating: text, as: UTF8.self) else { return true }
          settled = min(settled, cut.sharedCount(TokenCut(encode(text), vocabulary)))
          return settled > kept
        }
      }
      return settled
    }
    let end = max(settled, first)
    return ForcedText(
      settled: Array(cut.tokens[first..<end]), likely: Array(cut.tokens[end...]))
  }
}

/// A text cut into tokens.
private struct TokenCut {
  let tokens: [Int]
  /// Where each token ends.
  let ends: [Int]

  init(_ tokens: [Int], _ vocabulary: Vocabulary) {
    self.tokens = tokens
    var end = 0
    ends = tokens.map { token in
      end += token >= 0 && token < vocabulary.count ? vocabulary.storage.bytes(of: token).count : 0
      return end
    }
  }

  /// How many tokens end at a place or before it.
  func count(endingBy place: Int) -> Int { ends.prefix { $0 <= place }.count }

  /// How many tokens make the text up to a place; nil where it is inside a token.
  func index(endingAt place: Int) -> Int? {
    if place == 0 { return 0 }
    let count = count(endingBy: place)
    return count > 0 && ends[count - 1] == place ? count : nil
  }

  /// How many tokens two cuts begin with alike.
  func sharedCount(_ other: TokenCut) -> Int {
    zip(tokens, other.tokens).prefix { $0 == $1 }.count
  }
}

/// Characters that are cut in the middle.
private enum UTF8Text {
  /// How many bytes at the end begin a character that is not whole.
  static func unfinishedCount(_ bytes: [UInt8]) -> Int {
    let (back, missing) = lastCharacter(bytes)
    return missing > 0 ? back : 0
  }

  /// Bytes that make the last character a whole one.
  static func fill(_ bytes: [UInt8]) -> [UInt8] {
    let (back, missing) = lastCharacter(bytes)
    guard missing > 0 else { return [] }
    var fill = [UInt8](repeating: 0x80, count: missing)
    // Shorter spellings of a character are not UTF-8.
    if back == 1, bytes.last == 0xE0 { fill[0] = 0xA0 }
    if back == 1, bytes.last == 0xF0 { fill[0] = 0x90 }
    return fill
  }

  /// How many bytes the last character has, and how many it lacks.
  private static func lastCharacter(_ bytes: [UInt8]) -> (count: Int, missing: Int) {
    for back in 1...4 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte & 0xC0 == 0x80 { continue }
      let width = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return (back, max(0, width - back))
    }
    return (0, 0)
  }
}

extension Automaton {
  /// Calls a closure with what the tokens below a node of the trie have after the node's text, as
  /// far as it may come, until the closure returns false.
  fileprivate mutating func forEachContinuation(
    of configuration: Configuration, below root: Int, in trie: TokenTrie,
    _ body: ([UInt8]) -> Bool
  ) {
    let rootDepth = Int(trie.nodes[root].depth)
    var path = [configuration]
    var text: [UInt8] = []
    var node = root + 1
    while node < Int(trie.nodes[root].end) {
      let depth = Int(trie.nodes[node].depth) - rootDepth
      path.removeSubrange(depth...)
      text.removeSubrange((depth - 1)...)
      let after = next(path[depth - 1], trie.nodes[node].byte)
      if after == Self.dead {
        node = Int(trie.nodes[node].end)
        continue
      }
      path.append(after)
      text.append(trie.nodes[node].byte)
      if trie.nodes[node].token >= 0, !body(text) { return }
      node += 1
    }
  }
}
