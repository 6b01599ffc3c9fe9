// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Grammars by hand: their positions are expressions already.
extension GrammarEmitter {
  /// Writes every rule; the expression of the start.
  mutating func emitRules(_ graph: RuleGraph) throws(GrammarError) -> EmittedExpression {
    for name in graph.names { _ = addRule(name, nil) }
    let meetings = Self.meetings(in: graph)
    for (index, entry) in graph.entries.enumerated() {
      setRule(index, expression(from: entry, to: RuleGraph.end, graph, meetings))
    }
    let root = expression(from: graph.start, to: RuleGraph.end, graph, meetings)
    try finish()
    return root
  }

  /// For each position the next one that all ways from it go through: what follows a choice is written
  /// once, not after each of its branches.
  private static func meetings(in graph: RuleGraph) -> [RuleGraph.Position] {
    var result: [RuleGraph.Position] = []
    // Positions come after those that they go on to.
    for node in graph.nodes {
      switch node {
      case .end, .accept: result.append(RuleGraph.end)
      case .language(_, let next), .call(_, let next), .value(_, let next),
        .token(_, _, let next), .repetition(_, _, _, let next):
        result.append(next)
      case .choice(let branches):
        var meeting = branches.first ?? RuleGraph.end
        for var branch in branches {
          while branch != meeting {
            if branch > meeting { branch = result[branch] } else { meeting = result[meeting] }
          }
        }
        result.append(meeting)
      }
    }
    return result
  }

  /// What leads from a position to another that all ways go through.
  private mutating func expression(
    from start: RuleGraph.Position, to end: RuleGraph.Position, _ graph: RuleGraph,
    _ meetings: [RuleGraph.Position]
  ) -> EmittedExpression {
    var parts: [EmittedExpression] = []
    var position = start
    while position != end {
      switch graph.nodes[position] {
      case .end, .accept: return .joined(parts)
      case .language(let state, let next):
        if case .trie(let node) = automaton.obligations.languages.definitions[Int(state)] {
          parts.append(.terminal(strings(from: node) { $0 }))
        } else if let expression = expression(of: state, { .scalars($0) }) {
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
      case .token(let token, let isNegated, let next):
        guard dialect != .regularExpression else {
          report(
            "", "rule `\(name(of: position, graph))`",
            "the token \(token) is asked for by its id; the alternative that has it is left out")
          return .never
        }
        parts.append(.token(token, isNegated: isNegated))
        position = next
      case .choice(let branches):
        var expressions: [EmittedExpression] = []
        let meeting = meetings[position]
        for branch in branches {
          expressions.append(expression(from: branch, to: meeting, graph, meetings))
        }
        parts.append(.either(expressions))
        position = meeting
      case .repetition(let body, let minimum, let maximum, let next):
        let round = expression(from: body, to: RuleGraph.end, graph, meetings)
        parts.append(
          .repeated(round, Int(minimum), maximum == .max ? nil : Int(maximum)))
        position = next
      }
    }
    return .joined(parts)
  }

  private func name(of position: RuleGraph.Position, _ graph: RuleGraph) -> String {
    let owner = graph.owners[position]
    return graph.names.indices.contains(owner) ? graph.names[owner] : "root"
  }
}
