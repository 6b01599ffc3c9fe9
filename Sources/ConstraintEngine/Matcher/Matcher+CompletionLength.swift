// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Matcher {
  /// How many tokens the shortest completion takes, cut into the longest tokens that fit; `Int.max`
  /// where none is known.
  ///
  /// Cheaper by far than ``allowedTokens(within:)``, which asks it after every token: who draws a
  /// token first needs it after that one only.
  ///
  /// - Complexity: Linear in the length of the completion.
  package mutating func completionTokenCount() -> Int {
    let trie = vocabulary.storage.trie
    return withState { state, configuration in
      state.automaton.completionLength(configuration, trie)
    }
  }
}
