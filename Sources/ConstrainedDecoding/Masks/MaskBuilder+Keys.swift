// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keys.
extension MaskBuilder {
  /// A key that may be anything: like a string, but a spelling that completes a declared name closes
  /// in its own way.
  mutating func addKey(_ frame: Frame, _ automaton: inout Automaton) {
    let name = automaton.obligations.keyTuples.word(0, of: frame.a)
    var rows = ClosedKeyRows()
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
      // Inside a scalar not every text may follow.
      let isOpen =
        automaton.obligations.keyTuples.word(1, of: frame.a) == RegularLanguages.free
        && automaton.takesAnyKey(automaton.stacks[frame.parent], frame.a)
      addReadKey(frame, isOpen: isOpen, &automaton)
    }
  }

  /// A key of which the spellings before a quote are read: what comes after it depends on the
  /// patterns that it matches. Those that are no declared names are looked at for all objects at once
  /// that take the same ones.
  private mutating func addReadKey(
    _ frame: Frame, isOpen: Bool, _ automaton: inout Automaton
  ) {
    let split = index.split
    let outside = automaton.obligations.withoutName(frame.a)
    var position = InsidePosition(reader: .key(object: frame.parent), state: frame.a)
    var ends: [NameEnd] = []
    if let object = automaton.keyRepresentative(of: frame.parent, after: outside) {
      position = InsidePosition(reader: .key(object: object), state: outside)
      let name = Int(automaton.obligations.keyTuples.word(0, of: frame.a)) - 1
      if name >= 0 {
        isAmbiguous = true
        addNames(from: name, frame, &automaton)
        ends = nameEnds(from: name, mayEscape: true, &automaton)
      }
    }
    let declared = Set(
      ends.compactMap { end in
        automaton.obligations.languages.trie.index(at: end.end).map { _ in end.prefix }
      })
    let inside = inside(position, isOpen: isOpen, &automaton)
    base = inside.base
    added += inside.added
    var rows = ClosedKeyRows()
    for (prefix, tuple) in inside.closing where !declared.contains(prefix) {
      let found: [Int]
      if let member = automaton.obligations.member(0, tuple) {
        found = closedRows(member, after: prefix, frame, &automaton)
      } else {
        let keyClass = automaton.obligations.keyClass(tuple)
        found = rows.rows(keyClass, frame, 0, &self, &automaton)
      }
      if found.isEmpty { continue }
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
    let object = automaton.stacks[frame.parent]
    for (prefix, end) in nameEnds(from: name, mayEscape: true, &automaton) {
      guard let member = automaton.obligations.languages.trie.index(at: end) else { continue }
      if !split.goesOnAfterKey[Int(prefix)], object.e == 0 {
        // Tokens that end with their quote are allowed unless the name may not come.
        if !automaton.canTake(member: member, Int(object.a), object.b) {
          for place in split.entries(after: prefix)
          where Int(split.prefixed[place].rest) == split.emptyRest {
            removed.append(UInt32(bitPattern: split.prefixed[place].token))
          }
        }
        continue
      }
      let rows = closedRows(member, after: prefix, frame, &automaton)
      if prefix == split.emptyPrefix, rows.count == 1 {
        exchange(row, for: rows[0])
        continue
      }
      for place in split.entries(after: prefix) {
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

  /// Where a base has the tokens that start with the closing quote and go on with a rest of one row,
  /// adds and removes what makes them those of another.
  private mutating func exchange(_ row: Int, for other: Int) {
    let split = index.split
    for word in 0..<restStride {
      var bits = restBits[row + word] ^ restBits[other + word]
      while bits != 0 {
        let rest = word << 6 | bits.trailingZeroBitCount
        let isAdded = accepts(rest: Int32(rest), other)
        for place in Int(split.atOnceStarts[rest])..<Int(split.atOnceStarts[rest + 1]) {
          let token = UInt32(bitPattern: split.closingAtOnce[place])
          if isAdded { added.append(token) } else { removed.append(token) }
        }
        bits &= bits - 1
      }
    }
  }

  /// The tokens that start with the closing quote and go on with a rest of a row: of the few
  /// hundred that there are a row accepts few.
  private mutating func addClosedAtOnce(_ row: Int) {
    let split = index.split
    for word in 0..<restStride {
      var bits = restBits[row + word]
      while bits != 0 {
        let rest = word << 6 | bits.trailingZeroBitCount
        for place in Int(split.atOnceStarts[rest])..<Int(split.atOnceStarts[rest + 1]) {
          added.append(UInt32(bitPattern: split.closingAtOnce[place]))
        }
        bits &= bits - 1
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

  /// The tokens with which a key that must be a declared name goes on: the trie of names is gone
  /// down beside those of tokens and of spellings before a quote; escapes are read byte by byte.
  private mutating func addNames(
    from name: Int, _ frame: Frame, _ automaton: inout Automaton
  ) {
    let split = index.split
    let object = automaton.stacks[frame.parent]
    var path: [UInt8] = []
    addInside(names: name, TokenTrie.root, &path, frame, &automaton)
    for (prefix, end) in nameEnds(from: name, mayEscape: false, &automaton) {
      guard let member = automaton.obligations.languages.trie.index(at: end) else { continue }
      let entries = split.entries(after: prefix)
      if !split.goesOnAfterKey[Int(prefix)], object.e == 0 {
        // A token that ends with its quote needs no more than that the name may come.
        guard automaton.canTake(member: member, Int(object.a), object.b) else { continue }
        for place in entries where Int(split.prefixed[place].rest) == split.emptyRest {
          added.append(UInt32(bitPattern: split.prefixed[place].token))
        }
        continue
      }
      for row in closedRows(member, after: prefix, frame, &automaton) {
        if prefix == split.emptyPrefix {
          addClosedAtOnce(row)
          continue
        }
        for place in entries where accepts(rest: split.prefixed[place].rest, row) {
          added.append(UInt32(bitPattern: split.prefixed[place].token))
        }
      }
    }
  }

  /// A spelling before a quote after which a declared name is complete, and its node in the trie of
  /// names.
  private typealias NameEnd = (prefix: Int32, end: Int)

  /// The spellings before a quote after which a name is complete: the trie of names is gone down
  /// beside theirs.
  private func nameEnds(
    from name: Int, mayEscape: Bool, _ automaton: inout Automaton
  ) -> [NameEnd] {
    let split = index.split
    var found: [NameEnd] = []
    if split.emptyPrefix >= 0, automaton.obligations.languages.trie.isEnd(name) {
      found.append((split.emptyPrefix, name))
    }
    var pending = [(name: name, parent: TokenTrie.root)]
    while let (name, parent) = pending.popLast() {
      var child = automaton.obligations.languages.trie.firstChild(of: name)
      while child >= 0 {
        let byte = automaton.obligations.languages.trie.byte(of: child)
        if JSONSpelling.isPlain(byte), let node = split.prefixes.child(byte, of: parent) {
          let prefix = split.prefixes.nodes[node].token
          if prefix >= 0, automaton.obligations.languages.trie.isEnd(child) {
            found.append((prefix, child))
          }
          pending.append((child, node))
        }
        child = automaton.obligations.languages.trie.nextSibling(of: child)
      }
    }
    if !mayEscape { return found }
    for (prefix, text) in split.escapedPrefixes {
      var at: Int? = name
      for byte in text { at = at.flatMap { automaton.obligations.languages.trie.child(of: $0, byte) } }
      if let at, automaton.obligations.languages.trie.isEnd(at) { found.append((prefix, at)) }
    }
    return found
  }

  /// The tokens below a node that stay inside a declared name, and those with an escape.
  private mutating func addInside(
    names name: Int, _ parent: Int, _ path: inout [UInt8], _ frame: Frame,
    _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    let object = automaton.stacks[frame.parent]
    var hasEscapes = automaton.anyEscapes
    var next: EscapeIndex.Characters? = parent == TokenTrie.root ? .init() : nil
    var child = automaton.obligations.languages.trie.firstChild(of: name)
    // Below a name that may come, and does not end here, an only child may come too.
    let isOnlyChild =
      parent != TokenTrie.root && child >= 0
      && automaton.obligations.languages.trie.nextSibling(of: child) < 0
      && !automaton.obligations.languages.trie.isEnd(name)
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      if !JSONSpelling.isPlain(byte) { hasEscapes = true }
      if byte >= 0x80 || !JSONSpelling.isPlain(byte) { next = nil }
      if JSONSpelling.isPlain(byte), let node = trie.child(byte, of: parent),
        isOnlyChild || automaton.isLive(name: child, object)
      {
        next?.insert(byte)
        if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, .tokens) }
        if !trie.below(node).isEmpty {
          path.append(byte)
          addInside(names: child, node, &path, frame, &automaton)
          path.removeLast()
        }
      }
      child = automaton.obligations.languages.trie.nextSibling(of: child)
    }
    guard hasEscapes, parent == TokenTrie.root || trie.isBeforeEscape(parent),
      let escape = trie.child(0x5C, of: parent)
    else { return }
    if let next, !next.meets(index.escapes.whole) {
      for (token, characters) in index.escapes.unfinished where characters.meets(next) {
        added.append(UInt32(bitPattern: token))
      }
    } else {
      addEscaped(trie, escape, path, frame, &automaton, .tokens)
    }
  }
}
