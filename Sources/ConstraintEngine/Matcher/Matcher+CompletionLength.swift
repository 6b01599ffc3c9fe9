// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Matcher {
  /// How many tokens the shortest completion takes, cut into the longest tokens that fit; `Int.max`
  /// where none is known.
  ///
  /// Cheaper by far than ``allowedTokens(within:)``, which asks it after every token: who draws a
  /// token first needs it after that one only.
  ///
  /// - Parameter budget: the tokens there may be. Where items must differ and they are far more than
  ///   what is needed, the result is a bound below them: to search such a completion takes long.
  /// - Complexity: Linear in the length of the completion.
  package mutating func completionTokenCount(within budget: Int = 0) -> Int {
    let trie = vocabulary.storage.trie
    return withState { state, configuration in
      state.automaton.ampleLength(configuration, within: budget)
        ?? state.automaton.completionLength(configuration, trie)
    }
  }
}

extension Automaton {
  /// An upper bound on the tokens to the end where items must differ and a budget is ample: twice what
  /// the frames need, and some. An item that is unlike others is seldom twice as long as the shortest.
  mutating func ampleLength(_ configuration: Configuration, within budget: Int) -> Int? {
    guard obligations.comparesItems, let byFrames = completionByFrames(configuration) else {
      return nil
    }
    // A token has a byte at least.
    let bound = 2 * byFrames.count + 256
    return bound < budget ? bound : nil
  }
}
