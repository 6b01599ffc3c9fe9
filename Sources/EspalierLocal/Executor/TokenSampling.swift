// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFRuntime

/// How the next token is drawn from logits.
public struct TokenSampling: Sendable, Hashable {
  /// What logits are divided by; at 0 the likeliest token is taken.
  public var temperature: Double
  /// Only so many of the likeliest tokens are drawn from.
  public var topK: Int?
  /// Only the likeliest tokens whose probabilities add up to this are drawn from.
  public var topP: Double?
  /// Only tokens with this share of the likeliest one's probability are drawn from.
  public var minP: Double?
  /// What the logits of recent tokens are divided by where positive, multiplied with where negative;
  /// under a grammar those of tokens with letters or digits only.
  public var repetitionPenalty: Double
  /// What is taken from the logit of a token that would go on with a sequence of tokens as the
  /// response has gone on before; 0 for nothing.
  ///
  /// The longer the repeated sequence, the more: the penalty times 1.75 for each of its tokens
  /// beyond the second (DRY sampling). Under a grammar it holds in free text only, for tokens with
  /// letters or digits: an enumeration may well have the same case twice.
  public var sequencePenalty: Double
  /// What the draws of each request follow from that has no seed of its own: the same seed gives
  /// the same response to the same prompt. Where nil, every response is drawn anew.
  public var seed: UInt64?

  /// Creates a way of drawing.
  public init(
    temperature: Double = 0.7, topK: Int? = nil, topP: Double? = nil, minP: Double? = nil,
    repetitionPenalty: Double = 1, sequencePenalty: Double = 0, seed: UInt64? = nil
  ) {
    self.temperature = temperature
    self.topK = topK
    self.topP = topP
    self.minP = minP
    self.repetitionPenalty = repetitionPenalty
    self.sequencePenalty = sequencePenalty
    self.seed = seed
  }

  /// The likeliest token, always.
  public static let greedy = TokenSampling(temperature: 0)
}

extension TokenSampler {
  init(_ sampling: TokenSampling) {
    self.init(
      temperature: sampling.temperature, topK: sampling.topK, topP: sampling.topP,
      minP: sampling.minP, repetitionPenalty: sampling.repetitionPenalty,
      sequencePenalty: sampling.sequencePenalty, seed: sampling.seed)
  }
}
