// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Turns goals into rules of expressions, from the same typed nodes that the automaton reads.
///
/// Every goal becomes a rule; what is small and has no rule of its own is put in its place by the
/// writers. Where a node asks for something that no context-free grammar says (different items,
/// counted members in any combination, formulas over members), it is left out and reported.
struct GrammarEmitter {
  let dialect: EmittedGrammar.Dialect
  var automaton: Automaton
  private(set) var rules: [EmittedExpression?] = []
  private(set) var names: [String] = []
  private(set) var losses: [GrammarError.Diagnostic] = []
  private var goalRules: [Obligations.Goal: Int] = [:]
  private var pending: [(goal: Obligations.Goal, rule: Int)] = []
  private var characterRule: Int?
  /// The conjunctions whose typed nodes are being written: where losses are looked for.
  var current: Obligations.Goal = 0

  /// The most rules.
  static let ruleLimit = 20_000

  init(dialect: EmittedGrammar.Dialect, automaton: Automaton) {
    self.dialect = dialect
    self.automaton = automaton
  }

  mutating func report(_ keyword: String, _ pointer: String, _ message: String) {
    let loss = GrammarError.Diagnostic(keyword: keyword, location: pointer, message: message)
    if !losses.contains(loss) { losses.append(loss) }
  }

  /// Reports keywords of the subschemas that the current goal stands for, at each place that has
  /// one of them; where none has, the first keyword at the goal itself.
  mutating func lose(
    _ keywords: [(name: String, isIn: (SchemaNode) -> Bool)], _ message: String
  ) {
    var pending: [SchemaNode.ID] = []
    for conjunction in automaton.obligations.goals[current] {
      for literal in automaton.obligations.conjunctions[conjunction] {
        pending.append(Obligations.schema(of: literal))
      }
    }
    let first = pending.first
    var seen = Set(pending)
    var isFound = false
    while let id = pending.popLast() {
      let node = automaton.obligations.graph.nodes[id]
      for keyword in keywords where keyword.isIn(node) {
        report(keyword.name, "\(node.pointer)/\(keyword.name)", message)
        isFound = true
      }
      let inner =
        node.allOf + (node.anyOf ?? []) + (node.oneOf ?? [])
        + [node.reference, node.not].compactMap { $0 }
        + [node.ifThenElse?.condition, node.ifThenElse?.then, node.ifThenElse?.otherwise]
        .compactMap { $0 } + node.dependentSchemas.map(\.schema)
      for schema in inner where seen.insert(schema).inserted { pending.append(schema) }
    }
    if !isFound {
      report(
        keywords.first?.name ?? "",
        first.map { automaton.obligations.graph.nodes[$0].pointer } ?? "#", message)
    }
  }

  // MARK: Rules

  mutating func addRule(_ name: String, _ expression: EmittedExpression?) -> Int {
    rules.append(expression)
    names.append(unique(name))
    return rules.count - 1
  }

  mutating func setRule(_ index: Int, _ expression: EmittedExpression) {
    rules[index] = expression
  }

  private var usedNames: [String: Int] = [:]

  /// A name of lower-case letters and digits, which every notation takes.
  private mutating func unique(_ wish: String) -> String {
    var name = ""
    for scalar in wish.unicodeScalars.prefix(24) {
      switch scalar {
      case "a"..."z", "0"..."9": name.unicodeScalars.append(scalar)
      case "A"..."Z": name += String(scalar).lowercased()
      default: break
      }
    }
    if name.first?.isLetter != true { name = "r" + name }
    var result = name
    while ["root", "start"].contains(result) || usedNames[result] != nil {
      usedNames[name, default: 0] += 1
      result = "\(name)x\(usedNames[name] ?? 0)"
    }
    usedNames[result] = 0
    return result
  }

  /// The rule of a goal.
  mutating func rule(of goal: Obligations.Goal) -> EmittedExpression {
    if let known = goalRules[goal] { return .rule(known) }
    var name = "value"
    if let conjunction = automaton.obligations.goals[goal].first,
      let literal = automaton.obligations.conjunctions[conjunction].first
    {
      let pointer = automaton.obligations.graph.nodes[Obligations.schema(of: literal)].pointer
      name = pointer.split(separator: "/").last.map(String.init) ?? name
    }
    let index = addRule(name, nil)
    goalRules[goal] = index
    pending.append((goal, index))
    return .rule(index)
  }

