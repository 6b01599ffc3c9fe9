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
    let beyond = targetsBeyondASCII(state, &automaton)
    if beyond.others == state {
      result |= TokenSignatures.beyondASCII
      if beyond.spaces == state { result |= TokenSignatures.spaceBeyondASCII }
    }
    return result
  }

  /// The one state that all scalars beyond ASCII lead to which are no white space, or that all which
  /// are lead to; ``dead`` where there is no such state. The state is gone through beside that of
  /// all strings, which says where scalars end.
  func targetsBeyondASCII(
    _ state: UInt32, _ automaton: inout Automaton
  ) -> (others: UInt32, spaces: UInt32) {
    var spaces: UInt32?
    for bytes in TokenSignatures.spacesBeyondASCII {
      let target = read(bytes, from: state, &automaton)
      if spaces ?? target != target { spaces = Self.dead } else { spaces = target }
    }
    var others: UInt32?
    var pending = [Partial(state: state, place: RegularLanguages.free, text: 0)]
    var seen: Set<Partial> = []
    while let current = pending.popLast() {
      for byte in UInt8(0x80)...0xFF {
        let after = automaton.obligations.languages.next(current.place, byte)
        if after == RegularLanguages.dead { continue }
        var text = Partial.noSpace
        if current.text != Partial.noSpace {
          text = current.text << 8 | UInt32(byte)
          if TokenSignatures.packedSpaces.contains(text) { continue }
          if !TokenSignatures.packedSpaceBeginnings.contains(text) { text = Partial.noSpace }
        }
        let target = next(current.state, byte, &automaton)
        if target == Self.dead { return (Self.dead, spaces ?? Self.dead) }
        if after == RegularLanguages.free {
          if others ?? target != target { return (Self.dead, spaces ?? Self.dead) }
          others = target
          continue
        }
        let partial = Partial(state: target, place: after, text: text)
        guard seen.insert(partial).inserted else { continue }
        if seen.count > 64 { return (Self.dead, spaces ?? Self.dead) }
        pending.append(partial)
      }
    }
    return (others ?? Self.dead, spaces ?? Self.dead)
  }

  /// A state inside a scalar.
  private struct Partial: Hashable {
    var state: UInt32
    var place: UInt32
    /// What was read of it, while it may become white space.
    var text: UInt32

    static let noSpace = UInt32.max
  }

  private func read(_ bytes: [UInt8], from state: UInt32, _ automaton: inout Automaton) -> UInt32 {
    var state = state
    for byte in bytes where state != Self.dead { state = next(state, byte, &automaton) }
    return state
  }

  /// The kinds of characters of which some lead on from a state.
  func liveKinds(_ state: UInt32, _ automaton: inout Automaton) -> TokenSignatures.Signature {
    var result: TokenSignatures.Signature = 0
    for (kind, bytes) in TokenSignatures.members {
      if bytes.contains(where: { next(state, $0, &automaton) != Self.dead }) { result |= kind }
    }
    for byte in UInt8(0x80)...0xFF where next(state, byte, &automaton) != Self.dead {
      result |= TokenSignatures.beyondASCII
      break
    }
    if hasSpaces(state, &automaton) { result |= TokenSignatures.spaceBeyondASCII }
    return result
  }

  private func hasSpaces(_ state: UInt32, _ automaton: inout Automaton) -> Bool {
    TokenSignatures.spacesBeyondASCII.contains { read($0, from: state, &automaton) != Self.dead }
  }

  /// Whether a state is left over some character outside of its loops.
  func hasExits(
    _ state: UInt32, beside loops: TokenSignatures.Signature, _ automaton: inout Automaton
  ) -> Bool {
    for (kind, bytes) in TokenSignatures.members where loops & kind == 0 {
      if bytes.contains(where: { next(state, $0, &automaton) != Self.dead }) { return true }
    }
    if loops & TokenSignatures.beyondASCII != 0 {
      return loops & TokenSignatures.spaceBeyondASCII == 0 && hasSpaces(state, &automaton)
    }
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
