// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// One random walk.
struct Walk {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private var matcher: Matcher
  private var random: SplitMix
  private var bits: [UInt32]
  /// The bytes and the number of tokens so far.
  private(set) var bytes: [UInt8] = []
  private(set) var taken = 0

  init(_ matcher: Matcher, seed: UInt64) {
    self.matcher = matcher
    random = SplitMix(state: seed)
    bits = [UInt32](repeating: 0, count: (matcher.vocabulary.count + 31) / 32)
  }

  /// Goes freely for some tokens, then the shortest way to the end.
  mutating func free(_ count: Int) throws -> String {
    for _ in 0..<Int(random.next() % UInt64(count + 1)) {
      guard let token = try choose(matcher.allowedTokens()) else { return text }
      try take(token)
    }
    let rest = matcher.shortestCompletion()
    if rest.isEmpty, !matcher.canEnd() { throw Failure(description: "no completion") }
    do {
      try matcher.accept(bytes: rest)
    } catch {
      throw Failure(
        description: "the completion \(String(decoding: rest, as: UTF8.self)) is refused: \(error)")
    }
    bytes += rest
    guard matcher.canEnd() else {
      throw Failure(
        description: "the completion \(String(decoding: rest, as: UTF8.self)) does not complete")
    }
    return text
  }

  /// Goes on within a budget until the value ends.
  mutating func budgeted(_ count: Int) throws -> String {
    let budget = matcher.shortestCompletionTokens().count + Int(random.next() % UInt64(count + 1))
    while true {
      guard let token = try choose(matcher.allowedTokens(within: budget - taken)) else {
        return text
      }
      try take(token)
      if taken > budget { throw Failure(description: "the budget of \(budget) is overrun") }
    }
  }

  private var text: String { String(decoding: bytes, as: UTF8.self) }

  private mutating func take(_ token: Int) throws {
    do {
      try matcher.accept(token)
    } catch {
      throw Failure(description: "allowed token \(token) is refused: \(error)")
    }
    bytes += matcher.vocabulary.bytes(of: token)
    taken += 1
  }

  /// A token of a mask, or `nil` for the end. Of several drawn the shortest is often taken: long
  /// tokens are many, and structure is made of short ones.
  private mutating func choose(_ mask: TokenMask) throws -> Int? {
    guard mask.count > 0 else { throw Failure(description: "a dead end") }
    var span = bits.mutableSpan
    mask.copy(to: &span)
    let end = matcher.vocabulary.endOfSequence
    let ends = bits[end >> 5] >> UInt32(end & 31) & 1 == 1
    if ends, mask.count == 1 || random.next() % 8 == 0 { return nil }
    var best: Int?
    let draws = random.next() % 2 == 0 ? 1 : 12
    var length = Int.max
    for _ in 0..<draws {
      let token = draw(mask.count)
      if token == end { continue }
      let bytes = matcher.vocabulary.bytes(of: token).count
      if bytes < length {
        length = bytes
        best = token
      }
    }
    return best ?? (ends ? nil : draw(mask.count))
  }

  private mutating func draw(_ count: Int) -> Int {
    var left = Int(random.next() % UInt64(count))
    for (place, word) in bits.enumerated() {
      if left >= word.nonzeroBitCount {
        left -= word.nonzeroBitCount
        continue
      }
      var word = word
      for _ in 0..<left { word &= word - 1 }
      return place << 5 | word.trailingZeroBitCount
    }
    return 0
  }
}

/// A small seeded generator (SplitMix64).
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
