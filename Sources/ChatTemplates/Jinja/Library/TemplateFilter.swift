// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The filters of Jinja 3, but `pprint`, `random` and `urlize`.
enum TemplateFilter: String, Sendable {
  case abs, attr, batch, capitalize, center, count, d, dictsort, e, escape, filesizeformat, first
  case float, forceescape, format, groupby, indent, int, items, join, last, length, list, lower
  case map, max, min, reject, rejectattr, replace, reverse, round, safe, select, selectattr, slice
  case sort, string, striptags, sum, title, tojson, trim, truncate, unique, upper, urlencode
  case wordcount, wordwrap, xmlattr
  case standard = "default"
}

extension TemplateMachine {
  mutating func filter(
    _ filter: TemplateFilter, _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let name = filter.rawValue
    switch filter {
    case .d, .standard:
      let given = try arguments.bound(to: ["default_value", "boolean"], of: name)
      let replaces = flag(given[1])
      let isReplaced = value.isUndefined || (replaces ?? false) && !isTrue(value)
      return isReplaced ? given[0] ?? .string("") : value
    case .count, .length:
      guard let count = count(of: value) else { throw unusable(value, "'length'") }
      return .integer(count)
    case .tojson: return .text(try json(of: value, arguments))
    case .string:
      if case .text = value { return value }
      return .text(try text(of: value))
    case .safe:
      var text = try text(of: value)
      text.isSafe = true
      return .text(text)
    case .e, .escape:
      if case .text(let text) = value { return .text(try escaped(text)) }
      return .text(try escaped(try text(of: value)))
    case .forceescape: return .text(try escaped(try text(of: value)))
    case .abs, .round, .int, .float, .filesizeformat, .sum:
      return try number(filter, value, arguments)
    case .first, .last, .list, .items, .reverse, .batch, .slice, .join, .unique, .min, .max, .sort,
      .groupby, .dictsort, .map, .select, .reject, .selectattr, .rejectattr, .attr:
      return try collection(filter, value, arguments)
    default:
      let text = try softText(of: value)
      return try self.text(filter, text, arguments)
    }
  }

  /// The text of a string as it is, and of other values what `str` gives.
  mutating func softText(of value: TemplateValue) throws(ChatTemplateError) -> TemplateText {
    if case .text(let text) = value { return text }
    return try text(of: value)
  }

  /// A text with what means something in HTML replaced; one that is safe stays.
  mutating func escaped(_ text: TemplateText) throws(ChatTemplateError) -> TemplateText {
    guard !text.isSafe else { return text }
    try spend(text: 5 * text.bytes.count)
    var result = text.mapped { scalar, bytes in
      switch scalar {
      case "&": bytes += "&amp;".utf8
      case "<": bytes += "&lt;".utf8
      case ">": bytes += "&gt;".utf8
      case "'": bytes += "&#39;".utf8
      case "\"": bytes += "&#34;".utf8
      default: bytes.append(utf8: scalar)
      }
    }
    result.isSafe = true
    return result
  }

  // MARK: Texts

