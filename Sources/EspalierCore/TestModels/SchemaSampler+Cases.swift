// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

// A string that can be one of few texts (an enumeration, the name of a case, a constant) is drawn as a
// whole, each text as likely as the others. Token by token it would not be: of `tavern`, `bridge` and
// `mill` only `bridge` is a token of the vocabulary.

extension SchemaSampler {
  /// The beginning of a text, and what may follow it.
  private struct Beginning {
    var matcher: Matcher
    var text: [UInt8] = []
    var isEscaped = false

    /// Adds bytes until the string ends.
    ///
    /// - Returns: Whether it has ended.
    mutating func append(_ bytes: [UInt8]) -> Bool {
      for byte in bytes {
        if byte == UInt8(ascii: "\""), !isEscaped { return true }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        text.append(byte)
      }
      return false
    }
  }

  /// The texts that a string can be which begins after the matcher's text, as JSON has them between the
  /// quotation marks, always in one order.
  ///
  /// - Returns: `nil` where there are more than `limit`.
  /// - Complexity: A mask for each text, and for each place where two of them part.
  static func cases(after matcher: Matcher, limit: Int = 256) -> [[UInt8]]? {
    var cases: [[UInt8]] = []
    // The beginnings that were not read on, the one that comes first at the end.
    var open = [Beginning(matcher: matcher)]
    var stepCount = 0
    while var beginning = open.popLast() {
      stepCount += 1
      guard stepCount <= 16 * limit else { return nil }
      let forced = beginning.matcher.forcedBytes()
      if beginning.append(forced) {
        cases.append(beginning.text)
        continue
      }
      guard forced.isEmpty || (try? beginning.matcher.accept(bytes: forced)) != nil else {
        return nil
      }
      let bytes = beginning.matcher.allowedTokens().tokens.filter { $0 < 256 }
      guard cases.count + open.count + bytes.count <= limit else { return nil }
      for token in bytes.reversed() {
        var longer = beginning
        if longer.append([UInt8(token)]) {
          cases.append(longer.text)
        } else if (try? longer.matcher.accept(token)) != nil {
          open.append(longer)
        }
      }
    }
    return cases
  }

  /// One of the texts.
  ///
  /// - Parameter depth: How many brackets are open. A type that contains itself does not end by
  ///   itself, so far inside the cases that lead to the shortest end grow more likely.
  static func draw(
    from cases: [[UInt8]], after matcher: Matcher, depth: Int,
    using generator: inout SplitMix64
  ) -> [UInt8]? {
    guard depth > 6, cases.count > 1 else { return cases.randomElement(using: &generator) }
    let ends = cases.map { text -> Int in
      var after = matcher
      guard after.acceptIfAllowed(text + [UInt8(ascii: "\"")]) else { return .max }
      return after.shortestCompletion().count
    }
    let shortest = ends.min()
    let weight = 1 << min(depth - 6, 12)
    let bounds = ends.reduce(into: [Int]()) { bounds, end in
      bounds.append((bounds.last ?? 0) + (end == shortest ? weight : 1))
    }
    let target = Int.random(in: 0..<(bounds.last ?? 1), using: &generator)
    return bounds.firstIndex { $0 > target }.map { cases[$0] }
  }

  /// A text in pieces that begin with a space, as tokens of models do.
  static func pieces(of text: [UInt8]) -> [[UInt8]] {
    text.reduce(into: []) { pieces, byte in
      if pieces.isEmpty || byte == UInt8(ascii: " ") { pieces.append([]) }
      pieces[pieces.count - 1].append(byte)
    }
  }
}
