// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keys that are being read.
///
/// A key that may be anything is like a string, but for the declared names: after a name comes the value
/// of its own goal. Where only declared names may come, the trie of names and that of the tokens are gone
/// down together. Everything else is read by its key tuple, as a string with a pattern is by its state.
///
/// Worked example: `id` and `info` are declared and nothing else may come. After `{"i` the tokens `d`,
/// `d":` and `nfo"` are found by going down both tries from `i`; `x` is not looked at.
extension MaskBuilder {
  /// A key that may be anything: like a string, but a spelling that completes a declared name closes
  /// in its own way.
  mutating func addKey(_ frame: Frame, _ automaton: inout Automaton) {
    var rows = ClosedRows()
    if !automaton.obligations.hasPatterns(frame.a) {
      let found = rows.rows(0, frame, &self, &automaton)
      if found.count == 1 {
        base = closedBase(found[0])
        if let name = automaton.obligations.nameNode(of: frame.a) {
          addDeclared(name, frame, beside: found[0], &automaton)
        }
        return
      }
    }
    addReadKey(frame, allowsAnyText: true, &automaton)
  }

  /// A key that only some names or patterns allow.
  mutating func addNamedKey(_ frame: Frame, _ automaton: inout Automaton) {
    if !automaton.obligations.hasPatterns(frame.a),
      let name = automaton.obligations.nameNode(of: frame.a),
      automaton.isClosed(automaton.stacks[frame.parent])
    {
      var path: [UInt8] = []
      addNames(from: name, vocabulary.trie, TokenTrie.root, &path, frame, &automaton, .tokens)
    } else {
      // Inside a scalar not every text may follow.
      let allowsAnyText =
        automaton.obligations.content(of: frame.a) == RegularLanguages.free
        && automaton.takesAnyKey(automaton.stacks[frame.parent], frame.a)
      addReadKey(frame, allowsAnyText: allowsAnyText, &automaton)
    }
  }

  /// A key of which the spellings before a quote are read: what comes after it depends on the
  /// patterns that it matches. Those that are no declared names are looked at for all objects at once
  /// that take the same ones.
  private mutating func addReadKey(
    _ frame: Frame, allowsAnyText: Bool, _ automaton: inout Automaton
  ) {
    let outside = automaton.obligations.withoutName(frame.a)
    var position = InsidePosition(reader: .key(object: frame.parent), state: frame.a)
    var declared: Set<Int32> = []
    if let object = automaton.keyRepresentative(of: frame.parent, after: outside) {
      position = InsidePosition(reader: .key(object: object), state: outside)
      if let name = automaton.obligations.nameNode(of: frame.a) {
        isAmbiguous = true
        var path: [UInt8] = []
        addNames(from: name, vocabulary.trie, TokenTrie.root, &path, frame, &automaton, .tokens)
        declared = Set(nameEnds(from: name, &automaton).map(\.prefix))
      }
    }
    let inside = inside(position, allowsAnyText: allowsAnyText, &automaton)
    base = inside.base
    added += inside.added
    var rows = ClosedRows()
    for (prefix, tuple) in inside.closing where !declared.contains(prefix) {
      let found: [Int]
      if let member = automaton.obligations.member(0, tuple) {
        found = closedRows(member, after: prefix, frame, &automaton)
      } else {
        let keyClass = automaton.obligations.keyClass(tuple)
        found = rows.rows(keyClass, frame, &self, &automaton)
      }
      if found.count > 1 { isAmbiguous = true }
      addClosers(found, prefix)
    }
  }

  /// The tokens that close a declared name, which goes on otherwise than the keys of a row.
  private mutating func addDeclared(
    _ name: Int, _ frame: Frame, beside row: Int, _ automaton: inout Automaton
  ) {
    let split = index.split
    for (prefix, member) in nameEnds(from: name, &automaton) {
      let rows = closedRows(member, after: prefix, frame, &automaton)
      for place in split.entries(after: prefix) {
        let closer = split.closingByPrefix[place]
        let isInBase = accepts(rest: closer.rest, row)
        if rows.contains(where: { accepts(rest: closer.rest, $0) }) {
          if !isInBase { added.append(UInt32(bitPattern: closer.token)) }
        } else if isInBase {
          removed.append(UInt32(bitPattern: closer.token))
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

  /// The spellings before a quote after which a declared name is complete, with the index of the name.
  private func nameEnds(
    from name: Int, _ automaton: inout Automaton
  ) -> [(prefix: Int32, member: Int)] {
    let names = automaton.obligations.languages.trie
    return index.split.spellings(in: names, from: name)
      .compactMap { prefix, end in names.index(at: end).map { (prefix, $0) } }
  }

  /// The tokens below a node with which a key goes on that must be a declared name: the trie of names
  /// is gone down beside that of the tokens.
  ///
  /// - Parameter path: What was read of the name since the frame.
  mutating func addNames(
    from name: Int, _ trie: TokenTrie, _ parent: Int, _ path: inout [UInt8], _ frame: Frame,
    _ automaton: inout Automaton, _ target: Target
  ) {
    if trie.below(parent).isEmpty { return }
    let object = automaton.stacks[frame.parent]
    if let member = automaton.obligations.languages.trie.index(at: name),
      let quote = trie.child(0x22, of: parent)
    {
      addClosed(member, trie, quote, path, frame, object, &automaton, target)
    }
    var hasEscapes = automaton.anyEscapes
    var child = automaton.obligations.languages.trie.firstChild(of: name)
    // Below a name that may come, and does not end here, an only child may come too.
    let isOnlyChild =
      !path.isEmpty && child >= 0
      && automaton.obligations.languages.trie.nextSibling(of: child) < 0
      && !automaton.obligations.languages.trie.isEnd(name)
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      if !JSONSpelling.isPlain(byte) {
        hasEscapes = true
      } else if let node = trie.child(byte, of: parent),
        isOnlyChild || automaton.isLive(name: child, object)
      {
        if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
        path.append(byte)
        addNames(from: child, trie, node, &path, frame, &automaton, target)
        path.removeLast()
      }
      child = automaton.obligations.languages.trie.nextSibling(of: child)
    }
    guard hasEscapes, parent == TokenTrie.root || trie.isBeforeEscape(parent),
      let escape = trie.child(0x5C, of: parent)
    else { return }
    addEscaped(trie, escape, path, frame, &automaton, target)
  }

  /// The nodes from the quote on that closes a declared name.
  private mutating func addClosed(
    _ member: Int, _ trie: TokenTrie, _ quote: Int, _ path: [UInt8], _ frame: Frame,
    _ object: Frame, _ automaton: inout Automaton, _ target: Target
  ) {
    if trie.below(quote).isEmpty {
      guard automaton.canTake(member: member, Int(object.a), object.b) else { return }
      return emit(trie.nodes[quote].token, trie, target)
    }
    var text = frame.e
    if object.e != 0, text != TextTable.unknown {
      for byte in path { text = automaton.texts.append(byte, to: text) }
    }
    var after: [StackID] = []
    automaton.close(declared: member, key: text, object: object, into: &after)
    if after.count > 1 { isAmbiguous = true }
    for stack in after { enter(trie, quote, stack, &automaton, target) }
  }
}
