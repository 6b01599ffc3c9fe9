// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Tokens that are taken by what they are made of.
///
/// Where all characters of some kinds lead to one state, from there to another one, and so on, a token of
/// those kinds is inside, if it has no more characters than there are states. In `^[A-Z][a-z]*$` after `A`
/// all tokens of small letters are, because the state does not change; in `^[A-Z][a-z]{0,62}$` those of
/// at most 62 are.
extension MaskBuilder {
  /// Kinds that a position takes.
  struct Absorption {
    var kinds: CharacterKinds.Bits
    /// How many characters of them it takes, and none more.
    var scalars = Int.max
    /// The last state that they lead to.
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
    var others = targets(of: ~own, reader, position.state, &automaton)
    if others.count > Self.mostOthers {
      others.sort { tokenCount($0.kinds) > tokenCount($1.kinds) }
      others.removeSubrange(Self.mostOthers...)
    }
    // In the middle of the first scalar the state is not yet the one after it.
    let first = atFirst & CharacterKinds.anyBeyondASCII
    for other in others {
      if let absorption = follow(other, besides: first, position, &automaton) {
        result.append(absorption)
      }
    }
    return result
  }

  /// Follows the characters of some kinds from the state that the first leads to, until they no longer
  /// change it, or no other can come.
  ///
  /// - Parameter live: Kinds that lead on from where the first character is not yet whole.
  /// - Returns: Nil where some of them lead on that are not alike.
  private mutating func follow(
    _ first: Absorption, besides live: CharacterKinds.Bits, _ position: InsidePosition,
    _ automaton: inout Automaton
  ) -> Absorption? {
    let reader = position.reader
    var result = first
    var live = live
    var scalars = 1
    while true {
      let here = liveKinds(reader, result.state, &automaton)
      live |= here
      let loops = result.kinds & loops(reader, result.state, &automaton)
      if loops != 0 { result.kinds = loops }
      if loops != 0 || scalars == index.split.maximumScalars { break }
      // How long a string still has to be is known only where the state stays.
      if position.isBounded { return nil }
      if here & result.kinds == 0 {
        result.scalars = scalars
        break
      }
      let next = targets(of: result.kinds, reader, result.state, &automaton)
      guard let most = next.max(by: { tokenCount($0.kinds) < tokenCount($1.kinds) }) else {
        return nil
      }
      result = most
      scalars += 1
    }
    result.settled = Self.settled(result.kinds, live)
    return result
  }

  /// Where kinds lead to of which all characters lead to one state.
  private mutating func targets(
    of kinds: CharacterKinds.Bits, _ reader: InsideReader, _ state: UInt32,
    _ automaton: inout Automaton
  ) -> [Absorption] {
    let place = kindRow(reader, state, &automaton)
    var result: [Absorption] = []
    for (index, kind) in CharacterKinds.memberKinds.enumerated() where kinds & kind != 0 {
      let target = insides.kindRows[place].targets[index]
      if target != InsideReader.dead { Self.add(kind, target, to: &result) }
    }
    let beyond = insides.kindRows[place].beyondASCII
    if kinds & CharacterKinds.beyondASCII != 0, beyond.letters != InsideReader.dead {
      Self.add(kinds & beyond.kinds(to: beyond.letters), beyond.letters, to: &result)
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
    if absorption.scalars != .max { most = absorption.scalars + (part == .afterSpace ? 1 : 0) }
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
