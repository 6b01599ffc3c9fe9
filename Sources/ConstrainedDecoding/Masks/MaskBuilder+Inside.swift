/// The insides of strings and keys that are held to something.
///
/// What stays inside is found in three parts. Tokens made of characters over which the state does
/// not change are taken by their signatures, thousands at a time (``TokenSignatures``). If the state
/// can be left, the trie is walked for the others: a subtree that has only characters over which
/// its state does not change is taken, or left where the signatures have it, as a whole. Tokens
/// with an escape are few; their texts from the escape on are a trie of their own.
///
/// Worked example: in `^[a-z]+(-[a-z]+)*$` after `ab` the letters loop, so that all tokens of
/// letters are inside; the walk visits those that have a hyphen, and skips all others.
extension MaskBuilder {
  /// What tokens do in a position.
  ///
  /// - Parameter isOpen: whether it is known that any text may come, as for keys of an open object.
  mutating func inside(
    _ exact: InsidePosition, isOpen: Bool = false, _ automaton: inout Automaton
  ) -> Inside {
    let position = withoutFarMaximum(exact, &automaton)
    if let known = insides[position] { return known }
    let result: Inside
    if position.reader == .string, !position.isBounded,
      let strings = automaton.obligations.languages.listed(position.state)
    {
      result = listed(strings, &automaton)
    } else {
      result = findInside(position, isOpen: isOpen, &automaton)
    }
    insides[position] = result
    return result
  }

