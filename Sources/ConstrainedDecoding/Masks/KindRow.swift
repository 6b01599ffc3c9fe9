/// What characters do in one state of the inside of a string or key, kind by kind.
///
/// Most states treat all characters of a kind alike. What is asked of a state, over which kinds it
/// stays, which lead on, and where to, is read off its transitions once.
struct KindRow {
  typealias Signature = TokenSignatures.Signature

  /// What scalars beyond ASCII lead to: which is dear to find out, and not always asked.
  struct BeyondASCII {
    /// The one state that all lead to which are no white space, or ``InsideReader/dead``.
    var others = InsideReader.dead
    /// The same for white space.
    var spaces = InsideReader.dead
    /// Whether some white space leads on.
    var hasSpaces = false
  }

  /// The state that all characters of a kind lead to, in the order of `TokenSignatures.members`;
  /// ``InsideReader/dead`` where there is no such state.
  var targets: [UInt32]
  /// The kinds of ASCII over which the state does not change.
  var loops: Signature = 0
  /// The kinds of which some character leads on, white space beyond ASCII not counted.
  var live: Signature = 0
  /// Nil as long as it is not known.
  var beyondASCII: BeyondASCII?

  /// - Parameter row: What each byte leads to, ``InsideReader/dead`` where it leads nowhere.
  init(_ state: UInt32, row: [UInt32]) {
    targets = []
    targets.reserveCapacity(TokenSignatures.members.count)
    for (kind, bytes) in TokenSignatures.members {
      var target = row[Int(bytes[0])]
      for byte in bytes {
        if row[Int(byte)] != InsideReader.dead { live |= kind }
        if row[Int(byte)] != target { target = InsideReader.dead }
      }
      if target == state { loops |= kind }
      targets.append(target)
    }
    for byte in 0x80...0xFF where row[byte] != InsideReader.dead {
      live |= TokenSignatures.beyondASCII
      break
    }
    if live & TokenSignatures.beyondASCII == 0 { beyondASCII = BeyondASCII() }
  }
}

extension MaskBuilder {
  /// Where the row of a state is in `kindRows`.
  mutating func kindRow(
    _ reader: InsideReader, _ state: UInt32, _ automaton: inout Automaton
  ) -> Int {
    let key = reader.key(of: state)
    if let known = kindRowPlaces[key] { return Int(known) }
    kindRows.append(KindRow(state, row: reader.row(state, &automaton)))
    kindRowPlaces.set(key, UInt32(kindRows.count - 1))
    return kindRows.count - 1
  }

  /// What scalars beyond ASCII lead to from a state whose row is at a place.
  mutating func beyondASCII(
    _ reader: InsideReader, _ state: UInt32, at place: Int, _ automaton: inout Automaton
  ) -> KindRow.BeyondASCII {
    if let known = kindRows[place].beyondASCII { return known }
    let result = reader.beyondASCII(state, &automaton)
    kindRows[place].beyondASCII = result
    return result
  }

  /// The kinds of characters over which a state does not change.
  ///
  /// - Parameter asked: The kinds that the answer matters for.
  mutating func loops(
    _ reader: InsideReader, _ state: UInt32, among asked: TokenSignatures.Signature = .max,
    _ automaton: inout Automaton
  ) -> TokenSignatures.Signature {
    let place = kindRow(reader, state, &automaton)
    var result = kindRows[place].loops
    if asked & TokenSignatures.beyondASCII == 0 { return result }
    let beyond = beyondASCII(reader, state, at: place, &automaton)
    if beyond.others == state {
      result |= TokenSignatures.beyondASCII
      if beyond.spaces == state { result |= TokenSignatures.spaceBeyondASCII }
    }
    return result
  }

  /// The kinds of characters of which some lead on from a state.
  mutating func liveKinds(
    _ reader: InsideReader, _ state: UInt32, _ automaton: inout Automaton
  ) -> TokenSignatures.Signature {
    let place = kindRow(reader, state, &automaton)
    let hasSpaces = beyondASCII(reader, state, at: place, &automaton).hasSpaces
    return kindRows[place].live | (hasSpaces ? TokenSignatures.spaceBeyondASCII : 0)
  }

  /// The one state that all characters of some kinds lead to, or ``InsideReader/dead``.
  mutating func target(
    of kinds: TokenSignatures.Signature, _ reader: InsideReader, _ state: UInt32,
    _ automaton: inout Automaton
  ) -> UInt32 {
    let place = kindRow(reader, state, &automaton)
    var result: UInt32?
    for (index, (kind, _)) in TokenSignatures.members.enumerated() where kinds & kind != 0 {
      let target = kindRows[place].targets[index]
      if result ?? target != target { return InsideReader.dead }
      result = target
    }
    if kinds & TokenSignatures.beyondASCII != 0 {
      let beyond = beyondASCII(reader, state, at: place, &automaton)
      if result ?? beyond.others != beyond.others { return InsideReader.dead }
      if kinds & TokenSignatures.spaceBeyondASCII != 0, beyond.spaces != beyond.others {
        return InsideReader.dead
      }
      result = beyond.others
    }
    return result ?? InsideReader.dead
  }
}
