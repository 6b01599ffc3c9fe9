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
    let closing = completePrefixes(position, &automaton)
    if patterns.count == 1 {
      var result = inside(InsidePosition(reader: .string, state: patterns[0]), &automaton)
      result.closing = closing
      return result
    }
    var found = FoundTokens(none: index.noTokens)
    found.makeBits()
    for pattern in patterns {
      let more = inside(InsidePosition(reader: .string, state: pattern), &automaton)
      found.add(more.base)
      for token in more.added { found.add(one: Int32(bitPattern: token)) }
    }
    return Inside(found: found, closing: closing)
  }
}
