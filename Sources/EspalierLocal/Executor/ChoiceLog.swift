// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import GGUFRuntime

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
  /// What the model chooses from; nil where it does not choose.
  private var offered: TokenChoice?

  /// Whether what is offered is wanted.
  var isOn: Bool { keepsEntries || rivalCount != nil }

  /// The entries from a place on, by how far after it their tokens stand.
  func entries(from start: Int) -> [Int: Entry] {
    var result: [Int: Entry] = [:]
    for (place, entry) in entries where place >= start { result[place - start] = entry }
    return result
  }

  /// Notes what the model chooses from.
  mutating func offer(_ choice: TokenChoice) { offered = choice }

  /// Notes that the model does not choose.
  mutating func offerNothing() { offered = nil }

  /// Keeps what the model thought of a token that it chose in a grammar.
  mutating func record(_ token: Int, at place: Int) {
    guard keepsEntries, let index = offered?.place(of: token),
      let distribution = offered?.distribution
    else { return }
    entries[place] = Entry(
      probability: distribution.probability(at: index), entropy: distribution.entropy)
  }

  /// How likely tokens were: those that had no rivals were certain.
  func probabilities(
    of tokens: [Int], isForced: Bool, _ vocabulary: Vocabulary
  ) -> [TokenProbability] {
    guard let rivalCount else { return [] }
    guard !isForced, let token = tokens.first, let choice = offered,
      let index = choice.place(of: token), let distribution = choice.distribution
    else {
      return tokens.map {
        TokenProbability(written: .init(bytes: vocabulary.bytes(of: $0), logProbability: 0))
      }
    }
    func candidate(_ place: Int) -> TokenProbability.Candidate {
      .init(
        bytes: vocabulary.bytes(of: choice.tokens[place]),
        logProbability: distribution.logProbability(at: place))
    }
    return [
      TokenProbability(
        written: candidate(index), rivals: distribution.likeliest(rivalCount).map(candidate))
    ]
  }
}
