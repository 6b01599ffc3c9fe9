// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// The character for a message: quoted, or by its number where nobody sees it by itself.
  package var inWords: String {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned,
      .privateUse, .surrogate, .nonspacingMark, .enclosingMark:
      self == " " ? "` `" : "the character " + codePoint
    default: "`\(self)`"
    }
  }

  /// The number as Unicode writes it: `U+00E9`.
  var codePoint: String {
    let number = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number
  }
}

extension StringProtocol {
  /// The numbers of the code points: `U+0065 U+0301`.
  package var codePoints: String { unicodeScalars.map(\.codePoint).joined(separator: " ") }
}
