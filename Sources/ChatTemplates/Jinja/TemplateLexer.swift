/// Cuts a template into text, outputs and statements, and these into words.
///
/// White space goes as the publishers of models have it (`trim_blocks`, `lstrip_blocks`): the line
/// break after a statement and the blanks before it on its line are no text; `-` beside a brace
/// takes all white space away on its side.
///
///     {% if a %}⏎  x⏎{% endif %}   →   statement "if a", text "  x⏎", statement "endif"
struct TemplateLexer {
  enum Word: Equatable, Sendable {
    case name(String)
    case text(String)
    case integer(Int)
    case number(Double)
    case symbol(String)
  }

  enum Part: Sendable {
    case text(String)
    case output([Word], line: Int)
    case statement([Word], line: Int)
  }

  /// How many words may stand between two braces.
  private static var wordLimit: Int { 2000 }

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var line = 1
  private var parts: [Part] = []
  private var text: [Unicode.Scalar] = []

  private init(_ source: String) { scalars = Array(source.unicodeScalars) }

  static func parts(of source: String) throws(ChatTemplateError) -> [Part] {
    var lexer = TemplateLexer(source)
    try lexer.run()
    return lexer.parts
  }

  private func stands(_ word: String, at index: Int) -> Bool {
    var index = index
    for scalar in word.unicodeScalars {
      guard index < scalars.count, scalars[index] == scalar else { return false }
      index += 1
    }
    return true
  }

  private mutating func run() throws(ChatTemplateError) {
    while index < scalars.count {
      if stands("{{", at: index) {
        try tag(closing: "}}", isStatement: false)
      } else if stands("{%", at: index) {
        try tag(closing: "%}", isStatement: true)
      } else if stands("{#", at: index) {
        try comment()
      } else {
        advance(keeping: true)
      }
    }
    flush()
  }

  private mutating func advance(keeping: Bool) {
    if scalars[index] == "\n" { line += 1 }
    if keeping { text.append(scalars[index]) }
    index += 1
  }

