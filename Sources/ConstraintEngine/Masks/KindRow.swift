// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What characters do in one state of the inside of a string or key, kind by kind.
///
/// Most states treat all characters of a kind alike. What is asked of a state, over which kinds it
/// stays, which lead on, and where to, is read off its transitions once.
struct KindRow {
  typealias Signature = CharacterKinds.Bits

  /// What scalars beyond ASCII lead to.
  struct BeyondASCII {
    /// The one state that all letters lead to, or ``InsideReader/dead``.
    var letters = InsideReader.dead
    /// The same for white space.
    var spaces = InsideReader.dead
    /// The same for what is unusual.
    var unusual = InsideReader.dead
    /// The same for all others.
    var others = InsideReader.dead
    /// Which kinds may lead on. What is cut within a scalar can be of the kind of the others, which is
    /// therefore one of them where white space or the unusual is.
    var live: Signature = 0

    /// Says where all scalars of a kind lead; the others are the last.
    mutating func set(_ kind: Signature, _ target: UInt32) {
      switch kind {
      case CharacterKinds.beyondASCII: letters = target
      case CharacterKinds.spaceBeyondASCII: spaces = target
      case CharacterKinds.unusualBeyondASCII: unusual = target
      default: others = target
      }
      let cutBeside = CharacterKinds.spaceBeyondASCII | CharacterKinds.unusualBeyondASCII
      if kind == CharacterKinds.otherBeyondASCII, live & cutBeside != 0 { return }
      if target == InsideReader.dead { live &= ~kind }
    }

    /// The kinds of which all lead to a state. All signatures have the letters' kind: if these lead
    /// elsewhere, there are none.
    func kinds(to state: UInt32) -> Signature {
      if letters != state { return 0 }
      return CharacterKinds.beyondASCII
        | (spaces == state ? CharacterKinds.spaceBeyondASCII : 0)
        | (unusual == state ? CharacterKinds.unusualBeyondASCII : 0)
        | (others == state ? CharacterKinds.otherBeyondASCII : 0)
    }
  }

  /// The state that all characters of a kind lead to, in the order of `CharacterKinds.members`;
  /// ``InsideReader/dead`` where there is no such state.
  var targets: [UInt32]
  /// The kinds of ASCII over which the state does not change.
  var loops: Signature = 0
  /// The kinds of which some character leads on; beyond ASCII only the letters' kind, which stands
  /// for all.
  var live: Signature = 0
  var beyondASCII = BeyondASCII()

  /// - Parameters:
  ///   - row: What each byte leads to.
  ///   - dead: What the row says where a byte leads nowhere.
  init(_ state: UInt32, row: Span<UInt32>, dead: UInt32) {
    let members = CharacterKinds.memberIndices
    let kinds = CharacterKinds.kinds
    let memberKinds = CharacterKinds.memberKinds
    var allTargets = [UInt32](repeating: InsideReader.dead, count: memberKinds.count)
    var targets = allTargets.mutableSpan
    var seen: Signature = 0
    var mixed: Signature = 0
    for byte in 0x20..<0x80 {
      let member = Int(members[byte])
      if member == CharacterKinds.noMember { continue }
      let target = row[byte] == dead ? InsideReader.dead : row[byte]
      let kind = kinds[byte]
      if seen & kind == 0 {
        targets[member] = target
      } else if targets[member] != target {
        mixed |= kind
      }
      seen |= kind
      if target != InsideReader.dead { live |= kind }
    }
    for member in memberKinds.indices {
      if mixed & memberKinds[member] != 0 { targets[member] = InsideReader.dead }
      if targets[member] == state { loops |= memberKinds[member] }
    }
    self.targets = allTargets
    for byte in 0x80...0xFF where row[byte] != dead {
      live |= CharacterKinds.beyondASCII
      break
    }
  }
}

extension MaskBuilder {
  /// Where the row of a state is in `kindRows`.
  mutating func kindRow(
    _ reader: InsideReader, _ state: UInt32, _ automaton: inout Automaton
  ) -> Int {
    let key = reader.key(of: state)
    if let known = insides.kindRowPlaces[key] { return Int(known) }
    switch reader {
    case .string:
      automaton.obligations.languages.purge(state)
      let start = automaton.obligations.languages.rows[Int(state)]
      let row = automaton.obligations.languages.transitions.span.extracting(start..<start + 256)
      insides.kindRows.append(KindRow(state, row: row, dead: RegularLanguages.dead))
    case .key:
      let row = reader.row(state, &automaton)
      insides.kindRows.append(KindRow(state, row: row.span, dead: InsideReader.dead))
    }
    let place = insides.kindRows.count - 1
    if insides.kindRows[place].live & CharacterKinds.beyondASCII != 0 {
      insides.kindRows[place].beyondASCII = reader.beyondASCII(state, &automaton)
    }
    insides.kindRowPlaces.set(key, UInt32(place))
    return place
  }

  /// The kinds of characters over which a state does not change.
  mutating func loops(
    _ reader: InsideReader, _ state: UInt32, _ automaton: inout Automaton
  ) -> CharacterKinds.Bits {
    let place = kindRow(reader, state, &automaton)
    return insides.kindRows[place].loops | insides.kindRows[place].beyondASCII.kinds(to: state)
  }

  /// The kinds of characters of which some lead on from a state.
  mutating func liveKinds(
    _ reader: InsideReader, _ state: UInt32, _ automaton: inout Automaton
  ) -> CharacterKinds.Bits {
    let place = kindRow(reader, state, &automaton)
    return insides.kindRows[place].live | insides.kindRows[place].beyondASCII.live
  }
}
