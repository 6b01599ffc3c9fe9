extension JSONMachine {
  func beginString(at index: Int, isKey: Bool) {
    self.isKey = isKey
    tokenStart = index + 1
    hasEscapes = false
    state = .string
  }

  /// Reads a byte of a string that does not stand for itself.
  func readInString(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
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
  func readInCharacter(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) {
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

  func endString(at index: Int) throws(JSONSyntaxError) {
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
