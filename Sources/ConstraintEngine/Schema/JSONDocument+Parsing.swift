// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension JSONDocument {
  /// Reads a JSON text (RFC 8259).
  ///
  /// - Parameters:
  ///   - text: the UTF-8 bytes of the text.
  ///   - depthLimit: how deep containers may nest.
  /// - Throws: ``SyntaxError`` with the offset and what was expected there.
  /// - Complexity: linear in the text.
  package init(
    parsing text: some Collection<UInt8>, depthLimit: Int = 512
  ) throws(SyntaxError) {
    var parser = Parser(input: Array(text), depthLimit: depthLimit)
    parser.bytes.reserveCapacity(parser.input.count)
    // A byte order mark may be ignored (RFC 8259, section 8.1).
    if parser.input.starts(with: [0xEF, 0xBB, 0xBF]) { parser.at = 3 }
    try parser.value(depth: 0)
    parser.skipSpace()
    if parser.at < parser.input.count {
      throw SyntaxError(offset: parser.at, expected: "the end of the text")
    }
    self.init(
      records: parser.records, bytes: parser.bytes, loneSurrogates: parser.loneSurrogates)
  }

  private struct Parser {
    let input: [UInt8]
    let depthLimit: Int
    var at = 0
    var records: [Record] = []
    var bytes: [UInt8] = []
    var loneSurrogates: Set<Node> = []

    mutating func skipSpace() {
      while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        at += 1
      }
    }

    func peek() -> UInt8? { at < input.count ? input[at] : nil }

    func failure(_ expected: String) -> SyntaxError {
      SyntaxError(offset: at, expected: expected)
    }

    mutating func value(depth: Int) throws(SyntaxError) {
      skipSpace()
      guard depth < depthLimit else {
        throw SyntaxError(
          offset: at, expected: "at most \(depthLimit) levels of nesting (the limit `depth`)",
          isLimit: true)
      }
      switch peek() {
      case UInt8(ascii: "{"): try object(depth: depth)
      case UInt8(ascii: "["): try array(depth: depth)
      case UInt8(ascii: "\""): try string()
      case UInt8(ascii: "t"): try literal("true", .true)
      case UInt8(ascii: "f"): try literal("false", .false)
      case UInt8(ascii: "n"): try literal("null", .null)
      case .some(let byte) where byte == 0x2D || (0x30...0x39).contains(byte): try number()
      default: throw failure("a JSON value")
      }
    }

    mutating func literal(_ word: StaticString, _ kind: Kind) throws(SyntaxError) {
      let length = word.utf8CodeUnitCount
      let matches = word.withUTF8Buffer {
        at + length <= input.count && input[at..<at + length].elementsEqual($0)
      }
      guard matches else { throw failure("`\(word)`") }
      at += length
      records.append(Record(kind: kind, start: 0, end: 0))
    }

    mutating func object(depth: Int) throws(SyntaxError) {
      let node = records.count
      records.append(Record(kind: .object, start: 0, end: 0))
      at += 1
      skipSpace()
      var count = 0
      if peek() == UInt8(ascii: "}") {
        at += 1
      } else {
        while true {
          skipSpace()
          guard peek() == UInt8(ascii: "\"") else { throw failure("a key in quotes") }
          try string()
          skipSpace()
          guard peek() == UInt8(ascii: ":") else { throw failure("`:`") }
          at += 1
          try value(depth: depth + 1)
          count += 1
          skipSpace()
          if peek() == UInt8(ascii: ",") {
            at += 1
            continue
          }
          guard peek() == UInt8(ascii: "}") else { throw failure("`,` or `}`") }
          at += 1
          break
        }
      }
      records[node].start = count
      records[node].end = records.count
    }

    mutating func array(depth: Int) throws(SyntaxError) {
      let node = records.count
      records.append(Record(kind: .array, start: 0, end: 0))
      at += 1
      skipSpace()
      var count = 0
      if peek() == UInt8(ascii: "]") {
        at += 1
      } else {
        while true {
          try value(depth: depth + 1)
          count += 1
          skipSpace()
          if peek() == UInt8(ascii: ",") {
            at += 1
            continue
          }
          guard peek() == UInt8(ascii: "]") else { throw failure("`,` or `]`") }
          at += 1
          break
        }
      }
      records[node].start = count
      records[node].end = records.count
    }

    mutating func number() throws(SyntaxError) {
      let start = at
      if peek() == UInt8(ascii: "-") { at += 1 }
      if peek() == UInt8(ascii: "0") { at += 1 } else { try digits() }
      if peek() == UInt8(ascii: ".") {
        at += 1
        try digits()
      }
      if let e = peek(), e | 0x20 == UInt8(ascii: "e") {
        at += 1
        if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { at += 1 }
        try digits()
      }
      let from = bytes.count
      bytes.append(contentsOf: input[start..<at])
      records.append(Record(kind: .number, start: from, end: bytes.count))
    }

    mutating func digits() throws(SyntaxError) {
      let start = at
      while let digit = peek(), (0x30...0x39).contains(digit) { at += 1 }
      guard at > start else { throw failure("a digit") }
    }

    mutating func string() throws(SyntaxError) {
      at += 1
      let from = bytes.count
      while true {
        let run = at
        at = endOfRun(from: at)
        bytes.append(contentsOf: input[run..<at])
        guard let byte = peek() else { throw failure("`\"` at the end of the string") }
        at += 1
        if byte == 0x22 { break }
        guard byte == 0x5C else {
          at -= 1
          throw failure("no control character inside a string")
        }
        try escape()
      }
      records.append(Record(kind: .string, start: from, end: bytes.count))
    }

    /// The next byte that ends a string, or does not stand in one for itself.
    private func endOfRun(from start: Int) -> Int {
      let bytes = input.span
      var at = start
      while at < bytes.count, bytes[at] >= 0x20, bytes[at] != 0x22, bytes[at] != 0x5C { at += 1 }
      return at
    }

    mutating func escape() throws(SyntaxError) {
      guard let byte = peek() else { throw failure("an escape") }
      at += 1
      switch byte {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
      case UInt8(ascii: "u"):
        var unit = try hexadecimal()
        if (0xD800..<0xDC00).contains(unit), at + 1 < input.count, input[at] == 0x5C,
          input[at + 1] == UInt8(ascii: "u")
        {
          let second = at
          at += 2
          let low = try hexadecimal()
          if (0xDC00..<0xE000).contains(low) {
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
          } else {
            at = second
          }
        }
        // A lone surrogate is no text; a schema that has one in a description still has to be read.
        if Unicode.Scalar(unit) == nil { loneSurrogates.insert(records.count) }
        let scalar: Unicode.Scalar = Unicode.Scalar(unit) ?? "\u{FFFD}"
        bytes.append(contentsOf: String(scalar).utf8)
      default:
        at -= 1
        throw failure("an escape character")
      }
    }

    mutating func hexadecimal() throws(SyntaxError) -> UInt32 {
      var value: UInt32 = 0
      for _ in 0..<4 {
        guard let byte = peek(), let digit = byte.hexadecimalValue else {
          throw failure("four hexadecimal digits")
        }
        value = value << 4 | UInt32(digit)
        at += 1
      }
      return value
    }
  }
}
