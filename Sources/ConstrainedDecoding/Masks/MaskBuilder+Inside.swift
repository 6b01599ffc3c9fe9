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
    _ position: InsidePosition, isOpen: Bool = false, _ automaton: inout Automaton
  ) -> Inside {
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

  private mutating func findInside(
    _ position: InsidePosition, isOpen: Bool, _ automaton: inout Automaton
  ) -> Inside {
    let closing = completePrefixes(position, &automaton)
    if isOpen
      || position.reader == .string && !position.isBounded
        && automaton.obligations.languages.isOpen(position.state)
    {
      return Inside(base: index.split.inside, added: [], closing: closing)
    }
    if let found = insideByExits(position, closing: closing, &automaton) { return found }
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
      let absorbed = absorptions.isEmpty ? [Absorption(kinds: 0, state: 0)] : absorptions
      for range in ranges {
        addWalked(range, position, part, beside: absorbed, to: &found, &automaton)
      }
    }
  }

  // MARK: By a walk

  /// Where a walk stands at one depth of the trie.
  private struct WalkLevel {
    var state: UInt32
    var length: UInt32 = 0
    /// The kinds of what was read.
    var path: TokenSignatures.Signature = 0
    /// The kinds over which the state does not change, once they were asked for.
    var loops = TokenSignatures.Signature.max
    /// Whether those include what is beyond ASCII.
    var areAllKnown = false
    /// Where the kinds that the state takes are in `absorptionLists`, if it was worth it to ask.
    var absorptions = -1
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
    let reader = position.reader
    let isBounded = position.isBounded
    let base = part == .afterSpace ? 1 : 0
    let first = absorbed[0]
    let hasOthers = absorbed.count > 1
    var levelsByDepth = [WalkLevel](
      repeating: WalkLevel(state: position.state), count: trie.maximumDepth + 2)
    var levels = levelsByDepth.mutableSpan
    var asked = (state: InsideReader.dead, length: UInt32(0), fits: false)
    var node = range.lowerBound
    while node < range.upperBound {
      let depth = Int(nodes[node].depth) - base
      let end = Int(nodes[node].end)
      let byte = nodes[node].byte
      let kind = signatures.kind(node, byte)
      let below = belows[node]
      let path = levels[depth - 1].path
      // What the signatures have is done.
      if kind == TokenSignatures.never || first.covers(path, below)
        || hasOthers && absorbed.contains(where: { $0.covers(path, below) })
      {
        node = end
        continue
      }
      let state = levels[depth - 1].state
      if end - node >= 8 {
        let isBeyond = below & TokenSignatures.beyondASCII != 0
        if levels[depth - 1].loops == .max || isBeyond && !levels[depth - 1].areAllKnown {
          levels[depth - 1].loops = loops(reader, state, among: below, &automaton)
          levels[depth - 1].areAllKnown = isBeyond
        }
        if below & ~levels[depth - 1].loops == 0 {
          addBelow(node, after: levels[depth - 1].length, state, position, to: &found, &automaton)
          node = end
          continue
        }
        if levels[depth - 1].absorptions >= 0,
          let most = absorptionLists[levels[depth - 1].absorptions]
            .first(where: { below & ~$0.kinds == 0 })?.scalars
        {
          addBelow(node, most: most, to: &found)
          node = end
          continue
        }
      }
      let after = reader.next(state, byte, &automaton)
      if after == InsideReader.dead {
        node = end
        continue
      }
      var level = WalkLevel(state: after, path: path | kind)
      if isBounded {
        level.length = levels[depth - 1].length + (byte & 0xC0 == 0x80 ? 0 : 1)
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
      }
      if end - node >= Self.largeSubtree, !isBounded {
        level.absorptions = absorptionList(reader, after, &automaton)
      }
      levels[depth] = level
      let token = nodes[node].token
      if token >= 0, level.path & ~first.kinds != 0,
        !hasOthers || !absorbed.contains(where: { level.path & ~$0.kinds == 0 })
      {
        found.add(token, trie)
      }
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
