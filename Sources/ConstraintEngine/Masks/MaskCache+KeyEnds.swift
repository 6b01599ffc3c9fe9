// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keys that could only be repeated, where patterns have keys that none goes on from.
///
/// The mask of a canonical stack allows every token after which a key fits the patterns. After some of
/// these all keys that fit have come (`Automaton+EarlierKeys`). Such a token ends within the text of an
/// earlier key, so that the tokens are gone down beside those texts alone.
///
/// Worked example: keys are four digits, and `{"2001":1,"20` was read. `01` is refused; `0` and `02`
/// are not, and neither is looked for in any other way.
extension MaskCache {
  /// Adds the tokens that end with the beginning of a key that could only be one of those an object
  /// has.
  mutating func addOpenings(
    of stack: StackID, _ object: Frame, _ automaton: inout Automaton,
    to candidates: inout [Int32]
  ) {
    let place = UInt64(automaton.place(of: object.a, object.b)) << 32 | UInt64(object.f)
    if let known = repeats.openingPlaces[place] {
      candidates += repeats.openings[Int(known)]
      return
    }
    let start = Frame(
      kind: .key, a: automaton.obligations.startTuple(Int(object.a)), e: TextTable.empty,
      parent: stack)
    var found: [Int32] = []
    var first = knownBytes(after: start, &automaton)
    first.insert(0x5C)
    for (text, tokens) in index.quoted.openings
    where first.contains(text[0]) && leadsToEnd(text, start, object, &automaton) {
      found += tokens
    }
    repeats.openingPlaces.set(place, UInt32(repeats.openings.count))
    repeats.openings.append(found)
    candidates += found
  }

  /// Whether a key could only be repeated after some bytes of it.
  private func leadsToEnd(
    _ text: [UInt8], _ start: Frame, _ object: Frame, _ automaton: inout Automaton
  ) -> Bool {
    var key = start
    for place in text.indices {
      if text[place] == 0x5C { return leadsToEnd(escaped: text[place...], key, &automaton) }
      switch Self.step(key, text[place], object, &automaton) {
      case .end: return true
      case .elsewhere: return false
      case .within(let next): key = next
      }
    }
    return false
  }

  private func leadsToEnd(
    escaped text: ArraySlice<UInt8>, _ key: Frame, _ automaton: inout Automaton
  ) -> Bool {
    var key = key
    for byte in text {
      var reached: [StackID] = []
      automaton.step(inside: key, byte, into: &reached)
      guard let next = reached.first else { return true }
      key = automaton.stacks[next]
    }
    return false
  }

  private enum Step {
    /// All keys that go on from here have come.
    case end
    /// No key that goes on from here has come, or none goes on.
    case elsewhere
    case within(Frame)
  }

  /// Reads a byte of a key between two escapes.
  private static func step(
    _ key: Frame, _ byte: UInt8, _ object: Frame, _ automaton: inout Automaton
  ) -> Step {
    let text = automaton.texts.child(of: key.e, byte)
    let isDeclared =
      automaton.obligations.nameNode(of: key.a).map {
        automaton.obligations.languages.trie.child(of: $0, byte) != nil
      } ?? false
    guard text != nil || isDeclared else { return .elsewhere }
    var next = key
    next.a = automaton.obligations.nextTuple(key.a, byte)
    next.e = text ?? TextTable.unknown
    guard automaton.canComplete(key: next.a, object) else { return .elsewhere }
    return automaton.canComplete(key: next.a, next.e, object) ? .within(next) : .end
  }

