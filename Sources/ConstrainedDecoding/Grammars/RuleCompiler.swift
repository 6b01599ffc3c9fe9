// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// From rules as they were written to a `RuleGraph`: checks them, joins what is regular, and
/// leaves out what can never be completed.
struct RuleCompiler {
  typealias Position = RuleGraph.Position

  /// A rule with the place where it was defined.
  struct Rule {
    var name: String
    var expression: RuleExpression
    /// For messages: a line and column, or the rule's name.
    var location: String
  }

  /// All regular parts together may have this many positions.
  static let totalSizeLimit = 400_000
  static let ruleLimit = 50_000

  let rules: [Rule]
  let goals: [Obligations.Goal]
  let indices: [String: Int]
  var diagnostics: [GrammarError.Diagnostic] = []
  /// The rules that each rule mentions.
  var references: [[Int]] = []
  var isNullable: [Bool] = []
  var isProductive: [Bool] = []
  /// For each goal whether some value meets it.
  var isSatisfiable: [Bool] = []
  /// The rules that are regular.
  var regulars: [SizedRegular?] = []
  var graph = RuleGraph()
  var regularSize = 0

  /// Compiles rules.
  ///
  /// - Parameters:
  ///   - start: the name of the rule that the whole text must match.
  ///   - goals: what the values of each embedded schema must satisfy, by the schema's index.
  static func compile(
    _ rules: [Rule], start: String, goals: [Obligations.Goal], obligations: inout Obligations
  ) throws(GrammarError) -> RuleGraph {
    var compiler = RuleCompiler(rules: rules, goals: goals)
    try compiler.check(start)
    compiler.findRegular()
    compiler.findProductive(&obligations)
    guard let root = compiler.indices[start] else { return compiler.graph }
    guard compiler.isProductive[root] else {
      compiler.report(
        root,
        "no text can complete this rule: every alternative needs the rule itself, or something "
          + "that nothing matches; add an alternative that ends")
      throw GrammarError(diagnostics: compiler.diagnostics)
    }
    return try compiler.build(root, &obligations)
  }

  private init(rules: [Rule], goals: [Obligations.Goal]) {
    self.rules = rules
    self.goals = goals
    var indices: [String: Int] = [:]
    for (index, rule) in rules.enumerated() where indices[rule.name] == nil {
      indices[rule.name] = index
    }
    self.indices = indices
  }

  mutating func report(_ rule: Int, _ message: String) {
    diagnostics.append(
      .init(keyword: "", location: rules[rule].location, message: message))
  }

  // MARK: Building

  private mutating func build(
    _ root: Int, _ obligations: inout Obligations
  ) throws(GrammarError) -> RuleGraph {
    graph.entries = [Position](repeating: RuleGraph.end, count: rules.count)
    graph.names = rules.map(\.name)
    var isReached = [Bool](repeating: false, count: rules.count)
    var pending = [root]
    isReached[root] = true
    while let rule = pending.popLast() {
      for other in references[rule] where !isReached[other] && isProductive[other] {
        isReached[other] = true
        pending.append(other)
      }
    }
    // Rules after those that they mention, so that what is worked out over the positions in their
    // order is known where it is asked for.
    for rule in StrongComponents(of: references).components.joined() where isReached[rule] {
      graph.entries[rule] =
        try compile(
          rules[rule].expression, next: RuleGraph.end, in: rule, &obligations) ?? RuleGraph.end
    }
    graph.start = graph.entries[root]
    return graph
  }

  /// Adds the positions of an expression; `nil` where nothing completes it.
  mutating func compile(
    _ expression: RuleExpression, next: Position, in rule: Int, _ obligations: inout Obligations
  ) throws(GrammarError) -> Position? {
    guard isProductive(expression, isProductive) else { return nil }
    if let regular = regular(expression) {
      return try language(regular.expression, regular.size, next: next, in: rule, &obligations)
    }
    switch expression {
    case .regular(let regular):
      return try language(regular, 1, next: next, in: rule, &obligations)
    case .rule(let name):
      return indices[name].map { graph.add(.call(rule: $0, next: next), owner: rule) }
    case .value(let schema):
      return graph.add(.value(goals[schema], next: next), owner: rule)
    case .token(let id, let isNegated):
      graph.hasTokens = true
      return graph.add(.token(id, isNegated: isNegated, next: next), owner: rule)
    case .sequence(let parts):
      return try sequence(parts[...], next: next, in: rule, &obligations)
    case .choice(let branches):
      return try choice(branches, next: next, in: rule, &obligations)
    case .repetition(let body, let minimum, let maximum):
      // An optional part needs no counter.
      if minimum == 0, maximum == 1 {
        guard let once = try compile(body, next: next, in: rule, &obligations) else { return next }
        return graph.add(.choice([once, next]), owner: rule)
      }
      guard maximum != 0,
        let inner = try compile(body, next: RuleGraph.end, in: rule, &obligations)
      else { return next }
      // Empty rounds can make up for any that are missing.
      let needed = isNullable(body, isNullable) ? 0 : minimum
      return graph.add(
        .repetition(
          body: inner, minimum: UInt32(clamping: needed),
          maximum: maximum.map { UInt32(clamping: $0) } ?? .max, next: next),
        owner: rule)
    }
  }

  /// Parts one after the other; neighbours that are regular become one language.
  mutating func sequence(
    _ parts: ArraySlice<RuleExpression>, next: Position, in rule: Int,
    _ obligations: inout Obligations
  ) throws(GrammarError) -> Position? {
    var next = next
    // The regular parts right before `next`, as one.
    var run: SizedRegular?
    for part in parts.reversed() {
      if let regular = regular(part) {
        if let joined = SizedRegular.sequence([regular] + (run.map { [$0] } ?? [])) {
          run = joined
          continue
        }
        if let run {
          next = try language(run.expression, run.size, next: next, in: rule, &obligations)
        }
        run = regular
        continue
      }
      if let whole = run {
        next = try language(whole.expression, whole.size, next: next, in: rule, &obligations)
        run = nil
      }
      guard let position = try compile(part, next: next, in: rule, &obligations) else {
        return nil
      }
      next = position
    }
    if let run {
      next = try language(run.expression, run.size, next: next, in: rule, &obligations)
    }
    return next
  }

  mutating func language(
    _ expression: RegularExpression, _ size: Int, next: Position, in rule: Int,
    _ obligations: inout Obligations
  ) throws(GrammarError) -> Position {
    if expression == .empty { return next }
    try countRegular(size, in: rule)
    switch obligations.languages.language(of: expression) {
    case .success(let state):
      guard obligations.languages.isLive(state) else {
        report(rule, "no text matches a pattern of this rule; remove it")
        throw GrammarError(diagnostics: diagnostics)
      }
      return graph.add(.language(state, next: next), owner: rule)
    case .failure(let error):
      report(rule, error.message)
      throw GrammarError(diagnostics: diagnostics)
    }
  }

  mutating func countRegular(_ size: Int, in rule: Int) throws(GrammarError) {
    regularSize += size
    guard regularSize > Self.totalSizeLimit else { return }
    report(
      rule,
      "the grammar's texts and character classes have more than \(Self.totalSizeLimit) "
        + "positions in all; write fewer or smaller repetitions")
    throw GrammarError(diagnostics: diagnostics)
  }
}
