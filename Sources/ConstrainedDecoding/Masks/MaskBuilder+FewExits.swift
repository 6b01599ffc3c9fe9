// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
  static let mostExits = 4

  /// The tokens that stay inside in a position; `nil` where too much changes its state.
  mutating func insideByExits(
    _ position: InsidePosition, closing: [(prefix: Int32, state: UInt32)],
    _ automaton: inout Automaton
  ) -> Inside? {
    if position.isBounded { return nil }
    // Half of the tokens begin with a space: they are not taken out one by one.
    if position.reader.next(position.state, 0x20, &automaton) == InsideReader.dead { return nil }
    var search = ExitSearch(reader: position.reader, below: vocabulary.signatures.below)
    let (trie, byteNodes) = (vocabulary.trie, vocabulary.byteNodes)
    let first = exitRow(position.state, &search, &automaton)
    guard
      search.rows[first].areFew || usualTarget(position.state, &search, &automaton) != nil
    else { return nil }
    dropDead(0..<trie.count, from: first, trie, byteNodes, &search, &automaton)
    let split = index.split
    var escaped = FoundTokens(none: index.noTokens)
    addEscaped(position, to: &escaped, &automaton)
    if search.dead.isEmpty, escaped.list.count == split.escapedTokens.count {
      return Inside(base: split.inside, added: [], closing: closing)
    }
    var words = split.inside.words
    for (_, token) in split.escapedTokens { words[Int(token) >> 5] &= ~(1 << UInt32(token & 31)) }
    for nodes in search.dead { remove(nodes, from: &words) }
    for token in escaped.list { words[Int(token >> 5)] |= 1 << (token & 31) }
    return Inside(base: MaskBase(words: words), added: [], closing: closing)
  }

  struct ExitSearch {
    let reader: InsideReader
    /// By node, the kinds of what is there and below.
    let below: [TokenSignatures.Signature]
    var rows: [ExitRow] = []
    /// By state, where its row is.
    var places = FlatMap()
    /// By byte, the next of its nodes: the walk goes through the trie in order.
    var cursors = [Int](repeating: 0, count: Int(ByteNodes.space) + 1)
    /// The nodes that lead nowhere, in order.
    var dead: [Range<Int>] = []
  }

  /// The bytes over which a state changes.
  struct ExitRow {
    var state: UInt32
    /// The kinds of characters over which the state does not change.
    var loops: TokenSignatures.Signature
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
    /// Where the row is of the state that all else beyond ASCII leads to; -1 where that is not known,
    /// and -2 where there is none.
    var beyondASCII: Int32 = -1
    /// Where many bytes change the state: where the row is of the one that most lead to, if little
    /// changes that; -1 where that is not known, and -2 where there is none.
    var usual: Int32 = -1
    /// The bytes that lead elsewhere, and those that change the usual state, in order, and zeros
    /// after them.
    var exceptions: UInt64 = 0
  }

  /// Where the row of a state is.
  mutating func exitRow(
    _ state: UInt32, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> Int {
    if let known = search.places[UInt64(state)] { return Int(known) }
    let loops = loops(search.reader, state, &automaton)
    let changing = TokenSignatures.all & ~loops
    var row = ExitRow(state: state, loops: loops)
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
        row.areFew =
          spaces.spaces != InsideReader.dead
          || spaces.live & TokenSignatures.spaceBeyondASCII == 0
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
  mutating func target(
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
  mutating func rowBeyondASCII(
    of row: Int, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> Int? {
    let known = search.rows[row].beyondASCII
    if known != -1 { return known < 0 ? nil : Int(known) }
    search.rows[row].beyondASCII = -2
    let state = search.rows[row].state
    let place = kindRow(search.reader, state, &automaton)
    let beyond = beyondASCII(search.reader, state, at: place, &automaton)
    guard beyond.letters != InsideReader.dead, beyond.unusual == beyond.letters,
      beyond.others == beyond.letters
    else { return nil }
    let next = exitRow(beyond.letters, &search, &automaton)
    // Only exits can be looked for in the middle of a scalar.
    if !search.rows[next].areFew { return nil }
    search.rows[row].beyondASCII = Int32(next)
    return next
  }

  /// Where the row of the state is that most characters lead to from another, if little changes it in
  /// turn: at the start of a text a pattern may look for what it does not look for later.
  mutating func usualTarget(
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
}
