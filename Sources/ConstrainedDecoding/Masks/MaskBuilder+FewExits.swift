/// Strings and keys that most characters change nothing about.
///
/// In a pattern that is searched for, such as `b`, all characters but one leave the state as it is.
/// Then the tokens that stay inside are those that stay inside any string without those that lead
/// nowhere, and only the nodes of the trie where the state changes are visited: where they are is
/// listed by byte.
///
/// Worked example: keys of which none has both an `a` and a `b`. At first only `a` and `b` change
/// anything. Below a node with `a` only `b` does, and it leads nowhere: the tokens from there on are
/// taken out.
extension MaskBuilder {
  /// The most bytes that may change a state for it to be read so.
  private static let mostExits = 4

  /// The tokens that stay inside in a position; `nil` where too much changes its state.
  mutating func insideByExits(
    _ position: InsidePosition, closing: [(prefix: Int32, state: UInt32)],
    _ automaton: inout Automaton
  ) -> Inside? {
    if position.isBounded { return nil }
    var search = ExitSearch(reader: position.reader)
    if exits(position.state, &search, &automaton) != nil {
      dropDead(0..<vocabulary.trie.count, from: position.state, &search, &automaton)
    } else if let next = usualTarget(position.state, &search, &automaton) {
      dropDead(from: position.state, usually: next, &search, &automaton)
    } else {
      return nil
    }
    let split = index.split
    var escaped = FoundTokens(none: index.noTokens)
    addEscaped(position, to: &escaped, &automaton)
    if search.dead.isEmpty, escaped.list.count == split.escapedTokens.count {
      return Inside(base: split.inside, added: [], closing: closing)
    }
    var words = split.inside.words
    for (_, token) in split.escapedTokens { words[Int(token) >> 5] &= ~(1 << UInt32(token & 31)) }
    for token in search.dead { words[Int(token) >> 5] &= ~(1 << UInt32(token & 31)) }
    for token in escaped.list { words[Int(token >> 5)] |= 1 << (token & 31) }
    return Inside(base: MaskBase(words: words), added: [], closing: closing)
  }

  private struct ExitSearch {
    let reader: InsideReader
    /// By state, its exits, as the bytes of a number from the lowest on, once they were asked for.
    var exits = FlatMap()
    /// By byte, the next of its nodes: the walk goes through the trie in order.
    var cursors = [Int](repeating: 0, count: 128)
    /// The tokens that lead nowhere.
    var dead: [Int32] = []
  }

  /// The bytes over which a state changes, as the bytes of a number from the lowest on, with zeros
  /// after them; `nil` where there are many, or not all of them are ASCII.
  private mutating func exits(
    _ state: UInt32, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> UInt32? {
    if let known = search.exits[UInt64(state)] { return known == .max ? nil : known }
    let changing = TokenSignatures.all & ~loops(search.reader, state, &automaton)
    var found: UInt32?
    if changing & TokenSignatures.anyBeyondASCII == 0, changing.nonzeroBitCount <= Self.mostExits {
      let bytes = TokenSignatures.members.filter { changing & $0.kind != 0 }.flatMap(\.bytes)
        .filter { search.reader.next(state, $0, &automaton) != state }
      if bytes.count <= Self.mostExits {
        found = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
    }
    search.exits.set(UInt64(state), found ?? .max)
    return found
  }

  /// The state that most characters lead to from another, if little changes it in turn: at the start
  /// of a text a pattern may look for what it does not look for later.
  private mutating func usualTarget(
    _ state: UInt32, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> UInt32? {
    let place = kindRow(search.reader, state, &automaton)
    let targets = kindRows[place].targets.filter { $0 != InsideReader.dead }
    let counts = targets.reduce(into: [UInt32: Int]()) { $0[$1, default: 0] += 1 }
    guard let usual = counts.max(by: { $0.value < $1.value }),
      usual.value + Self.mostExits >= TokenSignatures.members.count
    else { return nil }
    let beyond = beyondASCII(search.reader, state, at: place, &automaton)
    guard beyond.kinds(to: usual.key) == TokenSignatures.anyBeyondASCII,
      exits(usual.key, &search, &automaton) != nil
    else { return nil }
    return usual.key
  }

  /// Collects the tokens that lead nowhere from a state that is left for another over all that is
  /// beyond ASCII, and over most else.
  private mutating func dropDead(
    from state: UInt32, usually next: UInt32, _ search: inout ExitSearch,
    _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    var node = 0
    while node < trie.count {
      let end = Int(trie.nodes[node].end)
      if trie.nodes[node].byte >= 0x80 {
        dropDead(node + 1..<end, from: next, &search, &automaton)
      } else if JSONSpelling.isPlain(trie.nodes[node].byte) {
        dropDead(at: node, from: state, &search, &automaton)
      }
      node = end
    }
  }

  /// Collects the tokens of some nodes that lead nowhere when they are read from a state.
  private mutating func dropDead(
    _ nodes: Range<Int>, from state: UInt32, _ search: inout ExitSearch,
    _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    guard let exits = exits(state, &search, &automaton) else {
      var node = nodes.lowerBound
      while node < nodes.upperBound {
        if JSONSpelling.isPlain(trie.nodes[node].byte) {
          dropDead(at: node, from: state, &search, &automaton)
        }
        node = Int(trie.nodes[node].end)
      }
      return
    }
    let byteNodes = vocabulary.byteNodes
    var at = nodes.lowerBound
    while true {
      var node = nodes.upperBound
      var rest = exits
      while rest != 0 {
        let byte = UInt8(truncatingIfNeeded: rest)
        node = min(node, byteNodes.next(byte, from: at, &search.cursors[Int(byte)]))
        rest >>= 8
      }
      if node >= nodes.upperBound { return }
      dropDead(at: node, from: state, &search, &automaton)
      at = Int(trie.nodes[node].end)
    }
  }

  /// The same for one node and what is below it.
  private mutating func dropDead(
    at node: Int, from state: UInt32, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    let end = Int(trie.nodes[node].end)
    let after = search.reader.next(state, trie.nodes[node].byte, &automaton)
    if after != InsideReader.dead {
      if end - node > 1 { dropDead(node + 1..<end, from: after, &search, &automaton) }
      return
    }
    for below in node..<end {
      var token = trie.nodes[below].token
      while token >= 0 {
        search.dead.append(token)
        token = trie.hasDuplicates ? trie.duplicates[Int(token)] : -1
      }
    }
  }
}
