// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How byte-level tokenizers write bytes as characters: printable ones as themselves, the others as
/// the characters from U+0100 on, in order.
enum ByteAlphabet {
  /// The character of each byte.
  static let scalars: [UInt32] = {
    var next: UInt32 = 0x100
    return (UInt32(0)..<256).map { byte in
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: return byte
      default:
        next += 1
        return next - 1
      }
    }
  }()

  /// The UTF-8 of each byte's character.
  static let spellings: [[UInt8]] = scalars.map { scalar in
    Array(String(Character(Unicode.Scalar(scalar) ?? " ")).utf8)
  }

  private static let bytesByScalar: [UInt8?] = {
    var table = [UInt8?](repeating: nil, count: 0x144)
    for (byte, scalar) in scalars.enumerated() { table[Int(scalar)] = UInt8(byte) }
    return table
  }()

  /// The bytes that a token's characters stand for; other characters stand for themselves.
  static func bytes(of token: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(token.count)
    var index = token.startIndex
    while index < token.endIndex {
      let byte = token[index]
      if byte < 0x80 {
        result.append(byte)
        index += 1
      } else if byte >> 5 == 0b110, index + 1 < token.endIndex {
        let scalar = Int(byte & 31) << 6 | Int(token[index + 1] & 63)
        if scalar < bytesByScalar.count, let plain = bytesByScalar[scalar] {
          result.append(plain)
        } else {
          result += token[index...(index + 1)]
        }
        index += 2
      } else {
        result.append(byte)
        index += 1
      }
    }
    return result
  }
}
