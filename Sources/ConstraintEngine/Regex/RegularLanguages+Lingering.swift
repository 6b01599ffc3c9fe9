// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Characters that a string may go on with for ever, however its state changes over them.
///
/// A search reads on while it looks: in `xsl$` one thread stays before the `x` whatever comes, and can
/// still go on to a match. So any text may come, though hardly a character leaves the state as it is.
/// In `^.*xsl$` the same is true of all that `.` takes.
extension RegularLanguages {
  /// The kinds of characters over which a thread of a state stays: the thread that stays over most.
  func lingeringKinds(_ state: State) -> CharacterKinds.Bits {
    guard case .threads(let program, let key) = definitions[Int(state)],
      programs[program].isSimple
    else { return 0 }
    var found: CharacterKinds.Bits = 0
    for place in stride(from: 0, to: threadKeys.length(of: key), by: 2) {
      let word = threadKeys.word(place, of: key)
      let node = Int(word >> 16)
      guard case .scalar(let automaton, let next) = programs[program].nodes[node],
        case .split(let first, let second) = programs[program].nodes[next],
        first == node || second == node,
        UInt16(truncatingIfNeeded: word) == automata[automaton].start
      else { continue }
      let kinds = automata[automaton].wholeKinds
      if kinds.nonzeroBitCount > found.nonzeroBitCount { found = kinds }
    }
    return found
  }
}
