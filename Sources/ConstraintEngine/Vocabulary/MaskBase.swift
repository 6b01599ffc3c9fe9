// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A set of tokens as bits, which masks share.
package final class MaskBase: Sendable {
  let words: [UInt32]
  package let count: Int

  init(words: [UInt32], count: Int) {
    self.words = words
    self.count = count
  }

  convenience init(words: [UInt32]) {
    // In 32 bits, and with sums that do not trap, several words are counted at once.
    var count: UInt32 = 0
    for word in words { count &+= UInt32(truncatingIfNeeded: word.nonzeroBitCount) }
    self.init(words: words, count: Int(count))
  }

  /// Some different tokens, and those of another set that has none of them.
  convenience init(tokens: some Sequence<UInt32>, wordCount: Int, besides others: MaskBase? = nil) {
    var words = others?.words ?? [UInt32](repeating: 0, count: wordCount)
    for token in tokens { words[Int(token >> 5)] |= 1 << (token & 31) }
    self.init(words: words)
  }

  @inline(__always)
  package func contains(_ token: UInt32) -> Bool {
    Int(token >> 5) < words.count && words[Int(token >> 5)] >> (token & 31) & 1 == 1
  }
}
