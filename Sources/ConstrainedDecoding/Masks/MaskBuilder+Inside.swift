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
    let result = findInside(position, isOpen: isOpen, &automaton)
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
    if found.words == nil, found.list.count > 2048 {
      var words = index.noTokens.words
      for token in found.list { words[Int(token >> 5)] |= 1 << (token & 31) }
      found.words = words
    }
    if let words = found.words {
      return Inside(base: MaskBase(words: words), added: [], closing: closing)
    }
    return Inside(base: index.noTokens, added: found.list, closing: closing)
  }

  /// The kinds over which a state does not change, found once.
  private mutating func loops(
    _ reader: InsideReader, _ state: UInt32, _ automaton: inout Automaton
  ) -> TokenSignatures.Signature {
    let key = InsidePosition(reader: reader, state: state)
    if let known = knownLoops[key] { return known }
    let result = reader.loops(state, &automaton)
    knownLoops[key] = result
    return result
  }

  /// What scalars beyond ASCII lead to, found once.
  private mutating func targetsBeyondASCII(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> (others: UInt32, spaces: UInt32) {
    let key = InsidePosition(reader: position.reader, state: position.state)
    if let known = knownTargets[key] { return known }
    let result = key.reader.targetsBeyondASCII(key.state, &automaton)
    knownTargets[key] = result
    return result
  }

  // MARK: By signature

  /// Kinds over which a position goes to one state and stays there.
  private struct Absorption {
    var kinds: TokenSignatures.Signature
    var state: UInt32
    /// Those kinds and the ones over which the state has nothing: a subtree of these has no token
    /// beside those that are absorbed.
    var settled: TokenSignatures.Signature = 0

    /// Whether the signatures have all tokens over a node, given the kinds on the path to it.
    @inline(__always)
    func covers(
      _ path: TokenSignatures.Signature, _ below: TokenSignatures.Signature
    ) -> Bool {
      // Only once something is read is the state known to be this one.
      path & ~kinds == 0 && below & ~(path == 0 ? kinds : settled) == 0
    }
  }

  /// Which tokens are looked at: half of them start with a space.
  private enum Part {
    case anywhere, afterSpace
  }

  /// The tokens of one part of the trie, whose texts are read from a position.
  private mutating func addPart(
    _ ranges: [Range<Int>], after position: InsidePosition, _ part: Part,
    to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    let absorptions = absorptions(position, &automaton)
    for absorption in absorptions {
      addGroups(absorption, position, part, to: &found, &automaton)
    }
    let all = absorptions.reduce(0) { $0 | $1.kinds }
    let isLeft =
      position.reader.hasExits(position.state, beside: all, &automaton)
      || absorptions.contains { $0.settled != .max }
    if isLeft {
      let absorbed = absorptions.isEmpty ? [Absorption(kinds: 0, state: 0)] : absorptions
      for range in ranges {
        addWalked(range, position, part, beside: absorbed, to: &found, &automaton)
      }
    }
  }

  /// The states that a position goes to over one kind of characters and does not leave over them.
  private mutating func absorptions(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> [Absorption] {
    let own = loops(position.reader, position.state, &automaton)
    var result: [Absorption] = []
    if own != 0 { result.append(Absorption(kinds: own, state: position.state)) }
    var others: [Absorption] = []
    for (kind, bytes) in TokenSignatures.members where own & kind == 0 {
      let target = position.reader.next(position.state, bytes[0], &automaton)
      if target == InsideReader.dead || target == position.state { continue }
      let isShared = bytes.allSatisfy {
        position.reader.next(position.state, $0, &automaton) == target
      }
      if !isShared { continue }
      Self.add(kind, target, to: &others)
    }
    if own & TokenSignatures.beyondASCII == 0 {
      let beyond = targetsBeyondASCII(position, &automaton)
      if beyond.others != InsideReader.dead {
        Self.add(TokenSignatures.beyondASCII, beyond.others, to: &others)
        if beyond.spaces == beyond.others {
          Self.add(TokenSignatures.spaceBeyondASCII, beyond.others, to: &others)
        }
      }
    }
    for other in others {
      let kinds = other.kinds & loops(position.reader, other.state, &automaton)
      if kinds != 0 { result.append(Absorption(kinds: kinds, state: other.state)) }
    }
    for place in result.indices {
      let live = position.reader.liveKinds(result[place].state, &automaton)
      // In the middle of the first scalar the state is not that one yet.
      let atFirst = position.reader.liveKinds(position.state, &automaton)
      result[place].settled =
        ~(live | atFirst & TokenSignatures.spaceBeyondASCII) | result[place].kinds
    }
    return result
  }

  private static func add(
    _ kind: TokenSignatures.Signature, _ state: UInt32, to absorptions: inout [Absorption]
  ) {
    if let place = absorptions.firstIndex(where: { $0.state == state }) {
      absorptions[place].kinds |= kind
    } else if absorptions.count < 4 {
      absorptions.append(Absorption(kinds: kind, state: state))
    }
  }

  private func addGroups(
    _ absorption: Absorption, _ position: InsidePosition, _ part: Part,
    to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    let signatures = vocabulary.signatures
    let followsSpace = part == .afterSpace
    var words = index.noTokens.words
    var isEmpty = true
    for group in signatures.groups
    where group.signature & ~absorption.kinds == 0 && group.followsSpace == followsSpace {
      isEmpty = false
      if let bits = group.words {
        for place in words.indices { words[place] |= bits[place] }
      } else {
        for place in group.places {
          let token = signatures.tokens[place]
          words[Int(token) >> 5] |= 1 << UInt32(token & 31)
        }
      }
    }
    if isEmpty { return }
    if position.maximum != .max {
      let shortest = automaton.obligations.languages.shortest(absorption.state)
      keep(mostScalars: Int(position.maximum) - shortest + (followsSpace ? 1 : 0), in: &words)
    }
    found.add(words)
  }

  /// Takes out the tokens of more scalars than some.
  private func keep(mostScalars most: Int, in words: inout [UInt32]) {
    let all = index.split.insideByLength
    let limit = Int32(clamping: most)
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].scalars > limit { high = middle } else { low = middle + 1 }
    }
    if all.count - low < low {
      for place in low..<all.count {
        words[Int(all[place].token) >> 5] &= ~(1 << UInt32(all[place].token & 31))
      }
      return
    }
    var kept = index.noTokens.words
    for place in 0..<low {
      let (word, bit) = (Int(all[place].token) >> 5, UInt32(1) << UInt32(all[place].token & 31))
      kept[word] |= words[word] & bit
    }
    words = kept
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
        if depthLoops[depth - 1] == unknown {
          depthLoops[depth - 1] = loops(reader, states[depth - 1], &automaton)
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
      depthLoops[depth] = after == states[depth - 1] ? depthLoops[depth - 1] : unknown
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
  private func fits(
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

/// Tokens as they are found: a list, or bits where there are many.
struct FoundTokens {
  var list: [UInt32] = []
  var words: [UInt32]?

  /// Adds all tokens of some bits.
  mutating func add(_ more: [UInt32]) {
    guard var words else {
      words = more
      for token in list { words?[Int(token >> 5)] |= 1 << (token & 31) }
      list = []
      return
    }
    self.words = nil
    for place in words.indices { words[place] |= more[place] }
    self.words = words
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
