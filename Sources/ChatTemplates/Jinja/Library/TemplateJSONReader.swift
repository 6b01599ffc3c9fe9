// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reads JSON as Python's `json.loads` does: keys keep their order, numbers with a fraction or an
/// exponent are floats, and whole numbers have no bounds. All texts are quoted: they are the
/// conversation's.
struct TemplateJSONReader {
  private let bytes: [UInt8]
  private var index = 0
  private let depthLimit: Int
  /// How many bytes the values count for; see ``ChatTemplate/Limits/workPerByte``.
  private(set) var weight = 0

  private init(_ bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  /// - Throws: Where the text is no JSON, with the byte.
  static func value(
    of bytes: [UInt8], depthLimit: Int
  ) throws(ChatTemplateError) -> (value: TemplateValue, weight: Int) {
    var reader = TemplateJSONReader(bytes, depthLimit: depthLimit)
    let value = try reader.value(depth: 0)
    reader.skipSpaces()
    guard reader.index == bytes.count else { throw reader.problem("the end") }
    return (value, reader.weight)
  }

  private func problem(_ expected: String) -> ChatTemplateError {
    let found =
      index < bytes.count
      ? "'\(String(decoding: bytes[index..<min(index + 12, bytes.count)], as: UTF8.self))'"
      : "the end"
    return ChatTemplateError(
      message: "JSON: \(expected) is expected at byte \(index), not \(found).", line: nil)
  }

  private mutating func skipSpaces() {
    while index < bytes.count, " \n\r\t".utf8.contains(bytes[index]) { index += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    skipSpaces()
    guard index < bytes.count, bytes[index] == UInt8(ascii: byte) else { return false }
    index += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    guard index + word.utf8CodeUnitCount <= bytes.count else { return false }
    let stands = word.withUTF8Buffer { buffer in
      buffer.indices.allSatisfy { bytes[index + $0] == buffer[$0] }
    }
    if stands { index += word.utf8CodeUnitCount }
    return stands
  }

  private mutating func value(depth: Int) throws(ChatTemplateError) -> TemplateValue {
    guard depth < depthLimit else {
      throw ChatTemplateError(
        message: "JSON nests deeper than \(depthLimit) levels at byte \(index).", line: nil)
    }
    weight += 32
    if take("{") { return try object(depth: depth) }
    if take("[") {
      var items: [TemplateValue] = []
      if take("]") { return .items([]) }
      repeat { items.append(try value(depth: depth + 1)) } while take(",")
      guard take("]") else { throw problem("',' or ']'") }
      return .items(items)
    }
    if take("\"") { return .text(TemplateText(utf8: try text(), isQuoted: true)) }
    if take(word: "true") { return .bool(true) }
    if take(word: "false") { return .bool(false) }
    if take(word: "null") { return .none }
    if take(word: "NaN") { return .float(.nan) }
    if take(word: "Infinity") { return .float(.infinity) }
    if take(word: "-Infinity") { return .float(-.infinity) }
    return try number()
  }

  private mutating func object(depth: Int) throws(ChatTemplateError) -> TemplateValue {
    var builder = TemplateDictionary.Builder()
    if take("}") { return .dictionary(.empty) }
    repeat {
      guard take("\"") else { throw problem("a key in quotation marks") }
      let key = TemplateText(utf8: try text(), isQuoted: true)
      guard take(":") else { throw problem("':'") }
      builder.set(try value(depth: depth + 1), .text(key), spelled: .text(key))
    } while take(",")
    guard take("}") else { throw problem("',' or '}'") }
    return .dictionary(builder.dictionary())
  }

  private mutating func number() throws(ChatTemplateError) -> TemplateValue {
    let start = index
    func isDigit() -> Bool { index < bytes.count && bytes[index] >= 0x30 && bytes[index] <= 0x39 }
    func stands(_ set: StaticString) -> Bool {
      index < bytes.count && set.withUTF8Buffer { $0.contains(bytes[index]) }
    }
    if stands("-") { index += 1 }
    guard isDigit() else {
      index = start
      throw problem("a value")
    }
    let firstDigit = index
    while isDigit() { index += 1 }
    guard bytes[firstDigit] != 0x30 || index == firstDigit + 1 else {
      index = firstDigit + 1
      throw problem("no digit after a zero")
    }
    var isFloat = false
    if stands("."), index + 1 < bytes.count, (0x30...0x39).contains(bytes[index + 1]) {
      isFloat = true
      index += 1
      while isDigit() { index += 1 }
    }
    if stands("eE") {
      let mark = index
      index += 1
      if stands("+-") { index += 1 }
      if isDigit() {
        isFloat = true
        while isDigit() { index += 1 }
      } else {
        index = mark
      }
    }
    let spelling = String(decoding: bytes[start..<index], as: UTF8.self)
    weight += index - start
    if isFloat { return .float(Double(spelling) ?? .nan) }
    if let integer = Int(spelling) { return .integer(integer) }
    return .bigInteger(TemplateText(spelling))
  }

  /// Reads a text after its quotation mark.
  private mutating func text() throws(ChatTemplateError) -> [UInt8] {
    let start = index
    var result: [UInt8] = []
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      let byte = bytes[index]
      guard byte >= 0x20 else { throw problem("an escape for a control character") }
      if byte != UInt8(ascii: "\\") {
        result.append(byte)
        index += 1
        continue
      }
      index += 1
      guard index < bytes.count else { break }
      let escape = bytes[index]
      index += 1
      switch escape {
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(escape)
      case UInt8(ascii: "u"): result.append(utf8: try escapedScalar())
      default:
        index -= 1
        throw problem("an escape that JSON knows")
      }
    }
    guard index < bytes.count else { throw problem("'\"'") }
    index += 1
    weight += index - start
    return result
  }

  private mutating func escapedScalar() throws(ChatTemplateError) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // The halves of a pair, or one half alone, which no text can hold.
    if first < 0xDC00, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    {
      let before = index
      index += 2
      let second = try unit()
      if second >= 0xDC00, second < 0xE000 {
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
      }
      index = before
    }
    return "\u{FFFD}"
  }

  private mutating func unit() throws(ChatTemplateError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard index < bytes.count,
        let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue
      else { throw problem("four hexadecimal digits") }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
