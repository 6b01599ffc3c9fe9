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
    var found = FoundTokens()
    let space = vocabulary.trie.root(0x20)
    let all = 0..<vocabulary.trie.count
    if let space {
      let end = Int(vocabulary.trie.ends[space])
      addPart(
        [0..<space, end..<all.upperBound], after: position, .anywhere, to: &found, &automaton)
      var inner = position
      inner.state = position.reader.next(position.state, 0x20, &automaton)
      if inner.state != InsideReader.dead, position.maximum > 0 {
        if inner.maximum != .max { inner.maximum -= 1 }
        if inner.minimum > 0 { inner.minimum -= 1 }
        if !inner.isBounded || fits(inner.state, 0, inner, &automaton) {
          addPart([space + 1..<end], after: inner, .afterSpace, to: &found, &automaton)
          found.add(vocabulary.trie.tokens[space], vocabulary.trie)
        }
      }
    } else {
      addPart([all], after: position, .anywhere, to: &found, &automaton)
    }
    addEscaped(position, to: &found, &automaton)
    return Inside(found: found, none: index.noTokens, closing: closing)
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

  private mutating func addWalked(
    _ range: Range<Int>, _ position: InsidePosition, _ part: Part,
    beside absorbed: [Absorption], to found: inout FoundTokens,
    _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    let signatures = vocabulary.signatures
    let below = signatures.below
    let reader = position.reader
    let isBounded = position.isBounded
    let unknown = TokenSignatures.Signature.max
    let base = part == .afterSpace ? 1 : 0
    let first = absorbed[0]
    var states = [UInt32](repeating: position.state, count: trie.maximumDepth + 2)
    var lengths = [UInt32](repeating: 0, count: trie.maximumDepth + 2)
    var paths = [TokenSignatures.Signature](repeating: 0, count: trie.maximumDepth + 2)
    var depthLoops = [TokenSignatures.Signature](repeating: unknown, count: trie.maximumDepth + 2)
    /// Whether those include what is beyond ASCII.
    var areAllKnown = [Bool](repeating: false, count: trie.maximumDepth + 2)
    var node = range.lowerBound
    while node < range.upperBound {
      let depth = Int(trie.depths[node]) - base
      let end = Int(trie.ends[node])
      let byte = trie.bytes[node]
      let kind = signatures.kind(node, byte)
      // What the signatures have is done.
      if kind == TokenSignatures.never || first.covers(paths[depth - 1], below[node])
        || absorbed.count > 1
          && absorbed.contains(where: { $0.covers(paths[depth - 1], below[node]) })
      {
        node = end
        continue
      }
      if end - node >= 8 {
        let isBeyond = below[node] & TokenSignatures.beyondASCII != 0
        if depthLoops[depth - 1] == unknown || isBeyond && !areAllKnown[depth - 1] {
          depthLoops[depth - 1] = loops(
            reader, states[depth - 1], among: below[node], &automaton)
          areAllKnown[depth - 1] = isBeyond
        }
        if below[node] & ~depthLoops[depth - 1] == 0 {
          addBelow(
            node, after: lengths[depth - 1], states[depth - 1], position, to: &found, &automaton)
          node = end
          continue
        }
      }
      let after = reader.next(states[depth - 1], byte, &automaton)
      if after == InsideReader.dead {
        node = end
        continue
      }
      if isBounded {
        lengths[depth] = lengths[depth - 1] + (byte & 0xC0 == 0x80 ? 0 : 1)
        if !fits(after, lengths[depth], position, &automaton) {
          node = end
          continue
        }
      }
      let isSame = after == states[depth - 1]
      depthLoops[depth] = isSame ? depthLoops[depth - 1] : unknown
      areAllKnown[depth] = isSame && areAllKnown[depth - 1]
      states[depth] = after
      paths[depth] = paths[depth - 1] | kind
      if trie.tokens[node] >= 0, !absorbed.contains(where: { paths[depth] & ~$0.kinds == 0 }) {
        found.add(trie.tokens[node], trie)
      }
      node += 1
    }
  }

  /// The tokens of a node and below it, over all of which a state does not change.
  private func addBelow(
    _ node: Int, after length: UInt32, _ state: UInt32, _ position: InsidePosition,
    to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    let end = Int(trie.ends[node])
    if position.maximum == .max {
      for below in node..<end where trie.tokens[below] >= 0 { found.add(trie.tokens[below], trie) }
      return
    }
    let shortest = automaton.obligations.languages.shortest(state)
    let most = Int(position.maximum) - Int(length) - shortest
    let base = Int(trie.depths[node]) - 1
    var lengths = [Int](repeating: 0, count: trie.maximumDepth + 2 - base)
    var at = node
    while at < end {
      let depth = Int(trie.depths[at]) - base
      lengths[depth] = lengths[depth - 1] + (trie.bytes[at] & 0xC0 == 0x80 ? 0 : 1)
      if lengths[depth] > most {
        at = Int(trie.ends[at])
        continue
      }
      found.add(trie.tokens[at], trie)
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

/// Tokens as they are found: those of a base, and a list, or all as bits where there are many.
struct FoundTokens {
  private(set) var base: MaskBase?
  private(set) var list: [UInt32] = []
  private(set) var words: [UInt32]?

  /// Adds all tokens of a base.
  mutating func add(_ more: MaskBase) {
    if words == nil, base == nil || base?.count == 0 {
      base = more
    } else if more.count > 0 {
      makeBits()
      merge(more.words)
    }
  }

  /// Makes all that was found bits.
  mutating func makeBits() {
    guard words == nil, var bits = base?.words else { return }
    for token in list { bits[Int(token >> 5)] |= 1 << (token & 31) }
    words = bits
    (base, list) = (nil, [])
  }

  private mutating func merge(_ more: [UInt32]) {
    guard var bits = words else { return }
    words = nil
    MaskBuilder.unite(&bits, more)
    words = bits
  }

  /// Adds a token of a trie, if it is one, with its duplicates.
  mutating func add(_ token: Int32, _ trie: TokenTrie) {
    var token = token
    while token >= 0 {
      add(one: token)
      token = trie.duplicates[Int(token)]
    }
  }

  mutating func add(one token: Int32) {
    if words == nil {
      list.append(UInt32(bitPattern: token))
    } else {
      words?[Int(token) >> 5] |= 1 << UInt32(token & 31)
    }
  }
}

extension Inside {
  /// A list is looked through, and copied where masks differ; many tokens are better bits.
  private static let longestList = 2048

  init(found: FoundTokens, none: MaskBase, closing: [(prefix: Int32, state: UInt32)]) {
    var found = found
    if found.list.count > Self.longestList {
      if found.base == nil { found.add(none) }
      found.makeBits()
    }
    if let words = found.words {
      self.init(base: MaskBase(words: words), added: [], closing: closing)
    } else {
      // A subtree that is taken as a whole may have tokens of the base.
      let base = found.base ?? none
      self.init(
        base: base, added: found.list.filter { !base.contains($0) }, closing: closing)
    }
  }
}
