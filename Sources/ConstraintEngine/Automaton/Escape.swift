// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Where inside an escape sequence of a JSON string reading stands, in one word.
///
/// `\u00e9` is read as: after the backslash; hexadecimal with no digits; with the digits 0, 00, 00e;
/// then the scalar is complete. A high surrogate is kept until its low one is complete.
package struct Escape {
  enum Phase: UInt32 {
    case none, backslash, hexadecimal, lowBackslash, lowLetter
  }

  var phase: Phase
  /// The digits read, fewer than four, and their number.
  var value: UInt32 = 0
  var digits: UInt32 = 0
  /// The high surrogate that waits for its low one, less 0xD800, if there is one.
  var high: UInt32?

  init(_ phase: Phase, value: UInt32 = 0, digits: UInt32 = 0, high: UInt32? = nil) {
    self.phase = phase
    self.value = value
    self.digits = digits
    self.high = high
  }

  init(word: UInt32) {
    phase = Phase(rawValue: word & 0xF) ?? .none
    digits = word >> 4 & 3
    value = word >> 8 & 0xFFF
    high = word >> 30 & 1 == 1 ? word >> 20 & 0x3FF : nil
  }

  var word: UInt32 {
    phase.rawValue | digits << 4 | value << 8 | (high.map { $0 << 20 | 1 << 30 } ?? 0)
  }

  /// The most bytes that can still come before the end of the escape.
  var longestRest: Int {
    switch phase {
    case .none: 0
    case .backslash: 11
    case .hexadecimal: Int(4 - digits) + (high == nil ? 6 : 0)
    case .lowBackslash: 6
    case .lowLetter: 5
    }
  }

  /// Whether every scalar can still be spelled.
  var spellsAnything: Bool {
    phase == .backslash || (phase == .hexadecimal && digits == 0 && high == nil)
  }

  /// The bytes that may come next, and perhaps some that may not.
  var nextBytes: ByteSet {
    switch phase {
    case .none: .all
    case .backslash: Self.letterBytes
    case .hexadecimal: Self.digitBytes
    case .lowBackslash: Self.backslashBytes
    case .lowLetter: Self.unicodeBytes
    }
  }

  private static let letterBytes = ByteSet("\"\\/bfnrtu".utf8)
  private static let digitBytes = ByteSet("0123456789abcdefABCDEF".utf8)
  private static let backslashBytes = ByteSet("\\".utf8)
  private static let unicodeBytes = ByteSet("u".utf8)

  /// The escape letters with the characters that they stand for.
  package static let letters: [(letter: UInt8, scalar: UInt32)] = [
    (0x22, 0x22), (0x5C, 0x5C), (0x2F, 0x2F), (0x62, 0x08), (0x66, 0x0C), (0x6E, 0x0A),
    (0x72, 0x0D), (0x74, 0x09),
  ]

  static func scalar(letter: UInt8) -> UInt32? {
    letters.first { $0.letter == letter }?.scalar
  }

  /// The scalars that the digits read so far, and any that follow, can spell.
  var range: [ClosedRange<UInt32>] {
    let shift = 4 * (4 - digits)
    let low = value << shift
    let high = low | ((1 << shift) - 1)
    if let waiting = self.high {
      let from = max(low, 0xDC00)
      let to = min(high, 0xDFFF)
      guard from <= to else { return [] }
      let base = 0x10000 + waiting << 10
      return [base + (from - 0xDC00)...base + (to - 0xDC00)]
    }
    var result: [ClosedRange<UInt32>] = []
    if low < 0xD800 { result.append(low...min(high, 0xD7FF)) }
    if high > 0xDFFF { result.append(max(low, 0xE000)...high) }
    let from = max(low, 0xD800)
    let to = min(high, 0xDBFF)
    if from <= to {
      result.append(0x10000 + (from - 0xD800) << 10...0x10000 + (to - 0xD800) << 10 + 0x3FF)
    }
    return result
  }
}
