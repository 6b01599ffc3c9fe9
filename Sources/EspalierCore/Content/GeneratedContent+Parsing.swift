extension GeneratedContent {
  /// Reads JSON. Of JSON that is cut off, what is there becomes incomplete content.
  ///
  /// - Throws: ``ParsingError`` where the text is not JSON, nor the beginning of any.
  public init(json: String) throws {
    var reader = JSONReader(bytes: Array(json.utf8))
    do {
      self = try reader.document()
    } catch let error {
      throw ParsingError(rawContent: json, debugDescription: error.description)
    }
  }
}

/// Reads JSON, cut off or not.
private struct JSONReader {
  let bytes: [UInt8]
  var position = 0

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(Failure) -> GeneratedContent {
    let content = try value(depth: 0) ?? GeneratedContent(.null, isComplete: false)
    skipWhiteSpace()
    guard position == bytes.count else { throw failure("the end") }
    return content
  }

  private func failure(_ expected: String) -> Failure {
    Failure(description: "Expected \(expected) at byte \(position).")
  }

  private mutating func skipWhiteSpace() {
    while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) {
      position += 1
    }
  }

  /// The value here, or nil where the text ends before it can be told.
  private mutating func value(depth: Int) throws(Failure) -> GeneratedContent? {
    skipWhiteSpace()
    guard position < bytes.count else { return nil }
    guard depth < 512 else { throw failure("at most 512 levels") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""):
      let (text, isComplete) = try string()
      return GeneratedContent(.string(text), isComplete: isComplete)
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default:
      let start = position
      while position < bytes.count,
        "+-.0123456789eE".utf8.contains(bytes[position])
      {
        position += 1
      }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      if position == bytes.count && depth > 0 { return nil }
      guard Double(text) != nil else { throw failure("a value") }
      return GeneratedContent(.number(JSONNumber(text: text)))
    }
  }

  private mutating func literal(
    _ text: String, _ value: GeneratedContent.Value
  ) throws(Failure) -> GeneratedContent? {
    for byte in text.utf8 {
      guard position < bytes.count else { return nil }
      guard bytes[position] == byte else { throw failure(text) }
      position += 1
    }
    return GeneratedContent(value)
  }

  private mutating func array(depth: Int) throws(Failure) -> GeneratedContent {
    position += 1
    var elements: [GeneratedContent] = []
    while true {
      skipWhiteSpace()
      if position < bytes.count, bytes[position] == UInt8(ascii: "]"), elements.isEmpty {
        position += 1
        return GeneratedContent(.array(elements))
      }
      guard let element = try value(depth: depth + 1) else {
        return GeneratedContent(.array(elements), isComplete: false)
      }
      elements.append(element)
      skipWhiteSpace()
      guard position < bytes.count else {
        return GeneratedContent(.array(elements), isComplete: false)
      }
      position += 1
      switch bytes[position - 1] {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "]"): return GeneratedContent(.array(elements))
      default: throw failure("a comma or a bracket")
      }
    }
  }

  private mutating func object(depth: Int) throws(Failure) -> GeneratedContent {
    position += 1
    var structure = GeneratedContent.Structure()
    while true {
      skipWhiteSpace()
      guard position < bytes.count else { break }
      if bytes[position] == UInt8(ascii: "}"), structure.orderedKeys.isEmpty {
        position += 1
        return GeneratedContent(.structure(structure))
      }
      guard bytes[position] == UInt8(ascii: "\"") else { throw failure("a property name") }
      let (key, isComplete) = try string()
      skipWhiteSpace()
      guard isComplete, position < bytes.count else { break }
      guard bytes[position] == UInt8(ascii: ":") else { throw failure("a colon") }
      position += 1
      guard let member = try value(depth: depth + 1) else { break }
      structure[key] = member
      skipWhiteSpace()
      guard position < bytes.count else { break }
      position += 1
      switch bytes[position - 1] {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "}"): return GeneratedContent(.structure(structure))
      default: throw failure("a comma or a brace")
      }
    }
    return GeneratedContent(.structure(structure), isComplete: false)
  }

  private mutating func string() throws(Failure) -> (String, isComplete: Bool) {
    position += 1
    var text: [UInt16] = []
    var plain: [UInt8] = []
    var result = ""
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        result += String(decoding: plain, as: UTF8.self)
        result += String(decoding: text, as: UTF16.self)
        return (result, true)
      }
      guard byte == UInt8(ascii: "\\") else {
        if !text.isEmpty {
          result += String(decoding: text, as: UTF16.self)
          text = []
        }
        plain.append(byte)
        continue
      }
      guard position < bytes.count else { break }
      let escape = bytes[position]
      position += 1
      let unit: UInt16
      switch escape {
      case UInt8(ascii: "n"): unit = 0x0A
      case UInt8(ascii: "t"): unit = 0x09
      case UInt8(ascii: "r"): unit = 0x0D
      case UInt8(ascii: "b"): unit = 0x08
      case UInt8(ascii: "f"): unit = 0x0C
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unit = UInt16(escape)
      case UInt8(ascii: "u"):
        guard position + 4 <= bytes.count else {
          position = bytes.count
          result += String(decoding: plain, as: UTF8.self)
          return (result, false)
        }
        let hex = String(decoding: bytes[position..<position + 4], as: UTF8.self)
        guard let value = UInt16(hex, radix: 16) else { throw failure("four hexadecimal digits") }
        position += 4
        unit = value
      default: throw failure("an escape")
      }
      if !plain.isEmpty {
        result += String(decoding: plain, as: UTF8.self)
        plain = []
      }
      text.append(unit)
    }
    result += String(decoding: plain, as: UTF8.self) + String(decoding: text, as: UTF16.self)
    return (result, false)
  }
}
