// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Strings and keys that are among some given ones.
///
/// What they may go on with is a trie as the tokens are, so that both are gone down together: a
/// mask takes as many steps as there are tokens that begin one of them, not a look at each byte
/// that a token may start with.
///
/// Worked example: after `"Ki` of `"Kilo"` and `"Kyoto"` only `lo` is left. `l` and `lo` are tokens
/// that stay inside; `lo` is a spelling before a quote, which `lo"` and `lo",` close.
extension MaskBuilder {
  /// A spelling after which one of the strings is complete, and the node where it ends.
  typealias ListedPrefix = (prefix: Int32, end: Int)

  /// What tokens do in a string that is one of some given ones.
  mutating func listed(
    _ strings: RegularLanguages.Listed, _ automaton: inout Automaton
  ) -> Inside {
    var found = FoundTokens(none: index.noTokens)
    var escapes = ListedEscapes(mayEscape: automaton.anyEscapes)
    addListed(strings, TokenTrie.root, to: &found, &escapes, &automaton)
    var ends: [ListedPrefix] = []
    findListed(from: strings.node, excluding: strings.excluded, into: &ends, &automaton)
    if escapes.mustBeRead || escapes.next.meets(index.escapes.whole) {
      addEscaped(strings, to: &found, &automaton)
    } else if automaton.anyEscapes {
      for (token, characters) in index.escapes.unfinished where characters.meets(escapes.next) {
        found.add(one: token)
      }
    }
    if escapes.mayEscape {
      findListedEscaped(
        from: strings.node, excluding: strings.excluded, into: &ends, &automaton)
    }
    let closing = ends.map { end in
      (prefix: end.prefix, state: automaton.obligations.languages.trieState(end.end))
    }
    return Inside(found: found, closing: closing)
  }

  /// Where a string may go on with an escape.
  private struct ListedEscapes {
    /// Whether there may be one at all: any character may be escaped, or some must.
    var mayEscape: Bool
    /// Whether tokens with an escape have to be read: one is not at the start of a token, or does
    /// not stand for an ASCII character.
    var mustBeRead = false
    /// The characters that come first.
    var next = EscapeIndex.Characters()
  }

