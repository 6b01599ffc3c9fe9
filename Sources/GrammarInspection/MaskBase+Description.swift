// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension MaskBase {
  /// What the tokens of a base have in common, by their texts.
  func described(_ vocabulary: Vocabulary) -> String {
    if count == 0 { return "no token" }
    var isSpace = true
    var isDigits = true
    var isInsideString = true
    for token in 0..<vocabulary.count where contains(UInt32(token)) {
      for byte in vocabulary.bytes(of: token) {
        if !ByteSet.whitespace.contains(byte) { isSpace = false }
        if !(0x30...0x39).contains(byte) { isDigits = false }
        if byte == 0x22 || byte < 0x20 { isInsideString = false }
      }
    }
    if isSpace { return "white space" }
    if isDigits { return "digits" }
    return isInsideString ? "texts that stay inside a string" : "tokens of several kinds"
  }
}
