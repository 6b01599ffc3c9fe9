// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Cuts a template into text, tags, and the words of tags.
///
/// White space goes as the publishers of models have it (`trim_blocks`, `lstrip_blocks`): the line
/// break after a statement or a comment, and the blanks before it on its line, are no text. `-`
/// beside a brace takes all white space away on its side, `+` keeps it.
///
///     {% if a %}⏎  x⏎{% endif %}   →   block begin, if, a, block end, text "  x⏎", block begin, …
struct TemplateLexer {
  /// A word of a template.
  struct Token {
    enum Kind: UInt8 {
      case data, variableBegin, variableEnd, blockBegin, blockEnd
      case name, string, integer, float, symbol, end
    }

    var kind: Kind
    /// The bytes of the source; without quotation marks for strings.
    var start: Int32
    var end: Int32
    var line: Int32
  }

  let source: [UInt8]
  private(set) var tokens: [Token] = []
  private var index = 0
  private var line: Int32 = 1
  /// Whether what was read last ended a line.
  private var startsLine = true

  /// - Throws: Where a tag, a comment or a text does not end, or a character cannot stand there.
  init(_ source: String) throws(ChatTemplateError) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(source.utf8.count)
    var endsWithReturn = false
    for byte in source.utf8 {
      if byte == 0x0D {
        bytes.append(0x0A)
      } else if byte != 0x0A || !endsWithReturn {
        bytes.append(byte)
      }
      endsWithReturn = byte == 0x0D
    }
    // One line break at the end of a template is not part of it.
    if bytes.last == 0x0A { bytes.removeLast() }
    self.source = bytes
    try run()
  }

  private func problem(_ message: String, line: Int32? = nil) -> ChatTemplateError {
    ChatTemplateError(message: message, line: Int(line ?? self.line))
  }

  private func byte(_ index: Int) -> UInt8 { index < source.count ? source[index] : 0 }

  private func stands(_ text: StaticString, at index: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= source.count else { return false }
    return text.withUTF8Buffer { buffer in
      for offset in buffer.indices where source[index + offset] != buffer[offset] { return false }
      return true
    }
  }

  private mutating func add(_ kind: Token.Kind, _ start: Int, _ end: Int, line: Int32? = nil) {
    tokens.append(
      Token(
        kind: kind, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: end),
        line: line ?? self.line))
  }

  private mutating func countLines(_ range: Range<Int>) {
    for index in range where source[index] == 0x0A { line += 1 }
  }

  // MARK: Text

  private mutating func run() throws(ChatTemplateError) {
    var start = 0
    while index < source.count {
      guard source[index] == 0x7B else {
        index += 1
        continue
      }
      switch byte(index + 1) {
      case 0x7B: try tag(after: start, isBlock: false)
      case 0x25: try tag(after: start, isBlock: true)
      case 0x23: try comment(after: start)
      default:
        index += 1
        continue
      }
      start = index
    }
    if start < source.count { add(.data, start, source.count) }
    countLines(start..<source.count)
    add(.end, source.count, source.count)
  }

  /// Adds the text before a tag, without the white space that the tag takes away.
  private mutating func text(from start: Int, mark: UInt8, isOutput: Bool) {
    var end = index
    if mark == UInt8(ascii: "-") {
      end = spacesStart(before: end, from: start)
    } else if mark != UInt8(ascii: "+"), !isOutput {
      var lineStart = end
      while lineStart > start, source[lineStart - 1] != 0x0A { lineStart -= 1 }
      if lineStart > start || startsLine, lineStart < end,
        spacesStart(before: end, from: lineStart) == lineStart
      {
        end = lineStart
      }
    }
    if start < end { add(.data, start, end) }
    countLines(start..<index)
  }

  /// Where the white space before a byte begins.
  private func spacesStart(before end: Int, from start: Int) -> Int {
    var end = end
    while end > start {
      var place = end - 1
      while place > start, source[place] & 0xC0 == 0x80 { place -= 1 }
      guard scalar(at: place).scalar.isPythonSpace else { break }
      end = place
    }
    return end
  }

  private func scalar(at index: Int) -> (scalar: Unicode.Scalar, width: Int) {
    let first = source[index]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    let text = String(decoding: source[index..<min(index + width, source.count)], as: UTF8.self)
    return (text.unicodeScalars.first ?? "\u{FFFD}", width)
  }

  private mutating func skipSpaces() {
    while index < source.count {
      let (scalar, width) = scalar(at: index)
      guard scalar.isPythonSpace else { return }
      if scalar == "\n" { line += 1 }
      index += width
    }
  }

  /// Goes past the end of a tag and the white space that it takes away.
  private mutating func close(mark: UInt8, trimsLine: Bool) {
    let start = index
    index += mark == 0 ? 2 : 3
    if mark == UInt8(ascii: "-") {
      skipSpaces()
    } else if mark == 0, trimsLine, byte(index) == 0x0A {
      line += 1
      index += 1
    }
    startsLine = index > start && source[index - 1] == 0x0A
  }

  private func sign(at index: Int) -> UInt8 {
    let byte = byte(index)
    return byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") ? byte : 0
  }

  private mutating func comment(after start: Int) throws(ChatTemplateError) {
    let mark = sign(at: index + 2)
    text(from: start, mark: mark, isOutput: false)
    let beginning = line
    index += mark == 0 ? 2 : 3
    while index < source.count {
      if stands("#}", at: index) { return close(mark: 0, trimsLine: true) }
      let mark = sign(at: index)
      if mark != 0, stands("#}", at: index + 1) { return close(mark: mark, trimsLine: true) }
      if source[index] == 0x0A { line += 1 }
      index += 1
    }
    throw problem("A comment does not end.", line: beginning)
  }

  // MARK: Tags

  private mutating func tag(after start: Int, isBlock: Bool) throws(ChatTemplateError) {
    let mark = sign(at: index + 2)
    text(from: start, mark: mark, isOutput: !isBlock)
    let opening = line
    let begin = index
    index += mark == 0 ? 2 : 3
    if isBlock, try raw() { return }
    add(isBlock ? .blockBegin : .variableBegin, begin, index)
    var brackets: [UInt8] = []
    while true {
      skipSpaces()
      guard index < source.count else {
        throw problem("'\(isBlock ? "%}" : "}}")' is missing.", line: opening)
      }
      if brackets.isEmpty, let mark = endMark(isBlock: isBlock) {
        add(isBlock ? .blockEnd : .variableEnd, index, index + 2)
        return close(mark: mark, trimsLine: isBlock)
      }
      try word(&brackets)
    }
  }

  /// The sign of the end of a tag, where one stands.
  private func endMark(isBlock: Bool) -> UInt8? {
    let closing: StaticString = isBlock ? "%}" : "}}"
    if stands(closing, at: index) { return 0 }
    let mark = sign(at: index)
    guard mark == UInt8(ascii: "-") || (isBlock && mark != 0), stands(closing, at: index + 1)
    else { return nil }
    return mark
  }

  /// `{% raw %}`: what stands up to `endraw` is text.
  private mutating func raw() throws(ChatTemplateError) -> Bool {
    var ahead = index
    func skip(_ ahead: inout Int) {
      while ahead < source.count, scalar(at: ahead).scalar.isPythonSpace {
        ahead += scalar(at: ahead).width
      }
    }
    skip(&ahead)
    guard stands("raw", at: ahead) else { return false }
    ahead += 3
    skip(&ahead)
    let trims = stands("-%}", at: ahead)
    guard trims || stands("%}", at: ahead) else { return false }
    let opening = line
    countLines(index..<ahead)
    index = ahead
    close(mark: trims ? UInt8(ascii: "-") : 0, trimsLine: false)
    let start = index
    while index < source.count {
      if stands("{%", at: index) {
        let mark = sign(at: index + 2)
        var ahead = index + (mark == 0 ? 2 : 3)
        skip(&ahead)
        if stands("endraw", at: ahead) {
          ahead += 6
          skip(&ahead)
          let end = sign(at: ahead)
          if stands("%}", at: end == 0 ? ahead : ahead + 1) {
            text(from: start, mark: mark, isOutput: false)
            countLines(index..<ahead)
            index = ahead
            close(mark: end, trimsLine: true)
            return true
          }
        }
      }
      index += 1
    }
    throw problem("'endraw' is missing.", line: opening)
  }

  private mutating func word(_ brackets: inout [UInt8]) throws(ChatTemplateError) {
    let start = index
    let first = source[index]
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      let isFloat = try number()
      return add(isFloat ? .float : .integer, start, index)
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return try quoted(by: first)
    default: break
    }
    if isWord(at: index) {
      while index < source.count, isWord(at: index) { index += scalar(at: index).width }
      return add(.name, start, index)
    }
    for symbol in ["==", "!=", "<=", ">=", "//", "**"] as [StaticString]
    where stands(symbol, at: index) {
      index += 2
      return add(.symbol, start, index)
    }
    switch first {
    case UInt8(ascii: "("): brackets.append(UInt8(ascii: ")"))
    case UInt8(ascii: "["): brackets.append(UInt8(ascii: "]"))
    case UInt8(ascii: "{"): brackets.append(UInt8(ascii: "}"))
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
      guard let open = brackets.popLast() else {
        throw problem("'\(Unicode.Scalar(first))' closes nothing.")
      }
      guard open == first else {
        throw problem(
          "'\(Unicode.Scalar(open))' is expected, not '\(Unicode.Scalar(first))'.")
      }
    case _ where "+-/*%~.:|,;=<>".utf8.contains(first): break
    default: throw problem("'\(scalar(at: index).scalar)' is not expected here.")
    }
    index += 1
    add(.symbol, start, index)
  }

  /// Whether a letter, digit or underscore stands there.
  private func isWord(at index: Int) -> Bool {
    let byte = source[index]
    if byte < 0x80 {
      return byte == UInt8(ascii: "_") || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
        || (byte >= 0x30 && byte <= 0x39)
    }
    return scalar(at: index).scalar.properties.isXIDContinue
  }

  private mutating func quoted(by quote: UInt8) throws(ChatTemplateError) {
    let opening = line
    index += 1
    let start = index
    while index < source.count, source[index] != quote {
      if source[index] == 0x0A { line += 1 }
      if source[index] == UInt8(ascii: "\\") {
        index += 1
        if byte(index) == 0x0A { line += 1 }
      }
      index += 1
    }
    guard index < source.count else { throw problem("A text does not end.", line: opening) }
    add(.string, start, index, line: opening)
    index += 1
  }

  /// Goes past a number, and says whether it has a fraction or an exponent.
  private mutating func number() throws(ChatTemplateError) -> Bool {
    if source[index] == UInt8(ascii: "0"), "boxBOX".utf8.contains(byte(index + 1)) {
      index += 2
      while index < source.count, isWord(at: index), source[index] < 0x80 { index += 1 }
      return false
    }
    // After a point it is the number of an element: `items.0.5` has no fraction.
    let isAfterPoint = index > 0 && source[index - 1] == UInt8(ascii: ".")
    skipDigits()
    guard !isAfterPoint else { return false }
    var isFloat = false
    if byte(index) == UInt8(ascii: "."), isDigit(index + 1) {
      index += 1
      skipDigits()
      isFloat = true
    }
    if byte(index) | 0x20 == UInt8(ascii: "e") {
      let mark = sign(at: index + 1)
      if isDigit(index + (mark == 0 ? 1 : 2)) {
        index += mark == 0 ? 1 : 2
        skipDigits()
        isFloat = true
      }
    }
    return isFloat
  }

  private func isDigit(_ index: Int) -> Bool { byte(index) >= 0x30 && byte(index) <= 0x39 }

  private mutating func skipDigits() {
    while isDigit(index) || (byte(index) == UInt8(ascii: "_") && isDigit(index + 1)) {
      index += 1
    }
  }
}
