// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// What is found out about rules before anything is built, each as a least fixed point over the
/// rules, without recursion from rule to rule.
extension RuleCompiler {
  mutating func check(_ start: String) throws(GrammarError) {
    guard rules.count <= Self.ruleLimit else {
      throw GrammarError(diagnostics: [
        .init(
          keyword: "", location: "grammar",
          message: "\(rules.count) rules are more than the limit of \(Self.ruleLimit)")
      ])
    }
    if indices[start] == nil {
      let rename = rules.first.map { ", or rename `\($0.name)`" } ?? ""
      diagnostics.append(
        .init(
          keyword: "", location: "grammar",
          message: "there is no rule `\(start)`, where the grammar starts; define it\(rename)"))
    }
    for (index, rule) in rules.enumerated() {
      if indices[rule.name] != index {
        report(index, "the rule `\(rule.name)` is defined twice; rename or remove one")
      }
      var found: Set<Int> = []
      collect(rule.expression, in: index, into: &found)
      references.append(found.sorted())
    }
    guard diagnostics.isEmpty else { throw GrammarError(diagnostics: diagnostics) }
    isNullable = leastFixedPoint { rule, known in isNullable(rules[rule].expression, known) }
    reportLeftRecursion()
    guard diagnostics.isEmpty else { throw GrammarError(diagnostics: diagnostics) }
  }

  private mutating func collect(
    _ expression: RuleExpression, in rule: Int, into found: inout Set<Int>
  ) {
    switch expression {
    case .regular, .value: break
    case .token(let id, _):
      if id < 0 { report(rule, "there is no token \(id): the ids of tokens begin with 0") }
    case .rule(let name):
      if let index = indices[name] {
        found.insert(index)
      } else {
        report(rule, "the rule `\(name)` is not defined; define it, or quote it if it is text")
      }
    case .sequence(let parts), .choice(let parts):
      for part in parts { collect(part, in: rule, into: &found) }
    case .repetition(let body, let minimum, let maximum):
      if minimum < 0 || maximum ?? minimum < minimum {
        report(rule, "the bounds of a repetition are out of order")
      } else if max(minimum, maximum ?? 0) >= Int(UInt32.max) {
        report(rule, "a repetition has at most \(UInt32.max - 1) rounds")
      }
      collect(body, in: rule, into: &found)
    }
  }

  /// The least solution of a yes-or-no question about each rule that depends on the answers for the
  /// rules it mentions.
  private func leastFixedPoint(_ holds: (Int, [Bool]) -> Bool) -> [Bool] {
    var dependents = [[Int]](repeating: [], count: rules.count)
    for (rule, mentioned) in references.enumerated() {
      for other in mentioned { dependents[other].append(rule) }
    }
    var result = [Bool](repeating: false, count: rules.count)
    var pending = Array(rules.indices)
    while let rule = pending.popLast() {
      guard !result[rule], holds(rule, result) else { continue }
      result[rule] = true
      pending += dependents[rule]
    }
    return result
  }

  // MARK: Left recursion

  func isNullable(_ expression: RuleExpression, _ known: [Bool]) -> Bool {
    switch expression {
    case .regular(let regular): Self.isNullable(regular)
    case .value, .token: false
    case .rule(let name): indices[name].map { known[$0] } ?? false
    case .sequence(let parts): parts.allSatisfy { isNullable($0, known) }
    case .choice(let branches): branches.contains { isNullable($0, known) }
    case .repetition(let body, let minimum, _): minimum == 0 || isNullable(body, known)
    }
  }

  /// Whether the empty text matches; conditions on the surroundings are taken as met, which is the
  /// cautious answer for left recursion.
  private static func isNullable(_ expression: RegularExpression) -> Bool {
    switch expression {
    case .scalar: false
    case .start, .end, .look: true
    case .sequence(let parts): parts.allSatisfy { isNullable($0) }
    case .choice(let branches): branches.contains { isNullable($0) }
    case .repetition(let body, let minimum, _): minimum == 0 || isNullable(body)
    }
  }

  private mutating func reportLeftRecursion() {
    var left: [[Int]] = []
    for rule in rules {
      var found: [Int] = []
      collectLeft(rule.expression, into: &found)
      left.append(found)
    }
    for component in StrongComponents(of: left).components {
      guard let first = component.min(), component.count > 1 || left[first].contains(first) else {
        continue
      }
      let others = component.filter { $0 != first }.map { "`\(rules[$0].name)`" }.sorted()
      let path = others.isEmpty ? "" : " by way of \(others.joined(separator: ", "))"
      report(
        first,
        "the rule `\(rules[first].name)` starts with itself\(path) (left recursion); write the "
          + "repetition as `( … )*`, or move the rule to the end of its alternative")
    }
  }