  private mutating func flush() {
    guard !text.isEmpty else { return }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text)
    parts.append(.text(String(view)))
    text = []
  }

  /// Takes white space before a tag away: all of it, or what stands on the tag's own line.
  private mutating func trimBefore(mark: Unicode.Scalar?, isBlock: Bool) {
    if mark == "-" {
      while let last = text.last, last.properties.isWhitespace { text.removeLast() }
    } else if isBlock, mark != "+" {
      let blanks = text.reversed().prefix { $0 == " " || $0 == "\t" }.count
      let before = text.count - blanks
      let isAtStart = before == 0 ? parts.isEmpty || endsLine : text[before - 1] == "\n"
      if isAtStart { text.removeLast(blanks) }
    }
  }

  /// Whether the last tag ended its line, so that the text begins a new one.
  private var endsLine = false

  private mutating func trimAfter(mark: Unicode.Scalar?, isBlock: Bool) {
    endsLine = false
    if mark == "-" {
      while index < scalars.count, scalars[index].properties.isWhitespace {
        advance(keeping: false)
      }
    } else if isBlock, mark != "+" {
      if stands("\r\n", at: index) { advance(keeping: false) }
      if index < scalars.count, scalars[index] == "\n" {
        advance(keeping: false)
        endsLine = true
      }
    }
  }

  private func mark(at index: Int) -> Unicode.Scalar? {
    guard index < scalars.count, scalars[index] == "-" || scalars[index] == "+" else { return nil }
    return scalars[index]
  }

  private mutating func comment() throws(ChatTemplateError) {
    let start = line
    trimBefore(mark: mark(at: index + 2), isBlock: true)
    flush()
    while index < scalars.count, !stands("#}", at: index) { advance(keeping: false) }
    guard index < scalars.count else {
      throw ChatTemplateError(message: "A comment does not end.", line: start)
    }
    let closing = scalars[index - 1] == "-" ? scalars[index - 1] : nil
    index += 2
    trimAfter(mark: closing, isBlock: true)
  }

  private mutating func tag(closing: String, isStatement: Bool) throws(ChatTemplateError) {
    let start = line
    let opening = mark(at: index + 2)
    trimBefore(mark: opening, isBlock: isStatement)
    flush()
    index += opening == nil ? 2 : 3
    var words: [Word] = []
    var depth = 0
    while true {
      while index < scalars.count, scalars[index].properties.isWhitespace {
        advance(keeping: false)
      }
      guard index < scalars.count else {
        throw ChatTemplateError(message: "'\(closing)' is missing.", line: start)
      }
      // A brace that an expression has opened is not the end of the tag.
      if depth == 0 || closing == "%}" {
        if stands(closing, at: index) { break }
        if mark(at: index) != nil, stands(closing, at: index + 1) { break }
      }
      let word = try word()
      if case .symbol(let symbol) = word {
        if "([{".contains(symbol) { depth += 1 }
        if ")]}".contains(symbol) { depth -= 1 }
      }
      words.append(word)
      guard words.count <= Self.wordLimit else {
        throw ChatTemplateError(message: "An expression is too long.", line: start)
      }
    }
    let end = mark(at: index)
    index += end == nil ? 2 : 3
    if words == [.name("raw")], isStatement { try raw() }
    trimAfter(mark: end, isBlock: isStatement)
    if words == [.name("raw")] { return }
    parts.append(isStatement ? .statement(words, line: start) : .output(words, line: start))
  }

  /// What stands between `raw` and `endraw` is text.
  private mutating func raw() throws(ChatTemplateError) {
    let start = line
    while index < scalars.count {
      if stands("{%", at: index) {
        var ahead = index + (mark(at: index + 2) == nil ? 2 : 3)
        while ahead < scalars.count, scalars[ahead].properties.isWhitespace { ahead += 1 }
        if stands("endraw", at: ahead) {
          while !stands("%}", at: index) {
            guard index < scalars.count else { break }
            advance(keeping: false)
          }
          index = min(index + 2, scalars.count)
          return
        }
      }
      advance(keeping: true)
    }
    throw ChatTemplateError(message: "'endraw' is missing.", line: start)
  }

  private mutating func word() throws(ChatTemplateError) -> Word {
    let first = scalars[index]
    if first == "'" || first == "\"" { return .text(try quoted(by: first)) }
    if ("0"..."9").contains(first) { return try number() }
    if first.properties.isXIDStart || first == "_" {
      var name = String.UnicodeScalarView()
      while index < scalars.count, scalars[index].properties.isXIDContinue {
        name.append(scalars[index])
        index += 1
      }
      return .name(String(name))
    }
    for symbol in ["==", "!=", "<=", ">=", "//", "**"] where stands(symbol, at: index) {
      index += 2
      return .symbol(symbol)
    }
    guard "()[]{}.,:|=<>+-*/%~".unicodeScalars.contains(first) else {
      throw ChatTemplateError(message: "'\(first)' is not expected here.", line: line)
    }
    index += 1
    return .symbol(String(first))
  }

  private mutating func quoted(by quote: Unicode.Scalar) throws(ChatTemplateError) -> String {
    let start = line
    var value = String.UnicodeScalarView()
    index += 1
    while index < scalars.count, scalars[index] != quote {
      if scalars[index] == "\\", index + 1 < scalars.count {
        index += 1
        switch scalars[index] {
        case "n": value.append("\n")
        case "t": value.append("\t")
        case "r": value.append("\r")
        case let other: value.append(other)
        }
        index += 1
      } else {
        if scalars[index] == "\n" { line += 1 }
        value.append(scalars[index])
        index += 1
      }
    }
    guard index < scalars.count else {
      throw ChatTemplateError(message: "A text does not end.", line: start)
    }
    index += 1
    return String(value)
  }

  private mutating func number() throws(ChatTemplateError) -> Word {
    var digits = ""
    var isWhole = true
    while index < scalars.count {
      let scalar = scalars[index]
      if ("0"..."9").contains(scalar) {
        digits.unicodeScalars.append(scalar)
      } else if scalar == ".", isWhole, index + 1 < scalars.count,
        ("0"..."9").contains(scalars[index + 1])
      {
        digits += "."
        isWhole = false
      } else {
        break
      }
      index += 1
    }
    if isWhole, let value = Int(digits) { return .integer(value) }
    guard let value = Double(digits) else {
      throw ChatTemplateError(message: "'\(digits)' is no number.", line: line)
    }
    return .number(value)
  }
}
