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
    if !position.isBounded, let known = tailRowPlaces[key] { return tailRows[Int(known)] }
    let tails = index.split.tails
    var row = [UInt64](repeating: 0, count: (index.split.tailCount + 63) / 64)
    readTails(0..<tails.count, position.reader.frame(position), into: &row, &automaton)
    if !position.isBounded {
      tailRowPlaces.set(key, UInt32(tailRows.count))
      tailRows.append(row)
    }
    return row
  }

  private func readTails(
    _ nodes: Range<Int>, _ frame: Frame, into row: inout [UInt64], _ automaton: inout Automaton
  ) {
    let tails = index.split.tails
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      let end = Int(tails.ends[node])
      let byte = tails.bytes[node]
      if byte != 0x22 || frame.b != 0 {
        var reached: [StackID] = []
        automaton.step(inside: frame, byte, into: &reached)
        for stack in reached {
          if tails.tokens[node] >= 0 {
            row[Int(tails.tokens[node]) >> 6] |= 1 << UInt64(tails.tokens[node] & 63)
          }
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
      let depth = Int(trie.depths[node])
      let byte = trie.bytes[node]
      let after =
        byte == 0x5C
        ? InsideReader.dead : position.reader.next(states[depth - 1], byte, &automaton)
      lengths[depth] = lengths[depth - 1] + (byte & 0xC0 == 0x80 ? 0 : 1)
      if after == InsideReader.dead || lengths[depth] > position.maximum {
        node = Int(trie.ends[node])
        continue
      }
      states[depth] = after
      if trie.tokens[node] >= 0 { close(trie.tokens[node], after, lengths[depth]) }
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
