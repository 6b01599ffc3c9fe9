// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Reads GBNF, the grammar notation of llama.cpp, by recursive descent.
///
/// Beyond what that project's guide describes, `'` and `/` may be escaped, names may contain
/// underscores, and rules that are defined twice, an empty `[]`, and ranges out of order are errors,
/// where llama.cpp takes the last definition or a class that matches nothing.
struct GBNFParser {
  /// Groups nest at most this deep.
  static let depthLimit = 250

  let scalars: [Unicode.Scalar]
  private(set) var lineStarts = [0]
  /// Where each rule is mentioned first.
  private(set) var mentions: [String: Int] = [:]
  /// The token that is a text, for `<text>`.
  private let tokenOfText: ((String) -> Int?)?
  private(set) var at = 0
  private var depth = 0
  private(set) var rules: [RuleCompiler.Rule] = []

  /// Reads a whole grammar.
  static func parse(
    _ text: String, tokenOfText: ((String) -> Int?)?
  ) throws(GrammarError) -> [RuleCompiler.Rule] {
    var parser = GBNFParser(text, tokenOfText)
    // Editors of some systems begin a file with a byte order mark.
    _ = parser.take("\u{FEFF}")
    parser.skipSpace(andLines: true)
    while parser.next != nil { try parser.rule() }
    try parser.checkMentions()
    return parser.rules
  }

  private init(_ text: String, _ tokenOfText: ((String) -> Int?)?) {
    scalars = Array(text.unicodeScalars)
    self.tokenOfText = tokenOfText
    for (index, scalar) in scalars.enumerated() where scalar == "\n" {
      lineStarts.append(index + 1)
    }
  }

