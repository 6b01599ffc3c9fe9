/// Where the parser is.
enum JSONParserState: UInt8, Sendable {
  /// Before a value, the first element of an array or its end, and so on.
  case value, firstElement, firstKey, key, colon, afterValue, end
  // In a string: its characters, after a backslash, the digits after \u, the \ and u of the second
  // half of a surrogate pair, and the later bytes of a character.
  case string, escape, hexadecimal, trailEscape, trailUnit, continuation
  // In a number, by what has just been read.
  case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
  case literal

  /// Whether the parser is in the middle of a string.
  var isInString: Bool { Self.string.rawValue...Self.continuation.rawValue ~= rawValue }

  /// Whether a number may end here.
  var endsNumber: Bool {
    switch self {
    case .zero, .integer, .fraction, .exponentDigits: true
    default: false
    }
  }
}

/// `null`, `true` and `false`.
enum JSONLiteral: UInt8, Sendable {
  case null, yes, no

  var text: StaticString {
    switch self {
    case .null: "null"
    case .yes: "true"
    case .no: "false"
    }
  }

  var tag: JSONTape.Tag {
    switch self {
    case .null: .null
    case .yes: .yes
    case .no: .no
    }
  }
}

extension JSONMachine {
  /// Reads the bytes of the text from `start` to its end.
  @inline(__always)
  func scan(from start: Int) throws(JSONSyntaxError) {
    let text = text
    let end = textCount
    var index = start
    while index < end {
      // Most bytes are in strings: a branch that is nearly always right spares them the jump.
      if state == .string {
        while index < end, Self.isPlain(text[index]) { index &+= 1 }
        guard index < end else { return }
        if text[index] == UInt8(ascii: "\"") {
          try endString(at: index)
          index &+= 1
          if index < end, text[index] == UInt8(ascii: ":"), state == .colon {
            state = .value
            index &+= 1
          }
          continue
        }
        try readInString(text[index], at: index)
        index &+= 1
        continue
      }
      let byte = text[index]
      switch state {
      case .string: break
      case .value, .firstElement:
        if !Self.isWhiteSpace(byte) { try readValue(byte, at: index) }
      case .afterValue:
        if !Self.isWhiteSpace(byte) { try readAfterValue(byte, at: index) }
      case .firstKey, .key:
        if !Self.isWhiteSpace(byte) { try readKey(byte, at: index) }
      case .colon:
        if byte == UInt8(ascii: ":") {
          state = .value
        } else if !Self.isWhiteSpace(byte) {
          throw unexpected(byte, at: index)
        }
      case .minus, .zero, .integer, .point, .fraction, .exponent, .exponentSign,
        .exponentDigits:
        // The byte after a number belongs to what follows it.
        guard try readInNumber(byte, at: index) else { continue }
      case .literal: try readInLiteral(byte, at: index)
      case .escape, .hexadecimal, .trailEscape, .trailUnit, .continuation:
        try readInCharacter(byte, at: index)
      case .end:
        guard Self.isWhiteSpace(byte) else { throw unexpected(byte, at: index) }
      }
      index &+= 1
    }
  }

  @inline(__always)
  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Whether a byte of a string stands for itself and is a character of its own.
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte &- 0x20 < 0x60 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private func unexpected(_ byte: UInt8, at index: Int) -> JSONSyntaxError {
    error(.unexpected(found: byte, expected: expectation), at: index)
  }

  // MARK: Structure

  private func readValue(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
    switch byte {
    case UInt8(ascii: "\""): beginString(at: index, isKey: false)
    case UInt8(ascii: "{"): try open(isObject: true, at: index)
    case UInt8(ascii: "["): try open(isObject: false, at: index)
    case UInt8(ascii: "]") where state == .firstElement: close()
    case UInt8(ascii: "-"): beginNumber(.minus, at: index)
    case UInt8(ascii: "0"): beginNumber(.zero, at: index)
    case UInt8(ascii: "1")...UInt8(ascii: "9"): beginNumber(.integer, at: index)
    case UInt8(ascii: "n"): beginLiteral(.null, at: index)
    case UInt8(ascii: "t"): beginLiteral(.yes, at: index)
    case UInt8(ascii: "f"): beginLiteral(.no, at: index)
    default: throw unexpected(byte, at: index)
    }
  }

