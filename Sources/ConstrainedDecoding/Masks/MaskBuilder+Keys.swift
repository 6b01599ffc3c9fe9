/// Keys.
extension MaskBuilder {
  /// A key that may be anything: like a string, but what comes after it depends on the patterns that
  /// it matches, and a spelling that completes a declared name closes in its own way.
  mutating func addKey(_ frame: Frame, _ automaton: inout Automaton) {
    let split = index.split
    base = split.inside
    var rows = KeyRows()
    let hasPatterns = automaton.obligations.keyTuples.length(of: frame.a) > 2
    let name = automaton.obligations.keyTuples.word(0, of: frame.a)
    if !hasPatterns {
      var declared: [Int32] = []
      if name > 0 { findDeclared(Int(name) - 1, frame, into: &declared, &automaton) }
      let found = rows.rows(0, frame, 0, &self, &automaton)
      if found.count > 1 { isAmbiguous = true }
      for row in found { addClosing(row, without: declared) }
      for prefix in declared { addPrefix(prefix, frame, &automaton) }
      return
    }
    for prefix in 0..<split.prefixStarts.count - 1 {
      let entries = Int(split.prefixedStarts[prefix])..<Int(split.prefixedStarts[prefix + 1])
      if entries.isEmpty { continue }
      guard let tuple = self.tuple(after: prefix, frame.a, &automaton),
        automaton.obligations.member(0, tuple) == nil
      else {
        addPrefix(Int32(prefix), frame, &automaton)
        continue
      }
      let keyClass = automaton.obligations.keyClass(tuple)
      let found = rows.rows(keyClass, frame, 0, &self, &automaton)
      for place in entries {
        for row in found where accepts(rest: split.prefixed[place].rest, row) {
          added.append(UInt32(bitPattern: split.prefixed[place].token))
          break
        }
      }
    }
  }

  /// The tokens that close the key and go on with a rest of a row, but for some spellings.
  private mutating func addClosing(_ row: Int, without prefixes: [Int32]) {
    let split = index.split
    var found: [UInt32] = []
    swap(&found, &added)
    forEachRest(row) { rest in
      for place in Int(split.restStarts[rest])..<Int(split.restStarts[rest + 1]) {
        let closing = split.closing[place]
        if !prefixes.isEmpty, prefixes.contains(closing.prefix) { continue }
        found.append(UInt32(bitPattern: closing.token))
      }
    }
    swap(&found, &added)
  }

  /// The tokens that close the key after a spelling, which is read in full.
  private mutating func addPrefix(
    _ prefix: Int32, _ frame: Frame, _ automaton: inout Automaton
  ) {
    let split = index.split
    let bytes = Int(split.prefixStarts[Int(prefix)])..<Int(split.prefixStarts[Int(prefix) + 1])
    var keys = [frame]
    for place in bytes {
      var reached: [StackID] = []
      for key in keys { automaton.step(key: key, split.prefixBytes[place], into: &reached) }
      keys = reached.map { automaton.stacks[$0] }
    }
    var after: [StackID] = []
    for key in keys { automaton.step(key: key, 0x22, into: &after) }
    let rows = after.map { restRow($0, &automaton) }
    let entries =
      Int(
        split.prefixedStarts[Int(prefix)])..<Int(
        split.prefixedStarts[Int(prefix) + 1])
    for place in entries {
      for row in rows where accepts(rest: split.prefixed[place].rest, row) {
        added.append(UInt32(bitPattern: split.prefixed[place].token))
        break
      }
    }
  }

  /// The spellings after which a key is a declared name, by going down the trie of names and that
  /// of spellings together.
  private func findDeclared(
    _ name: Int, _ frame: Frame, into found: inout [Int32], _ automaton: inout Automaton
  ) {
    let split = index.split
    let names = automaton.obligations.languages.trie
    if names.isEnd(name), split.emptyPrefix >= 0 { found.append(split.emptyPrefix) }
    var pending: [(name: Int, nodes: Range<Int>)] = [(name, 0..<split.prefixes.count)]
    while let (name, nodes) = pending.popLast() {
      var child = names.firstChild(of: name)
      while child >= 0 {
        if let node = split.prefixes.child(names.byte(of: child), in: nodes) {
          let prefix = split.prefixes.tokens[node]
          if prefix >= 0, names.isEnd(child) { found.append(prefix) }
          pending.append((child, node + 1..<Int(split.prefixes.ends[node])))
        }
        child = names.nextSibling(of: child)
      }
    }
    for prefix in split.escapedPrefixes {
      if let tuple = tuple(after: Int(prefix), frame.a, &automaton),
        automaton.obligations.member(0, tuple) != nil
      {
        found.append(prefix)
      }
    }
  }

