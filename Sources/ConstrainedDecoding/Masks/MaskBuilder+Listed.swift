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

  /// What tokens do in a string that is one of those from a node on.
  mutating func listed(
    from node: Int, _ position: InsidePosition, _ automaton: inout Automaton
  ) -> Inside {
    var found = FoundTokens()
    var escapes = ListedEscapes(mayEscape: automaton.anyEscapes)
    addListed(from: node, TokenTrie.root, to: &found, &escapes, automaton)
    var ends: [ListedPrefix] = []
    findListed(from: node, into: &ends, automaton)
    if escapes.mustBeRead || escapes.next.meets(index.escapes.whole) {
      addEscaped(position, to: &found, &automaton)
    } else if automaton.anyEscapes {
      for (token, characters) in index.escapes.unfinished where characters.meets(escapes.next) {
        found.add(one: token)
      }
    }
    if escapes.mayEscape { findListedEscaped(from: node, into: &ends, automaton) }
    let closing = ends.map { end in
      (prefix: end.prefix, state: automaton.obligations.languages.trieState(end.end))
    }
    return Inside(found: found, none: index.noTokens, closing: closing)
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
    from name: Int, _ parent: Int, to found: inout FoundTokens, _ escapes: inout ListedEscapes,
    _ automaton: borrowing Automaton
  ) {
    let trie = vocabulary.trie
    var child = automaton.obligations.languages.trie.firstChild(of: name)
    if child >= 0, escapes.mayEscape, parent != TokenTrie.root, trie.isBeforeEscape(parent) {
      escapes.mustBeRead = true
    }
    while child >= 0 {
      let byte = automaton.obligations.languages.trie.byte(of: child)
      if parent == TokenTrie.root, byte < 0x80 { escapes.next.insert(byte) }
      if !JSONSpelling.isPlain(byte) || byte >= 0x80 && escapes.mayEscape {
        escapes.mayEscape = true
        escapes.mustBeRead = true
      }
      if JSONSpelling.isPlain(byte), let node = trie.child(byte, of: parent) {
        found.add(trie.tokens[node], trie)
        if !trie.below(node).isEmpty {
          addListed(from: child, node, to: &found, &escapes, automaton)
        }
      }
      child = automaton.obligations.languages.trie.nextSibling(of: child)
    }
  }

  /// The spellings before a quote after which a string is complete, without escapes.
  func findListed(
    from name: Int, into found: inout [ListedPrefix], _ automaton: borrowing Automaton
  ) {
    let split = index.split
    if split.emptyPrefix >= 0, automaton.obligations.languages.trie.isEnd(name) {
      found.append((split.emptyPrefix, name))
    }
    var pending: [(name: Int, parent: Int)] = [(name, TokenTrie.root)]
    while let (name, parent) = pending.popLast() {
      var child = automaton.obligations.languages.trie.firstChild(of: name)
      while child >= 0 {
        let byte = automaton.obligations.languages.trie.byte(of: child)
        if JSONSpelling.isPlain(byte), let node = split.prefixes.child(byte, of: parent) {
          let prefix = split.prefixes.tokens[node]
          if prefix >= 0, automaton.obligations.languages.trie.isEnd(child) {
            found.append((prefix, child))
          }
          pending.append((child, node))
        }
        child = automaton.obligations.languages.trie.nextSibling(of: child)
      }
    }
  }

  /// The same for spellings with an escape.
  func findListedEscaped(
    from name: Int, into found: inout [ListedPrefix], _ automaton: borrowing Automaton
  ) {
    for (prefix, text) in index.split.escapedPrefixes {
      var at = name
      for byte in text where at >= 0 {
        at = automaton.obligations.languages.trie.child(of: at, byte) ?? -1
      }
      if at >= 0, automaton.obligations.languages.trie.isEnd(at) { found.append((prefix, at)) }
    }
  }

  /// Adds the tokens that can still become the escape of some characters.
  mutating func addUnfinishedEscapes(of next: EscapeIndex.Characters) {
    for (token, characters) in index.escapes.unfinished where characters.meets(next) {
      added.append(UInt32(bitPattern: token))
    }
  }

  /// Adds a token of a trie, if it is one, with its duplicates.
  mutating func addAll(_ token: Int32, _ trie: TokenTrie) {
    var token = token
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
