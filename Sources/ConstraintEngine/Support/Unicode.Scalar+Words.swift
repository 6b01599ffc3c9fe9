// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// The character for a message: quoted, or by its number where nobody sees it.
  package var inWords: String {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned,
      .privateUse, .surrogate:
      if self == " " { return "` `" }
      let number = String(value, radix: 16, uppercase: true)
      return "the character U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number
    default: return "`\(self)`"
    }
  }
}
