// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
  /// How many columns of a terminal the text takes: two for each character of Chinese, Japanese and
  /// Korean and for each emoji, none for what joins the character before it.
  package var terminalWidth: Int { reduce(0) { $0 + $1.terminalWidth } }

  /// As much of the beginning as fits so many columns.
  package func prefix(terminalWidth limit: Int) -> SubSequence {
    var width = 0
    return prefix { character in
      width += character.terminalWidth
      return width <= limit
    }
  }
}

extension Character {
  fileprivate var terminalWidth: Int {
    // An emoji is one picture, whatever it is put together of: a flag, a family, a colour of skin.
    if unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }) {
      return 2
    }
    return unicodeScalars.reduce(0) { $0 + $1.terminalWidth }
  }
}

extension Unicode.Scalar {
  fileprivate var terminalWidth: Int {
    switch properties.generalCategory {
    // A soft hyphen is a format character that terminals show.
    case .nonspacingMark, .enclosingMark: 0
    case .format where value != 0xAD: 0
    default: Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// What is wide or full width (Unicode Standard Annex 11), without the emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD,
  ]
}
