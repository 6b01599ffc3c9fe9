// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Tokens that are taken by what they are made of.
///
/// Where all characters of some kinds leave a state as it is, or lead to one that they leave as it is, a
/// token of those kinds is inside, if it is not longer than a bound on the length allows: in
/// `^[A-Z][a-z]*$` after `A` all tokens of small letters are.
extension MaskBuilder {
  /// Kinds that a position takes, as many characters of them as there are.
  struct Absorption {
    var kinds: CharacterKinds.Bits
    /// The state that does not change over them, or the first of those that they lead through.
    var state: UInt32
    /// Those kinds and the ones that lead nowhere from any of the states: a subtree of these has no
    /// token beside those that are absorbed.
    var settled: CharacterKinds.Bits = 0

    /// Whether the signatures have all tokens over a node, where these take all that was read.
    ///
    /// - Parameter isFirst: Whether nothing was read: only then is the state known to be one of these.
    @inline(__always)
    func covers(_ below: CharacterKinds.Bits, isFirst: Bool) -> Bool {
      below & ~(isFirst ? kinds : settled) == 0
    }
  }

  /// The kinds that a position takes, and the states they lead to.
  mutating func absorptions(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> [Absorption] {
    let reader = position.reader
    var result: [Absorption] = []
    let own = loops(reader, position.state, &automaton)
    let atFirst = liveKinds(reader, position.state, &automaton)
    if own != 0 {
      result.append(
        Absorption(kinds: own, state: position.state, settled: Self.settled(own, atFirst)))
    }
    let place = kindRow(reader, position.state, &automaton)
    var others: [Absorption] = []
    for (index, (kind, _)) in CharacterKinds.members.enumerated() where own & kind == 0 {
      let target = insides.kindRows[place].targets[index]
      if target != InsideReader.dead { Self.add(kind, target, to: &others) }
    }
    if own & CharacterKinds.beyondASCII == 0 {
      let beyond = insides.kindRows[place].beyondASCII
      if beyond.letters != InsideReader.dead {
        Self.add(beyond.kinds(to: beyond.letters), beyond.letters, to: &others)
      }
    }
    if others.count > Self.mostOthers {
      others.sort { tokenCount($0.kinds) > tokenCount($1.kinds) }
      others.removeSubrange(Self.mostOthers...)
    }
    // In the middle of the first scalar the state is not yet the one after it.
    let first = atFirst & CharacterKinds.anyBeyondASCII
    for other in others {
      let kinds = other.kinds & loops(reader, other.state, &automaton)
      if kinds != 0 {
        let live = liveKinds(reader, other.state, &automaton) | first
        result.append(
          Absorption(kinds: kinds, state: other.state, settled: Self.settled(kinds, live)))
      }
    }
    return result
  }

  private static func settled(
    _ kinds: CharacterKinds.Bits, _ live: CharacterKinds.Bits
  ) -> CharacterKinds.Bits { ~live | kinds }

  private static func add(
    _ kind: CharacterKinds.Bits, _ state: UInt32, to absorptions: inout [Absorption]
  ) {
    if let place = absorptions.firstIndex(where: { $0.state == state }) {
      absorptions[place].kinds |= kind
    } else {
      absorptions.append(Absorption(kinds: kind, state: state))
    }
  }

  /// As many states after one character are looked at as have the most tokens.
  private static let mostOthers = 4

  /// How many tokens are made of some kinds alone.
  private mutating func tokenCount(_ kinds: CharacterKinds.Bits) -> Int {
    if let known = insides.tokenCounts[kinds] { return known }
    var count = 0
    let signatures = vocabulary.signatures
    for (large, small) in zip(signatures.largeGroups, signatures.smallGroups) {
      for group in large where group.signature & ~kinds == 0 { count += group.count }
      for group in small.signatures.indices where small.signatures[group] & ~kinds == 0 {
        count += Int(small.starts[group + 1] - small.starts[group])
      }
    }
    insides.tokenCounts[kinds] = count
    return count
  }

  // MARK: Their tokens

  /// Which tokens are looked at: half of them start with a space.
  enum Part: Int {
    case anywhere, afterSpace
  }

  /// Some kinds, which part of the tokens, and how many scalars at most.
  struct AbsorbedKey: Hashable {
    var kinds: CharacterKinds.Bits
    var part: Part
    var scalars: Int
  }

  /// The tokens of kinds that a position takes.
  mutating func addAbsorbed(
    _ absorption: Absorption, _ position: InsidePosition, _ part: Part,
    to found: inout FoundTokens, _ automaton: inout Automaton
  ) {
    var most = Int.max
    if position.maximum != .max {
      let shortest = automaton.obligations.languages.shortest(absorption.state)
      most = Int(position.maximum) - shortest
    }
    if most != .max, part == .afterSpace { most += 1 }
    if most >= index.split.maximumScalars { most = .max }
    usedStrategies.insert(.signatures)
    let key = AbsorbedKey(kinds: absorption.kinds, part: part, scalars: most)
    if let known = insides.absorbed[key] { return found.add(known) }
    let tokens = absorbedTokens(key)
    insides.absorbed[key] = tokens
    found.add(tokens)
  }

  private mutating func absorbedTokens(_ key: AbsorbedKey) -> MaskBase {
    if key.scalars != .max {
      let all = AbsorbedKey(kinds: key.kinds, part: key.part, scalars: .max)
      let tokens = insides.absorbed[all] ?? absorbedTokens(all)
      insides.absorbed[all] = tokens
      return MaskBase(words: keep(mostScalars: key.scalars, of: tokens.words))
    }
    let signatures = vocabulary.signatures
    let place = key.part == .afterSpace ? 1 : 0
    let tokens = signatures.tokens
    let kinds = ~key.kinds
    var result = index.noTokens.words
    var words = result.mutableSpan
    var count = 0
    for group in signatures.largeGroups[place] where group.signature & kinds == 0 {
      Self.unite(&words, group.words)
      count += group.count
    }
    let groups = signatures.smallGroups[place]
    for group in groups.signatures.indices where groups.signatures[group] & kinds == 0 {
      for place in Int(groups.starts[group])..<Int(groups.starts[group + 1]) {
        words[Int(tokens[place]) >> 5] |= 1 << UInt32(tokens[place] & 31)
      }
      count += Int(groups.starts[group + 1] - groups.starts[group])
    }
    return MaskBase(words: result, count: count)
  }

  static func unite(_ words: inout MutableSpan<UInt32>, _ more: [UInt32]) {
    for place in 0..<min(words.count, more.count) { words[place] |= more[place] }
  }

  /// Some tokens without those of more scalars than some.
  private func keep(mostScalars most: Int, of tokens: [UInt32]) -> [UInt32] {
    let limited = index.split.limited
    if most >= limited.count { return tokens }
    let limit = limited[max(most, 0)].words
    var result = tokens
    var words = result.mutableSpan
    for place in words.indices { words[place] &= limit[place] }
    return result
  }
}