  /// The tokens below a node that begin a string, without escapes.
  private func addListed(
    _ strings: RegularLanguages.Listed, _ parent: Int, to found: inout FoundTokens,
    _ escapes: inout ListedEscapes, _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    var child = automaton.obligations.languages.trie.firstChild(of: strings.node)
    if child >= 0, escapes.mayEscape, parent != TokenTrie.root, trie.isBeforeEscape(parent) {
      escapes.mustBeRead = true
    }
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      let next = child
      child = automaton.obligations.languages.trie.nextSibling(of: child)
      let excluded = automaton.obligations.languages.trie.children(of: strings.excluded, byte)
      if !automaton.obligations.languages.trie.hasString(from: next, excluding: excluded) {
        continue
      }
      if parent == TokenTrie.root, byte < 0x80 { escapes.next.insert(byte) }
      if !JSONSpelling.isPlain(byte) || byte >= 0x80 && escapes.mayEscape {
        escapes.mayEscape = true
        escapes.mustBeRead = true
      }
      if JSONSpelling.isPlain(byte), let node = trie.child(byte, of: parent) {
        found.add(trie.nodes[node].token, trie)
        if !trie.below(node).isEmpty {
          let strings = RegularLanguages.Listed(node: next, excluded: excluded)
          addListed(strings, node, to: &found, &escapes, &automaton)
        }
      }
    }
  }

  /// The spellings before a quote after which a string is complete, without escapes.
  func findListed(
    from name: Int, excluding excluded: [Int] = [], into found: inout [ListedPrefix],
    _ automaton: inout Automaton
  ) {
    let split = index.split
    if split.emptyPrefix >= 0, ends(name, excluding: excluded, &automaton) {
      found.append((split.emptyPrefix, name))
    }
    var pending: [(name: Int, excluded: [Int], parent: Int)] = [(name, excluded, TokenTrie.root)]
    while let (name, excluded, parent) = pending.popLast() {
      var child = automaton.obligations.languages.trie.firstChild(of: name)
      while child >= 0 {
        let byte = automaton.obligations.languages.trie.byte(of: child)
        if JSONSpelling.isPlain(byte), let node = split.prefixes.child(byte, of: parent) {
          let prefix = split.prefixes.nodes[node].token
          let excluded = automaton.obligations.languages.trie.children(of: excluded, byte)
          if prefix >= 0, ends(child, excluding: excluded, &automaton) {
            found.append((prefix, child))
          }
          pending.append((child, excluded, node))
        }
        child = automaton.obligations.languages.trie.nextSibling(of: child)
      }
    }
  }

  /// Whether a string ends at a node and at none of some others.
  private func ends(
    _ name: Int, excluding excluded: [Int], _ automaton: inout Automaton
  ) -> Bool {
    if !automaton.obligations.languages.trie.isEnd(name) { return false }
    for other in excluded where automaton.obligations.languages.trie.isEnd(other) { return false }
    return true
  }

  /// The same for spellings with an escape.
  func findListedEscaped(
    from name: Int, excluding excluded: [Int] = [], into found: inout [ListedPrefix],
    _ automaton: inout Automaton
  ) {
    for (prefix, text) in index.split.escapedPrefixes {
      var at = name
      var others = excluded
      for byte in text where at >= 0 {
        at = automaton.obligations.languages.trie.child(of: at, byte) ?? -1
        others = automaton.obligations.languages.trie.children(of: others, byte)
      }
      if at >= 0, ends(at, excluding: others, &automaton) { found.append((prefix, at)) }
    }
  }

  /// The nodes below a quote that has opened a string that is one of some given ones, or below one
  /// inside it.
  ///
  /// - Parameter path: What was read since the quote.
  mutating func addOpened(
    _ strings: RegularLanguages.Listed, _ trie: TokenTrie, _ parent: Int, _ path: inout [UInt8],
    _ frame: Frame, _ automaton: inout Automaton, _ target: Target
  ) {
    if trie.below(parent).isEmpty { return }
    if ends(strings.node, excluding: strings.excluded, &automaton),
      let quote = trie.child(0x22, of: parent)
    {
      var after: [StackID] = []
      let value = frame.e == 0 ? .max : automaton.value(of: frame.e, and: path)
      automaton.complete(frame.parent, value, into: &after)
      if after.count > 1 { isAmbiguous = true }
      for stack in after { enter(trie, quote, stack, &automaton, target) }
    }
    var hasEscapes = automaton.anyEscapes
    var child = automaton.obligations.languages.trie.firstChild(of: strings.node)
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      let next = child
      child = automaton.obligations.languages.trie.nextSibling(of: child)
      if !JSONSpelling.isPlain(byte) {
        hasEscapes = true
        continue
      }
      guard let node = trie.child(byte, of: parent) else { continue }
      let excluded = automaton.obligations.languages.trie.children(of: strings.excluded, byte)
      if !automaton.obligations.languages.trie.hasString(from: next, excluding: excluded) {
        continue
      }
      if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
      path.append(byte)
      let below = RegularLanguages.Listed(node: next, excluded: excluded)
      addOpened(below, trie, node, &path, frame, &automaton, target)
      path.removeLast()
    }
    guard hasEscapes, trie.isBeforeEscape(parent), let escape = trie.child(0x5C, of: parent)
    else { return }
    addEscaped(trie, escape, path, frame, &automaton, target)
  }

  /// Adds the tokens that can still become the escape of some characters.
  mutating func addUnfinishedEscapes(of next: EscapeIndex.Characters) {
    for (token, characters) in index.escapes.unfinished where characters.meets(next) {
      added.append(UInt32(bitPattern: token))
    }
  }

  /// Adds a token of a trie, if it is one, with its duplicates.
  mutating func addAll(_ token: Int32, _ trie: TokenTrie) {
    if token < 0 { return }
    added.append(UInt32(bitPattern: token))
    if !trie.hasDuplicates { return }
    var token = trie.duplicates[Int(token)]
    while token >= 0 {
      added.append(UInt32(bitPattern: token))
      token = trie.duplicates[Int(token)]
    }
  }
}

/// How JSON writes strings.
enum JSONSpelling {
  /// Whether a byte stands for itself between quotes.
  @inline(__always)
  static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x22 && byte != 0x5C }
}
