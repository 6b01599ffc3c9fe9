// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// What a rule of a grammar written by hand stands for, as it was written.
indirect enum RuleExpression: Hashable, Sendable {
  /// Texts that an expression describes as a whole.
  case regular(RegularExpression)
  /// Another rule, by its name.
  case rule(String)
  /// A JSON value of a schema, by the schema's index.
  case value(Int)
  /// One token, or every token but one, by its id; its text does not matter.
  case token(Int, isNegated: Bool)
  /// One after the other; none: the empty text.
  case sequence([RuleExpression])
  /// One of several; none: nothing at all.
  case choice([RuleExpression])
  /// A number of repetitions, without a bound where the maximum is `nil`.
  case repetition(RuleExpression, minimum: Int, maximum: Int?)

  /// The text itself.
  static func text(_ text: String) -> RuleExpression {
    .regular(.literal(text.unicodeScalars))
  }

  /// One character out of a set.
  static func characters(_ set: ScalarSet) -> RuleExpression { .regular(.scalar(set)) }
}

/// A regular expression with what a rule compiler wants to know of it.
struct SizedRegular {
  /// Up to this size expressions are joined into one automaton.
  static let sizeLimit = 2000

  var expression: RegularExpression
  /// The positions that the expression has once its repetitions are written out.
  var size: Int
  var isNullable: Bool
  /// Whether no text matches.
  var isDead: Bool

  static let empty = SizedRegular(
    expression: .empty, size: 0, isNullable: true, isDead: false)

  /// Measures an expression; `nil` where it has conditions on its surroundings, so that it must not
  /// be joined with them, or is too large.
  init?(_ expression: RegularExpression) {
    switch expression {
    case .scalar(let set):
      self.init(expression: expression, size: 1, isNullable: false, isDead: set.isEmpty)
    case .start, .end, .look: return nil
    case .sequence(let parts):
      let measured = parts.compactMap { SizedRegular($0) }
      guard measured.count == parts.count, let whole = Self.sequence(measured) else { return nil }
      self = whole
    case .choice(let branches):
      let measured = branches.compactMap { SizedRegular($0) }
      guard measured.count == branches.count, let whole = Self.choice(measured) else {
        return nil
      }
      self = whole
    case .repetition(let body, let minimum, let maximum):
      guard let measured = SizedRegular(body),
        let whole = measured.repeated(minimum: minimum, maximum: maximum)
      else { return nil }
      self = whole
    }
  }

  init(expression: RegularExpression, size: Int, isNullable: Bool, isDead: Bool) {
    self.expression = expression
    self.size = size
    self.isNullable = isNullable
    self.isDead = isDead
  }

  /// One after the other; `nil` where that is too large for one automaton.
  static func sequence(_ parts: [SizedRegular]) -> SizedRegular? {
    if parts.count == 1 { return parts[0] }
    var expressions: [RegularExpression] = []
    var size = 0
    for part in parts {
      size += part.size
      guard size <= sizeLimit else { return nil }
      if case .sequence(let inner) = part.expression {
        expressions += inner
      } else {
        expressions.append(part.expression)
      }
    }
    return SizedRegular(
      expression: .sequence(expressions), size: size,
      isNullable: parts.allSatisfy(\.isNullable), isDead: parts.contains { $0.isDead })
  }

  /// One of several; `nil` where that is too large for one automaton.
  static func choice(_ branches: [SizedRegular]) -> SizedRegular? {
    if branches.count == 1 { return branches[0] }
    var size = 0
    for branch in branches {
      size += branch.size + 1
      guard size <= sizeLimit else { return nil }
    }
    return SizedRegular(
      expression: .choice(branches.map(\.expression)), size: size,
      isNullable: branches.contains { $0.isNullable }, isDead: branches.allSatisfy(\.isDead))
  }

  /// The expression repeated; `nil` where its repetitions are too many to be written out.
  func repeated(minimum: Int, maximum: Int?) -> SizedRegular? {
    let copies = max(minimum, maximum ?? 1, 1)
    let (total, overflow) = (size + 1).multipliedReportingOverflow(by: copies)
    guard !overflow, total <= Self.sizeLimit else { return nil }
    return SizedRegular(
      expression: .repetition(expression, minimum: minimum, maximum: maximum), size: total,
      isNullable: isNullable || minimum == 0, isDead: isDead && minimum > 0)
  }
}
