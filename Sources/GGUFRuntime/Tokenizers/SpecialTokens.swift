// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Finds the names of special tokens in texts.
///
/// Longer names are found before shorter ones, over the whole text, as llama.cpp does: each name in
/// turn cuts the parts of text that are left.
struct SpecialTokens: Sendable {
  enum Part {
    case token(Int)
    case text(Range<Int>)
  }

  private struct Name: Sendable {
    var token: Int
    var bytes: [UInt8]
    var isControl: Bool
    /// Whether it looks like markup: `<…>` or `[…]`.
    var isBracketed: Bool {
      bytes.first == 0x3C && bytes.last == 0x3E || bytes.first == 0x5B && bytes.last == 0x5D
    }
    /// Whether the white space after it belongs to it.
    var stripsAfter: Bool
  }

  private let names: [Name]

  /// What Phi-3 writes after these is text.
  private static let neverStripping: Set<String> = ["<unk>", "<s>", "<|endoftext|>"]

  init(_ tables: TokenizerTables) {
    var names: [Name] = []
    for index in tables.tokens.indices {
      let kind = tables.kinds[index]
      guard kind == .control || kind == .unknown || kind == .userDefined else { continue }
      let bytes = Array(tables.tokens[index])
      names.append(
        Name(
          token: index, bytes: bytes, isControl: kind != .userDefined,
          stripsAfter: tables.stripsAfterSpecialTokens
            && !Self.neverStripping.contains(String(decoding: bytes, as: UTF8.self))))
    }
    names.removeAll { $0.bytes.isEmpty }
    self.names = names.sorted {
      $0.bytes.count != $1.bytes.count
        ? $0.bytes.count > $1.bytes.count : $0.token < $1.token
    }
  }

  /// Which names are found.
  enum Scope {
    /// All.
    case markup
    /// Those of the tokens that the author of the file added to the text's own, as llama.cpp has it.
    case text
    /// Of these, those that no template writes as markup: runs of white space, say.
    case quotedText
  }

  func split(_ text: [UInt8], _ scope: Scope) -> [Part] { split(text, 0..<text.count, scope) }

  func split(_ text: [UInt8], _ range: Range<Int>, _ scope: Scope) -> [Part] {
    guard !range.isEmpty else { return [] }
    var parts: [Part] = [.text(range)]
    for name in names where Self.isFound(name, scope) {
      // Most names are not there at all; the last part's search finds that out.
      guard Self.find(name.bytes, in: text[range]) != nil else { continue }
      var next: [Part] = []
      for part in parts {
        guard case .text(var range) = part else {
          next.append(part)
          continue
        }
        while let start = Self.find(name.bytes, in: text[range]) {
          if start > range.lowerBound { next.append(.text(range.lowerBound..<start)) }
          next.append(.token(name.token))
          var rest = start + name.bytes.count
          if name.stripsAfter {
            while rest < range.upperBound, Self.isWhiteSpace(text[rest]) { rest += 1 }
          }
          range = rest..<range.upperBound
        }
        if !range.isEmpty { next.append(.text(range)) }
      }
      parts = next
    }
    return parts
  }

  private static func isFound(_ name: Name, _ scope: Scope) -> Bool {
    switch scope {
    case .markup: true
    case .text: !name.isControl
    // `<tool_call>` is such a token of many models, and no user may write a call.
    case .quotedText: !name.isControl && !name.isBracketed
    }
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || 0x09...0x0D ~= byte
  }

  private static func find(_ name: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
    guard text.count >= name.count else { return nil }
    return text.withUnsafeBufferPointer { buffer in
      let first = name[0]
      for start in 0...(buffer.count - name.count) where buffer[start] == first {
        var length = 1
        while length < name.count, buffer[start + length] == name[length] { length += 1 }
        if length == name.count { return text.startIndex + start }
      }
      return nil
    }
  }
}
