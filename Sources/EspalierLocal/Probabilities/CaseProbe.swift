// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

/// The probability of each case of an enumeration, summed over all ways to write it.
///
/// A case can be written in as many ways as its text can be cut into tokens. All of them need not be
/// followed: as soon as what was written begins one case only, the grammar leaves no other, and all
/// ways from there on lead to it. So only beginnings that several cases share are read, those with as
/// many tokens in one batch of the model, the likeliest first, until what is left weighs too little to
/// matter.
///
/// Example: of `single`, `double` and `suite` the first step, whose probabilities are there already,
/// decides `d` and `si`; if the token `s` weighs enough to matter, the model reads it and says what
/// follows.
struct CaseProbe<Context: TokenModelContext> {
  private let vocabulary: Vocabulary
  private let endTokens: Set<Int>
  /// The cases: what follows in each.
  private let texts: [[UInt8]]
  private var weights: [Double]
  /// What has not been read yet.
  private var open: [Beginning]

  /// What several cases begin with.
  private struct Beginning {
    /// The sequence up to the tokens that are not read yet.
    var context: Context
    var unread: [Int]
    var bytes: [UInt8]
    /// The cases that begin so.
    var cases: [Int]
    /// The grammar at this place.
    var matcher: Matcher
    var probability: Double
  }

  /// How much of the probability may be left undecided.
  private static var tolerance: Double { 5e-5 }
  /// The greatest number of beginnings that are read together.
  private static var batchSize: Int { 64 }

  /// - Parameters:
  ///   - context: The sequence, read up to where the value begins.
  ///   - matcher: The grammar at the same place.
  ///   - texts: What follows in each case.
  init(
    context: Context, matcher: Matcher, vocabulary: Vocabulary, endTokens: Set<Int>,
    texts: [[UInt8]]
  ) {
    self.vocabulary = vocabulary
    self.endTokens = endTokens
    self.texts = texts
    weights = Array(repeating: 0, count: texts.count)
    open = [
      Beginning(
        context: context, unread: [], bytes: [], cases: Array(texts.indices), matcher: matcher,
        probability: 1)
    ]
  }

  /// The probability of each case: they add up to 1.
  ///
  /// - Throws: What the model throws; `CancellationError` between two batches.
  mutating func probabilities() throws -> [Double] {
    while true {
      var batch = nextBatch()
      if batch.isEmpty { break }
      try Task.checkCancellation()
      try read(&batch)
      for index in batch.indices { try follow(&batch[index]) }
    }
    // What is left goes to its cases as the rest of the probability did.
    let decided = weights
    for rest in open {
      let sum = rest.cases.reduce(0) { $0 + decided[$1] }
      guard sum > 0 else { continue }
      for index in rest.cases { weights[index] += rest.probability * decided[index] / sum }
    }
    let sum = weights.reduce(0, +)
    return sum > 0 ? weights.map { $0 / sum } : weights
  }

  /// Takes the likeliest beginnings, as long as those that are left weigh too much.
  private mutating func nextBatch() -> [Beginning] {
    open.sort { $0.probability < $1.probability }
    var undecided = open.reduce(0) { $0 + $1.probability }
    var batch: [Beginning] = []
    while undecided > Self.tolerance, batch.count < Self.batchSize, let next = open.popLast() {
      undecided -= next.probability
      batch.append(next)
    }
    return batch
  }

  /// Reads what is unread, where the grammar leaves a choice of what follows.
  private func read(_ batch: inout [Beginning]) throws {
    let asking = batch.indices.filter {
      !batch[$0].unread.isEmpty && batch[$0].matcher.allowedTokens().count > 1
    }
    guard !asking.isEmpty else { return }
    var contexts = asking.map { batch[$0].context }
    let errors = Context.append(
      asking.map { batch[$0].unread }, to: &contexts,
      preparingLogits: asking.map { _ in false })
    for case let error? in errors { throw error }
    for (place, index) in asking.enumerated() {
      batch[index].context = contexts[place]
      batch[index].unread = []
    }
  }

  /// Gives the probability of a beginning to what may follow it.
  private mutating func follow(_ beginning: inout Beginning) throws {
    let tokens = beginning.matcher.allowedTokens().tokens
    for (token, share) in shares(of: tokens, &beginning.context) {
      let bytes = beginning.bytes + vocabulary.bytes(of: token)
      let isEnd = token == vocabulary.endOfSequence
      let cases = beginning.cases.filter { Self.agree(bytes, texts[$0], isEnd: isEnd) }
      let probability = beginning.probability * share
      if cases.count == 1 {
        weights[cases[0]] += probability
      } else if cases.count > 1, !isEnd {
        var matcher = beginning.matcher
        try matcher.accept(token)
        open.append(
          Beginning(
            context: beginning.context, unread: beginning.unread + [token], bytes: bytes,
            cases: cases, matcher: matcher, probability: probability))
      }
    }
  }

  /// Tokens with the share that each has of their probability.
  private func shares(
    of tokens: [Int], _ context: inout Context
  ) -> [(token: Int, share: Double)] {
    guard tokens.count > 1 else { return tokens.map { ($0, 1) } }
    var logits: [Float] = []
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
