// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// A grammar written in the notation of another engine.
public struct EmittedGrammar: Sendable {
  /// A notation.
  public enum Dialect: Sendable, Hashable, CaseIterable {
    /// The notation of llama.cpp.
    case gbnf
    /// llguidance's dialect of Lark.
    case lark
    /// xgrammar's dialect of EBNF.
    case ebnf
    /// One regular expression over the whole text, in the syntax that ECMA-262 (with the `u` flag)
    /// and Rust's `regex` share.
    case regularExpression
  }

  /// The grammar. Where there are losses it takes every text that the original takes, and more.
  public var text: String
  /// What the notation cannot say, by keyword and JSON Pointer; empty where both mean the same.
  public var losses: [GrammarError.Diagnostic]
}

/// What is emitted: expressions over characters and rules.
indirect enum EmittedExpression: Hashable, Sendable {
  case text(String)
  case scalars(ScalarSet)
  case rule(Int)
  /// One token, or every token but one, by its id.
  case token(Int, isNegated: Bool)
  case sequence([EmittedExpression])
  case choice([EmittedExpression])
  case repetition(EmittedExpression, minimum: Int, maximum: Int?)
  /// A part that a lexer reads as a whole.
  case terminal(EmittedExpression)

  static let empty = EmittedExpression.sequence([])
  static let never = EmittedExpression.choice([])

  var isEmpty: Bool { self == .empty }
  var isNever: Bool { self == .never }

  /// One after the other, flat, with neighbouring texts joined.
  static func joined(_ parts: [EmittedExpression]) -> EmittedExpression {
    var result: [EmittedExpression] = []
    for part in parts {
      if part.isNever { return .never }
      if case .sequence(let inner) = part {
        for part in inner { append(part, to: &result) }
      } else {
        append(part, to: &result)
      }
    }
    return result.count == 1 ? result[0] : .sequence(result)
  }

  private static func append(_ part: EmittedExpression, to result: inout [EmittedExpression]) {
    if case .text(let text) = part, case .text(let before)? = result.last {
      result[result.count - 1] = .text(before + text)
    } else {
      result.append(part)
    }
  }

  /// One of several, flat, with sets of characters united.
  static func either(_ branches: [EmittedExpression]) -> EmittedExpression {
    var result: [EmittedExpression] = []
    var known: Set<EmittedExpression> = []
    var set = ScalarSet()
    var isOptional = false
    func add(_ branch: EmittedExpression) {
      switch branch {
      case .choice(let inner): for branch in inner { add(branch) }
      case .scalars(let more): set = set.union(more)
      case .sequence(let parts) where parts.isEmpty: isOptional = true
      case .repetition(let body, 0, 1):
        isOptional = true
        add(body)
      default: if known.insert(branch).inserted { result.append(branch) }
      }
    }
    for branch in branches { add(branch) }
    if !set.isEmpty { result.insert(.scalars(set), at: 0) }
    let whole = result.count == 1 ? result[0] : .choice(result)
    if !isOptional { return whole }
    if result.isEmpty { return .empty }
    // `(x x{0,3})?` is `x{0,4}`: readers bound how deep groups may nest.
    if case .sequence(let parts) = whole, parts.count == 2,
      case .repetition(let body, 0, let maximum?) = parts[1], body == parts[0]
    {
      return .repetition(body, minimum: 0, maximum: maximum + 1)
    }
    return .repetition(whole, minimum: 0, maximum: 1)
  }

  static func optional(_ body: EmittedExpression) -> EmittedExpression {
    body.isNever || body.isEmpty ? .empty : either([.empty, body])
  }

  static func repeated(
    _ body: EmittedExpression, _ minimum: Int, _ maximum: Int?
  ) -> EmittedExpression {
    if maximum == 0 || body.isEmpty { return .empty }
    if body.isNever { return minimum == 0 ? .empty : .never }
    if minimum == 1, maximum == 1 { return body }
    return .repetition(body, minimum: minimum, maximum: maximum)
  }

  /// Whether a rule is named somewhere within.
  var hasRules: Bool {
    switch self {
    case .rule: true
    case .text, .scalars, .token: false
    case .sequence(let parts), .choice(let parts): parts.contains { $0.hasRules }
    case .repetition(let body, _, _), .terminal(let body): body.hasRules
    }
  }

  /// The number of nodes, up to a limit.
  func size(limit: Int) -> Int {
    var count = 0
    var pending = [self]
    while let next = pending.popLast() {
      count += 1
      if count > limit { return count }
      switch next {
      case .text, .rule, .token: break
      case .scalars(let set): count += set.ranges.count / 4
      case .sequence(let parts), .choice(let parts): pending += parts
      case .repetition(let body, _, _), .terminal(let body): pending.append(body)
      }
    }
    return count
  }
}

extension Grammar {
  /// Writes the grammar in the notation of another engine.
  ///
  /// The text is what the matcher takes under the grammar's options, as far as the notation can say
  /// it: members in declared order, canonical escapes. The boolean keywords are emitted merged, as
  /// the engine resolves them: `allOf` of two ranges is one range.
  ///
  /// - Throws: `GrammarError` where nothing can be written: no value satisfies the schema, or, for
  ///   a regular expression, values nest without bound.
  public func emitted(as dialect: EmittedGrammar.Dialect) throws(GrammarError) -> EmittedGrammar {
    try emit(dialect)
  }
}
