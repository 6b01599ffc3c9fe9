// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keys that could only be repeated, where patterns have keys that none goes on from.
///
/// The mask of a canonical stack allows every token after which a key fits the patterns. After some of
/// these all keys that fit have come (`Automaton+EarlierKeys`). Such a token ends within the text of an
/// earlier key, so that the tokens are gone down beside those texts alone.
///
/// Worked example: keys are four digits, and `{"2001":1,"20` was read. `01` is refused; `0` and `02`
/// are not, and neither is looked for in any other way.
extension MaskCache {
  /// Adds the tokens that end with the beginning of a key that could only be one of those an object
  /// has.
  mutating func addOpenings(
    of stack: StackID, _ object: Frame, _ automaton: inout Automaton,
    to candidates: inout [Int32]
  ) {
    let place = UInt64(automaton.place(of: object.a, object.b)) << 32 | UInt64(object.f)
    if let known = repeats.openingPlaces[place] {
      candidates += repeats.openings[Int(known)]
      return
    }
    let start = Frame(
      kind: .key, a: automaton.obligations.startTuple(Int(object.a)), e: TextTable.empty,
      parent: stack)
    var found: [Int32] = []
    var first = knownBytes(after: start, &automaton)
    first.insert(0x5C)
    automaton.recordsKeys = false
    for (text, tokens) in index.quoted.openings
    where first.contains(text[0]) && leadsToEnd(text, start, &automaton) {
      found += tokens
    }
    automaton.recordsKeys = true
    repeats.openingPlaces.set(place, UInt32(repeats.openings.count))
    repeats.openings.append(found)
    candidates += found
  }

  /// Whether a key could only be repeated after some bytes of it, or none goes on so.
  private func leadsToEnd(_ text: [UInt8], _ start: Frame, _ automaton: inout Automaton) -> Bool {
    var key = start
    for byte in text {
      guard let next = Self.step(key, byte, &automaton) else { return true }
      key = next
    }
    return false
  }

  private static func step(_ key: Frame, _ byte: UInt8, _ automaton: inout Automaton) -> Frame? {
    var reached: [StackID] = []
    automaton.step(inside: key, byte, into: &reached)
    return reached.first.map { automaton.stacks[$0] }
  }

  /// Adds the tokens after which the key being read could only be repeated, and some that no key goes on
  /// with.
  func addEnds(_ key: Frame, _ automaton: inout Automaton, to repeating: inout [Int32]) {
    automaton.recordsKeys = false
    addEnds(below: TokenTrie.root, key, &automaton, to: &repeating)
    automaton.recordsKeys = true
  }

  /// The same below a node: it is gone on only where the key stays within texts that were read before, or
  /// declared names, or is in the middle of an escape.
  private func addEnds(
    below node: Int, _ key: Frame, _ automaton: inout Automaton, to repeating: inout [Int32]
  ) {
    let trie = vocabulary.trie
    let object = automaton.stacks[key.parent]
    // No undeclared key has come that could be repeated, and no declared one goes on so.
    if object.f == PersistentSets.empty, automaton.obligations.nameNode(of: key.a) == nil {
      return
    }
    var bytes = Escape(word: key.b).nextBytes
    if key.b == 0 {
      bytes = knownBytes(after: key, &automaton)
      if bytes.isEmpty { return }
      bytes.insert(0x5C)
    }
    bytes.visitEach { byte in
      guard key.b != 0 || byte == 0x5C || JSONSpelling.isPlain(byte),
        let child = trie.child(byte, of: node)
      else { return }
      if let next = Self.step(key, byte, &automaton) {
        addEnds(below: child, next, &automaton, to: &repeating)
      } else {
        for node in child..<Int(trie.nodes[child].end) {
          trie.forEachToken(of: node) { repeating.append($0) }
        }
      }
    }
  }

  /// The bytes with which what was read of a key stays within a text that was read before, or a
  /// declared name.
  private func knownBytes(after key: Frame, _ automaton: inout Automaton) -> ByteSet {
    var result = ByteSet()
    automaton.texts.forEachChild(of: key.e) { byte, _ in result.insert(byte) }
    if let name = automaton.obligations.nameNode(of: key.a) {
      automaton.obligations.languages.trie.forEachChild(of: name) { byte, _ in
        result.insert(byte)
      }
    }
    return result
  }
}
