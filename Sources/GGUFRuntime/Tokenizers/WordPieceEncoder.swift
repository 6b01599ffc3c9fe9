// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// WordPiece: a text is cut into words, and each word from its start into the longest tokens there are.
///
/// Source: Devlin et al. 2018 (BERT). Letters become small and lose their accents, where the file does
/// not say otherwise; punctuation marks and Chinese characters are words of their own. A word that cannot
/// be cut is the unknown token.
///
/// In a model file a token that begins a word begins with U+2581, and others are as they are:
///
///     "Unaffable!"  →  ▁una ffa ble ▁!
struct WordPieceEncoder: Sendable {
  private let table: ByteStringTable
  private let unknown: Int
  private let longest: Int
  private let lowercases: Bool

  /// A word of more characters is unknown, as BERT has it.
  private static var longestWord: Int { 100 }

  init(_ tables: TokenizerTables) throws(GGUFError) {
    guard let unknown = tables.unknown else {
      throw GGUFError(
        field: "tokenizer.ggml.unknown_token_id", message: "expected a token, found none.")
    }
    self.unknown = unknown
    table = ByteStringTable(tables.tokens)
    longest = tables.tokens.map(\.count).max() ?? 1
    lowercases = tables.lowercases
  }

  func encode(_ text: ArraySlice<UInt8>, into tokens: inout [Int]) {
    for word in words(of: String(decoding: text, as: UTF8.self)) {
      let start = tokens.count
      if !cut(word, into: &tokens) {
        tokens.removeSubrange(start...)
        tokens.append(unknown)
      }
    }
  }

  private func cut(_ word: String.UnicodeScalarView, into tokens: inout [Int]) -> Bool {
    guard word.count <= Self.longestWord else { return false }
    let bytes = SentencePieceText.space + String(word).utf8
    var start = 0
    while start < bytes.count {
      var end = min(bytes.count, start + longest)
      var found: Int?
      while end > start {
        // Only where a character ends.
        if end == bytes.count || bytes[end] & 0xC0 != 0x80 {
          found = table.index(of: bytes[start..<end])
          if found != nil { break }
        }
        end -= 1
      }
      guard let found else { return false }
      tokens.append(found)
      start = end
    }
    return true
  }

  private func words(of text: String) -> [String.UnicodeScalarView] {
    let plain = lowercases ? text.lowercased().decomposedStringWithCanonicalMapping : text
    var words: [String.UnicodeScalarView] = []
    var word = String.UnicodeScalarView()
    func end() {
      if !word.isEmpty { words.append(word) }
      word = String.UnicodeScalarView()
    }
    for scalar in plain.unicodeScalars {
      switch Self.kind(of: scalar) {
      case .space: end()
      case .nothing: break
      case .mark where lowercases: break
      case .alone:
        end()
        word.append(scalar)
        end()
      case .mark, .letter: word.append(scalar)
      }
    }
    end()
    return words
  }

  private enum Kind { case letter, space, alone, mark, nothing }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return .letter
    case 0x09, 0x0A, 0x0D, 0x20: return .space
    case 0x21...0x7E: return .alone
    case 0, 0xFFFD: return .nothing
    // Ideographs, without kana and hangul.
    case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x2CEAF, 0x2F800...0x2FA1F:
      return .alone
    default: break
    }
    switch scalar.properties.generalCategory {
    case .spaceSeparator: return .space
    case .control, .format, .privateUse, .surrogate, .unassigned: return .nothing
    case .nonspacingMark: return .mark
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      return .alone
    default: return .letter
    }
  }
}
