// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// A small vocabulary of single bytes, common words, and the marks of JSON that stand together.
enum SamplingVocabulary {
  /// What a token is, for its weight.
  enum Kind: Sendable {
    case word, spacedWord, capitalizedWord, letter, digit, space, punctuation, fullStop
    case quotationMark, structure, closing, literal, end, rare, byte
    /// A quotation mark and what follows a string: as the beginning of a string it would be odd.
    case stringEnd
  }

  static let words = [
    "a", "about", "all", "and", "at", "bridge", "by", "calm", "city", "day", "early", "evening",
    "fine", "for", "from", "garden", "good", "great", "green", "house", "in", "it", "lake", "light",
    "little", "long", "market", "morning", "museum", "near", "new", "of", "old", "on", "open",
    "over", "park", "path", "place", "quiet", "river", "road", "sea", "small", "street", "summer",
    "temple", "the", "time", "to", "tower", "town", "train", "tree", "view", "walk", "warm", "way",
    "with", "year",
  ]

  /// Words that join others: two of them do not stand together, and no text ends with one.
  private static let joiningWords: Set<String> = [
    "a", "about", "all", "and", "at", "by", "for", "from", "in", "near", "of", "on", "over", "the",
    "to", "with",
  ]

  /// Whether each token is a word that joins others.
  static let joins: [Bool] = tokens.map { bytes in
    joiningWords.contains(
      String(decoding: bytes, as: UTF8.self).lowercased().filter { $0 != " " })
  }

  private static let tokens: [[UInt8]] = {
    var tokens = (0..<256).map { [UInt8($0)] }
    tokens.append([])
    for word in words where word.utf8.count > 1 {
      tokens.append(Array(word.utf8))
      tokens.append(Array((" " + word).utf8))
      tokens.append(Array(word.capitalizedFirst.utf8))
    }
    for mark in [
      "\":", "\",", "\"}", "{\"", ",\"", "\":\"", "},", "],", "[{", "true", "false", "null",
    ] {
      tokens.append(Array(mark.utf8))
    }
    return tokens
  }()

  static let vocabulary: Vocabulary = {
    do {
      return try Vocabulary(tokens: tokens, specialTokens: [256], endOfSequence: 256)
    } catch {
      return .singleBytes
    }
  }()

  static let kinds: [Kind] = tokens.indices.map { id in
    id == vocabulary.endOfSequence ? .end : kind(of: tokens[id])
  }

  /// Whether each token ends with a comma, or with a quotation mark that may open a key.
  static let leadsToKeys: [Bool] = tokens.map { bytes in
    [",", ",\"", "\",", "},", "],", "{\""].contains { bytes.elementsEqual($0.utf8) }
  }

  /// The byte that a token is; nil for one of several.
  static func byte(of token: Int) -> UInt8? { UInt8(exactly: token) }

  private static func kind(of bytes: [UInt8]) -> Kind {
    guard let first = bytes.first else { return .rare }
    if bytes.count > 1 {
      switch first {
      case UInt8(ascii: "\""): return .stringEnd
      // Another element or member comes after `},` and `],`: a list goes on.
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        return bytes.contains(UInt8(ascii: ",")) ? .structure : .closing
      case UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: "["): return .structure
      case UInt8(ascii: " "): return .spacedWord
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): return .capitalizedWord
      default:
        let literals: [StaticString] = ["true", "false", "null"]
        return literals.contains { bytes.elementsEqual($0.description.utf8) } ? .literal : .word
      }
    }
    switch first {
    case UInt8(ascii: "\""): return .quotationMark
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return .closing
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: ":"):
      return .structure
    case UInt8(ascii: "a")...UInt8(ascii: "z"): return .letter
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return .digit
    case UInt8(ascii: " "): return .space
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
      return .punctuation
    case UInt8(ascii: "."): return .fullStop
    case 0x21...0x7E: return .rare
    default: return .byte
    }
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
