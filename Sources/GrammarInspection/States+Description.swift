// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import ConstraintEngine

extension RegularLanguages {
  /// A language in words: any text, a list, or an expression.
  mutating func described(_ state: State) -> String {
    if state == Self.dead { return "no text" }
    if isFreeState(state) {
      return accepts(state) ? "any text" : "the rest of a character, then any text"
    }
    if let texts = fewStrings(state, limit: 8) {
      if texts == [""] { return "nothing more" }
      return texts.map { $0.isEmpty ? "nothing more" : "`\($0)`" }.joined(separator: " or ")
        + " (language \(state))"
    }
    return (shortExpression(of: state).map { "`\($0)` " } ?? "") + "(language \(state))"
  }
}

extension NumberAutomaton {
  /// A state in words: where in the number reading stands, and what is kept of its text.
  mutating func described(_ state: State) -> String {
    let place: String
    switch Place(rawValue: states.word(1, of: state)) {
    case .start: place = "before the first character"
    case .sign: place = "after the sign"
    case .zero: place = "after a leading 0"
    case .digits: place = "among the digits"
    case .point: place = "after the point"
    case .fraction: place = "among the digits after the point"
    case .exponent: place = "after the e"
    case .exponentSign: place = "after the sign of the exponent"
    case .exponentDigits: place = "among the digits of the exponent"
    case nil: place = "nowhere"
    }
    let tag = Int(states.word(0, of: state))
    let rule: String
    switch Freedom(rawValue: UInt32(tag)) {
    case .any: rule = "any number will do"
    case .integer: rule = "any integer will do"
    case .decimal: rule = "any number without an exponent will do"
    case nil:
      let text = NumberText.bytes(Array(states[state]).dropFirst(3)[...])
      rule =
        "`\(String(decoding: text, as: UTF8.self))` is kept; to become \(constraints[tag - 3].described)"
    }
    return "\(place); \(rule); \(mayEnd(state) ? "may end" : "may not end yet") (state \(state))"
  }
}
