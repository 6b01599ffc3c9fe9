// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
  static let dead = Automaton.deadKey

  /// The state after a byte, or ``dead``.
  @inline(__always)
  func next(_ state: UInt32, _ byte: UInt8, _ automaton: inout Automaton) -> UInt32 {
    switch self {
    case .string:
      let after = automaton.obligations.languages.liveNext(state, byte)
      return after == RegularLanguages.dead ? Self.dead : after
    case .key(let object):
      return automaton.liveNext(key: state, byte, object: object)
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

  /// What each byte leads to from a state.
  func row(_ state: UInt32, _ automaton: inout Automaton) -> [UInt32] {
    switch self {
    case .string:
      return automaton.obligations.languages.liveRow(state)
        .map { $0 == RegularLanguages.dead ? Self.dead : $0 }
    case .key:
      var targets = [UInt32](repeating: Self.dead, count: 256)
      var row = targets.mutableSpan
      for run in automaton.obligations.runStarts(of: state).runs {
        let target = next(state, UInt8(run.lowerBound), &automaton)
        for byte in run { row[byte] = target }
      }
      return targets
    }
  }

  /// A number for a state of this reader.
  func key(of state: UInt32) -> UInt64 {
    switch self {
    case .string: UInt64(UInt32.max) << 32 | UInt64(state)
    case .key(let object): UInt64(object) << 32 | UInt64(state)
    }
  }

  /// What scalars beyond ASCII lead to from a state, as far as that is seen of its languages; where
  /// nothing is, as with look-arounds, they are read one by one.
  func beyondASCII(_ state: UInt32, _ automaton: inout Automaton) -> KindRow.BeyondASCII {
    var result = KindRow.BeyondASCII()
    guard let seen = uniformityBeyondASCII(state, &automaton) else {
      result.live = CharacterKinds.anyBeyondASCII
      return result
    }
    result.live = seen.live
    // Where letters are not alike, nothing is taken by its kind.
    if seen.alike & CharacterKinds.beyondASCII == 0 { return result }
    for (kind, text) in CharacterKinds.samplesBeyondASCII
    where seen.alike & seen.live & kind != 0 {
      var target = state
      for byte in text where target != Self.dead { target = next(target, byte, &automaton) }
      result.set(kind, target)
    }
    return result
  }

  /// What is seen of how a state goes on over scalars beyond ASCII; nil where nothing is.
  private func uniformityBeyondASCII(
    _ state: UInt32, _ automaton: inout Automaton
  ) -> RegularLanguages.Uniformity? {
    switch self {
    case .string: return automaton.obligations.languages.uniformityBeyondASCII(state)
    case .key:
      let words = automaton.obligations.keyTuples[state]
      // Whether a key goes on is for its object to say.
      var result = RegularLanguages.Uniformity(
        alike: CharacterKinds.anyBeyondASCII, live: CharacterKinds.anyBeyondASCII)
      if let name = words.first, name > 0 {
        guard
          let seen = automaton.obligations.languages.uniformityBeyondASCII(
            trieNode: Int(name) - 1)
        else { return nil }
        result.alike &= seen.alike
      }
      for place in stride(from: words.startIndex + 1, to: words.endIndex, by: 2) {
        let language = words[place]
        guard let seen = automaton.obligations.languages.uniformityBeyondASCII(language) else {
          return nil
        }
        result.alike &= seen.alike
      }
      return result
    }
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
