// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Escapes in strings that are some given ones: they are read along the trie of those, for the
/// automaton would ask of each character whether it may come.
extension MaskBuilder {
  /// Adds the tokens with an escape that a string may go on with.
  func addEscaped(
    _ strings: RegularLanguages.Listed, to found: inout FoundTokens,
    _ automaton: inout Automaton
  ) {
    let split = index.split
    var known: [(strings: RegularLanguages.Listed, row: [UInt64])] = []
    for escape in split.escapes {
      guard let at = after(split.escapeBytes[escape.bytes], strings, &automaton) else { continue }
      let place: Int
      if let found = known.firstIndex(where: { $0.strings == at }) {
        place = found
      } else {
        place = known.count
        var row = [UInt64](repeating: 0, count: (split.tailCount + 63) / 64)
        readTails(0..<split.tails.count, at, 0, into: &row, &automaton)
        known.append((at, row))
      }
      for entry in escape.entries {
        let tail = Int(split.escapedTokens[entry].tail)
        if known[place].row[tail >> 6] >> UInt64(tail & 63) & 1 == 1 {
          found.add(one: split.escapedTokens[entry].token)
        }
      }
    }
  }

  /// What is left of some strings after some bytes; `nil` where nothing is.
  private func after(
    _ bytes: some Sequence<UInt8>, _ strings: RegularLanguages.Listed,
    _ automaton: inout Automaton
  ) -> RegularLanguages.Listed? {
    var at = strings
    for byte in bytes {
      guard let node = automaton.obligations.languages.trie.child(of: at.node, byte) else {
        return nil
      }
      at.node = node
      at.excluded = automaton.obligations.languages.trie.children(of: at.excluded, byte)
    }
    return automaton.obligations.languages.trie.hasString(from: at.node, excluding: at.excluded)
      ? at : nil
  }

  private func readTails(
    _ nodes: Range<Int>, _ strings: RegularLanguages.Listed, _ escape: UInt32,
    into row: inout [UInt64], _ automaton: inout Automaton
  ) {
    let tails = index.split.tails
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      let end = Int(tails.nodes[node].end)
      if let next = read(tails.nodes[node].byte, strings, escape, &automaton) {
        if tails.nodes[node].token >= 0 {
          row[Int(tails.nodes[node].token) >> 6] |= 1 << UInt64(tails.nodes[node].token & 63)
        }
        readTails(node + 1..<end, next.strings, next.escape, into: &row, &automaton)
      }
      node = end
    }
  }

  /// What is left after a byte of the spelling.
  private func read(
    _ byte: UInt8, _ strings: RegularLanguages.Listed, _ escape: UInt32,
    _ automaton: inout Automaton
  ) -> (strings: RegularLanguages.Listed, escape: UInt32)? {
    switch Escape(word: escape).spelled(byte, anyEscapes: automaton.anyEscapes) {
    case .nothing, .quote: return nil
    case .byte: return after([byte], strings, &automaton).map { ($0, 0) }
    case .scalar(let scalar):
      return after(Escape.utf8(scalar), strings, &automaton).map { ($0, 0) }
    case .escape(let escape):
      let ranges = escape.scalars(anyEscapes: automaton.anyEscapes)
      return goesOn(with: ranges, strings, &automaton) ? (strings, escape.word) : nil
    }
  }

  /// Whether some string goes on with a scalar of some ranges.
  private func goesOn(
    with ranges: [ClosedRange<UInt32>], _ strings: RegularLanguages.Listed,
    _ automaton: inout Automaton
  ) -> Bool {
    for (byte, _) in automaton.obligations.languages.trie.children(of: strings.node) {
      guard byte < 0x80 || byte >= 0xC2, let next = after([byte], strings, &automaton) else {
        continue
      }
      let missing = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
      let bits = UInt32(byte) & (missing == 0 ? 0x7F : 0x3F >> UInt32(missing))
      if completes(bits, missing, ranges, next, &automaton) { return true }
    }
    return false
  }

  private func completes(
    _ bits: UInt32, _ missing: Int, _ ranges: [ClosedRange<UInt32>],
    _ strings: RegularLanguages.Listed, _ automaton: inout Automaton
  ) -> Bool {
    if missing == 0 { return ranges.contains { $0.contains(bits) } }
    for (byte, _) in automaton.obligations.languages.trie.children(of: strings.node) {
      if let next = after([byte], strings, &automaton),
        completes(bits << 6 | UInt32(byte & 0x3F), missing - 1, ranges, next, &automaton)
      {
        return true
      }
    }
    return false
  }
}
