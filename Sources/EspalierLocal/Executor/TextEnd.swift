// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// The end of a text, back to a place where its tokenizer cuts in any case.
///
/// How a text is cut does not depend on what stands before a special token; nor, with the
/// tokenizers of today, on what stands before a punctuation mark that follows a letter.
struct TextEnd: Sendable {
  /// The bytes.
  private(set) var bytes: [UInt8] = []

  /// How many bytes are kept at least, where there are as many.
  private static var keptCount: Int { 256 }
  /// More tokens than that need not be looked at.
  static var tokenCount: Int { 256 }

  init(_ tokens: some Sequence<Int>, _ vocabulary: Vocabulary) {
    for token in tokens { append(token, vocabulary) }
  }

  mutating func append(_ token: Int, _ vocabulary: Vocabulary) {
    guard token >= 0, token < vocabulary.count, !vocabulary.isSpecial(token) else {
      bytes.removeAll(keepingCapacity: true)
      return
    }
    bytes += vocabulary.bytes(of: token)
    guard bytes.count > 4 * Self.keptCount else { return }
    var start = bytes.count - Self.keptCount
    while start > 0, !Self.isCut(bytes[start - 1], bytes[start]) { start -= 1 }
    bytes.removeFirst(start)
  }

  /// Whether every tokenizer cuts between two bytes. An apostrophe may go on a word.
  private static func isCut(_ before: UInt8, _ after: UInt8) -> Bool {
    let isLetter = 0x41...0x5A ~= before || 0x61...0x7A ~= before
    let isMark =
      0x20...0x2F ~= after || 0x3A...0x3F ~= after || 0x5B...0x60 ~= after
      || 0x7B...0x7E ~= after
    return isLetter && isMark && after != 0x27
  }
}
