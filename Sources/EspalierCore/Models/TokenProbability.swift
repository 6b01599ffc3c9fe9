// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How likely a token was that a model wrote, and what it might have written instead.
///
/// Probabilities are those among the tokens that were allowed, at temperature 1 and before penalties:
/// a token that a schema forces has the probability 1.
package struct TokenProbability: Sendable, Equatable {
  /// A token and its probability.
  package struct Candidate: Sendable, Equatable {
    /// The bytes of its text, which may be a part of a character.
    package var bytes: [UInt8]
    /// The natural logarithm of its probability.
    package var logProbability: Double

    package init(bytes: [UInt8], logProbability: Double) {
      self.bytes = bytes
      self.logProbability = logProbability
    }
  }

  /// What was written.
  package var written: Candidate
  /// The likeliest tokens, the one written perhaps among them, likeliest first.
  package var rivals: [Candidate]

  package init(written: Candidate, rivals: [Candidate] = []) {
    self.written = written
    self.rivals = rivals
  }
}

/// A model whose events can carry the probabilities of their tokens.
package protocol TokenProbabilityModel: LanguageModel {}