  var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    at += 1
    return true
  }

  private mutating func skipSpace(andLines: Bool) {
    while let scalar = next {
      switch scalar {
      case " ", "\t": at += 1
      case "\n", "\r":
        guard andLines else { return }
        at += 1
      case "#": while let scalar = next, scalar != "\n", scalar != "\r" { at += 1 }
      default: return
      }
    }
  }

  // MARK: Rules

  private mutating func rule() throws(GrammarError) {
    let start = at
    guard let name = name() else {
      throw failure("expected the name of a rule, found \(found)\(hint(inRule: false))")
    }
    skipSpace(andLines: false)
    let arrow = at
    guard take(":"), take(":"), take("=") else {
      at = arrow
      // What looks like an arrow of another notation begins a rule, anything else goes on with one.
      let isArrow = next.map { [":", "=", "-", "→"].contains($0) } ?? false
      throw failure(
        "expected `::=` after the name of the rule `\(name)`, found \(found)"
          + (isArrow || rules.isEmpty ? "" : Self.lineHint))
    }
    skipSpace(andLines: true)
    let expression = try alternatives(isNested: false)
    if take("\r") {
      _ = take("\n")
    } else if !take("\n"), next != nil {
      throw failure(
        "expected the end of the line or of an alternative, found \(found)\(hint(inRule: true))")
    }
    skipSpace(andLines: true)
    rules.append(.init(name: name, expression: expression, location: location(of: start)))
  }

  private static func isName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private mutating func name() -> String? {
    let start = at
    while let scalar = next, Self.isName(scalar) { at += 1 }
    guard at > start else { return nil }
    return String(String.UnicodeScalarView(scalars[start..<at]))
  }

  private mutating func alternatives(isNested: Bool) throws(GrammarError) -> RuleExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw failure("groups nest deeper than \(Self.depthLimit) levels")
    }
    var branches = [try sequence(isNested: isNested)]
    while take("|") {
      skipSpace(andLines: true)
      branches.append(try sequence(isNested: isNested))
    }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence(isNested: Bool) throws(GrammarError) -> RuleExpression {
    var parts: [RuleExpression] = []
    // How many repetitions stand on one part: each is a level like that of a group.
    var repetitions = 0
    while let scalar = next {
      let isRepetition = ["*", "+", "?", "{"].contains(scalar)
      repetitions = isRepetition ? repetitions + 1 : 0
      guard repetitions <= Self.depthLimit else {
        throw failure("more than \(Self.depthLimit) repetitions stand on one part")
      }
      switch scalar {
      case "\"": parts.append(try text())
      case "[": parts.append(.characters(try characterClass()))
      case ".":
        at += 1
        parts.append(.characters(.all))
      case "<", "!": parts.append(try token())
      case "(":
        let start = at
        at += 1
        skipSpace(andLines: true)
        parts.append(try alternatives(isNested: true))
        guard take(")") else {
          throw failure(
            "expected `)` for the `(` at \(location(of: start)), found \(found)"
              + hint(inRule: true))
        }
      case "*", "+", "?", "{":
        guard let last = parts.popLast() else {
          throw failure("`\(scalar)` has nothing before it to repeat")
        }
        let (minimum, maximum) = try counts(isNested: isNested)
        parts.append(.repetition(last, minimum: minimum, maximum: maximum))
      default:
        let start = at
        guard let name = name() else { return Self.joined(parts) }
        if mentions[name] == nil { mentions[name] = start }
        parts.append(.rule(name))
      }
      skipSpace(andLines: isNested)
    }
    return Self.joined(parts)
  }

  private static func joined(_ parts: [RuleExpression]) -> RuleExpression {
    parts.count == 1 ? parts[0] : .sequence(parts)
  }

  // MARK: Repetitions

  private mutating func counts(
    isNested: Bool
  ) throws(GrammarError) -> (minimum: Int, maximum: Int?) {
    let start = at
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    at += 1
    skipSpace(andLines: isNested)
    let minimum = try number()
    var maximum: Int? = minimum
    skipSpace(andLines: isNested)
    if take(",") {
      skipSpace(andLines: isNested)
      maximum = next.map { ("0"..."9").contains($0) } ?? false ? try number() : nil
      skipSpace(andLines: isNested)
    }
    guard take("}") else {
      throw failure("expected `}` after the bounds of a repetition, found \(found)")
    }
    if let maximum, maximum < minimum {
      throw failure(
        "the bounds of a repetition are out of order: \(minimum) is more than \(maximum)",
        at: start)
    }
    return (minimum, maximum)
  }

  private mutating func number(
    _ expected: String = "a number of repetitions"
  ) throws(GrammarError) -> Int {
    let start = at
    var value = 0
    while let scalar = next, ("0"..."9").contains(scalar) {
      value = value * 10 + Int(scalar.value - 0x30)
      guard value < Int(UInt32.max) else {
        throw failure("a repetition has at most \(UInt32.max - 1) rounds", at: start)
      }
      at += 1
    }
    guard at > start else {
      let hint = next == "," ? "; write `{0,` for at most so many" : ""
      throw failure("expected \(expected), found \(found)\(hint)")
    }
    return value
  }

  // MARK: Characters

  private mutating func text() throws(GrammarError) -> RuleExpression {
    let start = at
    at += 1
    var text: [Unicode.Scalar] = []
    while !take("\"") {
      guard next != nil else { throw failure("this text has no closing `\"`", at: start) }
      text.append(try character())
    }
    return .regular(.literal(text))
  }

  private mutating func characterClass() throws(GrammarError) -> ScalarSet {
    let start = at
    at += 1
    let isNegated = take("^")
    var ranges: [ClosedRange<UInt32>] = []
    while !take("]") {
      guard next != nil else { throw failure("this class has no closing `]`", at: start) }
      let rangeStart = at
      let low = try character()
      var high = low
      if next == "-", at + 1 < scalars.count, scalars[at + 1] != "]" {
        at += 1
        high = try character()
      }
      guard low <= high else {
        throw failure("the range `\(low)-\(high)` is out of order", at: rangeStart)
      }
      ranges.append(low.value...high.value)
    }
    let set = ScalarSet(ranges)
    if isNegated { return set.complement }
    guard !ranges.isEmpty else {
      throw failure("an empty class matches nothing; write `\"\"` for the empty text", at: start)
    }
    return set.intersection(.all)
  }

  private mutating func character() throws(GrammarError) -> Unicode.Scalar {
    let start = at
    guard let scalar = next else { throw failure("the text ends inside a quoted text or class") }
    at += 1
    guard scalar == "\\" else { return scalar }
    guard let escape = next else { throw failure("the text ends inside an escape", at: start) }
    at += 1
    switch escape {
    case "x": return try codePoint(digits: 2, from: start)
    case "u": return try codePoint(digits: 4, from: start)
    case "U": return try codePoint(digits: 8, from: start)
    case "t": return "\t"
    case "r": return "\r"
    case "n": return "\n"
    case "\\", "\"", "[", "]", "-", "'", "/": return escape
    default:
      let ranges: [Unicode.Scalar: String] = [
        "d": "0-9", "w": "0-9A-Za-z_", "s": " \\t\\r\\n",
      ]
      if let range = ranges[escape] {
        throw failure("`\\\(escape)` is no escape here; write `[\(range)]`", at: start)
      }
      throw failure(
        "`\\\(escape)` is no escape; the escapes are \\x00, \\u0000, \\U00000000, \\t, \\r, \\n "
          + "and a backslash before \\ \" [ ] -", at: start)
    }
  }

  private mutating func codePoint(
    digits: Int, from start: Int
  ) throws(GrammarError) -> Unicode.Scalar {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let scalar = next, scalar.isASCII,
        let digit = UInt8(truncatingIfNeeded: scalar.value).hexadecimalValue
      else { throw failure("expected \(digits) hexadecimal digits, found \(found)") }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw failure("U+\(String(value, radix: 16, uppercase: true)) is no character", at: start)
    }
    return scalar
  }

  // MARK: Tokens

  /// `<[1000]>`, `<think>`, and both after `!`.
  private mutating func token() throws(GrammarError) -> RuleExpression {
    let start = at
    let isNegated = take("!")
    guard take("<") else { throw failure("expected `<` and a token after `!`, found \(found)") }
    if take("[") {
      let id = try number("the id of a token")
      guard take("]"), take(">") else {
        throw failure("expected `]>` after the id of a token, found \(found)")
      }
      return .token(id, isNegated: isNegated)
    }
    var text = "<"
    while let scalar = next, scalar != ">", scalar != "\n" {
      text.unicodeScalars.append(scalar)
      at += 1
    }
    guard take(">") else { throw failure("expected `>` after a token, found \(found)") }
    text += ">"
    guard let tokenOfText else {
      throw failure(
        "the token `\(text)` is known by its text only with a vocabulary; pass one, or write the "
          + "token's id as `<[0]>`, or quote it if it is text; rules are named without `<` and `>`",
        at: start)
    }
    guard let id = tokenOfText(text) else {
      throw failure("`\(text)` is no single token of the vocabulary", at: start)
    }
    return .token(id, isNegated: isNegated)
  }
}
