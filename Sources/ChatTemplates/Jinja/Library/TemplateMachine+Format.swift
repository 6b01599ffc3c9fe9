// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// `format.format(…)`: texts with fields for values.
extension TemplateMachine {
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
    let specification = try FormatSpecification(spelling)
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
}
