/// How a state goes on over scalars beyond ASCII, as far as it is seen without reading any.
extension RegularLanguages {
  /// What is seen of that.
  enum Uniformity: Equatable {
    /// Nothing.
    case none
    /// Not alike over those that are neither white space nor unusual. Some of the kinds may lead on.
    case mixed(TokenSignatures.Signature)
    /// Alike over all white space there, and over all that is neither that nor unusual.
    case usual
    /// The same, and alike over all that is unusual.
    case all

    /// What is seen of two states that are read side by side. Which kinds lead on is not, where
    /// those of one are not alike.
    func beside(_ other: Uniformity) -> Uniformity {
      switch (self, other) {
      case (.none, _), (_, .none), (.mixed, _), (_, .mixed): .none
      case (.usual, _), (_, .usual): .usual
      case (.all, .all): .all
      }
    }
  }

  func uniformityBeyondASCII(_ state: State) -> Uniformity {
    switch definitions[Int(state)] {
    case .dead: return .all
    case .trie(let node): return uniformityBeyondASCII(trieNode: node)
    case .product(let key):
      var result = Uniformity.all
      for member in products[key] where result != .none {
        result = result.beside(uniformityBeyondASCII(member >> 1))
      }
      return result
    case .threads(let program, let key):
      return programs[program].hasLookAround ? .none : uniformityBeyondASCII(program, threads: key)
    }
  }

  /// How a node of a trie goes on: nowhere, where no text of it has such a scalar there.
  func uniformityBeyondASCII(trieNode node: Int) -> Uniformity {
    var child = trie.firstChild(of: node)
    while child >= 0 {
      if trie.byte(of: child) >= 0x80 { return .none }
      child = trie.nextSibling(of: child)
    }
    return .all
  }

  private func uniformityBeyondASCII(_ program: Int, threads key: UInt32) -> Uniformity {
    var result = Uniformity.all
    var kinds: TokenSignatures.Signature = 0
    // Each thread is followed by the number of its obligations, which is zero here.
    for place in stride(from: 0, to: threadKeys.length(of: key), by: 2) {
      let word = threadKeys.word(place, of: key)
      guard case .scalar(let automaton, _) = programs[program].nodes[Int(word >> 16)] else {
        continue
      }
      if UInt16(truncatingIfNeeded: word) != automata[automaton].start { return .none }
      kinds |= automata[automaton].someKinds
      if automata[automaton].hasBeyondASCII == nil {
        result = .mixed(0)
      } else if automata[automaton].hasSpacesBeyondASCII == nil {
        return .none
      } else if result == .all, automata[automaton].hasUnusualBeyondASCII == nil {
        result = .usual
      }
    }
    if case .mixed = result { result = .mixed(kinds) }
    return result
  }
}
