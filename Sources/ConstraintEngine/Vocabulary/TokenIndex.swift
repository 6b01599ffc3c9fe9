// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a vocabulary has ready for masks, for one policy on escapes.
package final class TokenIndex: Sendable {
  package let split: StringSplit
  /// The quotes of the trie of all tokens.
  let quotes: QuoteIndex
  /// What is left of the tokens that begin a value or a part of one after white space: `"a`, ` "a`
  /// and `\n"a` are one core.
  let cores: TokenTrie
  let coreQuotes: QuoteIndex
  let coreExits: ExitIndex
  let digits: DigitTokens
  let coreDigits: DigitTokens
  let noTokens: MaskBase
  /// The tokens that are white space alone.
  let whitespace: MaskBase
  /// The tokens that are digits alone, and those beside white space: what most numbers go on with.
  let digitsAlone: MaskBase
  let digitsOrWhitespace: MaskBase
  let quoted: QuotedTexts

  init(vocabulary: [UInt8], starts: [Int], trie: TokenTrie, anyEscapes: Bool) {
    let tokenCount = starts.count - 1
    let scanner = StringScanner(anyEscapes: anyEscapes)
    let split = StringSplit(text: vocabulary, starts: starts, trie: trie, scanner: scanner)
    self.split = split
    quotes = QuoteIndex(
      trie: trie, below: QuoteIndex.quotes(of: trie, afterEscapes: true), scanner: scanner,
      rests: split.restIndices)
    noTokens = MaskBase(words: [UInt32](repeating: 0, count: (tokenCount + 31) / 32), count: 0)
    var blank: [UInt32] = []
    var coreText: [UInt8] = []
    var coreStarts = [0]
    var coreTokens: [Int32] = []
    for node in 0..<trie.count {
      let first = Int(trie.nodes[node].token)
      guard first >= 0 else { continue }
      let core = vocabulary[starts[first]..<starts[first + 1]]
        .drop { ByteSet.whitespace.contains($0) }
      trie.forEachToken(of: node) { token in
        if core.isEmpty {
          blank.append(UInt32(bitPattern: token))
        } else if let first = core.first, Self.isStructural(first) {
          coreText += core
          coreStarts.append(coreText.count)
          coreTokens.append(token)
        }
      }
    }
    whitespace = MaskBase(tokens: blank, wordCount: noTokens.words.count)
    cores = TokenTrie(text: coreText, starts: coreStarts, special: [], tokens: coreTokens)
    coreQuotes = QuoteIndex(
      trie: cores, below: QuoteIndex.quotes(of: cores), scanner: scanner, rests: split.restIndices)
    coreExits = ExitIndex(cores, rests: split.rests)
    digits = DigitTokens(trie: trie)
    let numeric = digits.tokensByLength.joined()
    digitsAlone = MaskBase(tokens: numeric, wordCount: noTokens.words.count)
    digitsOrWhitespace = MaskBase(
      tokens: numeric, wordCount: noTokens.words.count, besides: whitespace)
    coreDigits = DigitTokens(trie: cores)
    quoted = QuotedTexts(trie)
  }

  /// Whether a byte that is no white space can come outside of strings, numbers and literals.
  private static func isStructural(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x2C, 0x2D, 0x30...0x3A, 0x5B, 0x5D, 0x66, 0x6E, 0x74, 0x7B, 0x7D: true
    default: false
    }
  }
}
