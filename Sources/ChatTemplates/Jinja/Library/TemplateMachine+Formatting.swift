// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// `%` and `format`: texts with places for values.
extension TemplateMachine {
  /// How a value is written into its place.
  struct FormatSpecification {
    var fill: Unicode.Scalar = " "
    var alignment: Unicode.Scalar?
    var sign: Unicode.Scalar?
    var isAlternate = false
    var width = 0
    var grouping: Unicode.Scalar?
    var precision: Int?
    var type: Unicode.Scalar?
  }

  // MARK: %

  /// `format % values`.
  mutating func formatted(
    _ format: TemplateText, _ values: TemplateValue
  ) throws(ChatTemplateError) -> TemplateText {
    var result = TemplateText(utf8: [], isQuoted: false, isSafe: format.isSafe)
    var rest: [TemplateValue]
    if case .tuple(let tuple) = values { rest = tuple.items } else { rest = [values] }
    rest.reverse()
    var dictionary: TemplateDictionary?
    if case .dictionary(let values) = values { dictionary = values }
    let percent = TemplateText("%")
    var start = 0
    while let index = format.firstIndex(of: percent, from: start) {
      result.append(format[start..<index])
      var place = index + 1
      func next() -> Unicode.Scalar? {
        place < format.bytes.count ? Unicode.Scalar(format.bytes[place]) : nil
      }
      var value: TemplateValue?
      if next() == "(" {
        guard let end = format.firstIndex(of: TemplateText(")"), from: place) else {
          throw problem("')' is missing in a format.")
        }
        guard let found = dictionary?[format[place + 1..<end]] else {
          throw problem("A format names a value that is not there.")
        }
        value = found
        place = end + 1
      }
      var specification = FormatSpecification()
      while let scalar = next(), "#0- +".unicodeScalars.contains(scalar) {
        switch scalar {
        case "#": specification.isAlternate = true
        case "0": specification.fill = "0"
        case "-": specification.alignment = "<"
        default: if specification.sign != "+" { specification.sign = scalar }
        }
        place += 1
      }
      func number() throws(ChatTemplateError) -> Int? {
        if next() == "*" {
          place += 1
          guard let value = rest.popLast()?.asIndex else {
            throw problem("'*' in a format needs a whole number.")
          }
          return value
        }
        var value: Int?
        while let scalar = next(), ("0"..."9").contains(scalar) {
          value = min((value ?? 0) * 10 + Int(scalar.value) - 48, 1 << 40)
          place += 1
        }
        return value
      }
      if let width = try number() {
        if width < 0 { specification.alignment = "<" }
        specification.width = Int(min(width.magnitude, 1 << 40))
      }
      if next() == "." {
        place += 1
        specification.precision = max(0, try number() ?? 0)
      }
      while let scalar = next(), "hlL".unicodeScalars.contains(scalar) { place += 1 }
      guard let type = next() else { throw problem("A format ends after '%'.") }
      place += 1
      start = place
      if type == "%" {
        result.append("%")
        continue
      }
      if value == nil {
        if dictionary != nil, rest.count == 1 {
          value = values
        } else {
          value = rest.popLast()
        }
      }
      guard let value else { throw problem("A format needs more values.") }
      specification.type = type
      var text = try percentText(value, specification)
      if format.isSafe { text = try escaped(text) }
      try spend(text: result.bytes.count / 16 + text.bytes.count)
      result.append(text)
    }
    result.append(format[start..<format.bytes.count])
    guard rest.isEmpty || dictionary != nil || isList(values) else {
      throw problem("A format has fewer places than there are values.")
    }
    return result
  }

  /// Python takes a list for a mapping here, whose values need not all be used.
  private func isList(_ value: TemplateValue) -> Bool {
    if case .list = value { true } else { false }
  }

