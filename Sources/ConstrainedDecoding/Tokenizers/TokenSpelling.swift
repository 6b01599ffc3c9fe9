// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A step of a decoder in a `tokenizer.json`: how the text of a token in the file becomes the bytes
/// that it adds to a text.
enum TokenSpelling {
  /// Each byte is a character of an alphabet: printable ones stand for themselves.
  case byteLevel
  /// One text stands for another: `▁` for a space.
  case replacement(of: [UInt8], by: [UInt8])
  /// `<0x0A>` stands for one byte.
  case byteTokens

  /// The steps of a file's decoder.
  ///
  /// - Throws: ``VocabularyError`` where a step looks at more than one token.
  static func steps(of document: JSONDocument) throws(VocabularyError) -> [TokenSpelling] {
    var steps: [TokenSpelling] = []
    var isFused = false
    for node in flattened(document.member("decoder", of: document.root), "decoders", document) {
      let type = document.member("type", of: node).map(document.string) ?? ""
      switch type {
      case "ByteLevel": steps.append(.byteLevel)
      case "Metaspace":
        let mark = document.member("replacement", of: node).map { Array(document.text($0)) }
        steps.append(.replacement(of: mark ?? Array("▁".utf8), by: [0x20]))
      case "Replace":
        guard let pattern = document.member("pattern", of: node),
          let text = document.member("String", of: pattern), !document.text(text).isEmpty,
          let content = document.member("content", of: node)
        else { throw unreadable("a decoder that replaces by a regular expression") }
        steps.append(
          .replacement(of: Array(document.text(text)), by: Array(document.text(content))))
      case "ByteFallback": steps.append(.byteTokens)
      case "Fuse": isFused = true
      // At the two ends of a whole text, where the tokens of an answer do not stand.
      case "Strip" where isFused: continue
      default: throw unreadable("the decoder '\(type)'")
      }
    }
    if steps.isEmpty {
      // Older files have no decoder, and say by their pre-tokenizer which alphabet they use.
      let cutters = flattened(
        document.member("pre_tokenizer", of: document.root), "pretokenizers", document)
      let isByteLevel = cutters.contains { node in
        document.member("type", of: node).map(document.string) == "ByteLevel"
      }
      guard isByteLevel else { throw unreadable("no decoder") }
      steps.append(.byteLevel)
    }
    return steps
  }

  private static func flattened(
    _ node: JSONDocument.Node?, _ members: String, _ document: JSONDocument
  ) -> [JSONDocument.Node] {
    guard let node, document.kind(node) == .object else { return [] }
    guard let list = document.member(members, of: node) else { return [node] }
    return document.elements(list).flatMap { flattened($0, members, document) }
  }

  private static func unreadable(_ what: String) -> VocabularyError {
    VocabularyError(
      .unsupportedTokenizer,
      message: "tokenizer.json has \(what): what a token adds to a text then depends on its "
        + "neighbours. Files are read whose decoder is made of ByteLevel, Metaspace, Replace, "
        + "ByteFallback and Fuse; of others pass the bytes of each token to "
        + "Vocabulary(tokens:specialTokens:endOfSequence:)")
  }
}

extension [TokenSpelling] {
  /// The bytes that a token adds to a text.
  ///
  /// - Parameter isAdded: Whether the token was added beside the model's: those are not written in an
  ///   alphabet for bytes.
  func bytes(of text: ArraySlice<UInt8>, isAdded: Bool) -> [UInt8] {
    var result = [UInt8](text)
    for step in self {
      switch step {
      case .byteLevel where !isAdded: result = ByteLevelAlphabet.bytes(of: result)
      case .byteLevel: continue
      case .replacement(let old, let new): result = result.replacing(old, with: new)
      case .byteTokens: result = result.byteOfToken.map { [$0] } ?? result
      }
    }
    return result
  }
}

extension [UInt8] {
  /// The byte that `<0x0A>` names.
  fileprivate var byteOfToken: UInt8? {
    guard count == 6, starts(with: "<0x".utf8), self[5] == 0x3E,
      let high = self[3].hexadecimalValue, let low = self[4].hexadecimalValue
    else { return nil }
    return high << 4 | low
  }
}

/// How byte-level tokenizers write bytes as characters: printable ones as themselves, all others as
/// the characters from U+0100 on, in their order.
enum ByteLevelAlphabet {
  /// By character up to the last of the alphabet, U+0143.
  private static let bytes: [UInt8?] = {
    var table = [UInt8?](repeating: nil, count: 0x144)
    var next = 0x100
    for byte in UInt8.min...UInt8.max {
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: table[Int(byte)] = byte
      default:
        table[next] = byte
        next += 1
      }
    }
    return table
  }()

  /// The bytes that a token stands for; its own bytes where a character is not in the alphabet.
  static func bytes(of token: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(token.count)
    var lead = 0
    for unit in token {
      // The alphabet's characters take one unit of UTF-8 or two.
      switch unit {
      case ..<0x80: lead = Int(unit)
      case 0xC2...0xC5:
        lead = Int(unit & 31) << 6
        continue
      case 0x80..<0xC0 where lead >= 0x80: lead |= Int(unit & 63)
      default: return token
      }
      guard lead < bytes.count, let byte = bytes[lead] else { return token }
      result.append(byte)
      lead = 0
    }
    return result
  }
}