  /// Writes all rules that a goal leads to.
  mutating func emit(_ goal: Obligations.Goal) throws(GrammarError) -> EmittedExpression {
    let root = rule(of: goal)
    try finish()
    return root
  }

  mutating func finish() throws(GrammarError) {
    while let (goal, index) = pending.popLast() {
      current = goal
      rules[index] = body(of: goal)
      if rules.count > Self.ruleLimit {
        throw GrammarError(diagnostics: [
          .init(
            keyword: "", location: "#",
            message: "the grammar has more than \(Self.ruleLimit) rules")
        ])
      }
      if let failure = automaton.obligations.reachedFailure {
        throw GrammarError(diagnostics: [.init(failure)])
      }
    }
  }

  private mutating func body(of goal: Obligations.Goal) -> EmittedExpression {
    var branches: [EmittedExpression] = []
    for type in JSONTypes.each {
      for node in automaton.obligations.nodes(goal, type) {
        switch node {
        case .null: branches.append(.text("null"))
        case .boolean(let allowsTrue, let allowsFalse):
          if allowsTrue { branches.append(.text("true")) }
          if allowsFalse { branches.append(.text("false")) }
        case .number(let index):
          branches.append(number(automaton.obligations.numberConstraints[index]))
        case .string(let node): branches.append(string(node))
        case .array(let index):
          let node = automaton.obligations.arrays[index]
          let listing = automaton.obligations.listing(node.listing)
          branches.append(listing.map { listed($0.arrays, $0.shape) } ?? array(node))
        case .object(let index):
          let listing = automaton.obligations.listing(automaton.obligations.objects[index].listing)
          branches.append(listing.map { listed($0.objects, $0.shape) } ?? object(index))
        }
      }
    }
    return .either(branches)
  }

  /// White space where the policy allows it.
  var space: EmittedExpression {
    let set = ScalarSet(" \t\r\n")
    switch automaton.options.whitespace {
    case .compact, .spaced: return .empty
    case .bounded(let count): return .terminal(.repeated(.scalars(set), 0, max(0, count)))
    case .any: return .terminal(.repeated(.scalars(set), 0, nil))
    }
  }

  /// A comma or a colon, with the white space around it.
  func separator(_ text: String) -> EmittedExpression {
    if automaton.isSpaced { return .text(text + " ") }
    return spaced([space, .text(text), space])
  }

  /// An opening bracket, with the white space after it.
  func opening(_ text: String) -> EmittedExpression { spaced([.text(text), space]) }

  /// A closing bracket, with the white space before it.
  func closing(_ text: String) -> EmittedExpression { spaced([space, .text(text)]) }

  /// For a lexer, punctuation and white space are one terminal: llguidance bounds how many terminals
  /// may come next in a place, and each optional one would count.
  private func spaced(_ parts: [EmittedExpression]) -> EmittedExpression {
    dialect == .lark ? .terminal(.joined(parts)) : .joined(parts)
  }

  // MARK: Strings

  /// A character of a string as it stands between quotes.
  mutating func character() -> EmittedExpression {
    let expression = Self.spelling(.all, anyEscapes: automaton.anyEscapes)
    if dialect == .lark || dialect == .regularExpression { return expression }
    if let known = characterRule { return .rule(known) }
    let rule = addRule("char", expression)
    characterRule = rule
    return .rule(rule)
  }

