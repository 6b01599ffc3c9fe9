// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Writes a regular expression of Swift in the syntax of ECMA-262, which JSON Schema uses.
///
/// Most of the two is the same. What differs is spelled otherwise, or is an error: taken as it
/// stands it would mean something else.
struct RegularExpressionTranslation {
  /// Why an expression cannot be written in the other syntax.
  struct Unsupported: Error {
    let problem: String
  }

  /// Whether there was a choice between alternatives.
  private(set) var hasChoices = false
  private var rest: Substring.UnicodeScalarView
  private var result = ""
  /// The number of brackets that are open.
  private var classDepth = 0
  private var followsQuantifier = false

  init(_ pattern: String) { rest = pattern[...].unicodeScalars }

  mutating func run() throws(Unsupported) -> String {
    while let scalar = rest.popFirst() {
      let isAfterQuantifier = followsQuantifier
      followsQuantifier = false
      switch scalar {
      case "\\": try escape()
      case "[": try openClass()
      case "]" where classDepth > 0:
        classDepth -= 1
        if classDepth == 0 { result += "]" }
      case _ where classDepth > 0 && "&-~".unicodeScalars.contains(scalar) && rest.first == scalar:
        throw Unsupported(problem: "Operators in brackets, such as '&&', are not in ECMA-262.")
      case "(" where classDepth == 0: try openGroup()
      case "+" where classDepth == 0 && isAfterQuantifier:
        throw Unsupported(problem: "Possessive quantifiers are not in ECMA-262.")
      case "*", "+", "?", "}":
        result.unicodeScalars.append(scalar)
        followsQuantifier = classDepth == 0
      case "|" where classDepth == 0:
        hasChoices = true
        result += "|"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private mutating func openClass() throws(Unsupported) {
    if try property() { return }
    classDepth += 1
    if classDepth == 1 {
      result += "["
      if rest.first == "^" { result.unicodeScalars.append(rest.removeFirst()) }
    } else if rest.first == "^" {
      // Brackets in brackets add what is in them; all but what is in them cannot be added.
      throw Unsupported(problem: "'[^' within brackets is not in ECMA-262.")
    }
  }

  /// A property in the form `[:script=Thai:]`: so the compiler of Swift spells `\p{Script=Thai}`.
  private mutating func property() throws(Unsupported) -> Bool {
    let inner = rest.dropFirst()
    let name = inner.prefix { $0 != ":" && $0 != "]" }
    let after = inner.dropFirst(name.count)
    guard rest.first == ":", !name.isEmpty, after.starts(with: ":]".unicodeScalars) else {
      return false
    }
    rest = after.dropFirst(2)
    let isNegated = name.first == "^"
    let text = String(isNegated ? name.dropFirst() : name)
    guard text == "ascii" else {
      let key = "script="
      let known = text.hasPrefix(key) ? "Script=" + text.dropFirst(key.count) : text
      result += (isNegated ? "\\P{" : "\\p{") + known + "}"
      return true
    }
    let range = "\\u0000-\\u007F"
    if classDepth == 0 {
      result += isNegated ? "[^\(range)]" : "[\(range)]"
    } else if isNegated {
      throw Unsupported(problem: "'\\P{ASCII}' within brackets is not in ECMA-262.")
    } else {
      result += range
    }
    return true
  }

  private mutating func openGroup() throws(Unsupported) {
    result += "("
    guard rest.first == "?" else {
      if rest.first == "*" { throw Unsupported(problem: "'(*' is not in ECMA-262.") }
      return
    }
    let opening = String(rest.prefix(3))
    if opening.hasPrefix("?P<") {
      rest.removeFirst(3)
      result += "?<"
    } else if !["?:", "?=", "?!", "?<"].contains(where: opening.hasPrefix) {
      throw Unsupported(
        problem: "'(\(String(rest.prefix(2)))' is not in ECMA-262; options such as ignoring case "
          + "cannot be put into a schema.")
    } else {
      rest.removeFirst()
      result += "?"
    }
  }

  private mutating func escape() throws(Unsupported) {
    guard let scalar = rest.popFirst() else { throw Unsupported(problem: "It ends in '\\'.") }
    switch scalar {
    case "Q": quote()
    case "A": result += "^"
    case "z", "Z": result += "$"
    case "h": result += classDepth > 0 ? "\\t\\p{Zs}" : "[\\t\\p{Zs}]"
    case "U": try character(digits: rest.prefix(8))
    case "u", "x":
      guard rest.first == "{" else {
        result += "\\\(scalar)"
        return
      }
      rest.removeFirst()
      let digits = rest.prefix { $0 != "}" }
      try character(digits: digits)
      if rest.first == "}" { rest.removeFirst() }
    case "p", "P":
      result += "\\\(scalar)"
      let name = rest.prefix { $0 != "}" }
      result += String(name)
      rest.removeFirst(name.count)
      if let end = rest.popFirst() { result.unicodeScalars.append(end) }
    case "a": result += "\\u0007"
    case "e": result += "\\u001B"
    case "G", "H", "K", "N", "O", "R", "V", "X", "Y", "g", "v", "y":
      throw Unsupported(problem: "'\\\(scalar)' is not in ECMA-262.")
    default: result += "\\\(scalar)"
    }
  }

  /// The text up to `\E`, every character for itself.
  private mutating func quote() {
    while let scalar = rest.popFirst() {
      if scalar == "\\", rest.first == "E" {
        rest.removeFirst()
        return
      }
      append(scalar)
    }
  }

  private mutating func character(
    digits: Substring.UnicodeScalarView
  ) throws(Unsupported) {
    guard let value = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(value) else {
      throw Unsupported(problem: "'\(String(digits))' is not one character.")
    }
    rest.removeFirst(digits.count)
    append(scalar)
  }

  /// A character that stands for itself.
  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/", "-":
      result += "\\\(scalar)"
    case "\0"..<" ":
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
}
