// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The escapes of JSON strings (RFC 8259, section 7).
enum JSONEscapes {
  /// The string that the inside of a JSON string stands for. The escapes are known to be whole.
  static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count) { output in
      var count = 0
      var index = 0
      var lead: UInt32 = 0
      while index < bytes.count {
        let byte = bytes[index]
        guard byte == UInt8(ascii: "\\") else {
          output[count] = byte
          count += 1
          index += 1
          continue
        }
        let escape = bytes[index + 1]
        index += 2
        guard escape == UInt8(ascii: "u") else {
          output[count] = simpleEscape(escape)
          count += 1
          continue
        }
        var unit: UInt32 = 0
        for digit in bytes[index..<index + 4] {
          unit = unit << 4 | UInt32(JSONEscapes.value(ofDigit: digit) ?? 0)
        }
        index += 4
        if 0xD800...0xDBFF ~= unit {
          lead = unit
          continue
        }
        if lead != 0 {
          unit = 0x10000 + (lead - 0xD800) << 10 + (unit - 0xDC00)
          lead = 0
        }
        for byte in String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8 {
          output[count] = byte
          count += 1
        }
      }
      return count
    }
  }

  private static func simpleEscape(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: byte
    }
  }

  /// The value of a hexadecimal digit in either case.
  static func value(ofDigit byte: UInt8) -> Int? {
    Character(Unicode.Scalar(byte)).hexDigitValue
  }
}
