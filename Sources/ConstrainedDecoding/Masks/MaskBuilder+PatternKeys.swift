/// Keys of which patterns alone decide whether they may come.
///
/// Worked example: in `{"properties": {"id": …}, "patternProperties": {"^x-": …, "^/": …},
/// "additionalProperties": false}` a key goes on as a string of `^x-` does, as one of `^/`, or as the
/// name `id`. What stays inside strings of a pattern is found once, for all objects and places in
/// them.
extension MaskBuilder {
  /// With more patterns, keys are read beside all of them at once.
  private static let mostPatterns = 8

  /// What tokens do in a key that goes on as the strings of some patterns or as a declared name; nil
  /// if more than that decides it.
  mutating func insideByPatterns(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> Inside? {
    guard case .key(let object) = position.reader,
      let patterns = automaton.decidingPatterns(
        key: position.state, automaton.stacks[object]),
      patterns.count <= Self.mostPatterns
    else { return nil }
    var names: [UInt32] = []
    let name = automaton.obligations.keyTuples.word(0, of: position.state)
    if name > 0 {
      let isSpelledOut = findInside(
        names: Int(name) - 1, TokenTrie.root, automaton.stacks[object], into: &names, &automaton)
      if !isSpelledOut {
        var escaped = FoundTokens(none: index.noTokens)
        addEscaped(position, to: &escaped, &automaton)
        names += escaped.list
      }
    }
    var strings = Inside(base: index.noTokens, added: [], closing: [])
    for pattern in patterns {
      let more = inside(InsidePosition(reader: .string, state: pattern), &automaton)
      unite(&strings, more)
    }
    return Inside(
      base: strings.base,
      added: names.isEmpty ? strings.added : strings.added + missing(names, in: strings),
      closing: completePrefixes(position, &automaton))
  }

  /// Adds the tokens that others stay inside with.
  private mutating func unite(_ strings: inout Inside, _ more: Inside) {
    if strings.base.count == 0, strings.added.isEmpty {
      strings = more
      return
    }
    if more.base.count == 0 {
      strings.added += missing(more.added, in: strings)
      return
    }
    var found = FoundTokens(none: index.noTokens)
    found.add(strings.base)
    found.makeBits()
    found.add(more.base)
    for token in strings.added { found.add(one: Int32(bitPattern: token)) }
    for token in more.added { found.add(one: Int32(bitPattern: token)) }
    strings = Inside(found: found, closing: [])
  }

  /// Collects the tokens below a node that stay inside a declared name, without escapes.
  ///
  /// - Returns: Whether no such name may have an escape.
  private mutating func findInside(
    names name: Int, _ parent: Int, _ object: Frame, into tokens: inout [UInt32],
    _ automaton: inout Automaton
  ) -> Bool {
    let trie = vocabulary.trie
    var isSpelledOut = true
    var child = automaton.obligations.languages.trie.firstChild(of: name)
    while child >= 0 {
      if automaton.isLive(name: child, object) {
        let byte = automaton.obligations.languages.trie.byte(of: child)
        if automaton.anyEscapes || !JSONSpelling.isPlain(byte) {
          isSpelledOut = false
        }
        if JSONSpelling.isPlain(byte), let node = trie.child(byte, of: parent) {
          var token = trie.nodes[node].token
          while token >= 0 {
            tokens.append(UInt32(bitPattern: token))
            token = trie.duplicates[Int(token)]
          }
          if !findInside(names: child, node, object, into: &tokens, &automaton) {
            isSpelledOut = false
          }
        }
      }
      child = automaton.obligations.languages.trie.nextSibling(of: child)
    }
    return isSpelledOut
  }
}
