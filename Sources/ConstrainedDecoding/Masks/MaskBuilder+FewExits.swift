/// Strings and keys that most characters change nothing about.
///
/// In a pattern that is searched for, such as `b`, all characters but one leave the state as it is.
/// Then the tokens that stay inside are those that stay inside any string without those that lead
/// nowhere, and only the nodes of the trie where the state changes are visited: where they are is
/// listed by byte, and for white space beyond ASCII, which `\S` and `.` leave out, as for one more
/// (``ByteNodes``).
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
    // Half of the tokens begin with a space: they are not taken out one by one.
    if position.reader.next(position.state, 0x20, &automaton) == InsideReader.dead { return nil }
    var search = ExitSearch(reader: position.reader)
    let (trie, byteNodes) = (vocabulary.trie, vocabulary.byteNodes)
    let first = exitRow(position.state, &search, &automaton)
    if search.rows[first].areFew {
      dropDead(0..<trie.count, from: first, trie, byteNodes, &search, &automaton)
    } else if let next = usualTarget(position.state, &search, &automaton) {
      dropDead(from: first, usually: next, trie, byteNodes, &search, &automaton)
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
    var rows: [ExitRow] = []
    /// By state, where its row is.
    var places = FlatMap()
    /// By byte, the next of its nodes: the walk goes through the trie in order.
    var cursors = [Int](repeating: 0, count: Int(ByteNodes.space) + 1)
    /// The tokens that lead nowhere.
    var dead: [Int32] = []
  }

  /// The bytes over which a state changes.
  private struct ExitRow {
    var state: UInt32
    /// Whether there are few, and all of them are ASCII, or white space beyond that.
    var areFew = false
    /// Those bytes from the lowest on, ``ByteNodes/space`` for white space beyond ASCII, and zeros
    /// after them.
    var bytes: UInt32 = 0
    /// For each of them where the row of the state after it is; -1 where that is not known, and -2
    /// where there is none.
    var targets = SIMD4<Int32>(repeating: -1)
    /// The state after white space beyond ASCII, where that is one of them.
    var spaces = InsideReader.dead
  }

  /// Where the row of a state is.
  private mutating func exitRow(
    _ state: UInt32, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> Int {
    if let known = search.places[UInt64(state)] { return Int(known) }
    let changing = TokenSignatures.all & ~loops(search.reader, state, &automaton)
    var row = ExitRow(state: state)
    let beyond = changing & TokenSignatures.anyBeyondASCII
    if beyond & ~TokenSignatures.spaceBeyondASCII == 0,
      changing.nonzeroBitCount <= Self.mostExits
    {
      var bytes = TokenSignatures.members.filter { changing & $0.kind != 0 }.flatMap(\.bytes)
        .filter { search.reader.next(state, $0, &automaton) != state }
      row.areFew = true
      if beyond != 0 {
        let place = kindRow(search.reader, state, &automaton)
        let spaces = beyondASCII(search.reader, state, at: place, &automaton)
        row.areFew = spaces.spaces != InsideReader.dead || !spaces.hasSpaces
        row.spaces = spaces.spaces
        bytes.append(ByteNodes.space)
      }
      if bytes.count > Self.mostExits { row.areFew = false }
      if row.areFew { row.bytes = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
    search.places.set(UInt64(state), UInt32(search.rows.count))
    search.rows.append(row)
    return search.rows.count - 1
  }

  /// Where the row of the state after an exit is; `nil` where it leads nowhere.
  @inline(__always)
  private mutating func target(
    of row: Int, _ exit: Int, _ byte: UInt8, _ search: inout ExitSearch,
    _ automaton: inout Automaton
  ) -> Int? {
    let known = search.rows[row].targets[exit]
    if known != -1 { return known < 0 ? nil : Int(known) }
    let after =
      byte == ByteNodes.space
      ? search.rows[row].spaces : search.reader.next(search.rows[row].state, byte, &automaton)
    let target = after == InsideReader.dead ? -2 : exitRow(after, &search, &automaton)
    search.rows[row].targets[exit] = Int32(target)
    return target < 0 ? nil : target
  }

  /// Where the row of the state is that all beyond ASCII leads to, white space not counted, if little
  /// changes that in turn; `nil` where there is no such state.
  private mutating func rowBeyondASCII(
    of row: Int, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> Int? {
    let state = search.rows[row].state
    let place = kindRow(search.reader, state, &automaton)
    let beyond = beyondASCII(search.reader, state, at: place, &automaton)
    guard beyond.others != InsideReader.dead, beyond.unusual == beyond.others else { return nil }
    let next = exitRow(beyond.others, &search, &automaton)
    // Only exits can be looked for in the middle of a scalar.
    return search.rows[next].areFew ? next : nil
  }

  /// Where the row of the state is that most characters lead to from another, if little changes it in
  /// turn: at the start of a text a pattern may look for what it does not look for later.
  private mutating func usualTarget(
    _ state: UInt32, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> Int? {
    let place = kindRow(search.reader, state, &automaton)
    let targets = kindRows[place].targets.filter { $0 != InsideReader.dead }
    let counts = targets.reduce(into: [UInt32: Int]()) { $0[$1, default: 0] += 1 }
    guard let usual = counts.max(by: { $0.value < $1.value }),
      usual.value + Self.mostExits >= TokenSignatures.members.count
    else { return nil }
    let beyond = beyondASCII(search.reader, state, at: place, &automaton)
    guard beyond.kinds(to: usual.key) == TokenSignatures.anyBeyondASCII else { return nil }
    let row = exitRow(usual.key, &search, &automaton)
    return search.rows[row].areFew ? row : nil
  }

  /// Collects the tokens that lead nowhere from a state that is left for another over all that is
  /// beyond ASCII, and over most else.
  private mutating func dropDead(
    from row: Int, usually next: Int, _ trie: TokenTrie, _ byteNodes: ByteNodes,
    _ search: inout ExitSearch, _ automaton: inout Automaton
  ) {
    var node = 0
    while node < trie.count {
      let end = Int(trie.nodes[node].end)
      if trie.nodes[node].byte >= 0x80 {
        dropDead(node + 1..<end, from: next, trie, byteNodes, &search, &automaton)
      } else if JSONSpelling.isPlain(trie.nodes[node].byte) {
        dropDead(at: node, from: row, trie, byteNodes, &search, &automaton)
      }
      node = end
    }
  }

  /// Collects the tokens of some nodes that lead nowhere when they are read from a state.
  ///
  /// The tables are handed down: to take them from the vocabulary in each call, which retains them,
  /// took a fifth of the time.
  private mutating func dropDead(
    _ nodes: Range<Int>, from row: Int, _ trie: TokenTrie, _ byteNodes: ByteNodes,
    _ search: inout ExitSearch, _ automaton: inout Automaton
  ) {
    if !search.rows[row].areFew {
      if nodes.isEmpty { return }
      let beyond = rowBeyondASCII(of: row, &search, &automaton)
      var node = nodes.lowerBound
      while node < nodes.upperBound {
        let end = Int(trie.nodes[node].end)
        let byte = trie.nodes[node].byte
        if let beyond, byte >= 0xC2, !TokenSignatures.spaceLeads.contains(byte) {
          dropDead(node + 1..<end, from: beyond, trie, byteNodes, &search, &automaton)
        } else if JSONSpelling.isPlain(byte) {
          dropDead(at: node, from: row, trie, byteNodes, &search, &automaton)
        }
        node = end
      }
      return
    }
    let exits = search.rows[row].bytes
    var at = nodes.lowerBound
    while true {
      var found: (subtree: ByteNodes.Subtree, exit: Int, byte: UInt8)?
      var nearest = nodes.upperBound
      var (rest, exit) = (exits, 0)
      while rest != 0 {
        let byte = UInt8(truncatingIfNeeded: rest)
        if let next = byteNodes.next(byte, from: at, &search.cursors[Int(byte)]),
          Int(next.node) < nearest
        {
          nearest = Int(next.node)
          found = (next, exit, byte)
        }
        rest >>= 8
        exit += 1
      }
      guard let found else { return }
      let (node, end) = (Int(found.subtree.node), Int(found.subtree.end))
      if let target = target(of: row, found.exit, found.byte, &search, &automaton) {
        if end - node > 1 {
          dropDead(node + 1..<end, from: target, trie, byteNodes, &search, &automaton)
        }
      } else {
        Self.dropAll(node..<end, trie, &search)
      }
      at = end
    }
  }

  /// The same for one node and what is below it.
  private mutating func dropDead(
    at node: Int, from row: Int, _ trie: TokenTrie, _ byteNodes: ByteNodes,
    _ search: inout ExitSearch, _ automaton: inout Automaton
  ) {
    let end = Int(trie.nodes[node].end)
    let byte = trie.nodes[node].byte
    let after = search.reader.next(search.rows[row].state, byte, &automaton)
    if after == InsideReader.dead { return Self.dropAll(node..<end, trie, &search) }
    if end - node == 1 { return }
    let target = exitRow(after, &search, &automaton)
    dropDead(node + 1..<end, from: target, trie, byteNodes, &search, &automaton)
  }

  private static func dropAll(
    _ nodes: Range<Int>, _ trie: TokenTrie, _ search: inout ExitSearch
  ) {
    for node in nodes {
      var token = trie.nodes[node].token
      while token >= 0 {
        search.dead.append(token)
        token = trie.hasDuplicates ? trie.duplicates[Int(token)] : -1
      }
    }
  }
}