  private mutating func text(
    _ filter: TemplateFilter, _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let name = filter.rawValue
    try spend(text.bytes.count)
    switch filter {
    case .upper: return .text(try uppercased(text))
    case .lower: return .text(try lowercased(text))
    case .capitalize: return .text(try capitalized(text))
    case .trim:
      let given = try arguments.bound(to: ["chars"], of: name)
      return .text(text.trimmed(try optionalText(given[0])))
    case .title: return .text(try titleOfWords(text))
    case .center:
      let given = try arguments.bound(to: ["width"], of: name)
      return .text(try centered(text, width: try integer(given[0]) ?? 80, fill: " "))
    case .replace:
      let given = try arguments.bound(to: ["old", "new", "count"], of: name)
      guard let old = given[0], let new = given[1] else {
        throw problem("'replace' needs what it replaces and by what.")
      }
      let limit = try integer(given[2]) ?? -1
      return .text(
        try replacing(
          text.plain, try self.text(of: old), with: try self.text(of: new), limit: limit))
    case .format:
      guard arguments.named.isEmpty || arguments.values.isEmpty else {
        throw problem("'format' takes values with names or without.")
      }
      guard !arguments.named.isEmpty else {
        return .text(try formatted(text, .tuple(TemplateList(arguments.values))))
      }
      var builder = TemplateDictionary.Builder()
      for (key, value) in arguments.named { builder.set(value, .text(key), spelled: .text(key)) }
      return .text(try formatted(text, .dictionary(builder.dictionary())))
    case .indent: return .text(try indented(text, arguments))
    case .truncate: return .text(try truncated(text, arguments))
    case .wordwrap: return .text(try wrapped(text, arguments))
    case .wordcount:
      var count = 0
      var isInside = false
      for scalar in text.scalars {
        let isWord =
          scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        if isWord, !isInside { count += 1 }
        isInside = isWord
      }
      return .integer(count)
    case .striptags: return .text(try withoutTags(text))
    case .urlencode:
      return .text(TemplateText(utf8: Self.percentEncoded(text.bytes), isQuoted: text.hasQuotes))
    default: throw problem("The filter '\(name)' cannot take a text.")
    }
  }

  func flag(_ value: TemplateValue?) -> Bool? { value.map(isTrue) }

  func optionalText(_ value: TemplateValue?) throws(ChatTemplateError) -> TemplateText? {
    guard let value, !value.isNone else { return nil }
    guard case .text(let text) = value else { throw unusable(value, "A place for a text") }
    return text
  }

  func integer(_ value: TemplateValue?) throws(ChatTemplateError) -> Int? {
    guard let value, !value.isNone else { return nil }
    guard let integer = value.asIndex else { throw unusable(value, "A place for a whole number") }
    return integer
  }

  private static func percentEncoded(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for byte in bytes {
      let scalar = Unicode.Scalar(byte)
      if byte < 0x80,
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "_.-~/".utf8.contains(byte)
      {
        result.append(byte)
      } else {
        result += "%\(TemplateWriter.hexadecimal(UInt32(byte), 2).uppercased())".utf8
      }
    }
    return result
  }

  private mutating func titleOfWords(
    _ text: TemplateText
  ) throws(ChatTemplateError) -> TemplateText {
    try spend(text: 3 * text.bytes.count)
    var startsWord = true
    return text.plain.mapped { scalar, bytes in
      let properties = scalar.properties
      bytes += (startsWord ? properties.uppercaseMapping : properties.lowercaseMapping).utf8
      startsWord = scalar.isPythonSpace || "-({[<".unicodeScalars.contains(scalar)
    }
  }