  /// Adds the tokens below a node after which the key being read could only be repeated.
  func addEnds(
    below node: Int, _ key: Frame, _ automaton: inout Automaton, to repeating: inout [Int32]
  ) {
    let trie = vocabulary.trie
    let object = automaton.stacks[key.parent]
    // No undeclared key has come that could be repeated, and no declared one goes on so.
    if object.f == PersistentSets.empty, automaton.obligations.nameNode(of: key.a) == nil {
      return
    }
    if key.b != 0 { return addEnds(inEscape: node, key, &automaton, to: &repeating) }
    let bytes = knownBytes(after: key, &automaton)
    if bytes.isEmpty { return }
    bytes.visitEach { byte in
      guard JSONSpelling.isPlain(byte), let child = trie.child(byte, of: node) else { return }
      addEnds(
        from: child, Self.step(key, byte, object, &automaton), &automaton, to: &repeating)
    }
    guard let escape = trie.child(0x5C, of: node) else { return }
    for (letter, scalar) in Escape.letters where bytes.contains(UInt8(scalar)) {
      guard let child = trie.child(letter, of: escape) else { continue }
      addEnds(
        from: child, Self.step(key, UInt8(scalar), object, &automaton), &automaton,
        to: &repeating)
    }
    var begun = key
    if automaton.anyEscapes, bytes.isASCII,
      Self.goesOnInNewWays(key, object, bytes, &automaton)
    {
      // A new character can be spelled by an escape, but not by any digits.
      guard let unicode = trie.child(UInt8(ascii: "u"), of: escape),
        let zero = trie.child(UInt8(ascii: "0"), of: unicode)
      else { return }
      begun.b = Escape(.hexadecimal, digits: 1).word
      addEnds(inEscape: zero, begun, &automaton, to: &repeating)
    } else {
      var reached: [StackID] = []
      automaton.step(inside: key, 0x5C, into: &reached)
      if reached.isEmpty {
        return addAll(escape..<Int(trie.nodes[escape].end), to: &repeating)
      }
      begun.b = Escape(.backslash).word
      addEnds(inEscape: escape, begun, &automaton, to: &repeating)
    }
  }

  private func addEnds(
    from node: Int, _ step: Step, _ automaton: inout Automaton, to repeating: inout [Int32]
  ) {
    switch step {
    case .end: addAll(node..<Int(vocabulary.trie.nodes[node].end), to: &repeating)
    case .elsewhere: break
    case .within(let next): addEnds(below: node, next, &automaton, to: &repeating)
    }
  }

  /// The bytes with which what was read of a key stays within a text that was read before, or a
  /// declared name.
  private func knownBytes(after key: Frame, _ automaton: inout Automaton) -> ByteSet {
    var result = ByteSet()
    automaton.texts.forEachChild(of: key.e) { byte, _ in result.insert(byte) }
    if let name = automaton.obligations.nameNode(of: key.a) {
      automaton.obligations.languages.trie.forEachChild(of: name) { byte, _ in
        result.insert(byte)
      }
    }
    return result
  }

  /// Whether a key goes on with a character of ASCII that no known one has here.
  private static func goesOnInNewWays(
    _ key: Frame, _ object: Frame, _ known: ByteSet, _ automaton: inout Automaton
  ) -> Bool {
    for run in automaton.obligations.runStarts(of: key.a).runs where run.lowerBound < 0x80 {
      let after = automaton.obligations.nextTuple(key.a, UInt8(run.lowerBound))
      if automaton.canComplete(key: after, object),
        run.contains(where: { $0 < 0x80 && !known.contains(UInt8($0)) })
      {
        return true
      }
    }
    return false
  }

  /// Adds the tokens below a node that ends inside an escape, byte by byte.
  private func addEnds(
    inEscape node: Int, _ key: Frame, _ automaton: inout Automaton, to repeating: inout [Int32]
  ) {
    let trie = vocabulary.trie
    let nodes = trie.below(node)
    var child = nodes.lowerBound
    while child < nodes.upperBound {
      let byte = trie.nodes[child].byte
      var reached: [StackID] = []
      automaton.step(inside: key, byte, into: &reached)
      if !reached.isEmpty {
        for next in reached {
          addEnds(below: child, automaton.stacks[next], &automaton, to: &repeating)
        }
      } else if Escape(word: key.b).nextBytes.contains(byte) {
        addAll(child..<Int(trie.nodes[child].end), to: &repeating)
      }
      child = Int(trie.nodes[child].end)
    }
  }

  private func addAll(_ nodes: Range<Int>, to repeating: inout [Int32]) {
    for node in nodes {
      var token = vocabulary.trie.nodes[node].token
      while token >= 0 {
        repeating.append(token)
        token = vocabulary.trie.duplicates[Int(token)]
      }
    }
  }
}
