// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The syntax tree of a regular expression over Unicode scalar values.
package indirect enum RegularExpression: Hashable, Sendable {
  /// One scalar value out of a set.
  case scalar(ScalarSet)
  /// One after the other; none: the empty string.
  case sequence([RegularExpression])
  /// One of several; none: nothing at all.
  case choice([RegularExpression])
  /// A number of repetitions, without a bound where the maximum is `nil`.
  case repetition(RegularExpression, minimum: Int, maximum: Int?)
  /// A condition on what follows, or on what came before.
  case look(RegularExpression, ahead: Bool, negated: Bool)
  /// `^`: the start of the string.
  case start
  /// `$`: the end of the string.
  case end

  /// The empty string.
  package static let empty = RegularExpression.sequence([])

  /// Any string.
  package static let anything = RegularExpression.repetition(
    .scalar(.all), minimum: 0, maximum: nil)

  /// The string itself.
  package static func literal(_ text: some Sequence<Unicode.Scalar>) -> RegularExpression {
    .sequence(text.map { .scalar(ScalarSet([$0.value...$0.value])) })
  }

  /// The strings in which a match is found somewhere: the search semantics of `pattern`.
  var asSearch: RegularExpression { .sequence([.anything, self, .anything]) }

  /// Whether the expression has a condition on what comes after it.
  var asksWhatFollows: Bool {
    switch self {
    case .scalar, .start: false
    case .end: true
    case .sequence(let parts), .choice(let parts): parts.contains { $0.asksWhatFollows }
    case .repetition(let body, _, _): body.asksWhatFollows
    case .look(let body, let ahead, _): ahead || body.asksWhatFollows
    }
  }

  /// Whether the expression has conditions beyond `^` and `$`, which cost the automaton more.
  var hasLookAround: Bool {
    switch self {
    case .scalar, .start, .end: false
    case .sequence(let parts), .choice(let parts): parts.contains { $0.hasLookAround }
    case .repetition(let body, _, _): body.hasLookAround
    case .look: true
    }
  }
}