  private mutating func indented(
    _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateText {
    let given = try arguments.bound(to: ["width", "first", "blank"], of: "indent")
    var indentation: TemplateText
    if case .text(let own)? = given[0] {
      indentation = own
    } else {
      let width = try integer(given[0]) ?? 4
      try spend(text: max(0, width))
      indentation = TemplateText(repeatElement(" ", count: max(0, width)), isQuoted: false)
    }
    indentation.isSafe = text.isSafe
    let first = flag(given[1]) ?? false
    let blank = flag(given[2]) ?? false
    let newline = TemplateText("\n")
    let lines = (text + newline).lines(keepingEnds: false)
    try spend(text: text.bytes.count + product(indentation.bytes.count, lines.count))
    try spend(items: 2 * lines.count)
    var result = TemplateText(utf8: [], isQuoted: false, isSafe: text.isSafe)
    for (index, line) in lines.enumerated() {
      if index > 0 { result.append(newline) }
      if index == 0 ? first : blank || !line.isEmpty { result.append(indentation) }
      result.append(line)
    }
    return result
  }

  private mutating func truncated(
    _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateText {
    let given = try arguments.bound(to: ["length", "killwords", "end", "leeway"], of: "truncate")
    let length = try integer(given[0]) ?? 255
    let killsWords = flag(given[1])
    let end = try optionalText(given[2]) ?? TemplateText("...")
    let leeway = try integer(given[3]) ?? 5
    guard length >= end.count, leeway >= 0 else {
      throw problem("'truncate' needs a length of at least \(end.count).")
    }
    if text.count <= (length < Int.max - leeway ? length + leeway : Int.max) { return text }
    let kept = text.scalars(0..<length - end.count)
    if killsWords ?? false { return kept + end }
    let parts = kept.splitFromRight(by: TemplateText(" "), limit: 1)
    return parts[0] + end
  }

  /// Lines of at most a width, broken at spaces and after hyphens.
  private mutating func wrapped(
    _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateText {
    let given = try arguments.bound(
      to: ["width", "break_long_words", "wrapstring", "break_on_hyphens"], of: "wordwrap")
    let width = try integer(given[0]) ?? 79
    let breaksWords = flag(given[1])
    let separator = try optionalText(given[2]) ?? TemplateText("\n")
    guard width > 0 else { throw problem("'wordwrap' needs a width above 0.") }
    try spend(items: 4 * text.bytes.count)
    var lines: [TemplateText] = []
    for paragraph in text.lines(keepingEnds: false) {
      lines += Self.wrapped(paragraph, width: width, breaksWords: breaksWords ?? true)
    }
    let size = lines.reduce(0) { $0 + $1.bytes.count + separator.bytes.count }
    try spend(text: size)
    return TemplateText.joined(lines, by: separator)
  }

  private static func wrapped(
    _ paragraph: TemplateText, width: Int, breaksWords: Bool
  ) -> [TemplateText] {
    // Words and the white space between them, alternating.
    var chunks: [TemplateText] = []
    for character in paragraph.characters {
      let isSpace = character.scalars.first?.isPythonSpace ?? false
      let lastIsSpace = chunks.last?.scalars.first?.isPythonSpace
      if lastIsSpace == isSpace {
        chunks[chunks.count - 1].append(character)
      } else {
        chunks.append(character)
      }
    }
    chunks.reverse()
    var lines: [TemplateText] = []
    while !chunks.isEmpty {
      var line = TemplateText.empty
      if !lines.isEmpty, chunks[chunks.count - 1].trimmed().isEmpty { chunks.removeLast() }
      while let chunk = chunks.last, line.count + chunk.count <= width {
        line.append(chunk)
        chunks.removeLast()
      }
      if let chunk = chunks.last, chunk.count > width {
        let space = max(1, width - line.count)
        if breaksWords {
          line.append(chunk.scalars(0..<space))
          chunks[chunks.count - 1] = chunk.scalars(space..<chunk.count)
        } else if line.isEmpty {
          line.append(chunk)
          chunks.removeLast()
        }
      }
      let trimmed = line.trimmed(atStart: false)
      if !trimmed.isEmpty { lines.append(trimmed) }
    }
    return lines
  }

  private mutating func withoutTags(
    _ text: TemplateText
  ) throws(ChatTemplateError) -> TemplateText {
    try spend(text: 4 * text.bytes.count)
    func removing(_ opening: String, _ closing: String, from text: TemplateText) -> TemplateText {
      let (opening, closing) = (TemplateText(opening), TemplateText(closing))
      var result = TemplateText.empty
      var start = 0
      while let index = text.firstIndex(of: opening, from: start),
        let end = text.firstIndex(of: closing, from: index)
      {
        result.append(text[start..<index])
        start = end + closing.bytes.count
      }
      result.append(text[start..<text.bytes.count])
      return result
    }
    let plain = removing("<", ">", from: removing("<!--", "-->", from: text.plain))
    var result = TemplateText.joined(plain.splitAtSpaces(), by: TemplateText(" "))
    for (entity, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&#34;", "\""), ("&quot;", "\""), ("&#39;", "'"),
      ("&amp;", "&"),
    ] { result = result.replacing(TemplateText(entity), with: TemplateText(character)) }
    return result
  }

  // MARK: Numbers

  private mutating func number(
    _ filter: TemplateFilter, _ value: TemplateValue, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    switch filter {
    case .abs:
      if let integer = value.asIndex { return integer < 0 ? try negated(value) : .integer(integer) }
      guard case .float(let number) = value else { throw unusable(value, "'abs'") }
      return .float(number.magnitude)
    case .round:
      let given = try arguments.bound(to: ["precision", "method"], of: "round")
      return try rounded(
        value, places: try integer(given[0]) ?? 0, method: try optionalText(given[1])?.string)
    case .int:
      let given = try arguments.bound(to: ["default", "base"], of: "int")
      let base = try integer(given[1]) ?? 10
      var result: TemplateValue?
      switch value {
      case .undefined: throw unusable(value, "'int'")
      case .integer, .bigInteger: return value
      case .bool: return .integer(value.asIndex ?? 0)
      case .float(let number): result = PythonNumber.integer(of: number)
      case .text(let text):
        try spend(8 * text.bytes.count)
        result =
          PythonNumber.integer(of: text.string, base: base)
          ?? PythonNumber.double(of: text.string).flatMap { PythonNumber.integer(of: $0) }
      default: break
      }
      return result ?? given[0] ?? .integer(0)
    case .float:
      let given = try arguments.bound(to: ["default"], of: "float")
      if value.isUndefined { throw unusable(value, "'float'") }
      if let number = value.asDouble { return .float(number) }
      if case .text(let text) = value, let number = PythonNumber.double(of: text.string) {
        return .float(number)
      }
      return given[0] ?? .float(0)
    case .filesizeformat:
      let given = try arguments.bound(to: ["binary"], of: "filesizeformat")
      let isBinary = flag(given[0])
      return .string(try fileSize(value, isBinary: isBinary ?? false))
    default:
      let given = try arguments.bound(to: ["attribute", "start"], of: "sum")
      var items = try items(of: value)
      if let attribute = given[0], !attribute.isNone {
        items = try attributes(attribute, of: items)
      }
      var total = given[1] ?? .integer(0)
      for item in items { total = try apply(.add, total, item) }
      return total
    }
  }

  private mutating func rounded(
    _ value: TemplateValue, places: Int, method: String?
  ) throws(ChatTemplateError) -> TemplateValue {
    try spend(4096)
    switch method ?? "common" {
    case "common":
      if let integer = value.asIndex {
        guard places < 0 else { return .integer(integer) }
        return PythonNumber.integer(of: PythonNumber.rounded(Double(integer), places: places))
          ?? value
      }
      guard case .float(let number) = value else { throw unusable(value, "'round'") }
      return .float(PythonNumber.rounded(number, places: places))
    case "ceil", "floor":
      guard let number = value.asDouble else { throw unusable(value, "'round'") }
      let factor = try PythonNumber.power(10, Double(places))
      let scaled = number * factor
      return .float(scaled.rounded(method == "ceil" ? .up : .down) / factor)
    default: throw problem("'round' knows the methods common, ceil and floor.")
    }
  }

  private func fileSize(
    _ value: TemplateValue, isBinary: Bool
  ) throws(ChatTemplateError) -> String {
    guard
      let bytes = value.asDouble ?? value.asText.flatMap({ PythonNumber.double(of: $0.string) })
    else { throw unusable(value, "'filesizeformat'") }
    let base = isBinary ? 1024.0 : 1000
    if bytes == 1 { return "1 Byte" }
    if bytes < base {
      guard let whole = PythonNumber.integer(of: bytes), case .integer(let count) = whole else {
        throw unusable(value, "'filesizeformat'")
      }
      return "\(count) Bytes"
    }
    var unit = base * base
    let prefixes = ["k", "M", "G", "T", "P", "E", "Z", "Y"]
    for (index, prefix) in prefixes.enumerated() {
      if bytes < unit || index == prefixes.count - 1 {
        let name = isBinary ? prefix.uppercased() + "iB" : prefix + "B"
        return "\(PythonNumber.fixed(base * bytes / unit, places: 1)) \(name)"
      }
      unit *= base
    }
    return ""
  }
}
