// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Numbers and texts as a specification of a format wants them.
extension TemplateMachine {
  mutating func numberText(
    _ value: TemplateValue, _ specification: FormatSpecification
  ) throws(ChatTemplateError) -> TemplateText {
    var digits: String
    let type = specification.type ?? (value.asIndex != nil ? "d" : "r")
    if let precision = specification.precision { try spend(text: precision) }
    switch type {
    case "d", "n", "x", "X", "o", "b", "c":
      if case .bigInteger(let big) = value, type == "d" {
        digits = big.string
        break
      }
      guard let integer = value.asIndex else { throw unusable(value, "A format of whole numbers") }
      let radix = type == "x" || type == "X" ? 16 : type == "o" ? 8 : type == "b" ? 2 : 10
      let prefix = specification.isAlternate && radix != 10 ? "0" + String(type) : ""
      digits =
        (integer < 0 ? "-" : "") + prefix
        + String(integer.magnitude, radix: radix, uppercase: type == "X")
      if let precision = specification.precision {
        let count = digits.count - (integer < 0 ? 1 : 0)
        if count < precision {
          digits =
            (integer < 0 ? "-" : "") + String(repeating: "0", count: precision - count)
            + digits.drop { $0 == "-" }
        }
      }
    default:
      guard let number = value.asDouble else { throw unusable(value, "A format of numbers") }
      try spend(4096)
      let precision = specification.precision
      switch type {
      case "f", "F": digits = PythonNumber.fixed(number, places: precision ?? 6)
      case "e": digits = PythonNumber.scientific(number, places: precision ?? 6)
      case "E": digits = PythonNumber.scientific(number, places: precision ?? 6).uppercased()
      case "g", "G":
        digits = PythonNumber.general(
          number, digits: precision ?? 6, keepsZeros: specification.isAlternate)
        if type == "G" { digits = digits.uppercased() }
      case "%": digits = PythonNumber.fixed(number * 100, places: precision ?? 6) + "%"
      case "r":
        digits =
          precision.map { PythonNumber.general(number, digits: $0) }
          ?? PythonNumber.repr(number)
      default: throw problem("A number has no format '\(type)'.")
      }
    }
    if let grouping = specification.grouping { digits = Self.grouped(digits, by: grouping) }
    if !digits.hasPrefix("-"), let sign = specification.sign, sign != "-" {
      digits = String(sign) + digits
    }
    return TemplateText(digits)
  }

  /// Digits in groups of three: `1,234.5`.
  private static func grouped(_ digits: String, by separator: Unicode.Scalar) -> String {
    let sign = digits.hasPrefix("-") ? "-" : ""
    let body = digits.dropFirst(sign.count)
    let whole = body.prefix { $0.isASCII && $0.isNumber }
    var result = ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.count - index) % 3 == 0 { result.unicodeScalars.append(separator) }
      result.append(digit)
    }
    return sign + result + body.dropFirst(whole.count)
  }

  /// A text with what fills it up to its width.
  mutating func padded(
    _ text: TemplateText, _ specification: FormatSpecification, standard: Unicode.Scalar,
    isNumber: Bool = false
  ) throws(ChatTemplateError) -> TemplateText {
    let missing = specification.width - text.count
    guard missing > 0 else { return text }
    try spend(text: product(missing, 4) + text.bytes.count)
    var alignment = specification.alignment ?? standard
    var fill = specification.fill
    if isNumber, fill == "0", specification.alignment == nil { alignment = "=" }
    if alignment == "<", isNumber, fill == "0", standard == ">", specification.type != nil,
      specification.grouping == nil
    {
      fill = " "
    }
    func filling(_ count: Int) -> TemplateText {
      TemplateText(repeatElement(fill, count: count), isQuoted: false)
    }
    switch alignment {
    case "<": return text + filling(missing)
    case "^": return filling(missing / 2) + text + filling(missing - missing / 2)
    case "=":
      let signed = text.bytes.first.map { "+- ".utf8.contains($0) } ?? false
      return text[0..<(signed ? 1 : 0)] + filling(missing)
        + text[(signed ? 1 : 0)..<text.bytes.count]
    default: return filling(missing) + text
    }
  }
}
