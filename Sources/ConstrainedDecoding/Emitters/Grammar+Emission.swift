// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine
import Synchronization

extension Grammar {
  func emit(_ dialect: EmittedGrammar.Dialect) throws(GrammarError) -> EmittedGrammar {
    // What is worked out for the text is not kept: the copy is let go of.
    let automaton = storage.original.withState { $0.automaton }
    var emitter = GrammarEmitter(dialect: dialect, automaton: automaton)
    let root = try emitter.emitStart()
    var rules: [EmittedExpression] = []
    for rule in emitter.rules { rules.append(rule ?? .never) }
    if dialect == .regularExpression {
      return try Self.regularExpression(root, rules, emitter)
    }
    let simplified = RuleInliner.simplified(root: root, rules: rules, names: emitter.names)
    // A text that is one terminal as a whole is followed by nothing.
    let isOneTerminal = if case .terminal = simplified.root { true } else { false }
    var writer = DialectWriter(
      dialect: dialect, names: simplified.names,
      isCharacterwise: emitter.automaton.rules != nil && !isOneTerminal)
    let text = writer.write(root: simplified.root, rules: simplified.rules)
    var losses = emitter.losses
    for loss in writer.losses where !losses.contains(loss) { losses.append(loss) }
    return EmittedGrammar(text: text, losses: losses)
  }

  private static func regularExpression(
    _ root: EmittedExpression, _ rules: [EmittedExpression], _ emitter: GrammarEmitter
  ) throws(GrammarError) -> EmittedGrammar {
    guard let whole = RuleInliner.expanded(root, rules: rules, sizeLimit: 100_000) else {
      throw GrammarError(diagnostics: [
        .init(
          keyword: "", location: "#",
          message: "the texts are no regular language, or one too large: values nest without "
            + "bound; emit a grammar instead")
      ])
    }
    var writer = DialectWriter(dialect: .regularExpression, names: [])
    let text = writer.text(whole, .choice)
    return EmittedGrammar(text: text, losses: emitter.losses)
  }
}

extension GrammarEmitter {
  /// Writes everything from the start of the automaton on.
  mutating func emitStart() throws(GrammarError) -> EmittedExpression {
    let start = automaton.start
    guard start != Automaton.dead else {
      throw GrammarError(diagnostics: [
        .init(keyword: "", location: "#", message: "no value satisfies the schema")
      ])
    }
    if let graph = automaton.rules { return try emitRules(graph) }
    let value = try emit(automaton.stacks[start].a)
    return .joined([space, value, space])
  }
}

/// Puts rules in the place of their names.
enum RuleInliner {
  /// Rules that are used once, or are short and name no other, are put in place; those that nothing
  /// names any more are dropped.
  static func simplified(
    root: EmittedExpression, rules: [EmittedExpression], names: [String]
  ) -> (root: EmittedExpression, rules: [EmittedExpression], names: [String]) {
    var isShort = [Bool](repeating: false, count: rules.count)
    for (index, rule) in rules.enumerated() {
      isShort[index] = rule.size(limit: 8) <= 3 && references(rule).isEmpty
    }
    func replaced(_ expression: EmittedExpression) -> EmittedExpression {
      map(expression) { isShort[$0] ? rules[$0] : .rule($0) }
    }
    let short = rules.map(replaced)
    let start = replaced(root)
    // What can be reached, in order.
    var kept: [Int] = []
    var seen = Set<Int>()
    var pending = references(start)
    while let index = pending.popLast() {
      guard seen.insert(index).inserted else { continue }
      kept.append(index)
      pending += references(short[index])
    }
    kept.sort()
    var places: [Int: Int] = [:]
    for (place, index) in kept.enumerated() { places[index] = place }
    func renumbered(_ expression: EmittedExpression) -> EmittedExpression {
      map(expression) { .rule(places[$0] ?? 0) }
    }
    return (renumbered(start), kept.map { renumbered(short[$0]) }, kept.map { names[$0] })
  }

  /// An expression without names; `nil` where rules lead back to themselves or it grows too large.
  static func expanded(
    _ root: EmittedExpression, rules: [EmittedExpression], sizeLimit: Int
  ) -> EmittedExpression? {
    var done = [EmittedExpression?](repeating: nil, count: rules.count)
    var isOpen = [Bool](repeating: false, count: rules.count)
    var stack = references(root)
    while let index = stack.last {
      if done[index] != nil {
        stack.removeLast()
        continue
      }
      let missing = references(rules[index]).filter { done[$0] == nil }
      if missing.isEmpty {
        let whole = map(rules[index]) { done[$0] ?? .never }
        guard whole.size(limit: sizeLimit) <= sizeLimit else { return nil }
        done[index] = whole
        stack.removeLast()
        continue
      }
      // A rule that is met again before it is done leads back to itself.
      if isOpen[index] { return nil }
      isOpen[index] = true
      if missing.contains(where: { isOpen[$0] }) { return nil }
      stack += missing
    }
    let whole = map(root) { done[$0] ?? .never }
    return whole.size(limit: sizeLimit) <= sizeLimit ? whole : nil
  }

  private static func references(_ expression: EmittedExpression) -> [Int] {
    switch expression {
    case .text, .scalars, .token: []
    case .rule(let index): [index]
    case .sequence(let parts), .choice(let parts): parts.flatMap(references)
    case .repetition(let body, _, _), .terminal(let body): references(body)
    }
  }

  private static func map(
    _ expression: EmittedExpression, _ replace: (Int) -> EmittedExpression
  ) -> EmittedExpression {
    switch expression {
    case .text, .scalars, .token: expression
    case .rule(let index): replace(index)
    case .sequence(let parts): .joined(parts.map { map($0, replace) })
    case .choice(let branches): .either(branches.map { map($0, replace) })
    case .repetition(let body, let minimum, let maximum):
      .repeated(map(body, replace), minimum, maximum)
    case .terminal(let body): .terminal(map(body, replace))
    }
  }
}
