// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The walks from one place where a state changes to the next.
///
/// Worked example: where `ab` may not come, only the nodes of `a` are visited; below each of them the
/// child over `b` is taken out, the child over `a` is where it begins again, and all other children
/// lead back to the state at first, so that below them the next `a` is looked for.
extension MaskBuilder {
  /// Collects the tokens of some nodes that lead nowhere when they are read from a state.
  ///
  /// The tables are handed down: to take them from the vocabulary in each call, which retains them,
  /// took a fifth of the time.
  mutating func dropDead(
    _ nodes: Range<Int>, from row: Int, _ trie: TokenTrie, _ byteNodes: ByteNodes,
    _ search: inout ExitSearch, _ automaton: inout Automaton
  ) {
    if !search.rows[row].areFew {
      if nodes.isEmpty { return }
      if nodes.count >= Self.manyNodes, findUsual(of: row, &search, &automaton) {
        return dropDeadUsually(nodes, from: row, trie, byteNodes, &search, &automaton)
      }
      let beyond = rowBeyondASCII(of: row, &search, &automaton)
      let loops = search.rows[row].loops
      var node = nodes.lowerBound
      while node < nodes.upperBound {
        let end = Int(trie.nodes[node].end)
        let byte = trie.nodes[node].byte
        if search.below[node] & ~loops == 0 {
          // Nothing changes the state there.
        } else if let beyond, byte >= 0xC2, !TokenSignatures.spaceLeads.contains(byte) {
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
        Self.dropAll(node..<end, &search)
      }
      at = end
    }
  }

  /// With fewer nodes below one it is not asked where most bytes lead.
  private static let manyNodes = 24

  /// Whether most bytes lead from a state to one that little changes, as where a text that is looked
  /// for has begun: after the `a` of `ab` all but `a` and `b` lead back.
  private mutating func findUsual(
    of row: Int, _ search: inout ExitSearch, _ automaton: inout Automaton
  ) -> Bool {
    if search.rows[row].usual != -1 { return search.rows[row].usual >= 0 }
    search.rows[row].usual = -2
    let state = search.rows[row].state
    guard let usual = usualTarget(state, &search, &automaton) else { return false }
    let exits = search.rows[usual].bytes
    func isExit(_ byte: UInt8) -> Bool {
      (0..<4).contains { exits >> UInt32($0 * 8) & 0xFF == UInt32(byte) }
    }
    if isExit(ByteNodes.space) { return false }
    let target = search.rows[usual].state
    var exceptions: [UInt8] = []
    for byte in UInt8(0x20)..<0x80 where JSONSpelling.isPlain(byte) {
      if isExit(byte) || search.reader.next(state, byte, &automaton) != target {
        exceptions.append(byte)
      }
    }
    if exceptions.count > 8 { return false }
    search.rows[row].exceptions = exceptions.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    search.rows[row].usual = Int32(usual)
    return true
  }

  /// The same as ``dropDead(_:from:_:_:_:_:)`` for the children of a node and what is below them, in
  /// a state that most bytes lead from to a usual one: only the others are looked at, and in between
  /// the bytes that change the usual state.
  private mutating func dropDeadUsually(
    _ nodes: Range<Int>, from row: Int, _ trie: TokenTrie, _ byteNodes: ByteNodes,
    _ search: inout ExitSearch, _ automaton: inout Automaton
  ) {
    let usual = Int(search.rows[row].usual)
    var exceptions = search.rows[row].exceptions
    var at = nodes.lowerBound
    while exceptions != 0 {
      let byte = UInt8(truncatingIfNeeded: exceptions)
      exceptions >>= 8
      guard let child = trie.child(byte, of: nodes.lowerBound - 1) else { continue }
      dropDead(at..<child, from: usual, trie, byteNodes, &search, &automaton)
      dropDead(at: child, from: row, trie, byteNodes, &search, &automaton)
      at = Int(trie.nodes[child].end)
    }
    dropDead(at..<nodes.upperBound, from: usual, trie, byteNodes, &search, &automaton)
  }

  /// The same for one node and what is below it.
  private mutating func dropDead(
    at node: Int, from row: Int, _ trie: TokenTrie, _ byteNodes: ByteNodes,
    _ search: inout ExitSearch, _ automaton: inout Automaton
  ) {
    let end = Int(trie.nodes[node].end)
    let byte = trie.nodes[node].byte
    let after = search.reader.next(search.rows[row].state, byte, &automaton)
    if after == InsideReader.dead { return Self.dropAll(node..<end, &search) }
    if end - node == 1 { return }
    let target = exitRow(after, &search, &automaton)
    dropDead(node + 1..<end, from: target, trie, byteNodes, &search, &automaton)
  }

  private static func dropAll(
    _ nodes: Range<Int>, _ search: inout ExitSearch
  ) {
    if let last = search.dead.last, last.upperBound == nodes.lowerBound {
      search.dead[search.dead.count - 1] = last.lowerBound..<nodes.upperBound
    } else {
      search.dead.append(nodes)
    }
  }

  /// Takes the tokens of some nodes out of a mask.
  func remove(_ nodes: Range<Int>, from words: inout [UInt32]) {
    let trie = vocabulary.trie
    let all = trie.nodes
    if trie.hasDuplicates {
      for node in nodes {
        var token = all[node].token
        while token >= 0 {
          words[Int(token) >> 5] &= ~(1 << UInt32(token & 31))
          token = trie.duplicates[Int(token)]
        }
      }
      return
    }
    var bits = words.mutableSpan
    for node in nodes where all[node].token >= 0 {
      bits[Int(all[node].token) >> 5] &= ~(1 << UInt32(all[node].token & 31))
    }
  }
}
