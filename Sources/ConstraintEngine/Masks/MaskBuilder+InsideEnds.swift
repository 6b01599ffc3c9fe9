// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How tokens leave the plain text of a string or key: by an escape, or by a closing quote.
extension MaskBuilder {
  // MARK: Escapes

  mutating func addEscaped(
    _ position: InsidePosition, to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    let split = index.split
    // Most escapes come after nothing or after what leads to one of a few states.
    var known: [(position: InsidePosition, row: [UInt64])] = []
    for place in split.escapes.indices {
      let escape = split.escapes[place]
      var at = position
      for byte in split.escapeBytes[escape.bytes] {
        at.state = position.reader.next(at.state, byte, &automaton)
        if at.state == InsideReader.dead { break }
        if byte & 0xC0 == 0x80 { continue }
        if at.maximum == 0 {
          at.state = InsideReader.dead
          break
        }
        if at.maximum != .max { at.maximum -= 1 }
        if at.minimum > 0 { at.minimum -= 1 }
      }
      if at.state == InsideReader.dead { continue }
      var row = known.firstIndex { $0.position == at } ?? -1
      if row < 0 {
        row = known.count
        known.append((at, tailRow(at, &automaton)))
      }
      let tails = known[row].row
      for entry in escape.entries {
        let tail = Int(split.escapedTokens[entry].tail)
        if tails[tail >> 6] >> UInt64(tail & 63) & 1 == 1 {
          found.add(one: split.escapedTokens[entry].token)
        }
      }
    }
  }

  /// Which texts from an escape on stay inside in a position, as bits.
  private mutating func tailRow(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> [UInt64] {
    let key = position.reader.key(of: position.state)
    if !position.isBounded, let known = insides.tailRowPlaces[key] {
      return insides.tailRows[Int(known)]
    }
    var row = [UInt64](repeating: 0, count: (index.split.tailCount + 63) / 64)
    readTails(0..<index.split.tails.count, position, into: &row, &automaton)
    if !position.isBounded {
      insides.tailRowPlaces.set(key, UInt32(insides.tailRows.count))
      insides.tailRows.append(row)
    }
    return row
  }

  /// The texts of some nodes, read from a position between two scalars or inside one.
  private func readTails(
    _ nodes: Range<Int>, _ position: InsidePosition, into row: inout [UInt64],
    _ automaton: inout Automaton
  ) {
    let tails = index.split.tails
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      let end = Int(tails.nodes[node].end)
      let byte = tails.nodes[node].byte
      if byte == 0x5C {
        readEscapedTails(node, position, into: &row, &automaton)
      } else if let after = self.position(position, reading: byte, &automaton) {
        addTail(node, to: &row)
        readTails(node + 1..<end, after, into: &row, &automaton)
      }
      node = end
    }
  }

  /// The texts from a backslash on. Letters are read as what they stand for.
  private func readEscapedTails(
    _ escape: Int, _ position: InsidePosition, into row: inout [UInt64],
    _ automaton: inout Automaton
  ) {
    let tails = index.split.tails
    var goesOn = false
    var others: [Int] = []
    var node = escape + 1
    while node < Int(tails.nodes[escape].end) {
      let end = Int(tails.nodes[node].end)
      if let scalar = Escape.scalar(letter: tails.nodes[node].byte) {
        if let after = self.position(position, reading: UInt8(scalar), &automaton) {
          goesOn = true
          addTail(node, to: &row)
          readTails(node + 1..<end, after, into: &row, &automaton)
        }
      } else {
        others.append(node)
      }
      node = end
    }
    if goesOn, others.isEmpty { return addTail(escape, to: &row) }
    var reached: [StackID] = []
    automaton.step(inside: position.reader.frame(position), 0x5C, into: &reached)
    for stack in reached {
      addTail(escape, to: &row)
      let frame = automaton.stacks[stack]
      for node in others {
        readTails(node..<Int(tails.nodes[node].end), frame, into: &row, &automaton)
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

  private func addTail(_ node: Int, to row: inout [UInt64]) {
    let tail = index.split.tails.nodes[node].token
    if tail >= 0 { row[Int(tail) >> 6] |= 1 << UInt64(tail & 63) }
  }

  /// The texts of some nodes, read byte by byte from the middle of an escape on.
  private func readTails(
    _ nodes: Range<Int>, _ frame: Frame, into row: inout [UInt64], _ automaton: inout Automaton
  ) {
    let tails = index.split.tails
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      let end = Int(tails.nodes[node].end)
      let byte = tails.nodes[node].byte
      if byte != 0x22 || frame.b != 0 {
        var reached: [StackID] = []
        automaton.step(inside: frame, byte, into: &reached)
        for stack in reached {
          addTail(node, to: &row)
          readTails(node + 1..<end, automaton.stacks[stack], into: &row, &automaton)
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
