/// The text of a regular expression that a whole string must match.
package struct RegularExpressionSource: Sendable, Equatable {
  /// The text, or nil where the expression has none (a custom consuming component, say).
  let text: String?

  init(_ text: String) { self.text = text }

  init<Output>(_ regex: Regex<Output>) { text = regex._literalPattern }

  /// The expression as JSON Schema's `pattern`, which searches: anchored at both ends.
  var anchoredPattern: String? {
    guard let text else { return nil }
    let isAnchored =
      text.hasPrefix("^") && text.hasSuffix("$") && !text.hasSuffix("\\$") && !text.contains("|")
    return isAnchored ? text : "^(?:\(text))$"
  }
}
