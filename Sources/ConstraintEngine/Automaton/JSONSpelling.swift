// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How JSON writes strings.
package enum JSONSpelling {
  /// Whether a byte stands for itself between quotes.
  @inline(__always)
  static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x22 && byte != 0x5C }

  /// A text as it stands between quotes, with the short escapes.
  package static func escaped(_ text: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in text {
      switch byte {
      case 0x22, 0x5C: result += [0x5C, byte]
      case 0x08: result += Array("\\b".utf8)
      case 0x09: result += Array("\\t".utf8)
      case 0x0A: result += Array("\\n".utf8)
      case 0x0C: result += Array("\\f".utf8)
      case 0x0D: result += Array("\\r".utf8)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        result += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: result.append(byte)
      }
    }
    return result
  }
}
