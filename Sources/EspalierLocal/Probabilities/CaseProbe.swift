// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

/// The probability of each case of an enumeration, summed over all ways to write it.
///
/// A case can be written in as many ways as its text can be cut into tokens. All of them need not be
/// followed: as soon as what was written begins one case only, the grammar leaves no other, and all
/// ways from there on lead to it. So only beginnings that several cases share are looked at, the
/// likeliest first, until what is left undecided weighs less than a hundred-thousandth.
///
/// Example: of `single`, `double` and `suite` the first step decides `d` and `si`; after the token
/// `s`, if it weighs enough to matter, the model is asked once more.
struct CaseProbe<Context: TokenModelContext> {
  /// The sequence, read up to where the value begins.
  var context: Context
  /// The grammar at the same place.
  let matcher: Matcher
  let vocabulary: Vocabulary
  let endTokens: Set<Int>
  /// How many calls of the model there were.
  private(set) var modelCalls = 0

  init(
    context: Context, matcher: Matcher, vocabulary: Vocabulary, endTokens: Set<Int>
  ) {
    self.context = context
    self.matcher = matcher
    self.vocabulary = vocabulary
    self.endTokens = endTokens
  }

  private struct Beginning {
    var tokens: [Int]
    var bytes: [UInt8]
    var probability: Double
    var matcher: Matcher
  }

  /// What may be left undecided.
  private static var tolerance: Double { 1e-5 }
  /// No more beginnings are looked at than that.
  private static var limit: Int { 1024 }

  /// The probabilities of some texts, one of which follows: they add up to 1.
  ///
  /// - Parameter texts: What follows in each case.
  /// - Throws: What the model throws.
  mutating func probabilities(of texts: [[UInt8]]) throws -> [Double] {
    var weights = [Double](repeating: 0, count: texts.count)
    let start = context.tokens.count
    var open = [Beginning(tokens: [], bytes: [], probability: 1, matcher: matcher)]
    var undecided = 1.0
    var count = 0
    while undecided > Self.tolerance, count < Self.limit,
      let best = open.indices.max(by: { open[$0].probability < open[$1].probability })
    {
      var beginning = open.remove(at: best)
      undecided -= beginning.probability
      count += 1
      try read(beginning.tokens, from: start)
      for (token, share) in nextTokens(&beginning.matcher) {
        let bytes = beginning.bytes + vocabulary.bytes(of: token)
        let isEnd = token == vocabulary.endOfSequence
        let possible = texts.indices.filter { Self.agree(bytes, texts[$0], isEnd: isEnd) }
        let probability = beginning.probability * share
        if possible.count == 1 {
          weights[possible[0]] += probability
        } else if possible.count > 1, !isEnd {
          var after = beginning.matcher
          try after.accept(token)
          open.append(
            Beginning(
              tokens: beginning.tokens + [token], bytes: bytes, probability: probability,
              matcher: after))
          undecided += probability
        }
      }
    }
    context.rollback(to: start)
    let sum = weights.reduce(0, +)
    return sum > 0 ? weights.map { $0 / sum } : weights
  }

  /// Reads tokens in place of what was read after a place.
  private mutating func read(_ tokens: [Int], from start: Int) throws {
    let known = context.tokens.dropFirst(start)
    let shared = zip(known, tokens).prefix { $0 == $1 }.count
    if start + shared < context.tokens.count || shared == tokens.count {
      // Logits are defined after a token is read: the last one is read again.
      let kept = max(0, min(start + shared, start + tokens.count - 1))
      let last = context.tokens.prefix(start) + tokens
      context.rollback(to: kept)
      try context.append(Array(last.dropFirst(kept)))
    } else {
      try context.append(Array(tokens.dropFirst(shared)))
    }
  }

  /// The tokens that the grammar allows, with the share that each has of their probability.
  private mutating func nextTokens(_ matcher: inout Matcher) -> [(token: Int, share: Double)] {
    let tokens = matcher.allowedTokens().tokens
    guard tokens.count > 1 else { return tokens.map { ($0, 1) } }
    var logits: [Float] = []
    modelCalls += 1
    context.nextLogits(of: tokens, into: &logits)
    if let end = tokens.firstIndex(of: vocabulary.endOfSequence), endTokens.count > 1 {
      var ends: [Float] = []
      context.nextLogits(of: Array(endTokens), into: &ends)
      logits[end] = max(logits[end], ends.max() ?? -.infinity)
    }
    let greatest = logits.max() ?? 0
    let shares = logits.map { exp(Double($0 - greatest)) }
    let sum = shares.reduce(0, +)
    return zip(tokens, shares).map { ($0, $1 / sum) }
  }

  /// Whether what was written may be the beginning of a text, or the text and what comes after it.
  private static func agree(_ written: [UInt8], _ text: [UInt8], isEnd: Bool) -> Bool {
    if written.count < text.count { return !isEnd && text.starts(with: written) }
    guard written.starts(with: text) else { return false }
    if text.last == UInt8(ascii: "\"") { return true }
    // 1 does not go on to 10, but 1.0 is another way to write it.
    var rest = written[text.count...]
    if rest.first == UInt8(ascii: "."), !text.contains(UInt8(ascii: ".")) {
      rest = rest.dropFirst().drop { $0 == UInt8(ascii: "0") }
    }
    return rest.first.map { ",]} \n\r\t".utf8.contains($0) } ?? true
  }
}