  private mutating func percentText(
    _ value: TemplateValue, _ specification: FormatSpecification
  ) throws(ChatTemplateError) -> TemplateText {
    var specification = specification
    switch specification.type {
    case "s", "r", "a":
      var text: TemplateText
      if specification.type == "s" {
        text = try self.text(of: value)
        if case .text(let own) = value, own.isSafe { text = own }
      } else {
        var writer = TemplateWriter()
        try writeRepr(of: value, into: &writer)
        text = writer.text
      }
      if let precision = specification.precision, precision < text.count {
        text = text.scalars(0..<precision)
      }
      specification.fill = " "
      return try padded(text, specification, standard: ">")
    case "c":
      if case .text(let text) = value, text.count == 1 {
        return try padded(text, specification, standard: ">")
      }
      guard let code = value.asIndex, let code = UInt32(exactly: code),
        let scalar = Unicode.Scalar(code)
      else { throw unusable(value, "'%c'") }
      return try padded(TemplateText([scalar], isQuoted: false), specification, standard: ">")
    case "d", "i", "u", "x", "X", "o":
      var value = value
      if case .float(let number) = value, specification.type != "x", specification.type != "X",
        specification.type != "o"
      {
        guard let whole = PythonNumber.integer(of: number) else { throw unusable(value, "'%d'") }
        value = whole
      }
      if specification.type == "i" || specification.type == "u" { specification.type = "d" }
      return try padded(
        try numberText(value, specification), specification, standard: ">", isNumber: true)
    case "e", "E", "f", "F", "g", "G":
      guard value.asDouble != nil else { throw unusable(value, "A format of numbers") }
      if specification.precision == nil { specification.precision = 6 }
      return try padded(
        try numberText(value, specification), specification, standard: ">", isNumber: true)
    default:
      throw problem(
        "A format has '%' before '\(specification.type.map { String($0) } ?? "")'.")
    }
  }

  // MARK: format

  /// `format.format(…)`.
  mutating func formatted(
    _ format: TemplateText, _ arguments: Arguments, depth: Int = 0
  ) throws(ChatTemplateError) -> TemplateText {
    var next = 0
    return try formatted(format, arguments, &next, depth: 0)
  }

