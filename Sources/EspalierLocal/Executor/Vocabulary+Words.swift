// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

extension Vocabulary {
  /// Whether a token holds a letter or a digit: a character that is not punctuation of ASCII.
  func isWord(_ token: Int) -> Bool {
    bytes(of: token).contains { byte in
      byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
  }
}

extension UInt8 {
  /// Whether this is white space of ASCII.
  var isWhiteSpace: Bool { [0x20, 0x0A, 0x0D, 0x09].contains(self) }
}
