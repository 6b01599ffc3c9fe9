// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

/// The probability of each case of an enumeration, summed over all ways to write it.
///
/// A case can be written in as many ways as its text can be cut into tokens. All of them need not be
/// followed: as soon as what was written begins one case only, the grammar leaves no other, and all
/// ways from there on lead to it. So only beginnings that several cases share are read. They form a
/// tree, which the model reads in one pass; what is so unlikely that it cannot matter is left out.
///
/// Example: of `single`, `double` and `suite` the first step, whose probabilities are there already,
/// decides `d` and `si`; if the token `s` weighs enough to matter, the model reads it and says what
/// follows.
struct CaseProbe<Context: TokenModelContext> {
  private let context: Context
  private let vocabulary: Vocabulary
  private let endTokens: Set<Int>
  /// The cases: what follows in each.
  private let texts: [[UInt8]]
  private var weights: [Double]
  /// What several cases begin with; the first is nothing at all.
  private var beginnings: [Beginning] = []
  /// Those whose probability has not been passed on.
  private var open: [(beginning: Int, probability: Double)] = [(0, 1)]

  private struct Beginning {
    /// The beginning that it goes on from, by one token.
    var parent: Int?
    var token: Int
    var bytes: [UInt8]
    /// The cases that begin so.
    var cases: [Int]
    /// The grammar at this place.
    var matcher: Matcher
    /// What may follow.
    var tokens: [Int]
    /// The share of each of these tokens; nil where the model has not been asked.
    var shares: [Double]?
    /// The beginnings that are longer by one of these tokens; nil where they were not looked for yet.
    var longer: [(token: Int, beginning: Int)]?
  }

  /// How much of the probability may be left undecided.
  private static var tolerance: Double { 5e-5 }
  /// The greatest number of tokens that are read in one pass.
  private static var batchSize: Int { 512 }
  /// What a token is guessed to weigh that begins another allowed one: models prefer the longer.
  private static var shortShare: Double { 0.01 }

  /// - Parameters:
  ///   - context: The sequence, read up to where the value begins.
  ///   - matcher: The grammar at the same place.
  ///   - texts: What follows in each case.
  init(
    context: Context, matcher: Matcher, vocabulary: Vocabulary, endTokens: Set<Int>,
    texts: [[UInt8]]
  ) throws {
    self.context = context
    self.vocabulary = vocabulary
    self.endTokens = endTokens
    self.texts = texts
    weights = Array(repeating: 0, count: texts.count)
    var matcher = matcher
    let tokens = matcher.allowedTokens().tokens
    var first = Beginning(
      parent: nil, token: -1, bytes: [], cases: Array(texts.indices), matcher: matcher,
      tokens: tokens)
    var logits: [Float] = []
    var context = context
    context.nextLogits(of: asked(tokens), into: &logits)
    first.shares = try shares(of: tokens, logits)
    beginnings = [first]
  }

  /// The probability of each case: they add up to 1.
  ///
  /// - Throws: What the model throws; `CancellationError` between two passes.
  mutating func probabilities() throws -> [Double] {
    while open.reduce(0, { $0 + $1.probability }) > Self.tolerance {
      guard let known = open.firstIndex(where: { beginnings[$0.beginning].shares != nil }) else {
        try read()
        continue
      }
      let (beginning, probability) = open.remove(at: known)
      try passOn(probability, of: beginning)
    }
    // What is left goes to its cases as the rest of the probability did.
    let decided = weights
    for (beginning, probability) in open {
      let cases = beginnings[beginning].cases
      let sum = cases.reduce(0) { $0 + decided[$1] }
      guard sum > 0 else { continue }
      for index in cases { weights[index] += probability * decided[index] / sum }
    }
    let sum = weights.reduce(0, +)
    return sum > 0 ? weights.map { $0 / sum } : weights
  }

  /// Gives the probability of a beginning to what may follow it.
  private mutating func passOn(_ probability: Double, of beginning: Int) throws {
    let longer = Dictionary(
      uniqueKeysWithValues: try lookForLonger(beginning).map { ($0.token, $0.beginning) })
    let (tokens, shares) = (beginnings[beginning].tokens, beginnings[beginning].shares ?? [])
    for (token, share) in zip(tokens, shares) {
      if let next = longer[token] {
        open.append((next, probability * share))
      } else if let only = cases(of: beginning, after: token).first {
        weights[only] += probability * share
      }
    }
  }

