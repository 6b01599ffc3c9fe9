// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// `tojson`, as `json.dumps` writes.
struct JSONStyle {
  var inASCII = false
  /// What a level is indented by; nil where all stands on one line.
  var indentation: TemplateText?
  var itemSeparator = TemplateText(", ")
  var keySeparator = TemplateText(": ")
  var sortsKeys = false
}

extension TemplateMachine {
  mutating func json(
    of value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateText {
    let given = try arguments.bound(
      to: ["ensure_ascii", "indent", "separators", "sort_keys"], of: "tojson")
    var style = JSONStyle()
    if let value = given[0] { style.inASCII = isTrue(value) }
    if let value = given[3] { style.sortsKeys = isTrue(value) }
    if let indent = given[1], !indent.isNone {
      if case .text(let text) = indent {
        style.indentation = text
      } else if let count = indent.asIndex {
        try spend(text: max(0, count))
        style.indentation = TemplateText(repeatElement(" ", count: max(0, count)), isQuoted: false)
      } else {
        throw unusable(indent, "The indentation of 'tojson'")
      }
      style.itemSeparator = TemplateText(",")
    }
    if let separators = given[2], !separators.isNone {
      let parts = try items(of: separators)
      guard parts.count == 2, let item = parts[0].asText, let key = parts[1].asText else {
        throw problem("The separators of 'tojson' are two texts.")
      }
      (style.itemSeparator, style.keySeparator) = (item, key)
    }
    var writer = TemplateWriter()
    try writeJSON(of: value, style, into: &writer, depth: 0)
    return writer.text
  }

  private mutating func writeJSON(
    of value: TemplateValue, _ style: JSONStyle, into writer: inout TemplateWriter, depth: Int
  ) throws(ChatTemplateError) {
    try spend(64)
    switch value {
    case .none: writer.add("null")
    case .bool(let value): writer.add(value ? "true" : "false")
    case .integer, .bigInteger, .float: writer.add(Self.jsonNumber(value))
    case .text(let text):
      try spend(text: 4 * text.bytes.count)
      writer.addJSON(of: text, inASCII: style.inASCII)
    case .list(let list), .tuple(let list):
      guard !list.items.isEmpty else { return writer.add("[]") }
      writer.add("[")
      for (index, item) in list.items.enumerated() {
        if index > 0 { try add(style.itemSeparator, to: &writer) }
        try beginLine(style, into: &writer, depth: depth + 1)
        try writeJSON(of: item, style, into: &writer, depth: depth + 1)
      }
      try beginLine(style, into: &writer, depth: depth)
      writer.add("]")
    case .dictionary(let dictionary):
      try writeJSON(of: dictionary, style, into: &writer, depth: depth)
    default: throw unusable(value, "'tojson'")
    }
  }

  private mutating func writeJSON(
    of dictionary: TemplateDictionary, _ style: JSONStyle, into writer: inout TemplateWriter,
    depth: Int
  ) throws(ChatTemplateError) {
    guard dictionary.count > 0 else { return writer.add("{}") }
    var order = Array(dictionary.keys.indices)
    if style.sortsKeys { order = try sorted(dictionary.keys) }
    writer.add("{")
    for (place, index) in order.enumerated() {
      if place > 0 { try add(style.itemSeparator, to: &writer) }
      try beginLine(style, into: &writer, depth: depth + 1)
      let key: TemplateText
      switch dictionary.keys[index] {
      case .text(let text): key = text
      case .none: key = TemplateText("null")
      case .bool(let value): key = TemplateText(value ? "true" : "false")
      case .integer, .bigInteger, .float:
        key = TemplateText(Self.jsonNumber(dictionary.keys[index]))
      default: throw unusable(dictionary.keys[index], "A key of 'tojson'")
      }
      try spend(text: 4 * key.bytes.count)
      writer.addJSON(of: key, inASCII: style.inASCII)
      try add(style.keySeparator, to: &writer)
      try writeJSON(of: dictionary.values[index], style, into: &writer, depth: depth + 1)
    }
    try beginLine(style, into: &writer, depth: depth)
    writer.add("}")
  }

  private mutating func add(
    _ text: TemplateText, to writer: inout TemplateWriter
  ) throws(ChatTemplateError) {
    try spend(text.bytes.count)
    writer.add(text)
  }

  private mutating func beginLine(
    _ style: JSONStyle, into writer: inout TemplateWriter, depth: Int
  ) throws(ChatTemplateError) {
    guard let indentation = style.indentation else { return }
    writer.add("\n")
    try spend(text: product(indentation.bytes.count, depth))
    for _ in 0..<depth { writer.add(indentation) }
  }

  private static func jsonNumber(_ value: TemplateValue) -> String {
    switch value {
    case .integer(let value): return String(value)
    case .bigInteger(let digits): return digits.string
    case .float(let value):
      if value.isNaN { return "NaN" }
      if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
      return PythonNumber.repr(value)
    default: return "null"
    }
  }
}
