// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation

/// What a model thought of the tokens that it chose, where that is kept.
struct ChoiceLog: Sendable {
  /// What the model thought of a token that it chose.
  struct Entry: Sendable {
    /// Its probability among the tokens that were allowed, at temperature 1.
    var probability: Double
    /// The entropy of that choice in bits.
    var entropy: Double
  }

  /// Whether entries are kept.
  var keepsEntries = false
  /// How many rivals of each token are told with its probability; nil where neither is.
  var rivalCount: Int?
  /// By the place of a token among those written.
  private var entries: [Int: Entry] = [:]
  /// The tokens that the model chooses from, with their logits.
  private var offered: [(token: Int, logit: Float)] = []

  /// Whether what is offered is wanted.
  var isOn: Bool { keepsEntries || rivalCount != nil }

  /// The entries from a place on, by how far after it their tokens stand.
  func entries(from start: Int) -> [Int: Entry] {
    var result: [Int: Entry] = [:]
    for (place, entry) in entries where place >= start { result[place - start] = entry }
    return result
  }

  /// Notes what the model chooses from.
  mutating func offer(_ tokens: some Sequence<Int>, _ logits: [Float]) {
    offered = zip(tokens, logits).map { ($0, $1) }
  }

  /// Notes that the model does not choose.
  mutating func offerNothing() { offered = [] }

  /// Keeps what the model thought of a token that it chose in a grammar.
  mutating func record(_ token: Int, at place: Int) {
    guard keepsEntries, let (weight, greatest) = weight(of: token) else { return }
    let shares = offered.map { exp(Double($0.logit - greatest)) }
    let sum = shares.reduce(0, +)
    var entropy = 0.0
    for share in shares where share > 0 { entropy -= share / sum * log2(share / sum) }
    entries[place] = Entry(probability: exp(Double(weight - greatest)) / sum, entropy: entropy)
  }

  /// The logit of a token that was offered, and the greatest of all.
  private func weight(of token: Int) -> (weight: Float, greatest: Float)? {
    guard let greatest = offered.map(\.logit).max(),
      let weight = offered.first(where: { $0.token == token })?.logit
    else { return nil }
    return (weight, greatest)
  }

  /// How likely tokens were: those that had no rivals were certain.
  func probabilities(
    of tokens: [Int], isForced: Bool, _ vocabulary: Vocabulary
  ) -> [TokenProbability] {
    guard let rivalCount else { return [] }
    guard !isForced, let token = tokens.first, let (weight, greatest) = weight(of: token) else {
      return tokens.map {
        TokenProbability(written: .init(bytes: vocabulary.bytes(of: $0), logProbability: 0))
      }
    }
    let sum = log(offered.reduce(0) { $0 + exp(Double($1.logit - greatest)) })
    func candidate(_ token: Int, _ weight: Float) -> TokenProbability.Candidate {
      .init(bytes: vocabulary.bytes(of: token), logProbability: Double(weight - greatest) - sum)
    }
    let rivals = rivalCount == 0 ? [] : offered.sorted { $0.logit > $1.logit }.prefix(rivalCount)
    return [
      TokenProbability(
        written: candidate(token, weight), rivals: rivals.map { candidate($0.token, $0.logit) })
    ]
  }
}
