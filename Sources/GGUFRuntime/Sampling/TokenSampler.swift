// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Draws tokens; the same seed and logits give the same tokens.
package struct TokenSampler: Sendable {
  private let temperature: Double
  private let topK: Int?
  private let topP: Double?
  private let minP: Double?
  private let repetitionPenalty: Double
  private let sequencePenalty: Double
  private var state: UInt64

  /// What the numbers mean: `TokenSampling` of `EspalierLocal`.
  package init(
    temperature: Double, topK: Int?, topP: Double?, minP: Double?, repetitionPenalty: Double,
    sequencePenalty: Double, seed: UInt64?
  ) {
    self.temperature = temperature
    self.topK = topK
    self.topP = topP
    self.minP = minP
    self.repetitionPenalty = repetitionPenalty
    self.sequencePenalty = sequencePenalty
    state = seed ?? .random(in: .min ... .max)
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
  /// - Parameter logits: A logit for each of them; -∞ for what may not be drawn, as NaN may not.
  /// - Returns: Which one, nil where there is none to draw.
  package mutating func drawIndex(_ logits: [Float]) -> Int? {
    var best: Int?
    var greatest = -Float.infinity
    for index in logits.indices where logits[index] > greatest {
      best = index
      greatest = logits[index]
    }
    guard let best else { return nil }
    // What logits cannot be divided by, zero and no number at all, takes the likeliest.
    let isDivisor = temperature > 0 && (1 / Float(temperature)).isFinite
    return isDivisor ? drawIndex(logits, greatest: greatest) : best
  }

  /// Makes what was written of late less likely, or more with a penalty below one.
  ///
  /// - Parameters:
  ///   - tokens: The tokens; nil for all.
  ///   - logits: A logit for each of them.
  ///   - recent: The tokens written of late.
  package func penalize(_ tokens: [Int]?, _ logits: inout [Float], _ recent: [Int]) {
    guard repetitionPenalty != 1 else { return }
    let penalty = Float(repetitionPenalty)
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
  package func sequencePenalties(_ written: [Int]) -> [Int: Float] {
    guard sequencePenalty > 0, let last = written.last else { return [:] }
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
      .mapValues { Float(sequencePenalty * pow(1.75, Double($0 - 2))) }
  }

  /// Longer sequences count as this one.
  private static var longestSequence: Int { 16 }

  private mutating func drawIndex(_ logits: [Float], greatest: Float) -> Int {
    let inverse = 1 / Float(temperature)
    // Below e⁻³⁰ of the greatest a token is never drawn: 2⁻⁵³ is about e⁻³⁷, and there are fewer
    // than e¹³ tokens.
    let floor = max(
      greatest - 30 / inverse,
      minP.map { greatest + Float(log(min(1, $0))) / inverse } ?? -.infinity)
    var candidates: [(index: Int, weight: Double)] = []
    for index in logits.indices where logits[index] >= floor && logits[index] > -.infinity {
      candidates.append((index, Double(expf((logits[index] - greatest) * inverse))))
    }
    if topK != nil || topP != nil {
      candidates.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.index < $1.index }
      if let topK = topK {
        candidates.removeSubrange(min(candidates.count, max(1, topK))...)
      }
      if let topP = topP {
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
