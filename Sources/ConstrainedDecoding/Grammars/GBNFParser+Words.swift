// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Where something stands, what was found there, and what to write instead.
extension GBNFParser {
  /// A line and column, both counted from 1, columns in characters (Unicode scalars).
  func location(of offset: Int) -> String {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return "line \(low + 1), column \(offset - lineStarts[low] + 1)"
  }

  func failure(_ message: String, at offset: Int? = nil) -> GrammarError {
    GrammarError(diagnostics: [
      .init(keyword: "", location: location(of: offset ?? at), message: message)
    ])
  }

  /// What stands at the current place, for a message.
  var found: String {
    switch next {
    case nil: "the end of the text"
    case "\n", "\r": "the end of the line"
    case .some(let scalar): scalar.inWords
    }
  }

  static let lineHint =
    "; a rule goes on in the next line only within parentheses, or after a `|` that ends its line"

  /// What users of other notations write in the place of what is expected.
  func hint(inRule: Bool) -> String {
    switch next {
    case "'", "\u{2018}", "\u{201C}": return "; texts stand in straight double quotes: \"…\""
    case "/" where at + 1 < scalars.count && scalars[at + 1] == "/":
      return "; comments begin with `#`"
    case "/", "\\", "^", "$":
      return inRule ? "; characters are written as classes, such as `[0-9]+`, without anchors" : ""
    case ";", ",":
      return inRule ? "; leave it out: parts follow each other, and lines end rules" : ""
    case "<": return inRule ? "" : "; names stand without `<` and `>`"
    case "|", "\"", "[", "(", ".", "*", "+", "?", "{":
      return inRule || rules.isEmpty ? "" : Self.lineHint
    case ":" where inRule:
      return "; a rule begins on a line of its own, and one without text is `name ::= \"\"`"
    case "]" where inRule: return "; within a class it is written `\\]`"
    default: return ""
    }
  }

  /// Reports the first rules that are not defined, each at its first mention.
  func checkMentions() throws(GrammarError) {
    let defined = Set(rules.map(\.name))
    let missing = mentions.filter { !defined.contains($0.key) }.sorted { $0.value < $1.value }
      .prefix(20)
    guard !missing.isEmpty else { return }
    let names = rules.map { Array($0.name.utf8) }
    throw GrammarError(
      diagnostics: missing.map { name, offset in
        let near = Misspelling.meant(by: Array(name.utf8), among: names, but: [])
        let advice =
          near.map { "did you mean `\(String(decoding: $0, as: UTF8.self))`?" }
          ?? "define it, or quote it if it is text"
        return .init(
          keyword: "", location: location(of: offset),
          message: "the rule `\(name)` is not defined; \(advice)")
      })
  }
}
