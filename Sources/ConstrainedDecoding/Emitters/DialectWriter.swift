// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Writes rules in a notation.
struct DialectWriter {
  let dialect: EmittedGrammar.Dialect
  let names: [String]
  private(set) var losses: [GrammarError.Diagnostic] = []

  init(dialect: EmittedGrammar.Dialect, names: [String]) {
    self.dialect = dialect
    self.names = names
  }

  /// The whole grammar, a rule a line.
  mutating func write(root: EmittedExpression, rules: [EmittedExpression]) -> String {
    var lines: [String] = []
    let arrow = dialect == .lark ? ": " : " ::= "
    lines.append((dialect == .lark ? "start" : "root") + arrow + text(root, .choice))
    for (name, rule) in zip(names, rules) { lines.append(name + arrow + text(rule, .choice)) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What surrounds an expression, the loosest first.
  enum Binding: Int { case choice, sequence, item }

  mutating func text(_ expression: EmittedExpression, _ binding: Binding) -> String {
    switch expression {
    case .text(let text): return literal(text, binding)
    case .scalars(let set): return set.isEmpty ? never : characterClass(set)
    case .rule(let index): return names[index]
    case .terminal(let body):
      if dialect == .lark {
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
      // A second `?` behind it would make it lazy, or be an error.
      return grouped(repetition(text(body, .item), minimum, maximum), binding == .item)
    }
  }

  private var never: String { dialect == .regularExpression ? "[^\\s\\S]" : "[]" }

  private func grouped(_ text: String, _ needed: Bool) -> String {
    if !needed { return text }
    return (dialect == .regularExpression ? "(?:" : "(") + text + ")"
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
    if dialect == .gbnf, minimum >= 2000 || maximum ?? 0 >= 2000 {
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
