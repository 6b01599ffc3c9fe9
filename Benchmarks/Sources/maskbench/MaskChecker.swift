// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// Compares masks with what matchers accept, on random tokens inside and outside.
struct MaskChecker {
  let count: Int
  let vocabulary: Vocabulary
  private var random: SplitMix64
  private var compared = 0
  private var mismatches: [String] = []

  init(count: Int, seed: UInt64, vocabulary: Vocabulary) {
    self.count = count
    self.vocabulary = vocabulary
    random = SplitMix64(state: seed)
  }

  /// Compares one mask: half of the tokens are drawn from those that it allows.
  mutating func compare(
    _ matcher: Matcher, _ bits: TokenBitmask, _ schema: String, _ position: Int
  ) {
    for round in 0..<count {
      var token = Int(random.next() % UInt64(vocabulary.count))
      if round % 2 == 0, bits.count > 0 {
        while !bits[token] { token = (token + 1) % vocabulary.count }
      }
      var fork = matcher
      var isAccepted = true
      do { try fork.accept(token) } catch {
        // A limit that is met beyond the mask is told to the caller: it is no other answer.
        if error.limit != nil { continue }
        isAccepted = false
      }
      compared += 1
      if isAccepted != bits[token] {
        let text = String(decoding: vocabulary.bytes(of: token), as: UTF8.self)
        mismatches.append(
          "\(schema): token \(token) (\(text.debugDescription)) at \(position) is "
            + (isAccepted ? "accepted, not in the mask" : "in the mask, not accepted"))
      }
    }
  }

  /// Prints what was found.
  func report() {
    for mismatch in mismatches.prefix(5) { print(mismatch) }
    if mismatches.count > 5 { print("and \(mismatches.count - 5) more of \(compared) tokens") }
  }
}

/// A small generator of random numbers that a seed repeats (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014).
struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
