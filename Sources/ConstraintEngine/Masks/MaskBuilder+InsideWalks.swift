// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The walks over the trie of tokens for the insides of strings and keys.
///
/// A subtree of which the signatures have all tokens is left out; of the others the bytes are read.
extension MaskBuilder {
  /// Where a walk stands at one depth of the trie.
  private struct WalkLevel {
    var state: UInt32
    var length: UInt32 = 0
    /// Which of the absorptions take all that was read, as bits.
    var absorbing: UInt32 = 0
  }

  // One loop over flat arrays: most of the time of masks inside of strings is spent here.
  /// The tokens in a range of the trie that go on inside a string or key, but for those that the
  /// absorptions beside it have.
  mutating func addWalked(
    _ range: Range<Int>, _ position: InsidePosition, _ part: Part,
    beside absorptions: [Absorption], to found: inout FoundTokens,
    _ automaton: inout Automaton
  ) {
    // Where words have 32 bits there is no span over an empty array of elements that are aligned to 64;
    // so it is not taken of the absorptions either.
    if range.isEmpty { return }
    let trie = vocabulary.trie
    let signatures = vocabulary.signatures
    let (allNodes, allBelow) = (trie.nodes, signatures.below)
    let nodes = allNodes.span
    let belows = allBelow.span
    let allKinds = CharacterKinds.kinds
    let kinds = allKinds.span
    let inside = CharacterKinds.all
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
      // Quotes, backslashes and control characters are never themselves inside a text.
      if kinds[Int(current.byte)] & inside == 0 {
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
      levels[depth] = level
      if absorbing == 0 { found.add(current.token, trie) }
      node += 1
    }
  }
}