  private func readKey(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
    if byte == UInt8(ascii: "\"") {
      beginString(at: index, isKey: true)
    } else if byte == UInt8(ascii: "}"), state == .firstKey {
      close()
    } else {
      throw unexpected(byte, at: index)
    }
  }

  private func readAfterValue(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
    if byte == UInt8(ascii: ",") {
      state = innermostIsObject ? .key : .value
    } else if byte == (innermostIsObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      close()
    } else {
      throw unexpected(byte, at: index)
    }
  }

  private func open(isObject: Bool, at index: Int) throws(JSONSyntaxError) {
    guard outerCounts.count < limits.depth else {
      throw error(.tooDeep(limit: limits.depth), at: index)
    }
    let outer = innermost
    outerCounts.append(memberCount)
    innermost = wordCount
    innermostIsObject = isObject
    memberCount = 0
    write(JSONTapeWord(isObject ? .openObject : .openArray, offset: outer))
    state = isObject ? .firstKey : .firstElement
  }

  private func close() {
    let outer = tape[innermost].outer
    if memberCount > Self.keyTableThreshold, innermostIsObject { keyTables[innermost] = nil }
    write(
      JSONTapeWord(
        innermostIsObject ? .closeObject : .closeArray, offset: innermost, length: memberCount))
    memberCount = outerCounts.removeLast()
    innermost = outer
    innermostIsObject = outer >= 0 && tape[outer].tag == .openObject
    valueEnded()
  }

  @inline(__always)
  private func valueEnded() {
    memberCount &+= 1
    state = innermost < 0 ? .end : .afterValue
  }

  // MARK: Numbers and literals

  private func beginNumber(_ first: JSONParserState, at index: Int) {
    tokenStart = index
    state = first
  }

  /// Takes the byte if the number goes on with it; otherwise ends the number.
  private func readInNumber(
    _ byte: UInt8, at index: Int
  ) throws(JSONSyntaxError) -> Bool {
    let isDigit = byte &- 0x30 < 10
    switch state {
    case .minus where isDigit: state = byte == UInt8(ascii: "0") ? .zero : .integer
    case .integer where isDigit, .fraction where isDigit, .exponentDigits where isDigit: break
    case .point where isDigit: state = .fraction
    case .exponent where isDigit, .exponentSign where isDigit: state = .exponentDigits
    case .zero where byte == UInt8(ascii: "."), .integer where byte == UInt8(ascii: "."):
      state = .point
    case .zero where byte | 0x20 == UInt8(ascii: "e"),
      .integer where byte | 0x20 == UInt8(ascii: "e"),
      .fraction where byte | 0x20 == UInt8(ascii: "e"):
      state = .exponent
    case .exponent where byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"):
      state = .exponentSign
    case .zero where isDigit: throw unexpected(byte, at: index)
    case .zero, .integer, .fraction, .exponentDigits:
      completeNumber(endingAt: index)
      return false
    default: throw unexpected(byte, at: index)
    }
    return true
  }

  /// Ends the current number, if there is one that may end.
  func completeNumber(endingAt end: Int) {
    guard state.endsNumber else { return }
    write(JSONTapeWord(.number, offset: tokenStart, length: end - tokenStart))
    valueEnded()
  }

  private func beginLiteral(_ literal: JSONLiteral, at index: Int) {
    self.literal = literal
    tokenStart = index
    state = .literal
  }

  private func readInLiteral(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
    let text = literal.text
    let position = index - tokenStart
    guard text.utf8Start[position] == byte else { throw unexpected(byte, at: index) }
    if position + 1 == text.utf8CodeUnitCount {
      write(JSONTapeWord(literal.tag))
      valueEnded()
    }
  }

  // MARK: Strings

  private func beginString(at index: Int, isKey: Bool) {
    self.isKey = isKey
    tokenStart = index + 1
    hasEscapes = false
    state = .string
  }

