// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How tokens leave the plain text of a string or key: by an escape, or by a closing quote.
extension MaskBuilder {
  // MARK: Escapes

  /// Adds the tokens with an escape of some nodes, read from a position.
  func readEscaped(
    _ nodes: Range<Int>, _ position: InsidePosition, to found: inout FoundTokens,
    _ automaton: inout Automaton
  ) {
    let trie = index.split.escaped
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      let end = Int(trie.nodes[node].end)
      let byte = trie.nodes[node].byte
      if byte == 0x5C {
        readEscape(node, position, to: &found, &automaton)
      } else if let after = self.position(position, reading: byte, &automaton) {
        found.add(trie.nodes[node].token, trie)
        readEscaped(node + 1..<end, after, to: &found, &automaton)
      }
      node = end
    }
  }

  /// The nodes from a backslash on. Letters are read as what they stand for.
  private func readEscape(
    _ escape: Int, _ position: InsidePosition, to found: inout FoundTokens,
    _ automaton: inout Automaton
  ) {
    let trie = index.split.escaped
    var goesOn = false
    var others: [Range<Int>] = []
    var node = escape + 1
    while node < Int(trie.nodes[escape].end) {
      let end = Int(trie.nodes[node].end)
      if let scalar = Escape.scalar(letter: trie.nodes[node].byte) {
        if let after = self.position(position, reading: UInt8(scalar), &automaton) {
          goesOn = true
          found.add(trie.nodes[node].token, trie)
          readEscaped(node + 1..<end, after, to: &found, &automaton)
        }
      } else {
        others.append(node..<end)
      }
      node = end
    }
    if goesOn, others.isEmpty { return found.add(trie.nodes[escape].token, trie) }
    var reached: [StackID] = []
    automaton.step(inside: position.reader.frame(position), 0x5C, into: &reached)
    for stack in reached {
      found.add(trie.nodes[escape].token, trie)
      for nodes in others {
        readEscaped(nodes, automaton.stacks[stack], to: &found, &automaton)
      }
    }
  }

  /// The position after a byte of content, if there is one.
  private func position(
    _ position: InsidePosition, reading byte: UInt8, _ automaton: inout Automaton
  ) -> InsidePosition? {
    var after = position
    after.state = position.reader.next(position.state, byte, &automaton)
    if after.state == InsideReader.dead { return nil }
    if !position.isBounded { return after }
    if byte & 0xC0 != 0x80 {
      if after.maximum == 0 { return nil }
      if after.maximum != .max { after.maximum -= 1 }
      if after.minimum > 0 { after.minimum -= 1 }
    }
    return fits(after.state, 0, after, &automaton) ? after : nil
  }

  /// The same from the middle of an escape on, byte by byte.
  private func readEscaped(
    _ nodes: Range<Int>, _ frame: Frame, to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    let trie = index.split.escaped
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      let end = Int(trie.nodes[node].end)
      let byte = trie.nodes[node].byte
      if byte != 0x22 || frame.b != 0 {
        var reached: [StackID] = []
        automaton.step(inside: frame, byte, into: &reached)
        for stack in reached {
          found.add(trie.nodes[node].token, trie)
          readEscaped(node + 1..<end, automaton.stacks[stack], to: &found, &automaton)
        }
      }
      node = end
    }
  }

  // MARK: Closing

  /// The spellings, as they stand before the first quote of a token, after which a string or key
  /// may close.
  func completePrefixes(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> [(prefix: Int32, state: UInt32)] {
    let split = index.split
    let trie = split.prefixes
    var result: [(prefix: Int32, state: UInt32)] = []
    func close(_ prefix: Int32, _ state: UInt32, _ length: UInt32) {
      guard length >= position.minimum, length <= position.maximum else { return }
      let isComplete =
        position.reader == .string
        ? automaton.obligations.languages.accepts(state) : automaton.obligations.isBoundary(state)
      if isComplete { result.append((prefix, state)) }
    }
    if split.emptyPrefix >= 0 { close(split.emptyPrefix, position.state, 0) }
    var states = [UInt32](repeating: position.state, count: trie.maximumDepth + 2)
    var lengths = [UInt32](repeating: 0, count: trie.maximumDepth + 2)
    var node = 0
    while node < trie.count {
      let depth = Int(trie.nodes[node].depth)
      let byte = trie.nodes[node].byte
      let after =
        byte == 0x5C
        ? InsideReader.dead : position.reader.next(states[depth - 1], byte, &automaton)
      lengths[depth] = lengths[depth - 1] + (byte & 0xC0 == 0x80 ? 0 : 1)
      if after == InsideReader.dead || lengths[depth] > position.maximum {
        node = Int(trie.nodes[node].end)
        continue
      }
      states[depth] = after
      if trie.nodes[node].token >= 0 { close(trie.nodes[node].token, after, lengths[depth]) }
      node += 1
    }
    for (prefix, text) in split.escapedPrefixes {
      var state = position.state
      for byte in text where state != InsideReader.dead {
        state = position.reader.next(state, byte, &automaton)
      }
      if state == InsideReader.dead { continue }
      close(prefix, state, UInt32(text.count { $0 & 0xC0 != 0x80 }))
    }
    return result
  }
}