  /// A position without its maximum, where no token comes near it: as long as that is so, the next
  /// position has the same tokens.
  private func withoutFarMaximum(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> InsidePosition {
    guard position.reader == .string, position.minimum == 0, position.maximum != .max,
      let slack = automaton.obligations.languages.slackByProgram(position.state),
      Int(position.maximum) - index.split.maximumScalars >= slack
    else { return position }
    var result = position
    result.maximum = .max
    return result
  }

  private mutating func findInside(
    _ position: InsidePosition, isOpen: Bool, _ automaton: inout Automaton
  ) -> Inside {
    let closing = completePrefixes(position, &automaton)
    if let relaxed = withoutListedExclusions(position, &automaton) {
      let inside = inside(relaxed, &automaton)
      return Inside(base: inside.base, added: inside.added, closing: closing)
    }
    if isOpen
      || position.reader == .string && !position.isBounded
        && automaton.obligations.languages.isOpen(position.state)
    {
      return Inside(base: index.split.inside, added: [], closing: closing)
    }
    if !lingersOverAll(position, &automaton),
      let found = insideByExits(position, closing: closing, &automaton)
    {
      return found
    }
    var found = FoundTokens(none: index.noTokens)
    let space = vocabulary.trie.root(0x20)
    let all = 0..<vocabulary.trie.count
    if let space {
      let end = Int(vocabulary.trie.nodes[space].end)
      addPart(
        [0..<space, end..<all.upperBound], after: position, .anywhere, to: &found, &automaton)
      var inner = position
      inner.state = position.reader.next(position.state, 0x20, &automaton)
      if inner.state != InsideReader.dead, position.maximum > 0 {
        if inner.maximum != .max { inner.maximum -= 1 }
        if inner.minimum > 0 { inner.minimum -= 1 }
        if !inner.isBounded || fits(inner.state, 0, inner, &automaton) {
          addPart([space + 1..<end], after: inner, .afterSpace, to: &found, &automaton)
          found.add(vocabulary.trie.nodes[space].token, vocabulary.trie)
        }
      }
    } else {
      addPart([all], after: position, .anywhere, to: &found, &automaton)
    }
    addEscaped(position, to: &found, &automaton)
    return Inside(found: found, closing: closing)
  }

  /// The tokens of one part of the trie, whose texts are read from a position.
  private mutating func addPart(
    _ ranges: [Range<Int>], after position: InsidePosition, _ part: Part,
    to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    let absorptions = absorptions(position, &automaton)
    for absorption in absorptions {
      addAbsorbed(absorption, position, part, to: &found, &automaton)
    }
    let taken = absorptions.reduce(0) { $0 | $1.kinds }
    let isLeft =
      liveKinds(position.reader, position.state, &automaton) & ~taken != 0
      || absorptions.contains { $0.settled != .max }
    if isLeft {
      for range in ranges {
        addWalked(range, position, part, beside: absorptions, to: &found, &automaton)
      }
    }
  }

  // MARK: By a walk

  /// Where a walk stands at one depth of the trie.
  private struct WalkLevel {
    var state: UInt32
    var length: UInt32 = 0
    /// Which of the absorptions take all that was read, as bits.
    var absorbing: UInt32 = 0
    /// Where the kinds that the state takes are in `absorptionLists`, if it was worth it to ask.
    var absorptions: Int32 = -1
    /// The kinds over which the state does not change, once they were asked for.
    var loops = TokenSignatures.Signature.max
    /// Whether those include what is beyond ASCII.
    var areAllKnown = false
    /// All kinds but those of which nothing leads on, as far as that was asked.
    var live = TokenSignatures.all
  }

  private mutating func addWalked(
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
    let allKinds = TokenSignatures.kinds
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
      if end - node >= 8, current.byte & 0xC0 != 0x80 {
        let isBeyond = below & TokenSignatures.beyondASCII != 0
        if levels[depth - 1].loops == .max || isBeyond && !levels[depth - 1].areAllKnown {
          levels[depth - 1].loops = loops(reader, state, among: below, &automaton)
          levels[depth - 1].areAllKnown = isBeyond
          levels[depth - 1].live =
            TokenSignatures.anyBeyondASCII | kindRows[kindRow(reader, state, &automaton)].live
        }
        if below & ~levels[depth - 1].loops == 0 {
          addBelow(node, after: levels[depth - 1].length, state, position, to: &found, &automaton)
          node = end
          continue
        }
        if levels[depth - 1].absorptions >= 0,
          let most = absorptionLists[Int(levels[depth - 1].absorptions)]
            .first(where: { below & ~$0.kinds == 0 })?.scalars
        {
          addBelow(node, most: most, to: &found)
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
      if end - node >= Self.largeSubtree, !isBounded, nodes[node + 1].byte & 0xC0 != 0x80 {
        level.absorptions = Int32(absorptionList(reader, after, &automaton))
      }
      levels[depth] = level
      if current.token >= 0, absorbing == 0 { found.add(current.token, trie) }
      node += 1
    }
  }

  /// Below nodes with so many below them it is asked how far kinds of characters lead.
  private static let largeSubtree = 1024

  /// Where the kinds that a state takes are in `absorptionLists`.
  private mutating func absorptionList(
    _ reader: InsideReader, _ state: UInt32, _ automaton: inout Automaton
  ) -> Int {
    let key = reader.key(of: state)
    if let known = absorptionPlaces[key] { return Int(known) }
    let list = absorptions(InsidePosition(reader: reader, state: state), &automaton)
    absorptionPlaces.set(key, UInt32(absorptionLists.count))
    absorptionLists.append(list)
    return absorptionLists.count - 1
  }

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
    if vocabulary.signatures.below[node] & TokenSignatures.beyondASCII != 0 {
      lengths = [Int](repeating: 0, count: trie.maximumDepth + 2 - base)
    }
    var at = node
    while at < end {
      let depth = Int(trie.nodes[at].depth) - base
      var length = depth
      if let before = lengths?[depth - 1] {
        length = before + (trie.nodes[at].byte & 0xC0 == 0x80 ? 0 : 1)
        lengths?[depth] = length
      }
      if length > most {
        at = Int(trie.nodes[at].end)
        continue
      }
      found.add(trie.nodes[at].token, trie)
      at += 1
    }
  }

  /// Whether a string can still have a length within its bounds.
  func fits(
    _ state: UInt32, _ length: UInt32, _ position: InsidePosition, _ automaton: inout Automaton
  ) -> Bool {
    if position.maximum != .max, length > position.maximum { return false }
    if position.minimum <= length {
      return position.maximum == .max
        || Int(length) + automaton.obligations.languages.shortest(state) <= Int(position.maximum)
    }
    return automaton.obligations.languages.hasString(
      state, minimum: Int(position.minimum - length),
      maximum: position.maximum == .max ? nil : Int(position.maximum - length))
  }
}