  /// Reads a byte of a string that does not stand for itself.
  private func readInString(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
    switch byte {
    case UInt8(ascii: "\\"):
      scalarStart = index
      hasEscapes = true
      state = .escape
    case 0xC2...0xDF: beginCharacter(at: index, remaining: 1, next: 0x80...0xBF)
    case 0xE0: beginCharacter(at: index, remaining: 2, next: 0xA0...0xBF)
    case 0xED: beginCharacter(at: index, remaining: 2, next: 0x80...0x9F)
    case 0xE1...0xEF: beginCharacter(at: index, remaining: 2, next: 0x80...0xBF)
    case 0xF0: beginCharacter(at: index, remaining: 3, next: 0x90...0xBF)
    case 0xF1...0xF3: beginCharacter(at: index, remaining: 3, next: 0x80...0xBF)
    case 0xF4: beginCharacter(at: index, remaining: 3, next: 0x80...0x8F)
    case 0..<0x20: throw unexpected(byte, at: index)
    default: throw error(.invalidUTF8, at: index)
    }
  }

  private func beginCharacter(
    at index: Int, remaining: UInt8, next: ClosedRange<UInt8>
  ) {
    scalarStart = index
    self.remaining = remaining
    continuation = next
    state = .continuation
  }

  /// Reads a byte in the middle of an escape or of a character of several bytes.
  private func readInCharacter(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
    switch state {
    case .continuation:
      guard continuation.contains(byte) else { throw error(.invalidUTF8, at: scalarStart) }
      continuation = 0x80...0xBF
      remaining -= 1
      if remaining == 0 { state = .string }
    case .escape:
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
        UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        state = .string
      case UInt8(ascii: "u"): beginUnit()
      default: throw unexpected(byte, at: index)
      }
    case .trailEscape:
      guard byte == UInt8(ascii: "\\") else { throw error(.loneSurrogate, at: scalarStart) }
      state = .trailUnit
    case .trailUnit:
      guard byte == UInt8(ascii: "u") else { throw error(.loneSurrogate, at: scalarStart) }
      beginUnit()
    default:
      guard let digit = byte.hexadecimalValue else { throw unexpected(byte, at: index) }
      unit = unit &<< 4 | UInt32(digit)
      remaining -= 1
      if remaining == 0 { try endUnit() }
    }
  }

  private func beginUnit() {
    unit = 0
    remaining = 4
    state = .hexadecimal
  }

  private func endUnit() throws(JSONSyntaxError) {
    let isTrail = 0xDC00...0xDFFF ~= unit
    guard isTrail == (leadSurrogate != 0) else { throw error(.loneSurrogate, at: scalarStart) }
    if 0xD800...0xDBFF ~= unit {
      leadSurrogate = unit
      state = .trailEscape
    } else {
      leadSurrogate = 0
      state = .string
    }
  }

  private func endString(at index: Int) throws(JSONSyntaxError) {
    let word = JSONTapeWord(
      isKey ? .key : .string, offset: tokenStart, length: index - tokenStart,
      hasEscapes: hasEscapes)
    if isKey {
      try checkUnused(word)
      write(word)
      state = .colon
    } else {
      write(word)
      valueEnded()
    }
  }

  // MARK: What is expected

  /// What may stand here, for an error.
  var expectation: String {
    switch state {
    case .value: "a value"
    case .firstElement: "a value or ']'"
    case .firstKey: "a property name or '}'"
    case .key: "a property name"
    case .colon: "a colon"
    case .afterValue: innermostIsObject ? "a comma or '}'" : "a comma or ']'"
    case .end: "nothing more"
    case .string, .continuation: "a character of a string (control characters are escaped)"
    case .escape: "an escape: one of \"\\/bfnrtu"
    case .hexadecimal: "a hexadecimal digit"
    case .trailEscape, .trailUnit: "the other half of a surrogate pair"
    case .minus, .point, .exponentSign: "a digit"
    case .exponent: "a digit or a sign"
    case .zero: "a point, an exponent or the end of the number"
    case .integer, .fraction, .exponentDigits: "a digit or the end of the number"
    case .literal: "'\(literal.text)'"
    }
  }
}

extension UInt8 {
  var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