  /// The tuple of a key after a spelling; `nil` where that ends within an escape.
  private func tuple(
    after prefix: Int, _ tuple: UInt32, _ automaton: inout Automaton
  ) -> UInt32? {
    let split = index.split
    var tuple = tuple
    var escape = Escape(.none)
    for place in Int(split.prefixStarts[prefix])..<Int(split.prefixStarts[prefix + 1]) {
      switch automaton.spelled(split.prefixBytes[place], in: escape) {
      case .byte: tuple = automaton.obligations.nextTuple(tuple, split.prefixBytes[place])
      case .scalar(let scalar):
        for byte in automaton.utf8(scalar) {
          tuple = automaton.obligations.nextTuple(tuple, byte)
        }
        escape = Escape(.none)
      case .escape(let next): escape = next
      case .quote, .nothing: return nil
      }
    }
    return escape.word == 0 ? tuple : nil
  }

  /// A key that only some names or patterns allow.
  mutating func addNamedKey(_ frame: Frame, _ automaton: inout Automaton) {
    let trie = vocabulary.trie
    let name = automaton.obligations.keyTuples.word(0, of: frame.a)
    if automaton.obligations.keyTuples.length(of: frame.a) == 2, name > 0,
      automaton.isClosed(automaton.stacks[frame.parent])
    {
      addNames(0..<trie.count, Int(name) - 1, frame, &automaton)
      return
    }
    let object = automaton.stacks[frame.parent]
    var frames = [Frame](repeating: frame, count: trie.maximumDepth + 2)
    var verdicts: [Int8] = []
    var node = 0
    while node < trie.count {
      let depth = Int(trie.depths[node])
      let byte = trie.bytes[node]
      if byte == 0x22 || byte == 0x5C {
        var reached: [StackID] = []
        automaton.step(key: frames[depth - 1], byte, into: &reached)
        for stack in reached { enter(trie, node, stack, &automaton, .tokens) }
        node = Int(trie.ends[node])
        continue
      }
      if byte < 0x20 {
        node = Int(trie.ends[node])
        continue
      }
      let tuple = automaton.obligations.nextTuple(frames[depth - 1].a, byte)
      while verdicts.count <= Int(tuple) { verdicts.append(-1) }
      if verdicts[Int(tuple)] < 0 {
        verdicts[Int(tuple)] = automaton.canComplete(key: tuple, object) ? 1 : 0
      }
      if verdicts[Int(tuple)] == 0 {
        node = Int(trie.ends[node])
        continue
      }
      frames[depth].a = tuple
      if frame.e != TextTable.unknown {
        frames[depth].e = automaton.texts.append(byte, to: frames[depth - 1].e)
      }
      if trie.tokens[node] >= 0 { addAll(trie.tokens[node], trie) }
      node += 1
    }
  }

  /// The tokens over some nodes that go on with a declared name: the trie of names and that of
  /// tokens are gone down together.
  private mutating func addNames(
    _ nodes: Range<Int>, _ name: Int, _ frame: Frame, _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    func leave(_ byte: UInt8, _ builder: inout MaskBuilder) {
      guard let node = trie.child(byte, in: nodes) else { return }
      var reached: [StackID] = []
      automaton.step(key: frame, byte, into: &reached)
      if reached.count > 1 { builder.isAmbiguous = true }
      for stack in reached { builder.enter(trie, node, stack, &automaton, .tokens) }
    }
    if nodes.isEmpty { return }
    if automaton.obligations.languages.trie.isEnd(name) { leave(0x22, &self) }
    leave(0x5C, &self)
    let object = automaton.stacks[frame.parent]
    var child = automaton.obligations.languages.trie.firstChild(of: name)
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      if byte >= 0x20, byte != 0x22, byte != 0x5C, let node = trie.child(byte, in: nodes) {
        var next = frame
        next.a = automaton.obligations.nextTuple(frame.a, byte)
        if automaton.canComplete(key: next.a, object) {
          if frame.e != TextTable.unknown {
            next.e = automaton.texts.append(byte, to: frame.e)
          }
          if trie.tokens[node] >= 0 { addAll(trie.tokens[node], trie) }
          addNames(node + 1..<Int(trie.ends[node]), child, next, &automaton)
        }
      }
      child = automaton.obligations.languages.trie.nextSibling(of: child)
    }
  }

  private mutating func addAll(_ token: Int32, _ trie: TokenTrie) {
    var token = token
    while token >= 0 {
      added.append(UInt32(bitPattern: token))
      token = trie.duplicates[Int(token)]
    }
  }
}
