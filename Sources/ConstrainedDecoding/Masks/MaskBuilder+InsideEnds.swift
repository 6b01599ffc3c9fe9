/// How tokens leave the plain text of a string or key: by an escape, or by a closing quote.
extension MaskBuilder {
  // MARK: Escapes

  mutating func addEscaped(
    _ position: InsidePosition, to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    let split = index.split
    // Most escapes come after nothing or after what leads to one of a few states.
    var known: [(position: InsidePosition, row: [Bool])] = []
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
        var tails = [Bool](repeating: false, count: split.tailCount)
        readTails(0..<split.tails.count, at.reader.frame(at), into: &tails, &automaton)
        row = known.count
        known.append((at, tails))
      }
      for entry in escape.entries where known[row].row[Int(split.escapedTokens[entry].tail)] {
        found.add(one: split.escapedTokens[entry].token)
      }
    }
  }

  private func readTails(
    _ nodes: Range<Int>, _ frame: Frame, into row: inout [Bool], _ automaton: inout Automaton
  ) {
    let tails = index.split.tails
    var node = nodes.lowerBound
    while node < nodes.upperBound {
      let end = Int(tails.ends[node])
      let byte = tails.bytes[node]
      if byte != 0x22 || frame.b != 0 {
        var reached: [StackID] = []
        if frame.kind == .key {
          automaton.step(key: frame, byte, into: &reached)
        } else {
          automaton.step(string: frame, byte, into: &reached)
        }
        for stack in reached {
          if tails.tokens[node] >= 0 { row[Int(tails.tokens[node])] = true }
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
