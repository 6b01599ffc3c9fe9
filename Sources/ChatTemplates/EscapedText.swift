// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text as it stands between JSON's quotation marks: escaped only where JSON requires it.
  var escapedForJSON: String {
    var json: [UInt8] = []
    json.reserveCapacity(utf8.count)
    for byte in utf8 {
      switch byte {
      case 0x22, 0x5C: json += [0x5C, byte]
      case 0x08: json += "\\b".utf8
      case 0x09: json += "\\t".utf8
      case 0x0A: json += "\\n".utf8
      case 0x0C: json += "\\f".utf8
      case 0x0D: json += "\\r".utf8
      case ..<0x20: json += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: json.append(byte)
      }
    }
    return String(decoding: json, as: UTF8.self)
  }
}
