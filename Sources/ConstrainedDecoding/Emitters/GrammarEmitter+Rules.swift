// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Grammars by hand: their positions are expressions already.
extension GrammarEmitter {
  /// Writes every rule; the expression of the start.
  mutating func emitRules(_ graph: RuleGraph) throws(GrammarError) -> EmittedExpression {
    for name in graph.names { _ = addRule(name, nil) }
    for (index, entry) in graph.entries.enumerated() {
      setRule(index, expression(from: entry, graph))
    }
    let root = expression(from: graph.start, graph)
    try finish()
    return root
  }

  /// What leads from a position to the end of its rule.
  private mutating func expression(
    from start: RuleGraph.Position, _ graph: RuleGraph
  ) -> EmittedExpression {
    var parts: [EmittedExpression] = []
    var position = start
    while true {
      switch graph.nodes[position] {
      case .end, .accept: return .joined(parts)
      case .language(let state, let next):
        if let expression = expression(of: state, { .scalars($0) }) {
          parts.append(expression)
        } else {
          report(
            "", "rule `\(name(of: position, graph))`",
            "a regular part has an automaton that is too large to write out")
          parts.append(.terminal(.repeated(.scalars(.all), 0, nil)))
        }
        position = next
      case .call(let rule, let next):
        parts.append(.rule(rule))
        position = next
      case .value(let goal, let next):
        parts += [space, rule(of: goal)]
        position = next
      case .token(let token, _, _):
        report(
          "", "rule `\(name(of: position, graph))`",
          "the token \(token) is asked for by its id; it is left out with what follows it")
        return .never
      case .choice(let branches):
        var expressions: [EmittedExpression] = []
        for branch in branches { expressions.append(expression(from: branch, graph)) }
        return .joined(parts + [.either(expressions)])
      case .repetition(let body, let minimum, let maximum, let next):
        let round = expression(from: body, graph)
        parts.append(
          .repeated(round, Int(minimum), maximum == .max ? nil : Int(maximum)))
        position = next
      }
    }
  }

  private func name(of position: RuleGraph.Position, _ graph: RuleGraph) -> String {
    let owner = graph.owners[position]
    return graph.names.indices.contains(owner) ? graph.names[owner] : "root"
  }
}
