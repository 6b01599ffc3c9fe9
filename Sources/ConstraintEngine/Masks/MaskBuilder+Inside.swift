// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The insides of strings and keys that are held to something.
///
/// What stays inside is found in three parts. Tokens made of characters over which the state does
/// not change are taken by their signatures, thousands at a time (``TokenSignatures``). If the state
/// can be left, the trie is walked for the others; a subtree that the signatures have is left out as a
/// whole. Tokens with an escape are few, and a trie of their own.
///
/// Worked example: in `^[a-z]+(-[a-z]+)*$` after `ab` the letters loop, so that all tokens of
/// letters are inside; the walk visits those that have a hyphen, and skips all others.
struct InsideTables {
  var positions: [InsidePosition: Inside] = [:]
  /// What characters do in states, and by state where that is.
  var kindRows: [KindRow] = []
  var kindRowPlaces = FlatMap()
  /// How many tokens are made of some kinds alone.
  var tokenCounts: [CharacterKinds.Bits: Int] = [:]
  /// The tokens that are taken by what they are made of.
  var absorbed: [MaskBuilder.AbsorbedKey: MaskBase] = [:]

  /// The memory held without the tokens, in bytes.
  var byteCount: Int {
    kindRows.count * (CharacterKinds.members.count * 4 + 96) + kindRowPlaces.byteCount
  }
}

extension MaskBuilder {
  /// What tokens do in a position.
  ///
  /// - Parameter allowsAnyText: whether it is known that any text may come, as for keys of an object that takes any.
  mutating func inside(
    _ position: InsidePosition, allowsAnyText: Bool = false, _ automaton: inout Automaton
  ) -> Inside {
    if let known = insides.positions[position] { return known }
    var result: Inside
    if position.isBounded, boundsAreFar(position, &automaton) {
      var unbounded = position
      (unbounded.minimum, unbounded.maximum) = (0, .max)
      result = inside(unbounded, allowsAnyText: allowsAnyText, &automaton)
      result.closing = completePrefixes(position, &automaton)
    } else if !allowsAnyText, let found = insideByPatterns(position, &automaton) {
      result = found
    } else {
      result = findInside(position, allowsAnyText: allowsAnyText, &automaton)
    }
    insides.positions[position] = result
    return result
  }

  private mutating func findInside(
    _ position: InsidePosition, allowsAnyText: Bool, _ automaton: inout Automaton
  ) -> Inside {
    let closing = completePrefixes(position, &automaton)
    if allowsAnyText
      || position.reader == .string && !position.isBounded
        && automaton.obligations.languages.allowsAnyText(position.state)
    {
      usedStrategies.insert(.anyText)
      return Inside(base: index.split.inside, added: [], closing: closing)
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
    readEscaped(0..<index.split.escaped.count, position, to: &found, &automaton)
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

  /// Whether whatever a token reads, the string can still have a length within its bounds: it can go on
  /// to the fewest scalars, and from everywhere it can end in time.
  private mutating func boundsAreFar(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> Bool {
    guard position.reader == .string else { return false }
    if position.minimum > 0, !automaton.obligations.languages.isInexhaustible(position.state) {
      return false
    }
    if position.maximum == .max { return true }
    let slack = automaton.obligations.languages.slack(position.state)
    let last = max(Int(position.minimum), index.split.reach.scalars)
    return Int(position.maximum) - last >= slack
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
