// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How a state goes on over scalars beyond ASCII, as far as it is seen without reading any.
extension RegularLanguages {
  /// What is seen of that.
  struct Uniformity {
    /// The kinds beyond ASCII of each of which all scalars lead to one state.
    var alike: CharacterKinds.Bits
    /// The kinds of which some scalars may lead on.
    var live: CharacterKinds.Bits

    /// What is seen where no scalar beyond ASCII leads on.
    static let dead = Uniformity(alike: CharacterKinds.anyBeyondASCII, live: 0)
  }

  /// What is seen of a state; nil where nothing is.
  func uniformityBeyondASCII(_ state: State) -> Uniformity? {
    switch definitions[Int(state)] {
    case .dead: return .dead
    case .trie(let node): return uniformityBeyondASCII(trieNode: node)
    case .product(let key):
      var result = Uniformity(
        alike: CharacterKinds.anyBeyondASCII, live: CharacterKinds.anyBeyondASCII)
      for member in products[key] {
        guard let seen = uniformityBeyondASCII(member >> 1) else { return nil }
        result.alike &= seen.alike
        // What is left out says nothing of what leads on.
        if member & 1 == 0 { result.live &= seen.live }
      }
      return result
    case .threads(let program, let key):
      return programs[program].hasLookAround ? nil : uniformityBeyondASCII(program, threads: key)
    }
  }

  /// How a node of a trie goes on: nowhere, where no text of it has such a scalar there.
  func uniformityBeyondASCII(trieNode node: Int) -> Uniformity? {
    var child = trie.firstChild(of: node)
    while child >= 0 {
      if trie.byte(of: child) >= 0x80 { return nil }
      child = trie.nextSibling(of: child)
    }
    return .dead
  }

  private func uniformityBeyondASCII(_ program: Int, threads key: UInt32) -> Uniformity? {
    var result = Uniformity.dead
    // Each thread is followed by the number of its look-aheads, which is zero here.
    for place in stride(from: 0, to: threadKeys.length(of: key), by: 2) {
      let word = threadKeys.word(place, of: key)
      guard case .scalar(let automaton, _) = programs[program].nodes[Int(word >> 16)] else {
        continue
      }
      if UInt16(truncatingIfNeeded: word) != automata[automaton].start { return nil }
      result.alike &= automata[automaton].uniformBeyondASCII
      result.live |= automata[automaton].someKinds & CharacterKinds.anyBeyondASCII
    }
    return result
  }
}
