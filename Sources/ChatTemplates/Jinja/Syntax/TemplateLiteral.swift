// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Texts and numbers as a template spells them, by Python's rules.
enum TemplateLiteral {
  /// - Parameter spelling: What stands between the quotation marks.
  static func text(
    of spelling: String, at line: Int32
  ) throws(ChatTemplateError) -> String {
    guard spelling.utf8.contains(UInt8(ascii: "\\")) else { return spelling }
    var result = String.UnicodeScalarView()
    var rest = spelling.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let escape = rest.popFirst() else {
        result.append(scalar)
        continue
      }
      switch escape {
      case "\n": break
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "r": result.append("\r")
      case "a": result.append("\u{7}")
      case "b": result.append("\u{8}")
      case "f": result.append("\u{C}")
      case "v": result.append("\u{B}")
      case "\\", "'", "\"": result.append(escape)
      case "x", "u", "U":
        let count = escape == "x" ? 2 : escape == "u" ? 4 : 8
        guard let value = UInt32(String(rest.prefix(count)), radix: 16), rest.count >= count
        else {
          throw ChatTemplateError(
            message: "'\\\(escape)' needs \(count) hexadecimal digits.", line: Int(line))
        }
        rest.removeFirst(count)
        result.append(Unicode.Scalar(value) ?? "\u{FFFD}")
      case "0"..."7":
        var value = escape.value - 48
        var count = 1
        while count < 3, let digit = rest.first, ("0"..."7").contains(digit) {
          value = value * 8 + digit.value - 48
          rest.removeFirst()
          count += 1
        }
        result.append(Unicode.Scalar(value) ?? "\u{FFFD}")
      default:
        // An escape that Python does not know stays as it is.
        result.append("\\")
        result.append(escape)
      }
    }
    return String(result)
  }

  static func integer(of spelling: String) -> TemplateValue? {
    let digits = spelling.filter { $0 != "_" }.lowercased()
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
      return Int(digits.dropFirst(2), radix: radix).map { .integer($0) }
    }
    guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), !digits.isEmpty else { return nil }
    return Int(digits).map { .integer($0) } ?? .bigInteger(TemplateText(digits))
  }
}
