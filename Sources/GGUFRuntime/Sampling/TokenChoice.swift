// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The tokens that a model chooses one of, with a logit for each.
///
/// What goes over a whole vocabulary is here and in ``TokenSampler``, for debug builds optimise this
/// module and not `EspalierLocal`.
package struct TokenChoice: Sendable {
  package let tokens: [Int]
  package let logits: [Float]

  /// - Parameter logits: As many as there are tokens.
  package init(_ tokens: [Int], _ logits: [Float]) {
    (self.tokens, self.logits) = (tokens, logits)
  }

  /// Some of all tokens.
  ///
  /// - Parameter all: The logits of all tokens, by their numbers.
  package init(_ tokens: [Int], ofAll all: [Float]) {
    var logits: [Float] = []
    logits.reserveCapacity(tokens.count)
    for token in tokens { logits.append(all[token]) }
    self.init(tokens, logits)
  }

  /// Where a token is among them.
  package func place(of token: Int) -> Int? { tokens.firstIndex(of: token) }

  /// How likely each token is at temperature 1.
  package struct Distribution: Sendable {
    private let choice: TokenChoice
    private let greatest: Float
    /// The sum of the weights, of which the likeliest token's is 1.
    private let sum: Double

    package func probability(at place: Int) -> Double {
      exp(Double(choice.logits[place] - greatest)) / sum
    }

    /// The natural logarithm of a token's probability.
    package func logProbability(at place: Int) -> Double {
      Double(choice.logits[place] - greatest) - log(sum)
    }

    /// The entropy in bits.
    package var entropy: Double {
      var entropy = 0.0
      for logit in choice.logits {
        let share = exp(Double(logit - greatest)) / sum
        if share > 0 { entropy -= share * log2(share) }
      }
      return entropy
    }

    /// The places of the likeliest tokens, the likeliest first.
    package func likeliest(_ count: Int) -> [Int] {
      if count == 0 { return [] }
      let places = choice.logits.indices.sorted { choice.logits[$0] > choice.logits[$1] }
      return Array(places.prefix(count))
    }

    fileprivate init?(_ choice: TokenChoice) {
      guard let greatest = choice.logits.max() else { return nil }
      var sum = 0.0
      for logit in choice.logits { sum += exp(Double(logit - greatest)) }
      (self.choice, self.greatest, self.sum) = (choice, greatest, sum)
    }
  }

  /// How likely each token is; nil where there is none.
  package var distribution: Distribution? { Distribution(self) }
}
