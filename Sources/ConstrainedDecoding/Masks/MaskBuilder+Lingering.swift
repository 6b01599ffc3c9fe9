// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a position takes for ever, though its state changes.
///
/// A part of the state stays whatever comes of some kinds: a thread that reads on while others look
/// for something (``RegularLanguages/Lingering``), or all of a state that does not change. If what that
/// part takes is not empty, tokens of those kinds are inside without being read.
///
/// Worked example: `^https://.*\\.jpg$` beside the format of an address. After `https://a/` the thread
/// of `.*` stays over what `.` takes, and the state of the address over what a path may have; from the
/// two, taken alone, `.jpg` leads to an end. So everything that a path may have is inside, though each
/// `.` leads to a state of its own.
extension MaskBuilder {
  /// More tokens than these are not read one by one, for their length.
  private static let mostLong = 256

  mutating func lingering(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> Absorption? {
    switch position.reader {
    case .string: lingering(string: position, &automaton)
    case .key(let object): lingering(key: position.state, object, &automaton)
    }
  }

  private mutating func lingering(
    string position: InsidePosition, _ automaton: inout Automaton
  ) -> Absorption? {
    var result = Absorption(kinds: 0, state: position.state)
    let distance: Int
    if let lingering = automaton.obligations.languages.lingering(position.state) {
      (result.kinds, result.settled) = (lingering.kinds, lingering.settled)
      distance = lingering.distance
    } else if let (kinds, settled, rest) = lingering(product: position.state, &automaton) {
      (result.kinds, result.settled) = (kinds, settled)
      distance = position.maximum == .max ? 0 : automaton.obligations.languages.shortest(rest)
    } else {
      return nil
    }
    // Quotes, escapes and controls are for others to say.
    if result.kinds == TokenSignatures.all { result.settled = .max }
    if position.maximum == .max { return result }
    let most = Int(position.maximum) - distance
    if most >= index.split.maximumScalars { return result }
    // Longer tokens may be inside by another way; of them there are few.
    if long(most).count > Self.mostLong { return nil }
    (result.scalars, result.mayBeLonger) = (most, true)
    return result
  }

  private mutating func lingering(
    key state: UInt32, _ object: StackID, _ automaton: inout Automaton
  ) -> Absorption? {
    let kinds = automaton.lingeringKinds(key: state, automaton.stacks[object])
    if kinds == 0 { return nil }
    // What other kinds lead to is for names and other patterns to say.
    return Absorption(
      kinds: kinds, state: state, settled: kinds == TokenSignatures.all ? .max : kinds)
  }

  /// The kinds that a product takes for ever, those and the ones that a member never takes, and what
  /// may follow whatever was read of them.
  private mutating func lingering(
    product state: UInt32, _ automaton: inout Automaton
  ) -> (
    kinds: TokenSignatures.Signature, settled: TokenSignatures.Signature,
    rest: RegularLanguages.State
  )? {
    guard let members = automaton.obligations.languages.members(state) else { return nil }
    var kinds = TokenSignatures.all
    var leftOut: TokenSignatures.Signature = 0
    var rest: [UInt32] = []
    for (member, isExcluded) in members {
      let loops = loops(.string, member, &automaton)
      var (stays, left) = (loops, member)
      if !isExcluded {
        leftOut |= automaton.obligations.languages.kindsLeftOut(of: member)
        if let lingering = automaton.obligations.languages.lingering(member),
          lingering.kinds & ~loops != 0
        {
          (stays, left) = (
            lingering.kinds, automaton.obligations.languages.rest(of: lingering)
          )
        }
      }
      kinds &= stays
      if kinds == 0 { return nil }
      rest.append(left << 1 | (isExcluded ? 1 : 0))
    }
    // Where the product does not change, that is known without this.
    if kinds & ~loops(.string, state, &automaton) == 0 { return nil }
    let following = automaton.obligations.languages.productState(rest)
    guard automaton.obligations.languages.isLive(following) else { return nil }
    return (kinds, kinds | leftOut, following)
  }

  // MARK: Long tokens

  /// The tokens inside any string that have more scalars than some.
  private func long(_ scalars: Int) -> ArraySlice<(scalars: Int32, token: Int32)> {
    let all = index.split.insideByLength
    if scalars >= index.split.limited.count { return [] }
    return all[(scalars < 0 ? 0 : index.split.limited[scalars].count)...]
  }

  /// Adds those of one part of the tokens that have more scalars than some and stay inside.
  func addLong(
    after position: InsidePosition, _ part: Part, _ scalars: Int, to found: inout FoundTokens,
    _ automaton: inout Automaton
  ) {
    // Some of them may be found once more.
    found.makeBits()
    let spaces = part == .afterSpace ? 1 : 0
    for (length, token) in long(scalars) {
      let bytes = vocabulary.bytes(of: Int(token))
      if bytes.first == 0x20 ? spaces == 0 : spaces == 1 { continue }
      guard Int(length) - spaces <= Int(position.maximum), bytes.allSatisfy(JSONSpelling.isPlain)
      else { continue }
      var state = position.state
      for byte in bytes.dropFirst(spaces) where state != InsideReader.dead {
        state = position.reader.next(state, byte, &automaton)
      }
      let read = UInt32(length) - UInt32(spaces)
      if state != InsideReader.dead, fits(state, read, position, &automaton) {
        found.add(one: token)
      }
    }
  }
}