  /// The rules that a text of an expression can start with.
  private func collectLeft(_ expression: RuleExpression, into found: inout [Int]) {
    switch expression {
    case .regular, .value, .token: break
    case .rule(let name): if let index = indices[name] { found.append(index) }
    case .sequence(let parts):
      for part in parts {
        collectLeft(part, into: &found)
        if !isNullable(part, isNullable) { break }
      }
    case .choice(let branches): for branch in branches { collectLeft(branch, into: &found) }
    case .repetition(let body, _, _): collectLeft(body, into: &found)
    }
  }

  // MARK: What can be completed

  mutating func findProductive(_ obligations: inout Obligations) {
    for goal in goals { isSatisfiable.append(obligations.isSatisfiable(goal)) }
    isProductive = leastFixedPoint { rule, known in
      isProductive(rules[rule].expression, known)
    }
  }

  func isProductive(_ expression: RuleExpression, _ known: [Bool]) -> Bool {
    switch expression {
    case .regular(let regular): SizedRegular(regular).map { !$0.isDead } ?? true
    case .value(let schema): isSatisfiable[schema]
    case .token: true
    case .rule(let name): indices[name].map { known[$0] } ?? false
    case .sequence(let parts): parts.allSatisfy { isProductive($0, known) }
    case .choice(let branches): branches.contains { isProductive($0, known) }
    case .repetition(let body, let minimum, _): minimum == 0 || isProductive(body, known)
    }
  }

  // MARK: Regular rules

  /// Finds the rules that are regular: those that mention regular rules only, or besides them
  /// themselves as the last thing.
  mutating func findRegular() {
    regulars = [SizedRegular?](repeating: nil, count: rules.count)
    // Components come after those that they mention.
    for component in StrongComponents(of: references).components where component.count == 1 {
      let rule = component[0]
      guard references[rule].contains(rule) else {
        regulars[rule] = regular(rules[rule].expression)
        continue
      }
      guard let (loops, endings) = tail(rules[rule].expression, of: rules[rule].name),
        !loops.contains(where: { $0.isNullable }), !endings.isEmpty,
        let loop = SizedRegular.choice(loops)?.repeated(minimum: 0, maximum: nil),
        let ending = SizedRegular.choice(endings)
      else { continue }
      regulars[rule] = SizedRegular.sequence([loop, ending])
    }
  }

  /// `r ::= a r | b` as the texts before `r` and those that end it (Arden's lemma gives `a* b`).
  private func tail(
    _ expression: RuleExpression, of name: String
  ) -> (loops: [SizedRegular], endings: [SizedRegular])? {
    if let regular = regular(expression) { return ([], [regular]) }
    switch expression {
    case .rule(name): return ([.empty], [])
    case .choice(let branches):
      var loops: [SizedRegular] = []
      var endings: [SizedRegular] = []
      for branch in branches {
        guard let found = tail(branch, of: name) else { return nil }
        loops += found.loops
        endings += found.endings
      }
      return (loops, endings)
    case .sequence(let parts):
      guard let last = parts.last, let found = tail(last, of: name) else { return nil }
      let before = parts.dropLast().compactMap { regular($0) }
      guard before.count == parts.count - 1 else { return nil }
      let loops = found.loops.compactMap { SizedRegular.sequence(before + [$0]) }
      let endings = found.endings.compactMap { SizedRegular.sequence(before + [$0]) }
      guard loops.count == found.loops.count, endings.count == found.endings.count else {
        return nil
      }
      return (loops, endings)
    case .repetition(let body, 0, 1):
      guard let found = tail(body, of: name) else { return nil }
      return (found.loops, found.endings + [.empty])
    default: return nil
    }
  }

  func regular(_ expression: RuleExpression) -> SizedRegular? {
    switch expression {
    case .regular(let regular): return SizedRegular(regular)
    case .value, .token: return nil
    case .rule(let name): return indices[name].flatMap { regulars[$0] }
    case .sequence(let parts): return regular(parts).flatMap { SizedRegular.sequence($0) }
    case .choice(let branches): return regular(branches).flatMap { SizedRegular.choice($0) }
    case .repetition(let body, let minimum, let maximum):
      return regular(body)?.repeated(minimum: minimum, maximum: maximum)
    }
  }

  private func regular(_ parts: [RuleExpression]) -> [SizedRegular]? {
    var found: [SizedRegular] = []
    for part in parts {
      guard let regular = regular(part) else { return nil }
      found.append(regular)
    }
    return found
  }
}
