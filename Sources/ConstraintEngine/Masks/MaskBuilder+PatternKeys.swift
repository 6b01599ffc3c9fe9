// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keys of which patterns alone decide whether they may come.
///
/// Worked example: in `{"patternProperties": {"^x-": …, "^/": …}, "additionalProperties": false}` a
/// key goes on as a string of `^x-` does, or as one of `^/`. What stays inside strings of a pattern is
/// found once, for all objects and places in them.
extension MaskBuilder {
  /// With more patterns, keys are read beside all of them at once.
  private static let mostPatterns = 64

  /// What tokens do in a key that goes on as the strings of some patterns and is no declared name; nil
  /// if more than that decides it.
  mutating func insideByPatterns(
    _ position: InsidePosition, _ automaton: inout Automaton
  ) -> Inside? {
    guard case .key(let object) = position.reader,
      automaton.obligations.nameNode(of: position.state) == nil,
      let patterns = automaton.decidingPatterns(
        key: position.state, automaton.stacks[object]),
      patterns.count <= Self.mostPatterns
    else { return nil }
    usedStrategies.insert(.patternKeys)
    var strings = Inside(base: index.noTokens, added: [], closing: [])
    for pattern in patterns where strings.base.count < index.split.inside.count {
      let more = inside(InsidePosition(reader: .string, state: pattern), &automaton)
      unite(&strings, more)
    }
    return Inside(
      base: strings.base, added: strings.added, closing: completePrefixes(position, &automaton))
  }

  /// Adds the tokens that others stay inside with.
  private mutating func unite(_ strings: inout Inside, _ more: Inside) {
    if strings.base.count == 0, strings.added.isEmpty {
      strings = more
      return
    }
    if more.base.count == 0 {
      strings.added += missing(more.added, in: strings)
      return
    }
    var found = FoundTokens(none: index.noTokens)
    found.add(strings.base)
    found.makeBits()
    found.add(more.base)
    for token in strings.added { found.add(one: Int32(bitPattern: token)) }
    for token in more.added { found.add(one: Int32(bitPattern: token)) }
    strings = Inside(found: found, closing: [])
  }
}
