/// Keys.
extension MaskBuilder {
  /// A key that may be anything: like a string, but a spelling that completes a declared name closes
  /// in its own way.
  mutating func addKey(_ frame: Frame, _ automaton: inout Automaton) {
    let name = automaton.obligations.keyTuples.word(0, of: frame.a)
    var rows = KeyRows()
    if automaton.obligations.keyTuples.length(of: frame.a) == 2 {
      let found = rows.rows(0, frame, 0, &self, &automaton)
      if found.count == 1 {
        base = closedBase(found[0])
        if name > 0 { addDeclared(Int(name) - 1, frame, beside: found[0], &automaton) }
        return
      }
    }
    addReadKey(frame, isOpen: true, &automaton)
  }

  /// A key that only some names or patterns allow.
  mutating func addNamedKey(_ frame: Frame, _ automaton: inout Automaton) {
    let name = automaton.obligations.keyTuples.word(0, of: frame.a)
    if automaton.obligations.keyTuples.length(of: frame.a) == 2, name > 0,
      automaton.isClosed(automaton.stacks[frame.parent])
    {
      addNames(from: Int(name) - 1, frame, &automaton)
    } else {
      addReadKey(frame, isOpen: false, &automaton)
    }
  }

  /// A key of which the spellings before a quote are read: what comes after it depends on the
  /// patterns that it matches.
  private mutating func addReadKey(
    _ frame: Frame, isOpen: Bool, _ automaton: inout Automaton
  ) {
    let split = index.split
    let inside = inside(
      InsidePosition(reader: .key(object: frame.parent), state: frame.a), isOpen: isOpen,
      &automaton)
    base = inside.base
    added += inside.added
    var rows = KeyRows()
    for (prefix, tuple) in inside.closing {
      var found: [Int]
      if let member = automaton.obligations.member(0, tuple) {
        found = closedRows(member, after: prefix, frame, &automaton)
      } else {
        let keyClass = automaton.obligations.keyClass(tuple)
        found = rows.rows(keyClass, frame, 0, &self, &automaton)
      }
      for place in split.entries(after: prefix) {
        for row in found where accepts(rest: split.prefixed[place].rest, row) {
          added.append(UInt32(bitPattern: split.prefixed[place].token))
          break
        }
      }
    }
  }

  /// The tokens that close a declared name, which goes on otherwise than the keys of a row.
  private mutating func addDeclared(
    _ name: Int, _ frame: Frame, beside row: Int, _ automaton: inout Automaton
  ) {
    let split = index.split
    var found: [NamedPrefix] = []
    findDeclared(name, into: &found, &automaton)
    findEscaped(name, into: &found, &automaton)
    for (prefix, member) in found {
      let rows = closedRows(member, after: prefix, frame, &automaton)
      let entries =
        split.entries(after: prefix)
      for place in entries {
        let (rest, token) = split.prefixed[place]
        let isInBase = accepts(rest: rest, row)
        if rows.contains(where: { accepts(rest: rest, $0) }) {
          if !isInBase { added.append(UInt32(bitPattern: token)) }
        } else if isInBase {
          removed.append(UInt32(bitPattern: token))
        }
      }
    }
  }

  /// The rows of what follows a declared name.
  private mutating func closedRows(
    _ member: Int, after prefix: Int32, _ frame: Frame, _ automaton: inout Automaton
  ) -> [Int] {
    let split = index.split
    let object = automaton.stacks[frame.parent]
    var text = frame.e
    if text != TextTable.unknown, object.e != 0 {
      for place in split.bytes(of: prefix) {
        text = automaton.texts.append(split.prefixBytes[place], to: text)
      }
    }
    var after: [StackID] = []
    automaton.close(declared: member, key: text, object: object, into: &after)
    if after.count > 1 { isAmbiguous = true }
    return after.map { restRow($0, &automaton) }
  }

  /// A spelling after which a key is a declared name, and the index of that.
  private typealias NamedPrefix = (prefix: Int32, member: Int)