  /// One scalar value of a set as JSON spells it.
  static func spelling(_ set: ScalarSet, anyEscapes: Bool) -> EmittedExpression {
    let plain = set.subtracting(ScalarSet([0...0x1F, 0x22...0x22, 0x5C...0x5C]))
    var branches: [EmittedExpression] = plain.isEmpty ? [] : [.scalars(plain)]
    let hexadecimal = EmittedExpression.scalars(
      ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66]))
    if set == .all, anyEscapes {
      return .either(
        branches + [
          .joined([
            .text("\\"),
            .either([
              .scalars(ScalarSet("\"\\/bfnrt")),
              .joined([.text("u"), .repeated(hexadecimal, 4, 4)]),
            ]),
          ])
        ])
    }
    var letters = ScalarSet()
    var codes: [UInt32] = []
    for (letter, scalar) in Escape.letters where set.contains(scalar) && letter != 0x2F {
      letters = letters.union(ScalarSet([UInt32(letter)...UInt32(letter)]))
    }
    for scalar in UInt32(0)...0x1F
    where set.contains(scalar) && !Escape.letters.contains(where: { $0.scalar == scalar }) {
      codes.append(scalar)
    }
    if !letters.isEmpty { branches.append(.joined([.text("\\"), .scalars(letters)])) }
    for high in UInt32(0)...1 {
      let low = codes.filter { $0 >> 4 == high }.map { $0 & 15 }
      if low.isEmpty { continue }
      let digits = ScalarSet(
        low.map { ($0 < 10 ? 0x30 + $0 : 0x57 + $0)...($0 < 10 ? 0x30 + $0 : 0x57 + $0) })
      branches.append(.joined([.text("\\u00\(high)"), .scalars(digits)]))
    }
    return .either(branches)
  }

  mutating func string(_ node: StringNode) -> EmittedExpression {
    guard let content = content(node) else { return .never }
    let quoted = EmittedExpression.joined([.text("\""), content, .text("\"")])
    // What is written as rules is no terminal.
    if dialect == .lark, content.hasRules { return quoted }
    return .terminal(quoted)
  }

  private mutating func content(_ node: StringNode) -> EmittedExpression? {
    if node.language == RegularLanguages.free {
      return .repeated(character(), node.minimum, node.maximum)
    }
    var language = node.language
    let format = format(of: language)
    if node.minimum > 0 || node.maximum != nil {
      let counted = RegularExpression.repetition(
        .scalar(.all), minimum: node.minimum, maximum: node.maximum)
      if node.minimum <= 2000, node.maximum ?? 0 <= 2000,
        case .success(let state) = automaton.obligations.languages.language(of: counted),
        let found = expression(
          of: automaton.obligations.languages.intersection(of: [language, state]))
      {
        return found
      }
      lose(
        [
          ("minLength", { $0.minLength ?? 0 > 0 }), ("maxLength", { $0.maxLength != nil }),
          ("format", { $0.format?.maxLength != nil }),
        ], "a length beside a pattern is too large to write out")
      language = node.language
    }
    if let format { return format }
    if let found = expression(of: language) { return found }
    lose(
      [("pattern", { $0.pattern != nil }), ("format", { $0.format != nil })],
      "the automaton of the pattern is too large to write out")
    return .repeated(character(), 0, nil)
  }

  /// The strings of a language as JSON spells them, between quotes.
  mutating func expression(of language: RegularLanguages.State) -> EmittedExpression? {
    if case .trie(let node) = automaton.obligations.languages.definitions[Int(language)] {
      return strings(from: node, Self.spelled)
    }
    return expression(of: language) { Self.spelling($0, anyEscapes: false) }
  }

  /// The texts of a language, each character spelled in some way.
  mutating func expression(
    of language: RegularLanguages.State, _ spell: (ScalarSet) -> EmittedExpression
  ) -> EmittedExpression? {
    var indices: [RegularLanguages.State: Int] = [language: 0]
    var order = [language]
    var transitions: [[Int: EmittedExpression]] = []
    var at = 0
    while at < order.count {
      var row: [Int: EmittedExpression] = [:]
      for (scalars, target) in automaton.obligations.languages.scalarTransitions(order[at]) {
        if indices[target] == nil {
          guard order.count < Self.stateLimit else { return nil }
          indices[target] = order.count
          order.append(target)
        }
        if let index = indices[target] { row[index] = spell(scalars) }
      }
      transitions.append(row)
      at += 1
    }
    let accepting = order.map { automaton.obligations.languages.accepts($0) }
    return texts(transitions, accepting, name: "text")
  }

  /// Listed strings, in the order of their tree.
  func strings(from root: Int, _ spell: (String) -> String) -> EmittedExpression {
    let texts = automaton.obligations.languages.trie.strings(from: root)
      .map { String(decoding: $0, as: UTF8.self) }
    return .either(texts.sorted().map { .text(spell($0)) })
  }

  /// A text as it stands between quotes.
  static func spelled(_ text: String) -> String {
    String(decoding: JSONSpelling.escaped(text.utf8), as: UTF8.self)
  }
}
