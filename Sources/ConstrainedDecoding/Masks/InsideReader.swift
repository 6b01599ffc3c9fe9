/// What the inside of a string or a key is held to, byte by byte, outside of escapes.
///
/// Strings with a pattern and keys that only some names or patterns allow are read in the same way:
/// both have numbered states and go over bytes, and both are left when a quote comes.
enum InsideReader: Hashable {
  /// A string: states are those of a language.
  case string
  /// A key of the object in a stack: states are key tuples.
  case key(object: StackID)

  /// Nothing goes on from here.
  static let dead = UInt32.max

  /// The state after a byte, or ``dead``.
  @inline(__always)
  func next(_ state: UInt32, _ byte: UInt8, _ automaton: inout Automaton) -> UInt32 {
    switch self {
    case .string:
      let after = automaton.obligations.languages.liveNext(state, byte)
      return after == RegularLanguages.dead ? Self.dead : after
    case .key(let object):
      let after = automaton.obligations.nextTuple(state, byte)
      return automaton.canComplete(key: after, automaton.stacks[object]) ? after : Self.dead
    }
  }

  /// The frame that reads on in a state.
  func frame(_ position: InsidePosition) -> Frame {
    switch self {
    case .string:
      Frame(kind: .string, a: position.state, c: position.minimum, d: position.maximum)
    case .key(let object):
      Frame(kind: .key, a: position.state, e: TextTable.unknown, parent: object)
    }
  }

  /// The kinds of characters over which a state does not change.
  func loops(_ state: UInt32, _ automaton: inout Automaton) -> TokenSignatures.Signature {
    var result: TokenSignatures.Signature = 0
    for (kind, bytes) in TokenSignatures.members {
      if bytes.allSatisfy({ next(state, $0, &automaton) == state }) { result |= kind }
    }
    if loopsBeyondASCII(state, &automaton) { result |= TokenSignatures.beyondASCII }
    return result
  }

  /// Whether every scalar beyond ASCII leads back to a state, and a part of one stays alive: the
  /// state is gone through beside that of all strings, which says where scalars end.
  private func loopsBeyondASCII(_ state: UInt32, _ automaton: inout Automaton) -> Bool {
    var pending: [(state: UInt32, place: UInt32)] = [(state, RegularLanguages.free)]
    var seen: [(state: UInt32, place: UInt32)] = []
    while let (current, place) = pending.popLast() {
      for byte in UInt8(0x80)...0xFF {
        let after = automaton.obligations.languages.next(place, byte)
        if after == RegularLanguages.dead { continue }
        let target = next(current, byte, &automaton)
        if target == Self.dead { return false }
        if after == RegularLanguages.free {
          if target != state { return false }
          continue
        }
        if seen.contains(where: { $0 == (target, after) }) { continue }
        if seen.count > 32 { return false }
        seen.append((target, after))
        pending.append((target, after))
      }
    }
    return true
  }

  /// The kinds of characters of which some lead on from a state.
  func liveKinds(_ state: UInt32, _ automaton: inout Automaton) -> TokenSignatures.Signature {
    var result: TokenSignatures.Signature = 0
    for (kind, bytes) in TokenSignatures.members {
      if bytes.contains(where: { next(state, $0, &automaton) != Self.dead }) { result |= kind }
    }
    for byte in UInt8(0x80)...0xFF where next(state, byte, &automaton) != Self.dead {
      return result | TokenSignatures.beyondASCII
    }
    return result
  }

  /// Whether a state is left over some character outside of its loops.
  func hasExits(
    _ state: UInt32, beside loops: TokenSignatures.Signature, _ automaton: inout Automaton
  ) -> Bool {
    for (kind, bytes) in TokenSignatures.members where loops & kind == 0 {
      if bytes.contains(where: { next(state, $0, &automaton) != Self.dead }) { return true }
    }
    if loops & TokenSignatures.beyondASCII != 0 { return false }
    for byte in UInt8(0x80)...0xFF where next(state, byte, &automaton) != Self.dead { return true }
    return false
  }
}

/// Where the inside of a string or key stands, whatever comes after it.
struct InsidePosition: Hashable {
  var reader: InsideReader
  var state: UInt32
  /// The fewest and most scalars still to come.
  var minimum: UInt32 = 0
  var maximum = UInt32.max

  var isBounded: Bool { minimum > 0 || maximum != .max }
}

/// What tokens do inside a string or key, whatever comes after it.
struct Inside {
  /// The tokens that stay inside.
  var base: MaskBase
  var added: [UInt32]
  /// The spellings before a closing quote after which it is complete, with the state there.
  var closing: [(prefix: Int32, state: UInt32)]
}