  private mutating func formatted(
    _ format: TemplateText, _ arguments: Arguments, _ nextIndex: inout Int, depth: Int
  ) throws(ChatTemplateError) -> TemplateText {
    guard depth <= 2 else { throw problem("Formats nest too deeply.") }
    try spend(format.bytes.count)
    var result = TemplateText(utf8: [], isQuoted: false, isSafe: format.isSafe)
    let bytes = format.bytes
    var (start, place) = (0, 0)
    while place < bytes.count {
      let byte = bytes[place]
      guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") else {
        place += 1
        continue
      }
      result.append(format[start..<place])
      if place + 1 < bytes.count, bytes[place + 1] == byte {
        result.append(format[place..<place + 1])
        place += 2
        start = place
        continue
      }
      guard byte == UInt8(ascii: "{") else { throw problem("'}' in a format has no '{'.") }
      var open = 1
      var end = place + 1
      while end < bytes.count {
        if bytes[end] == UInt8(ascii: "{") { open += 1 }
        if bytes[end] == UInt8(ascii: "}") { open -= 1 }
        if open == 0 { break }
        end += 1
      }
      guard end < bytes.count else { throw problem("'}' is missing in a format.") }
      let field = format[place + 1..<end]
      var text = try fieldText(field, arguments, &nextIndex, depth: depth)
      if format.isSafe { text = try escaped(text) }
      try spend(text: result.bytes.count / 16 + text.bytes.count)
      result.append(text)
      place = end + 1
      start = place
    }
    result.append(format[start..<bytes.count])
    return result
  }

  /// A field: `name.attribute[key]!r:specification`.
  private mutating func fieldText(
    _ field: TemplateText, _ arguments: Arguments, _ nextIndex: inout Int, depth: Int
  ) throws(ChatTemplateError) -> TemplateText {
    var end = 0
    var brackets = 0
    while end < field.bytes.count {
      let byte = field.bytes[end]
      if byte == UInt8(ascii: "[") { brackets += 1 }
      if byte == UInt8(ascii: "]") { brackets -= 1 }
      if brackets <= 0, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "!") { break }
      end += 1
    }
    var value = try fieldValue(field[0..<end].string, arguments, &nextIndex)
    var rest = field[end..<field.bytes.count]
    if rest.bytes.first == UInt8(ascii: "!"), rest.bytes.count >= 2 {
      if rest.bytes[1] == UInt8(ascii: "s") {
        value = .text(try text(of: value))
      } else {
        var writer = TemplateWriter()
        try writeRepr(of: value, into: &writer)
        value = .text(writer.text)
      }
      rest = rest[2..<rest.bytes.count]
    }
    guard !rest.isEmpty else {
      if case .text(let text) = value { return text }
      return try text(of: value)
    }
    guard rest.bytes.first == UInt8(ascii: ":") else {
      throw problem("':' is expected in a format.")
    }
    let specification = try formatted(
      rest[1..<rest.bytes.count], arguments, &nextIndex, depth: depth + 1)
    return try text(of: value, formattedBy: specification.string)
  }

  private mutating func fieldValue(
    _ path: String, _ arguments: Arguments, _ nextIndex: inout Int
  ) throws(ChatTemplateError) -> TemplateValue {
    var rest = path[...]
    let first = rest.prefix { $0 != "." && $0 != "[" }
    rest = rest.dropFirst(first.count)
    var value: TemplateValue
    if let index = first.isEmpty ? nextIndex : Int(first) {
      if first.isEmpty { nextIndex += 1 }
      guard arguments.values.indices.contains(index) else {
        throw problem("A format needs more values.")
      }
      value = arguments.values[index]
    } else {
      let name = TemplateText(String(first))
      guard let found = arguments.named.first(where: { $0.name == name }) else {
        throw problem("A format names '\(first)', which is not there.")
      }
      value = found.value
    }
    while let mark = rest.popFirst() {
      if mark == "." {
        let name = String(rest.prefix { $0 != "." && $0 != "[" })
        rest = rest.dropFirst(name.count)
        guard !name.hasPrefix("_") else { return undefined(.hint) }
        value = try item(.string(name), of: value)
      } else {
        let key = String(rest.prefix { $0 != "]" })
        rest = rest.dropFirst(key.count + 1)
        value = try item(Int(key).map { .integer($0) } ?? .string(key), of: value)
      }
    }
    return value
  }

  /// What `format(value, specification)` gives.
  private mutating func text(
    of value: TemplateValue, formattedBy spelling: String
  ) throws(ChatTemplateError) -> TemplateText {
    if spelling.isEmpty { return try text(of: value) }
    let specification = try specification(spelling)
    switch value {
    case .text(var text):
      guard specification.type == nil || specification.type == "s" else {
        throw problem("A text has no format '\(spelling)'.")
      }
      if let precision = specification.precision, precision < text.count {
        text = text.scalars(0..<precision)
      }
      return try padded(text, specification, standard: "<")
    case .bool where specification.type == nil:
      return try padded(try text(of: value), specification, standard: "<")
    case .integer, .float, .bool, .bigInteger:
      return try padded(
        try numberText(value, specification), specification, standard: ">", isNumber: true)
    default: throw unusable(value, "A format '\(spelling)'")
    }
  }

  private func specification(_ text: String) throws(ChatTemplateError) -> FormatSpecification {
    var result = FormatSpecification()
    var rest = Array(text.unicodeScalars)[...]
    let alignments = "<>^=".unicodeScalars
    if rest.count >= 2, alignments.contains(rest[rest.startIndex + 1]) {
      result.fill = rest.removeFirst()
      result.alignment = rest.removeFirst()
    } else if let first = rest.first, alignments.contains(first) {
      result.alignment = rest.removeFirst()
    }
    if let first = rest.first, "+- ".unicodeScalars.contains(first) {
      result.sign = rest.removeFirst()
    }
    if rest.first == "#" {
      result.isAlternate = true
      rest.removeFirst()
    }
    if rest.first == "0" {
      if result.alignment == nil {
        result.fill = "0"
        result.alignment = "="
      }
      rest.removeFirst()
    }
    func number() -> Int? {
      var value: Int?
      while let digit = rest.first, ("0"..."9").contains(digit) {
        value = min((value ?? 0) * 10 + Int(digit.value) - 48, 1 << 40)
        rest.removeFirst()
      }
      return value
    }
    result.width = number() ?? 0
    if let first = rest.first, first == "," || first == "_" {
      result.grouping = rest.removeFirst()
    }
    if rest.first == "." {
      rest.removeFirst()
      guard let precision = number() else { throw problem("A format lacks its precision.") }
      result.precision = precision
    }
    result.type = rest.popFirst()
    guard rest.isEmpty else { throw problem("'\(text)' is no format.") }
    return result
  }

  // MARK: Numbers

  private mutating func numberText(
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
  private mutating func padded(
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
