// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Writes rules in a notation.
struct DialectWriter {
  let dialect: EmittedGrammar.Dialect
  let names: [String]
  /// Whether Lark is written character by character. Its lexer takes the longest text of a terminal, even
  /// where what follows needs a part of it: `[a-z]+ "x"` would never end. JSON ends its parts by marks.
  let isCharacterwise: Bool
  private(set) var losses: [GrammarError.Diagnostic] = []
  /// Rules for what cannot stand where it is repeated, each with its name.
  private var parts: [(name: String, text: String)] = []
  /// How deep in groups the text is that is being written.
  private var depth = 0

  init(dialect: EmittedGrammar.Dialect, names: [String], isCharacterwise: Bool = false) {
    self.dialect = dialect
    self.names = names
    self.isCharacterwise = isCharacterwise && dialect == .lark
  }

  /// The whole grammar, a rule a line.
  mutating func write(root: EmittedExpression, rules: [EmittedExpression]) -> String {
    var lines: [String] = []
    let arrow = dialect == .lark ? ": " : " ::= "
    lines.append((dialect == .lark ? "start" : "root") + arrow + text(root, .choice))
    for (name, rule) in zip(names, rules) { lines.append(name + arrow + text(rule, .choice)) }
    for rule in parts { lines.append(rule.name + arrow + rule.text) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What surrounds an expression, the loosest first.
  enum Binding: Int { case choice, sequence, item }

  mutating func text(_ expression: EmittedExpression, _ binding: Binding) -> String {
    depth += 1
    defer { depth -= 1 }
    if isCharacterwise, depth > Self.larkDepth {
      let outer = depth
      depth = 0
      defer { depth = outer }
      return rule(for: text(expression, .choice))
    }
    switch expression {
    case .text(let text):
      guard isCharacterwise, text.unicodeScalars.count > 1 else { return literal(text, binding) }
      let characters = text.unicodeScalars.map { literal(String($0), .item) }
      return grouped(characters.joined(separator: " "), binding == .item)
    case .scalars(let set):
      if set.isEmpty { return never }
      return isCharacterwise ? terminal(.scalars(set)) : characterClass(set)
    case .rule(let index): return names[index]
    case .token(let id, let isNegated): return token(id, isNegated)
    case .terminal(let body):
      if dialect == .lark, !isCharacterwise {
        let terminal = terminal(body)
        return grouped(terminal, binding == .item && terminal.hasSuffix("?"))
      }
      return text(body, binding)
    case .sequence(let parts):
      if parts.isEmpty { return dialect == .regularExpression ? "(?:)" : "\"\"" }
      let separator = dialect == .regularExpression ? "" : " "
      var texts: [String] = []
      for part in parts { texts.append(text(part, .sequence)) }
      return grouped(texts.joined(separator: separator), binding == .item)
    case .choice(let branches):
      if branches.isEmpty { return never }
      let separator = dialect == .regularExpression ? "|" : " | "
      var texts: [String] = []
      for branch in branches { texts.append(text(branch, .choice)) }
      return grouped(texts.joined(separator: separator), binding != .choice)
    case .repetition(let body, let minimum, let maximum):
      let rounds = max(minimum, maximum ?? 0)
      if dialect == .gbnf, rounds < Self.llamaLimit,
        body.llamaRuleCount * rounds >= Self.llamaLimit
      {
        let name = rule(for: text(body, .choice))
        return grouped(repetition(name, minimum, maximum), binding == .item)
      }
      // A second `?` behind it would make it lazy, or be an error.
      return grouped(repetition(text(body, .item), minimum, maximum), binding == .item)
    }
  }

  private func token(_ id: Int, _ isNegated: Bool) -> String {
    switch dialect {
    case .gbnf: (isNegated ? "!" : "") + "<[\(id)]>"
    case .lark: isNegated ? "<[^\(id)]>" : "<[\(id)]>"
    case .ebnf: (isNegated ? "ExcludeToken" : "Token") + "(\(id))"
    // Left out before: a regular expression knows texts alone.
    case .regularExpression: never
    }
  }

  private var never: String { dialect == .regularExpression ? "[^\\s\\S]" : "[]" }

  private func grouped(_ text: String, _ needed: Bool) -> String {
    if !needed { return text }
    return (dialect == .regularExpression ? "(?:" : "(") + text + ")"
  }

  /// llguidance does not read groups that nest much deeper.
  private static let larkDepth = 16

  /// llama.cpp takes a repetition if its count times the rules that it makes of the body is less.
  private static let llamaLimit = 2000

  /// The name of a rule for a part: as the body of a repetition it counts as one rule.
  private mutating func rule(for text: String) -> String {
    if let known = parts.first(where: { $0.text == text }) { return known.name }
    var number = parts.count + 1
    func name() -> String { dialect == .lark ? "part_\(number)" : "part-\(number)" }
    while names.contains(name()) || parts.contains(where: { $0.name == name() }) { number += 1 }
    parts.append((name(), text))
    return name()
  }

  private mutating func repetition(_ body: String, _ minimum: Int, _ maximum: Int?) -> String {
    switch (minimum, maximum) {
    case (0, nil): return body + "*"
    case (1, nil): return body + "+"
    case (0, 1): return body + "?"
    default: break
    }
    var minimum = minimum
    var maximum = maximum
    if dialect == .gbnf, minimum >= Self.llamaLimit || maximum ?? 0 >= Self.llamaLimit {
      losses.append(
        .init(
          keyword: "", location: "{\(minimum),\(maximum.map(String.init) ?? "")}",
          message: "llama.cpp takes no counts from 2,000 on; there is no bound instead"))
      minimum = min(minimum, 1999)
      maximum = nil
    }
    guard let maximum else { return "\(body){\(minimum),}" }
    return minimum == maximum ? "\(body){\(minimum)}" : "\(body){\(minimum),\(maximum)}"
  }

  // MARK: Terminals

  /// A terminal of Lark: a text, or a regular expression between slashes.
  private func terminal(_ body: EmittedExpression) -> String {
    if case .text(let text) = body { return Self.quoted(text, hexadecimal: "\\x") }
    var writer = DialectWriter(dialect: .regularExpression, names: names)
    let pattern = writer.text(body, .choice)
    // A lexer takes no empty terminals.
    if case .repetition(let inner, 0, let maximum) = body {
      let some = EmittedExpression.repetition(inner, minimum: 1, maximum: maximum)
      return "/" + writer.text(some, .choice).replacing("/", with: "\\/") + "/?"
    }
    return "/" + pattern.replacing("/", with: "\\/") + "/"
  }

  private func literal(_ text: String, _ binding: Binding) -> String {
    // xgrammar takes as many digits after `\x` as there are.
    if dialect != .regularExpression {
      return Self.quoted(text, hexadecimal: dialect == .ebnf ? "\\u00" : "\\x")
    }
    let escaped = text.unicodeScalars.map { Self.escapedInPattern($0, inClass: false) }.joined()
    return grouped(escaped, binding == .item && text.unicodeScalars.count != 1)
  }

  /// A text in double quotes.
  private static func quoted(_ text: String, hexadecimal: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += hexadecimal + padded(scalar.value, 2)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func padded(_ value: UInt32, _ width: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func escapedInPattern(_ scalar: Unicode.Scalar, inClass: Bool) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    case "\\", "]", "[", "^", "-", "&", "~":
      if !inClass, ["-", "&", "~"].contains(scalar) { return String(scalar) }
      return ["&", "~"].contains(scalar) ? "\\x" + padded(scalar.value, 2) : "\\\(scalar)"
    case ".", "*", "+", "?", "(", ")", "{", "}", "|", "$":
      return inClass ? String(scalar) : "\\\(scalar)"
    case _ where scalar.value < 0x20 || (0x7F...0xA0).contains(scalar.value):
      return "\\x" + padded(scalar.value, 2)
    default: return isVisible(scalar) ? String(scalar) : "\\u{" + padded(scalar.value, 4) + "}"
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
      false
    default: true
    }
  }

  // MARK: Characters

  private func characterClass(_ set: ScalarSet) -> String {
    let complement = set.complement
    let isNegated = complement.ranges.count < set.ranges.count && !complement.isEmpty
    if set == .all { return any }
    let shown = isNegated ? complement : set
    if dialect == .regularExpression, !isNegated, shown.ranges.count == 1,
      shown.ranges[0].count == 1, let scalar = Unicode.Scalar(shown.ranges[0].lowerBound)
    {
      return Self.escapedInPattern(scalar, inClass: false)
    }
    var result = isNegated ? "[^" : "["
    for range in shown.ranges {
      result += inClass(range.lowerBound)
      if range.count > 2 { result += "-" }
      if range.count > 1 { result += inClass(range.upperBound) }
    }
    return result + "]"
  }

  /// Any character.
  private var any: String {
    switch dialect {
    case .gbnf: "."
    case .regularExpression: "[\\s\\S]"
    default: "[\\u0000-\\U0010FFFF]"
    }
  }

  private func inClass(_ value: UInt32) -> String {
    guard let scalar = Unicode.Scalar(value) else { return "" }
    if dialect == .regularExpression { return Self.escapedInPattern(scalar, inClass: true) }
    switch scalar {
    case "\\", "]", "-": return "\\\(scalar)"
    case "[", "^", "\"": return hexadecimal(value)
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    case _ where value < 0x20 || (0x7F...0xA0).contains(value): return hexadecimal(value)
    default:
      if Self.isVisible(scalar) { return String(scalar) }
      return value > 0xFFFF ? "\\U" + Self.padded(value, 8) : "\\u" + Self.padded(value, 4)
    }
  }

  /// A character below 256 by its number. xgrammar takes as many digits after `\x` as there are.
  private func hexadecimal(_ value: UInt32) -> String {
    dialect == .ebnf ? "\\u" + Self.padded(value, 4) : "\\x" + Self.padded(value, 2)
  }
}

extension EmittedExpression {
  /// How many rules llama.cpp makes at most of an expression that is repeated.
  fileprivate var llamaRuleCount: Int {
    switch self {
    case .text, .scalars, .token, .rule: 1
    case .sequence(let parts), .choice(let parts):
      parts.reduce(1) { $0 + $1.llamaRuleCount }
    case .repetition(let body, let minimum, let maximum):
      body.llamaRuleCount + (maximum.map { min($0 - minimum, 2000) } ?? 1)
    case .terminal(let body): body.llamaRuleCount
    }
  }
}
