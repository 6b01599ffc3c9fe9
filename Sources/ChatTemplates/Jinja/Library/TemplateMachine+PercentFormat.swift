// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// `format % values`: texts with places for values.
extension TemplateMachine {
  /// Where reading a format stands, and the values that are left for its places.
  private struct PercentReader {
    let format: TemplateText
    var place = 0
    /// The last comes next.
    var values: [TemplateValue] = []
    /// What places with a name take theirs from.
    var dictionary: TemplateDictionary?

    var next: Unicode.Scalar? {
      place < format.bytes.count ? Unicode.Scalar(format.bytes[place]) : nil
    }

    func problem(_ message: String) -> ChatTemplateError {
      ChatTemplateError(message: message, line: nil)
    }

    /// A name in brackets, and the value that it stands for; `nil` where there is none.
    mutating func namedValue() throws(ChatTemplateError) -> TemplateValue? {
      guard next == "(" else { return nil }
      guard let end = format.firstIndex(of: TemplateText(")"), from: place) else {
        throw problem("')' is missing in a format.")
      }
      guard let found = dictionary?[format[place + 1..<end]] else {
        throw problem("A format names a value that is not there.")
      }
      place = end + 1
      return found
    }

    /// `[#0- +][width][.precision][hlL]type`.
    mutating func specification() throws(ChatTemplateError) -> FormatSpecification {
      var result = FormatSpecification()
      while let scalar = next, "#0- +".unicodeScalars.contains(scalar) {
        switch scalar {
        case "#": result.isAlternate = true
        case "0": result.fill = "0"
        case "-": result.alignment = "<"
        default: if result.sign != "+" { result.sign = scalar }
        }
        place += 1
      }
      if let width = try number() {
        if width < 0 { result.alignment = "<" }
        result.width = Int(min(width.magnitude, UInt(FormatSpecification.mostColumns)))
      }
      if next == "." {
        place += 1
        result.precision = max(0, try number() ?? 0)
      }
      while let scalar = next, "hlL".unicodeScalars.contains(scalar) { place += 1 }
      result.type = next
      guard result.type != nil else { throw problem("A format ends after '%'.") }
      place += 1
      return result
    }

    /// A number, or the next value where `*` stands for one.
    private mutating func number() throws(ChatTemplateError) -> Int? {
      if next == "*" {
        place += 1
        guard let value = values.popLast()?.asIndex else {
          throw problem("'*' in a format needs a whole number.")
        }
        return value
      }
      var value: Int?
      while let scalar = next, ("0"..."9").contains(scalar) {
        value = min((value ?? 0) * 10 + Int(scalar.value) - 48, FormatSpecification.mostColumns)
        place += 1
      }
      return value
    }
  }

  /// `format % values`.
  mutating func formatted(
    _ format: TemplateText, _ values: TemplateValue
  ) throws(ChatTemplateError) -> TemplateText {
    var result = TemplateText(utf8: [], isQuoted: false, isSafe: format.isSafe)
    var reader = PercentReader(format: format)
    if case .tuple(let tuple) = values {
      reader.values = tuple.items.reversed()
    } else {
      reader.values = [values]
    }
    if case .dictionary(let values) = values { reader.dictionary = values }
    let percent = TemplateText("%")
    while let index = format.firstIndex(of: percent, from: reader.place) {
      result.append(format[reader.place..<index])
      reader.place = index + 1
      var value = try reader.namedValue()
      let specification = try reader.specification()
      if specification.type == "%" {
        result.append("%")
        continue
      }
      if value == nil {
        let takesAll = reader.dictionary != nil && reader.values.count == 1
        value = takesAll ? values : reader.values.popLast()
      }
      guard let value else { throw problem("A format needs more values.") }
      var text = try percentText(value, specification)
      if format.isSafe { text = try escaped(text) }
      try spend(text: result.bytes.count / 16 + text.bytes.count)
      result.append(text)
    }
    result.append(format[reader.place..<format.bytes.count])
    guard reader.values.isEmpty || reader.dictionary != nil || isList(values) else {
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
}
