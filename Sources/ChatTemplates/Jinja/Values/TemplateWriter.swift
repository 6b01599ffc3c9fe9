// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Writes a value as one text. What a template quotes anywhere in it makes all of it quoted: no mark
/// that means something may come from the conversation's text and a bracket beside it.
struct TemplateWriter {
  private var bytes: [UInt8] = []
  private var isQuoted = false

  var text: TemplateText { TemplateText(utf8: bytes, isQuoted: isQuoted) }
  var count: Int { bytes.count }

  mutating func add(_ text: String) { bytes += text.utf8 }

  mutating func add(_ text: TemplateText) {
    isQuoted = isQuoted || text.hasQuotes
    bytes += text.bytes
  }

  /// Writes a text as `repr` does: in single quotes, or in double ones where only these are free.
  mutating func addRepr(of text: TemplateText) {
    isQuoted = isQuoted || text.hasQuotes
    let single = UInt8(ascii: "'")
    let double = UInt8(ascii: "\"")
    let quote = text.bytes.contains(single) && !text.bytes.contains(double) ? double : single
    bytes.append(quote)
    for scalar in text.scalars {
      switch scalar {
      case "\\": bytes += "\\\\".utf8
      case "\n": bytes += "\\n".utf8
      case "\r": bytes += "\\r".utf8
      case "\t": bytes += "\\t".utf8
      case _ where scalar.value == UInt32(quote): bytes += [UInt8(ascii: "\\"), quote]
      case _ where scalar.isPythonPrintable: bytes.append(utf8: scalar)
      default: addEscape(scalar)
      }
    }
    bytes.append(quote)
  }

  private mutating func addEscape(_ scalar: Unicode.Scalar) {
    let (letter, width) =
      scalar.value < 0x100 ? ("x", 2) : scalar.value < 0x10000 ? ("u", 4) : ("U", 8)
    bytes += "\\\(letter)\(Self.hexadecimal(scalar.value, width))".utf8
  }

  /// Writes a text as JSON does.
  mutating func addJSON(of text: TemplateText, inASCII: Bool) {
    isQuoted = isQuoted || text.hasQuotes
    bytes.append(UInt8(ascii: "\""))
    if inASCII, !text.isASCII {
      for unit in text.string.utf16 {
        if unit < 0x80 {
          addJSON(UInt8(truncatingIfNeeded: unit))
        } else {
          bytes += "\\u\(Self.hexadecimal(UInt32(unit), 4))".utf8
        }
      }
    } else {
      for byte in text.bytes { addJSON(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func addJSON(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0x08: bytes += "\\b".utf8
    case 0x09: bytes += "\\t".utf8
    case 0x0A: bytes += "\\n".utf8
    case 0x0C: bytes += "\\f".utf8
    case 0x0D: bytes += "\\r".utf8
    case ..<0x20: bytes += "\\u\(Self.hexadecimal(UInt32(byte), 4))".utf8
    default: bytes.append(byte)
    }
  }

  static func hexadecimal(_ value: UInt32, _ width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Unicode.Scalar {
  /// What `str.isprintable` says.
  var isPythonPrintable: Bool {
    if isASCII { return value >= 0x20 && value < 0x7F }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator:
      return false
    default: return true
    }
  }
}
