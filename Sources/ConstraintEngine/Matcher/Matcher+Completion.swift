// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What is forced, and how to end in time.
extension Matcher {
  /// The bytes that must come next whatever the model says: empty where there is a choice, or where
  /// the value may end.
  ///
  /// The bytes are exact. Which tokens write them is for the model's tokenizer to say:
  /// ``forcedTokens(after:encode:)``.
  public mutating func forcedBytes() -> [UInt8] {
    withState { state, configuration in
      var result: [UInt8] = []
      var at = configuration
      while result.count < 4096, let byte = state.automaton.forcedByte(at) {
        result.append(byte)
        at = state.automaton.next(at, byte)
      }
      return result
    }
  }

  /// The shortest text, in bytes, after which the value is complete; empty where it already is.
  /// An escape that was begun becomes one of a surrogate pair only where no other leads to an end.
  public mutating func shortestCompletion() -> [UInt8] {
    withState { $0.automaton.shortestCompletion($1) ?? [] }
  }

  /// The tokens of a shortest completion; their number bounds how soon the value can end.
  public mutating func shortestCompletionTokens() -> [Int] {
    vocabulary.storage.trie.tokens(covering: shortestCompletion()).tokens
  }

  /// The tokens that may come next such that the value can still be completed within a budget.
  ///
  /// - Parameter tokenBudget: how many more tokens there may be, the end of the sequence not
  ///   counted.
  /// - Returns: the mask of ``allowedTokens()`` without the tokens after which the shortest
  ///   completion no longer fits. Where the budget is already too small, the mask holds the first
  ///   token of the shortest completion alone. Where many items must differ, it may also be without
  ///   tokens after which the value would only just fit.
  /// - Complexity: that of ``allowedTokens()`` while the budget is ample; one walk over the allowed
  ///   tokens once it is not.
  public mutating func allowedTokens(within tokenBudget: Int) -> TokenMask {
    if hasEnded { return TokenMask(storage: endsOnly) }
    let vocabulary = vocabulary
    return withState { state, configuration in
      state.automaton.narrowed(configuration, to: tokenBudget, vocabulary).map {
        TokenMask(storage: TokenMask.Storage(words: $0))
      } ?? state.mask(configuration, vocabulary)
    }
  }
}

extension Automaton {
  /// How many tokens a shortest completion takes; `Int.max` where none is known.
  mutating func completionLength(_ configuration: Configuration, _ trie: TokenTrie) -> Int {
    guard let text = shortestCompletion(configuration) else { return .max }
    let (tokens, rest) = trie.tokens(covering: text)
    return rest.isEmpty ? tokens.count : .max
  }

  /// The only byte that may come next, where there is only one and the value may not end.
  mutating func forcedByte(_ configuration: Configuration) -> UInt8? {
    if configuration == Self.dead { return nil }
    if let known = forcedBytes[configuration] { return known < 0 ? nil : UInt8(known) }
    var result: Int16 = -1
    if !mayEnd(configuration) {
      for byte in UInt8.min...UInt8.max where next(configuration, byte) != Self.dead {
        if result >= 0 {
          result = -1
          break
        }
        result = Int16(byte)
      }
    }
    forcedBytes[configuration] = result
    return result < 0 ? nil : UInt8(result)
  }
}

extension TokenTrie {
  /// A text cut greedily into the longest tokens, and what no token covers.
  func tokens(covering text: [UInt8]) -> (tokens: [Int], rest: ArraySlice<UInt8>) {
    var result: [Int] = []
    var at = 0
    while at < text.count {
      guard let (token, length) = longestToken(text[at...]) else { return (result, text[at...]) }
      result.append(token)
      at += length
    }
    return (result, [])
  }

  private func longestToken(_ text: ArraySlice<UInt8>) -> (token: Int, length: Int)? {
    var best: (token: Int, length: Int)?
    var at = TokenTrie.root
    for (offset, byte) in text.enumerated() {
      guard let node = child(byte, of: at) else { break }
      let token = nodes[node].token
      if token >= 0 { best = (Int(token), offset + 1) }
      at = node
    }
    return best
  }
}
