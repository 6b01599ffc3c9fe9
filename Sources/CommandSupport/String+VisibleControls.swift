// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text with a picture for each control character, as wide as that is counted: what a model or a
  /// schema wrote is not to set a terminal's colours or title.
  package var withVisibleControls: String {
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x00...0x1F: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 0x7F: result.append("\u{2421}")
      case 0x80...0x9F, 0x202A...0x202E, 0x2066...0x2069: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
