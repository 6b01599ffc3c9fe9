// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Strings and keys that are opened, or gone on with, in the middle of a token and are held to
/// something.
extension MaskBuilder {
  // The states are a stack of their own beside the trie's: in a function for each kind of byte they
  // would be handed back and forth.
  /// The nodes below a quote that has opened a string with a pattern, or a key that only some names
  /// or patterns allow. Inside it only its own state is followed; where it is left by an escape or by
  /// its closing quote, the whole stack is.
  mutating func readOpened(
    _ reader: InsideReader, _ trie: TokenTrie, _ quote: Int, _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    usedStrategies.insert(.openedPatterns)
    if trie.nodes[quote].token >= 0 { emit(trie.nodes[quote].token, trie, target) }
    let end = Int(trie.nodes[quote].end)
    let base = Int(trie.nodes[quote].depth)
    var states = vacant.popLast() ?? []
    var reached = vacant.popLast() ?? []
    states.removeAll(keepingCapacity: true)
    states.append(frame.a)
    var path: [UInt8] = []
    let quotes = quotes(target)
    let entry = Int(quotes.entries[quote])
    var closing = entry < 0 ? -1 : Int(quotes.closingStarts[entry])
    var rows = ClosedRows()
    var node = quote + 1
    while node < end {
      let depth = Int(trie.nodes[node].depth) - base
      while states.count > depth { states.removeLast() }
      while path.count >= depth { path.removeLast() }
      let byte = trie.nodes[node].byte
      if JSONSpelling.isPlain(byte) {
        let after = reader.next(states[depth - 1], byte, &automaton)
        if after == InsideReader.dead {
          node = Int(trie.nodes[node].end)
          continue
        }
        states.append(after)
        path.append(byte)
        if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
        node += 1
        continue
      }
      if byte == 0x22, reader == .string, frame.e == 0 {
        if !automaton.obligations.languages.accepts(states[depth - 1]) {
          // It may not close here.
        } else if closing >= 0 {
          while quotes.closing[closing] < UInt32(node) { closing += 1 }
          addClosers(quotes, closing, 0, trie, frame, &rows, &automaton, target)
        } else {
          let after = rows.stacks(0, frame, &automaton)
          if after.count > 1 { isAmbiguous = true }
          for stack in after { enter(trie, node, stack, &automaton, target) }
        }
        node = Int(trie.nodes[node].end)
        continue
      }
      var inner = frame
      inner.a = states[depth - 1]
      if frame.e != 0 {
        for byte in path { inner.e = automaton.texts.append(byte, to: inner.e) }
      }
      while !reached.isEmpty { reached.removeLast() }
      automaton.step(inside: inner, byte, into: &reached)
      if reached.count > 1 { isAmbiguous = true }
      for next in reached { enter(trie, node, next, &automaton, target) }
      node = Int(trie.nodes[node].end)
    }
    vacant.append(states)
    vacant.append(reached)
  }

  /// The nodes from a backslash on, byte by byte.
  ///
  /// - Parameter path: What was read of the string or key in a frame before the backslash.
  mutating func addEscaped(
    _ trie: TokenTrie, _ escape: Int, _ path: [UInt8], _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    var frames = [frame]
    for byte in path + [0x5C] {
      var reached: [StackID] = []
      for frame in frames { automaton.step(inside: frame, byte, into: &reached) }
      frames = reached.map { automaton.stacks[$0] }
    }
    for frame in frames {
      enter(trie, escape, automaton.stacks.intern(frame), &automaton, target)
    }
  }

  // MARK: After an escape

  /// The nodes below one in the middle of an escape. Once the escape has ended only the inside's own
  /// state is followed: what may come after it is a quarter of all tokens.
  mutating func readEscaped(
    _ trie: TokenTrie, below parent: Int, from stack: StackID, _ automaton: inout Automaton,
    _ target: Target
  ) {
    let frame = automaton.stacks[stack]
    automaton.firstBytes(stack).visitEach { byte in
      guard let node = trie.child(byte, of: parent) else { return }
      var reached: [StackID] = []
      automaton.step(stack, byte, into: &reached)
      if reached.count > 1 { isAmbiguous = true }
      for next in reached {
        let after = automaton.stacks[next]
        guard after.kind == frame.kind, after.parent == frame.parent else {
          enter(trie, node, next, &automaton, target)
          continue
        }
        if after.b != 0 {
          if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
          readEscaped(trie, below: node, from: next, &automaton, target)
        } else if quotes(target).entries[node] >= 0,
          addOpened(trie, node, next, &automaton, target)
        {
          continue
        } else if after.kind == .key {
          readOpened(.key(object: after.parent), trie, node, after, &automaton, target)
        } else if after.c == 0, after.d == .max {
          readOpened(.string, trie, node, after, &automaton, target)
        } else {
          enter(trie, node, next, &automaton, target)
        }
      }
    }
  }
}
