// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// SentencePiece's unigram model: of all the ways to cut a text into tokens, the one whose scores
/// add up to the most, found from left to right.
///
/// Source: Kudo 2018, and the spaces of llama.cpp. The text is not normalised: what a file's
/// character map would replace stays.
struct UnigramEncoder: Sendable {
  private let table: ByteStringTable
  /// What a token adds to the sum; nil where it is not found in texts. A token that the file's
  /// author added costs nothing.
  private let scores: [Float?]
  private let unknown: Int
  private let unknownScore: Float
  private let longest: Int
  private let addsSpacePrefix: Bool
  private let removesExtraSpaces: Bool

  init(_ tables: TokenizerTables) throws(GGUFError) {
    guard let unknown = tables.unknown else {
      throw GGUFError(
        field: "tokenizer.ggml.unknown_token_id", message: "expected a token, found none.")
    }
    self.unknown = unknown
    table = ByteStringTable(tables.tokens)
    scores = tables.tokens.indices.map { token in
      switch tables.kinds[token] {
      case .normal, .unused: tables.scores[token]
      case .userDefined: 0
      case .unknown, .control, .byte: nil
      }
    }
    let normal = tables.tokens.indices.filter { tables.kinds[$0] == .normal }
    // An unknown character costs ten more than the worst token.
    unknownScore = (normal.map { tables.scores[$0] }.min() ?? 0) - 10
    longest = tables.tokens.map(\.count).max() ?? 1
    addsSpacePrefix = tables.addsSpacePrefix
    removesExtraSpaces = tables.removesExtraSpaces
  }

  func encode(_ text: ArraySlice<UInt8>, into tokens: inout [Int]) {
    let bytes = spaced(text)
    guard !bytes.isEmpty else { return }
    var best = [(score: Double, start: Int, token: Int)](
      repeating: (-.infinity, 0, unknown), count: bytes.count + 1)
    best[0].score = 0
    for start in bytes.indices where best[start].score > -.infinity {
      guard start == 0 || bytes[start] & 0xC0 != 0x80 else { continue }
      var width = 1
      while start + width < bytes.count, bytes[start + width] & 0xC0 == 0x80 { width += 1 }
      var coversCharacter = false
      for length in 1...min(longest, bytes.count - start) {
        guard let token = table.index(of: bytes[start..<(start + length)]),
          let cost = scores[token]
        else { continue }
        if length == width { coversCharacter = true }
        let score = best[start].score + Double(cost)
        if score > best[start + length].score { best[start + length] = (score, start, token) }
      }
      let score = best[start].score + Double(unknownScore)
      if !coversCharacter, score > best[start + width].score {
        best[start + width] = (score, start, unknown)
      }
    }
    var result: [Int] = []
    var end = bytes.count
    while end > 0 {
      // A run of unknown characters is one token.
      if best[end].token != unknown || result.last != unknown { result.append(best[end].token) }
      end = best[end].start
    }
    tokens += result.reversed()
  }

  /// The text with spaces as U+2581. Where the file has them merged, one is before each word, the
  /// first too, and none after the last; else the file may have one put before the first word.
  private func spaced(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var isInWord = false
    var hasPrefix = !addsSpacePrefix
    for byte in text {
      guard byte != 0x20 else {
        isInWord = false
        if !removesExtraSpaces { result += SentencePieceText.space }
        continue
      }
      if !isInWord, removesExtraSpaces || !hasPrefix {
        result += SentencePieceText.space
        hasPrefix = true
      }
      isInWord = true
      result.append(byte)
    }
    return result
  }
}
