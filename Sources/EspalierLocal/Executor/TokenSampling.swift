// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

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

/// Draws tokens; the same seed and logits give the same tokens.
struct TokenSampler: Sendable {
  let sampling: TokenSampling
  private var state: UInt64

  init(_ sampling: TokenSampling) {
    self.sampling = sampling
    state = sampling.seed ?? .random(in: .min ... .max)
  }

  /// A number of 0..<1, by SplitMix64 (Steele et al. 2014).
  private mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }

  /// Draws one of some tokens.
  ///
  /// - Parameter logits: A logit for each of them; -∞ for what may not be drawn.
  /// - Returns: Which one, nil where there is none to draw.
  mutating func drawIndex(_ logits: [Float]) -> Int? {
    var best = -1
    for index in logits.indices where best < 0 || logits[index] > logits[best] { best = index }
    guard best >= 0, logits[best] > -.infinity else { return nil }
    return sampling.temperature <= 0 ? best : drawIndex(logits, greatest: logits[best])
  }

  /// Makes what was written of late less likely, or more with a penalty below one.
  ///
  /// - Parameters:
  ///   - tokens: The tokens; nil for all.
  ///   - logits: A logit for each of them.
  ///   - recent: The tokens written of late.
  func penalize(_ tokens: [Int]?, _ logits: inout [Float], _ recent: [Int]) {
    guard sampling.repetitionPenalty != 1 else { return }
    let penalty = Float(sampling.repetitionPenalty)
    let recent = Set(recent)
    func change(_ index: Int) {
      logits[index] = logits[index] > 0 ? logits[index] / penalty : logits[index] * penalty
    }
    if let tokens {
      for index in tokens.indices where recent.contains(tokens[index]) { change(index) }
    } else {
      for token in recent where logits.indices.contains(token) { change(token) }
    }
  }

  /// What to take from the logits of the tokens that would repeat what was written: for each
  /// earlier place where the last tokens stand too, the token that came after it.
  ///
  /// Example: after `the old town … the old`, `town` would repeat a sequence of two.
  ///
  /// - Complexity: The number of tokens written times the length of what is repeated.
  func sequencePenalties(_ written: [Int]) -> [Int: Float] {
    guard sampling.sequencePenalty > 0, let last = written.last else { return [:] }
    var lengths: [Int: Int] = [:]
    for place in written.indices.dropLast() where written[place] == last {
      var length = 1
      while length < Self.longestSequence, length <= place,
        written[place - length] == written[written.count - 1 - length]
      {
        length += 1
      }
      let next = written[place + 1]
      lengths[next] = max(lengths[next] ?? 0, length)
    }
    return lengths.filter { $0.value >= 2 }
      .mapValues { Float(sampling.sequencePenalty * pow(1.75, Double($0 - 2))) }
  }

  /// Longer sequences count as this one.
  private static var longestSequence: Int { 16 }

  private mutating func drawIndex(_ logits: [Float], greatest: Float) -> Int {
    let inverse = 1 / Float(sampling.temperature)
    // Below e⁻³⁰ of the greatest a token is never drawn: 2⁻⁵³ is about e⁻³⁷, and there are fewer
    // than e¹³ tokens.
    let floor = max(
      greatest - 30 / inverse,
      sampling.minP.map { greatest + Float(log($0)) / inverse } ?? -.infinity)
    var candidates: [(index: Int, weight: Double)] = []
    for index in logits.indices where logits[index] >= floor {
      candidates.append((index, Double(expf((logits[index] - greatest) * inverse))))
    }
    if sampling.topK != nil || sampling.topP != nil {
      candidates.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.index < $1.index }
      if let topK = sampling.topK {
        candidates.removeSubrange(min(candidates.count, max(1, topK))...)
      }
      if let topP = sampling.topP {
        let total = candidates.reduce(0) { $0 + $1.weight }
        var sum = 0.0
        var count = 0
        while count < candidates.count, count == 0 || sum < topP * total {
          sum += candidates[count].weight
          count += 1
        }
        candidates.removeSubrange(count...)
      }
    }
    var rest = uniform() * candidates.reduce(0) { $0 + $1.weight }
    for candidate in candidates {
      rest -= candidate.weight
      if rest < 0 { return candidate.index }
    }
    return candidates.last?.index ?? 0
  }
}
