// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The text of a regular expression that a whole string must match, in the syntax of ECMA-262.
package struct RegularExpressionSource: Sendable, Equatable {
  /// The text, or nil where the expression cannot be written so.
  let text: String?
  /// Why it cannot.
  let problem: String?

  init(_ text: String) {
    self.text = text
    problem = nil
  }

  init<Output>(_ regex: Regex<Output>) {
    do throws(RegularExpressionTranslation.Unsupported) {
      guard let pattern = regex._literalPattern else {
        throw .init(problem: "It holds code of its own, which has no textual pattern.")
      }
      var translation = RegularExpressionTranslation(pattern)
      let result = try translation.run()
      // The text of a choice in a builder is not set apart from what follows: "a|bc" for "(a|b)c".
      if translation.hasChoices, !Self.isLiteral(regex) {
        throw .init(problem: "A choice in a builder has no text of its own.")
      }
      text = result
      problem = nil
    } catch {
      text = nil
      problem = error.problem
    }
  }

  /// Whether the expression was written as text. Of what cannot be looked into it is not said.
  private static func isLiteral<Output>(_ regex: Regex<Output>) -> Bool {
    var value: Any = regex
    for label in ["program", "tree", "root"] {
      guard let child = Mirror(reflecting: value).children.first(where: { $0.label == label })
      else { return false }
      value = child.value
    }
    return Mirror(reflecting: value).children.first?.label == "convertedRegexLiteral"
  }

  /// The expression as JSON Schema's `pattern`, which searches: anchored at both ends.
  var anchoredPattern: String? {
    guard let text else { return nil }
    let isAnchored =
      text.hasPrefix("^") && text.hasSuffix("$") && !text.hasSuffix("\\$") && !text.contains("|")
    return isAnchored ? text : "^(?:\(text))$"
  }
}
