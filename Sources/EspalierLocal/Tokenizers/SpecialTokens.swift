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
  }

  private let names: [Name]

  init(_ tables: TokenizerTables) {
    var names: [Name] = []
    for index in tables.tokens.indices {
      switch tables.kinds[index] {
      case .control, .unknown:
        names.append(Name(token: index, bytes: Array(tables.tokens[index]), isControl: true))
      case .userDefined:
        names.append(Name(token: index, bytes: Array(tables.tokens[index]), isControl: false))
      default: break
      }
    }
    names.removeAll { $0.bytes.isEmpty }
    self.names = names.sorted {
      $0.bytes.count != $1.bytes.count
        ? $0.bytes.count > $1.bytes.count : $0.token < $1.token
    }
  }

  func split(_ text: [UInt8], includingControl: Bool) -> [Part] {
    guard !text.isEmpty else { return [] }
    var parts: [Part] = [.text(0..<text.count)]
    for name in names where includingControl || !name.isControl {
      // Most names are not there at all; the last part's search finds that out.
      guard Self.find(name.bytes, in: text[...]) != nil else { continue }
      var next: [Part] = []
      for part in parts {
        guard case .text(var range) = part else {
          next.append(part)
          continue
        }
        while let start = Self.find(name.bytes, in: text[range]) {
          if start > range.lowerBound { next.append(.text(range.lowerBound..<start)) }
          next.append(.token(name.token))
          range = (start + name.bytes.count)..<range.upperBound
        }
        if !range.isEmpty { next.append(.text(range)) }
      }
      parts = next
    }
    return parts
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