  /// The spellings after which a key is a declared name, by going down the trie of names and that
  /// of spellings together.
  private func findDeclared(
    _ name: Int, into found: inout [NamedPrefix], _ automaton: inout Automaton
  ) {
    let split = index.split
    if split.emptyPrefix >= 0, let member = automaton.obligations.languages.trie.index(at: name) {
      found.append((split.emptyPrefix, member))
    }
    var pending: [(name: Int, nodes: Range<Int>)] = [(name, 0..<split.prefixes.count)]
    while let (name, nodes) = pending.popLast() {
      var child = automaton.obligations.languages.trie.firstChild(of: name)
      while child >= 0 {
        let byte = automaton.obligations.languages.trie.byte(of: child)
        if byte >= 0x20, byte != 0x22, byte != 0x5C,
          let node = nodes.lowerBound == 0
            ? split.prefixes.root(byte) : split.prefixes.child(byte, in: nodes)
        {
          let prefix = split.prefixes.tokens[node]
          if prefix >= 0, let member = automaton.obligations.languages.trie.index(at: child) {
            found.append((prefix, member))
          }
          pending.append((child, node + 1..<Int(split.prefixes.ends[node])))
        }
        child = automaton.obligations.languages.trie.nextSibling(of: child)
      }
    }
  }

  /// The same for spellings with an escape.
  private func findEscaped(
    _ name: Int, into found: inout [NamedPrefix], _ automaton: inout Automaton
  ) {
    for (prefix, text) in index.split.escapedPrefixes {
      var at = name
      for byte in text where at >= 0 {
        at = automaton.obligations.languages.trie.child(of: at, byte) ?? -1
      }
      if at >= 0, let member = automaton.obligations.languages.trie.index(at: at) {
        found.append((prefix, member))
      }
    }
  }

  /// The tokens with which a key that must be a declared name goes on: the trie of names is gone
  /// down beside those of tokens and of spellings before a quote; escapes are read byte by byte.
  private mutating func addNames(
    from name: Int, _ frame: Frame, _ automaton: inout Automaton
  ) {
    let split = index.split
    var path: [UInt8] = []
    addInside(names: name, 0..<vocabulary.trie.count, &path, frame, &automaton)
    if automaton.escapesNames, let escape = vocabulary.trie.root(0x5C) {
      addEscaped(escape, path, frame, &automaton)
    }
    var found: [NamedPrefix] = []
    findDeclared(name, into: &found, &automaton)
    for (prefix, member) in found {
      let rows = closedRows(member, after: prefix, frame, &automaton)
      let entries =
        split.entries(after: prefix)
      for row in rows {
        for place in entries where accepts(rest: split.prefixed[place].rest, row) {
          added.append(UInt32(bitPattern: split.prefixed[place].token))
        }
      }
    }
  }

  /// The tokens over some nodes that stay inside a declared name, and those with an escape.
  private mutating func addInside(
    names name: Int, _ nodes: Range<Int>, _ path: inout [UInt8], _ frame: Frame,
    _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    let object = automaton.stacks[frame.parent]
    var child = automaton.obligations.languages.trie.firstChild(of: name)
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      if byte >= 0x20, byte != 0x22, byte != 0x5C,
        let node = path.isEmpty ? trie.root(byte) : trie.child(byte, in: nodes),
        automaton.isLive(name: child, object)
      {
        if trie.tokens[node] >= 0 { addAll(trie.tokens[node], trie) }
        let below = node + 1..<Int(trie.ends[node])
        if !below.isEmpty {
          path.append(byte)
          if automaton.escapesNames, trie.isBeforeEscape(node),
            let escape = trie.child(0x5C, in: below)
          {
            addEscaped(escape, path, frame, &automaton)
          }
          addInside(names: child, below, &path, frame, &automaton)
          path.removeLast()
        }
      }
      child = automaton.obligations.languages.trie.nextSibling(of: child)
    }
  }

  /// The tokens from a backslash on, byte by byte.
  private mutating func addEscaped(
    _ escape: Int, _ path: [UInt8], _ frame: Frame, _ automaton: inout Automaton
  ) {
    var keys = [frame]
    for byte in path + [0x5C] {
      var reached: [StackID] = []
      for key in keys { automaton.step(key: key, byte, into: &reached) }
      keys = reached.map { automaton.stacks[$0] }
    }
    for key in keys {
      enter(vocabulary.trie, escape, automaton.stacks.intern(key), &automaton, .tokens)
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