  /// The beginnings that are longer by one token.
  private mutating func lookForLonger(
    _ beginning: Int
  ) throws -> [(token: Int, beginning: Int)] {
    if let longer = beginnings[beginning].longer { return longer }
    var longer: [(token: Int, beginning: Int)] = []
    for token in beginnings[beginning].tokens where !vocabulary.isEnd(token) {
      let cases = cases(of: beginning, after: token)
      guard cases.count > 1 else { continue }
      var matcher = beginnings[beginning].matcher
      try matcher.accept(token)
      let tokens = matcher.allowedTokens().tokens
      longer.append((token, beginnings.count))
      beginnings.append(
        Beginning(
          parent: beginning, token: token,
          bytes: beginnings[beginning].bytes + vocabulary.bytes(of: token), cases: cases,
          matcher: matcher, tokens: tokens, shares: tokens.count > 1 ? nil : tokens.map { _ in 1 }))
    }
    beginnings[beginning].longer = longer
    return longer
  }

  /// The cases of a beginning that go on with a token.
  private func cases(of beginning: Int, after token: Int) -> [Int] {
    let bytes = beginnings[beginning].bytes + vocabulary.bytes(of: token)
    return beginnings[beginning].cases.filter {
      Self.agree(bytes, texts[$0], isEnd: vocabulary.isEnd(token))
    }
  }

  /// Asks the model what follows the beginnings that may matter, as many as one pass reads.
  private mutating func read() throws {
    try Task.checkCancellation()
    // The least likely are not asked about, as far as they may be left undecided together.
    var rest = Self.tolerance
    var candidates = open.sorted { $0.probability < $1.probability }
      .drop { beginning in
        rest -= beginning.probability
        return rest >= 0
      }
      .map { (beginning: $0.beginning, guess: $0.probability) }
    var branches: [TokenBranch] = []
    var places: [Int: Int] = [:]
    var reading: [Int: Int] = [:]
    while branches.count < Self.batchSize,
      let best = candidates.indices.max(by: { candidates[$0].guess < candidates[$1].guess })
    {
      let (beginning, guess) = candidates.remove(at: best)
      if beginnings[beginning].shares == nil {
        reading[addBranch(beginning, &branches, &places)] = beginning
      }
      let short = shortTokens(of: beginning)
      for (token, next) in try lookForLonger(beginning) {
        candidates.append((next, short.contains(token) ? guess * Self.shortShare : guess))
      }
    }
    let logits = try context.logits(
      of: branches.indices.map { place in
        reading[place].map { asked(beginnings[$0].tokens) } ?? []
      }, after: branches)
    for (place, beginning) in reading {
      beginnings[beginning].shares = try shares(of: beginnings[beginning].tokens, logits[place])
    }
  }

  /// Adds the tokens of a beginning to a tree, with those before it.
  ///
  /// - Parameter places: Where beginnings are in the tree.
  /// - Returns: The place of the last token.
  private func addBranch(
    _ beginning: Int, _ branches: inout [TokenBranch], _ places: inout [Int: Int]
  ) -> Int {
    if let place = places[beginning] { return place }
    let parent = beginnings[beginning].parent.flatMap {
      $0 == 0 ? nil : addBranch($0, &branches, &places)
    }
    branches.append(TokenBranch(token: beginnings[beginning].token, parent: parent))
    places[beginning] = branches.count - 1
    return branches.count - 1
  }

  /// The tokens after a beginning that begin others of them.
  private func shortTokens(of beginning: Int) -> Set<Int> {
    let tokens = beginnings[beginning].tokens.map { (token: $0, bytes: vocabulary.bytes(of: $0)) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    return Set(
      zip(tokens, tokens.dropFirst()).filter { $1.bytes.starts(with: $0.bytes) }.map(\.0.token))
  }

  /// The tokens whose logits are needed to know what some tokens weigh.
  private func asked(_ tokens: [Int]) -> [Int] {
    tokens.contains(where: vocabulary.isEnd) ? tokens + endTokens.sorted() : tokens
  }

  /// The share that each of some tokens has of their probability.
  ///
  /// - Parameter logits: Those of what was asked for them.
  private func shares(of tokens: [Int], _ logits: [Float]) throws -> [Double] {
    guard logits.count >= tokens.count else {
      throw TokenModelError.missingLogits(expected: tokens.count, found: logits.count)
    }
    var logits = logits
    let ends = tokens.indices.filter { vocabulary.isEnd(tokens[$0]) }
    if let end = ends.first {
      // A turn ends in several ways: the end is as likely as the likeliest of them.
      let likeliest = logits[tokens.count...].reduce(logits[end], max)
      for other in ends { logits[other] = -.infinity }
      logits[end] = likeliest
    }
    let greatest = logits.prefix(tokens.count).max() ?? 0
    let shares = logits.prefix(tokens.count).map { exp(Double($0 - greatest)) }
    let sum = shares.reduce(0, +)
    return shares.map { $0 / sum }
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
