// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How escapes are read. They are rare: the table leads here, and this says which row comes next.
extension JSONMachine {
  /// Where in an escape the machine is.
  enum EscapePart: UInt8, Sendable {
    /// After the backslash, in the digits after \u, and before the \ and the u of the second half
    /// of a surrogate pair.
    case letter, digits, trailBackslash, trailLetter
  }

  func beginEscape(at index: Int) {
    lastEscape = index
    escapePart = .letter
  }

  func readEscape(_ byte: UInt8, at index: Int) throws(JSONSyntaxError) -> UInt16 {
    switch escapePart {
    case .letter:
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
        UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        return rowAfterEscape
      case UInt8(ascii: "u"): beginUnit()
      default: throw unexpected(byte, at: index)
      }
    case .trailBackslash:
      guard byte == UInt8(ascii: "\\") else { throw error(.loneSurrogate, at: lastEscape) }
      escapePart = .trailLetter
    case .trailLetter:
      guard byte == UInt8(ascii: "u") else { throw error(.loneSurrogate, at: lastEscape) }
      beginUnit()
    case .digits:
      guard let digit = JSONEscapes.value(ofDigit: byte) else {
        throw error(.unexpected(found: byte, expected: "a hexadecimal digit"), at: index)
      }
      unit = unit &<< 4 | UInt32(digit)
      digitsToCome &-= 1
      if digitsToCome == 0 { return try endUnit() }
    }
    return row
  }

  /// What may stand here in an escape, for an error at the end of the text.
  var expectationInEscape: String {
    switch escapePart {
    case .letter: state.expectation
    case .digits: "a hexadecimal digit"
    case .trailBackslash, .trailLetter: "the other half of a surrogate pair"
    }
  }

  private var rowAfterEscape: UInt16 {
    JSONTransitions.row(of: state == .nameEscape ? .name : .string)
  }

  private func beginUnit() {
    unit = 0
    digitsToCome = 4
    escapePart = .digits
  }

  private func endUnit() throws(JSONSyntaxError) -> UInt16 {
    let isTrail = 0xDC00...0xDFFF ~= unit
    guard isTrail == (leadSurrogate != 0) else { throw error(.loneSurrogate, at: lastEscape) }
    if 0xD800...0xDBFF ~= unit {
      leadSurrogate = unit
      escapePart = .trailBackslash
      return row
    }
    leadSurrogate = 0
    return rowAfterEscape
  }
}
