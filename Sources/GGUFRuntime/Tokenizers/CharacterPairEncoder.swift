// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Byte-pair encoding of characters, as Gemma 4 has it: spaces are written as U+2581, a text is cut at
/// its line breaks alone, and the characters of a piece are merged in the order of a list; a character
/// without a token is written byte by byte.
///
/// Source: the tokenizer file that Gemma 4 is published with, and llama.cpp's reading of it.
///
/// Example: `a b⏎⏎c` is cut into `a▁b`, `⏎⏎` and `c`; `⏎⏎` is a token.
struct CharacterPairEncoder: Sendable {
  private let table: ByteStringTable
  private let merges: MergeTable
  private let byteTokens: [Int?]
  private let unknown: Int?

  init(_ tables: TokenizerTables) {
    table = ByteStringTable(tables.tokens)
    merges = MergeTable(tables.merges, table)
    byteTokens = SentencePieceText.byteTokens(table)
    unknown = tables.unknown
  }

  func encode(_ text: ArraySlice<UInt8>, into tokens: inout [Int]) {
    let bytes = SentencePieceText.escaped(text)
    var rest = bytes[...]
    while let first = rest.first {
      let isBreak = first == 0x0A
      let piece = rest.prefix { ($0 == 0x0A) == isBreak }
      rest = rest.dropFirst(piece.count)
      if isBreak, let token = table.index(of: piece) {
        tokens.append(token)
      } else {
        merge(piece, into: &tokens)
      }
    }
  }

  private func merge(_ piece: ArraySlice<UInt8>, into tokens: inout [Int]) {
    var known: [Int] = []
    var start = piece.startIndex
    while start < piece.endIndex {
      let end =
        piece[(start + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? piece.endIndex
      let character = piece[start..<end]
      start = end
      if let token = table.index(of: character) {
        known.append(token)
        continue
      }
      if !known.isEmpty { tokens += merges.merge(known) }
      known.removeAll(keepingCapacity: true)
      for byte in character {
        if let token = byteTokens[Int(byte)] ?? unknown { tokens.append(token) }
      }
    }
    if !known.isEmpty { tokens += merges.merge(known) }
  }
}
