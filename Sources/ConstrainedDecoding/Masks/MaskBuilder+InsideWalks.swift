// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The walks over the trie of tokens for the insides of strings and keys.
///
/// Most nodes have few below them. These are read byte by byte with nothing else asked; above them it
/// is asked whether a whole subtree can be taken, or left.
extension MaskBuilder {
  /// Where a walk stands at one depth of the trie.
  private struct WalkLevel {
    var state: UInt32
    var length: UInt32 = 0
    /// Which of the absorptions take all that was read, as bits.
    var absorbing: UInt32 = 0
    /// The kinds over which the state does not change, once they were asked for.
    var loops = CharacterKinds.Bits.max
    /// Whether those include what is beyond ASCII.
    var areAllKnown = false
    /// All kinds but those of which nothing leads on, as far as that was asked.
    var live = CharacterKinds.all
  }

  mutating func addWalked(
    _ range: Range<Int>, _ position: InsidePosition, _ part: Part,
    beside absorbed: [Absorption], to found: inout FoundTokens,
    _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    let signatures = vocabulary.signatures
    let (allNodes, allBelow) = (trie.nodes, signatures.below)
    let nodes = allNodes.span
    let belows = allBelow.span
    let absorptions = absorbed.span
    let allKinds = CharacterKinds.kinds
    let kinds = allKinds.span
    let reader = position.reader
    let isBounded = position.isBounded
    let base = part == .afterSpace ? 1 : 0
    var levelsByDepth = [WalkLevel](
      repeating: WalkLevel(state: position.state), count: trie.maximumDepth + 2)
    var levels = levelsByDepth.mutableSpan
    levels[0].absorbing = (1 << UInt32(absorptions.count)) - 1
    var asked = (state: InsideReader.dead, length: UInt32(0), fits: false)
    var node = range.lowerBound
    nodes: while node < range.upperBound {
      let current = nodes[node]
      let depth = Int(current.depth) - base
      let end = Int(current.end)
      let below = belows[node]
      if kinds[Int(current.byte)] & levels[depth - 1].live == 0 {
        node = end
        continue
      }
      // What the signatures have is done.
      var absorbing = levels[depth - 1].absorbing
      var rest = absorbing
      while rest != 0 {
        if absorptions[rest.trailingZeroBitCount].covers(below, isFirst: depth == 1) {
          node = end
          continue nodes
        }
        rest &= rest - 1
      }
      let state = levels[depth - 1].state
      // Within a scalar a state's kinds say nothing.
      if end - node >= Self.smallSubtree, current.byte & 0xC0 != 0x80 {
        let isBeyond = below & CharacterKinds.beyondASCII != 0
        if levels[depth - 1].loops == .max || isBeyond && !levels[depth - 1].areAllKnown {
          levels[depth - 1].loops = loops(reader, state, among: below, &automaton)
          levels[depth - 1].areAllKnown = isBeyond
          let place = kindRow(reader, state, &automaton)
          levels[depth - 1].live = CharacterKinds.anyBeyondASCII | insides.kindRows[place].live
        }
        if below & ~levels[depth - 1].loops == 0 {
          taken.insert(.subtrees)
          addBelow(node, after: levels[depth - 1].length, state, position, to: &found, &automaton)
          node = end
          continue
        }
      }
      let after = reader.next(state, current.byte, &automaton)
      if after == InsideReader.dead {
        node = end
        continue
      }
      if absorbing != 0 {
        let kind = signatures.kind(node, current.byte)
        for place in absorptions.indices where kind & ~absorptions[place].kinds != 0 {
          absorbing &= ~(1 << UInt32(place))
        }
      }
      var level = WalkLevel(state: after, absorbing: absorbing)
      if isBounded {
        level.length = levels[depth - 1].length + (current.byte & 0xC0 == 0x80 ? 0 : 1)
        // Siblings often lead to one state.
        if after != asked.state || level.length != asked.length {
          asked = (after, level.length, fits(after, level.length, position, &automaton))
        }
        if !asked.fits {
          node = end
          continue
        }
      }
      if after == state {
        level.loops = levels[depth - 1].loops
        level.areAllKnown = levels[depth - 1].areAllKnown
        level.live = levels[depth - 1].live
      }
      levels[depth] = level
      if absorbing == 0 { found.add(current.token, trie) }
      node += 1
    }
  }

  /// Below fewer nodes nothing is asked but where bytes lead.
  private static let smallSubtree = 8

  /// The tokens of a node and below it, over all of which a state does not change.
  private func addBelow(
    _ node: Int, after length: UInt32, _ state: UInt32, _ position: InsidePosition,
    to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    var most = Int.max
    if position.maximum != .max {
      let shortest = automaton.obligations.languages.shortest(state)
      most = Int(position.maximum) - Int(length) - shortest
    }
    addBelow(node, most: most, to: &found)
  }

  /// The tokens of a node and below it that have no more than some scalars from the node on.
  private func addBelow(_ node: Int, most: Int, to found: inout FoundTokens) {
    let trie = vocabulary.trie
    let end = Int(trie.nodes[node].end)
    if most >= min(trie.maximumDepth, end - node) { return found.add(node..<end, trie) }
    let base = Int(trie.nodes[node].depth) - 1
    var lengths: [Int]?
    if vocabulary.signatures.below[node] & CharacterKinds.beyondASCII != 0 {
      lengths = [Int](repeating: 0, count: trie.maximumDepth + 2 - base)
    }
    var at = node
    var run = node
    while at < end {
      let depth = Int(trie.nodes[at].depth) - base
      var length = depth
      if let before = lengths?[depth - 1] {
        length = before + (trie.nodes[at].byte & 0xC0 == 0x80 ? 0 : 1)
        lengths?[depth] = length
      }
      if length > most {
        found.add(run..<at, trie)
        at = Int(trie.nodes[at].end)
        run = at
      } else {
        at += 1
      }
    }
    found.add(run..<at, trie)
  }
}
