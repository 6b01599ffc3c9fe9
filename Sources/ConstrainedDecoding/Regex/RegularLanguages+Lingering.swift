// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Characters that a string may go on with for ever, however its state changes over them.
///
/// A search reads on while it looks: in `xsl$` one thread stays before the `x` whatever comes, and can
/// still go on to a match. So any text may come, though hardly a character leaves the state as it is.
/// In `^.*xsl$` the same is true of all that `.` takes.
extension RegularLanguages {
  /// A thread that lingers.
  struct Lingering {
    /// The kinds of characters over which it stays.
    var kinds: TokenSignatures.Signature
    /// The fewest scalars from there to a match.
    var distance: Int
    /// Those kinds and the ones that nothing in the expression takes.
    var settled: TokenSignatures.Signature
    /// The thread, and the program it is one of.
    var thread: UInt32
    var program: Int
  }

  /// The thread of a state that lingers over the most kinds of characters, if one does.
  mutating func lingering(_ state: State) -> Lingering? {
    guard case .threads(let program, let key) = definitions[Int(state)],
      programs[program].isSimple
    else { return nil }
    var found: (thread: UInt32, kinds: TokenSignatures.Signature)?
    for place in stride(from: 0, to: threadKeys.length(of: key), by: 2) {
      let word = threadKeys.word(place, of: key)
      let node = Int(word >> 16)
      guard case .scalar(let automaton, let next) = programs[program].nodes[node],
        case .split(let first, let second) = programs[program].nodes[next],
        first == node || second == node,
        UInt16(truncatingIfNeeded: word) == automata[automaton].start
      else { continue }
      let kinds = automata[automaton].wholeKinds
      if kinds.nonzeroBitCount > (found?.kinds.nonzeroBitCount ?? 0) { found = (word, kinds) }
    }
    guard let found else { return nil }
    return Lingering(
      kinds: found.kinds, distance: Int(distances(program: program)[Int(found.thread >> 16)]),
      settled: found.kinds | ~kinds(program: program), thread: found.thread, program: program)
  }

  /// The language of a thread that lingers: whatever was read over which it does, its strings may
  /// follow.
  mutating func rest(of lingering: Lingering) -> State {
    threadState(program: lingering.program, [lingering.thread, 0])
  }

  /// The members of a product, each a state and whether its strings are left out.
  func members(_ state: State) -> [(state: State, isExcluded: Bool)]? {
    guard case .product(let key) = definitions[Int(state)] else { return nil }
    return products[key].map { ($0 >> 1, $0 & 1 == 1) }
  }

  /// The kinds of characters that no string of a language has, as far as that is known.
  mutating func kindsLeftOut(of state: State) -> TokenSignatures.Signature {
    guard case .threads(let program, _) = definitions[Int(state)], programs[program].isSimple
    else { return 0 }
    return ~kinds(program: program)
  }

  /// The kinds of characters that something in a program takes some of, found once.
  private mutating func kinds(program: Int) -> TokenSignatures.Signature {
    if let known = programKinds[program] { return known }
    var result: TokenSignatures.Signature = 0
    for node in programs[program].nodes {
      if case .scalar(let automaton, _) = node { result |= automata[automaton].someKinds }
    }
    programKinds[program] = result
    return result
  }
}
