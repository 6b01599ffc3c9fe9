// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Automata and formats as expressions.
///
/// A format is written from its pattern, which says it shorter than its automaton. An automaton becomes
/// one expression where that is small (`StateElimination`), and else a rule a state:
///
/// ```text
/// {"type": "integer", "minimum": 0, "multipleOf": 3}
///
/// rest0 ::= "" | [0369] rest0 | [147] rest1 | [258] rest2
/// rest1 ::= [0369] rest1 | [147] rest2 | [258] rest0
/// …
/// ```
extension GrammarEmitter {
  /// The most states of an automaton that is written out.
  static let stateLimit = 400
  /// The largest expression that an automaton becomes.
  static let sizeLimit = 4000

  /// The texts of an automaton that starts in state 0; `nil` where the dialect cannot say them
  /// briefly.
  mutating func texts(
    _ transitions: [[Int: EmittedExpression]], _ accepting: [Bool], name: String
  ) -> EmittedExpression? {
    // States from which no end is reached are dead ends of an expression, and drop out.
    var elimination = StateElimination(
      transitions: transitions, accepting: accepting, sizeLimit: Self.sizeLimit)
    if let expression = elimination.expression() { return .terminal(expression) }
    if dialect == .regularExpression { return nil }
    let isLive = Self.live(transitions, accepting)
    guard isLive[0] else { return .never }
    let states = transitions.indices.map { isLive[$0] ? addRule(name, nil) : 0 }
    for (state, row) in transitions.enumerated() where isLive[state] {
      let ways = row.sorted { $0.key < $1.key }.filter { isLive[$0.key] }.map {
        EmittedExpression.joined([.terminal($0.value), .rule(states[$0.key])])
      }
      setRule(states[state], .either(accepting[state] ? ways + [.empty] : ways))
    }
    return .rule(states[0])
  }

  /// Whether an end can be reached from each state.
  private static func live(
    _ transitions: [[Int: EmittedExpression]], _ accepting: [Bool]
  ) -> [Bool] {
    var sources = [[Int]](repeating: [], count: transitions.count)
    for (state, row) in transitions.enumerated() {
      for target in row.keys { sources[target].append(state) }
    }
    var isLive = accepting
    var pending = accepting.indices.filter { accepting[$0] }
    while let state = pending.popLast() {
      for source in sources[state] where !isLive[source] {
        isLive[source] = true
        pending.append(source)
      }
    }
    return isLive
  }

  /// The texts of a format whose strings a language has, and nothing else; `nil` for other languages,
  /// and for a format with conditions on what is around a place.
  func format(of language: RegularLanguages.State) -> EmittedExpression? {
    let formats = automaton.obligations.languages.formats
    guard let format = formats.first(where: { $0.value == language })?.key,
      let pattern = try? RegularExpressionParser.parse(format.pattern)
    else { return nil }
    return Self.spelled(pattern).map { .terminal($0) }
  }

  private static func spelled(_ expression: RegularExpression) -> EmittedExpression? {
    switch expression {
    case .scalar(let set): return spelling(set, anyEscapes: false)
    case .sequence(let parts):
      var result: [EmittedExpression] = []
      for part in parts {
        guard let part = spelled(part) else { return nil }
        result.append(part)
      }
      return .joined(result)
    case .choice(let branches):
      var result: [EmittedExpression] = []
      for branch in branches {
        guard let branch = spelled(branch) else { return nil }
        result.append(branch)
      }
      return .either(result)
    case .repetition(let body, let minimum, let maximum):
      return spelled(body).map { .repeated($0, minimum, maximum) }
    case .look, .start, .end: return nil
    }
  }
}
