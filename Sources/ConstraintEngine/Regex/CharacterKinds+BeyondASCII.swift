// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The kinds of scalars beyond ASCII.
///
/// Sets of characters hardly ever tell these apart one by one: `\p{L}` takes letters and leaves out
/// symbols, `.` and `\S` leave out white space, addresses leave out controls. So there are four kinds.
/// Every token with such a scalar has ``beyondASCII``, which alone stands for the letters that
/// nineteen of twenty tokens of a large vocabulary have there; the others have a bit beside it.
///
/// Where a token ends within a scalar, it is of the kind of the scalars that begin so. If they are of
/// several, it is of the letters' kind if one of them is a letter, and of ``otherBeyondASCII`` if
/// none is: so `E4`, with which most Chinese characters begin, does not keep tokens that begin so
/// from being taken together.
extension CharacterKinds {
  /// A scalar beyond ASCII, whole or cut at the token's end.
  static let beyondASCII: Bits = 1 << 62
  /// White space, or an end of a line in regular expressions: `.` and `\S` take all others.
  static let spaceBeyondASCII: Bits = 1 << 61
  /// What texts rarely have: controls, private use, and what is no character, which identifiers of
  /// resources leave out.
  static let unusualBeyondASCII: Bits = 1 << 60
  /// What is neither a letter of a common script nor one of the above.
  static let otherBeyondASCII: Bits = 1 << 59
  /// All kinds beyond ASCII.
  static let anyBeyondASCII =
    beyondASCII | spaceBeyondASCII | unusualBeyondASCII | otherBeyondASCII

  /// The scalars of ``spaceBeyondASCII``, in UTF-8 (ECMA-262, sections 12.2 and 12.3).
  static let spacesBeyondASCII: [[UInt8]] = spaceScalarsBeyondASCII.compactMap {
    Unicode.Scalar($0).map { Array(String(Character($0)).utf8) }
  }
  static let spaceScalarsBeyondASCII: [UInt32] =
    [0xA0, 0x1680] + (0x2000...0x200A) + [0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF]
  /// The scalars of ``unusualBeyondASCII``.
  static let unusualScalarsBeyondASCII: [ClosedRange<UInt32>] =
    [0x80...0x9F, 0xE000...0xF8FF, 0xFDD0...0xFDEF, 0xFFF0...0xFFFF]
    + (1...14).map { $0 << 16 | 0xFFFE...$0 << 16 | 0xFFFF } + [0xF_0000...0x10_FFFF]

  /// The letters that ``beyondASCII`` alone stands for. They have been letters since Unicode 3.2, so
  /// that sets which list all letters, of whatever version, have them all.
  static let letterScalarsBeyondASCII: [ClosedRange<UInt32>] = [
    // Latin, Greek, Cyrillic and Armenian.
    0xC0...0xD6, 0xD8...0xF6, 0xF8...0x220, 0x250...0x2AD, 0x386...0x386, 0x388...0x38A,
    0x38C...0x38C, 0x38E...0x3A1, 0x3A3...0x3CE, 0x400...0x481, 0x48A...0x4CE, 0x561...0x587,
    // Hebrew, Arabic, Devanagari and Thai.
    0x5D0...0x5EA, 0x621...0x63A, 0x640...0x64A, 0x671...0x6D3, 0x905...0x939, 0x958...0x961,
    0xE01...0xE30, 0xE32...0xE33, 0xE40...0xE46,
    // Latin of Vietnamese; Japanese, Korean and Chinese.
    0x1EA0...0x1EF9, 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF,
    0x3131...0x318E, 0x4E00...0x9FA5, 0xAC00...0xD7A3,
  ]

  /// One scalar of each kind, in UTF-8, the others' last: a letter, white space, private use and an
  /// accent.
  static let samplesBeyondASCII: [(kind: Bits, text: [UInt8])] = [
    (beyondASCII, [0xC4, 0x80]), (spaceBeyondASCII, [0xC2, 0xA0]),
    (unusualBeyondASCII, [0xEE, 0x80, 0x80]), (otherBeyondASCII, [0xCC, 0x80]),
  ]

  /// The letters, as they are spelled.
  private static let letters = ScalarAutomaton(ScalarSet(letterScalarsBeyondASCII))

  /// The kinds of one scalar, whole or cut.
  static func kindsBeyondASCII(_ text: ArraySlice<UInt8>) -> Bits {
    if areLetters(startingWith: text) { return beyondASCII }
    if areUnusual(startingWith: text) { return beyondASCII | unusualBeyondASCII }
    let isSpace = spacesBeyondASCII.contains { $0.elementsEqual(text) }
    return beyondASCII | (isSpace ? spaceBeyondASCII : otherBeyondASCII)
  }

  /// Whether some scalars that begin with some bytes are letters.
  private static func areLetters(startingWith text: ArraySlice<UInt8>) -> Bool {
    var state = letters.start
    for byte in text {
      state = letters.next(state, byte)
      if state >= ScalarAutomaton.done { break }
    }
    return state != ScalarAutomaton.dead
  }

  /// Whether all scalars that begin with some bytes are unusual.
  private static func areUnusual(startingWith text: ArraySlice<UInt8>) -> Bool {
    guard let lead = text.first, lead >= 0xC2 else { return false }
    let count = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    var value = UInt32(lead) & (0x7F >> UInt32(count))
    for byte in text.dropFirst() { value = value << 6 | UInt32(byte & 0x3F) }
    let rest = UInt32(6 * (count - text.count))
    let (low, high) = (value << rest, min(value << rest | ((1 << rest) - 1), 0x10_FFFF))
    return unusualScalarsBeyondASCII.contains { $0.lowerBound <= low && high <= $0.upperBound }
  }
}
