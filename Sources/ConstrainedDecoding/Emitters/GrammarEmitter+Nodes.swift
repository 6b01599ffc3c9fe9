// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Numbers, arrays and objects.
extension GrammarEmitter {
  // MARK: Numbers

  private static let digit = EmittedExpression.scalars(.digits)
  private static let integer = EmittedExpression.joined([
    .optional(.text("-")),
    .either([.text("0"), .joined([.scalars(ScalarSet([0x31...0x39])), .repeated(digit, 0, nil)])]),
  ])
  private static func fraction(atMost most: Int? = nil) -> EmittedExpression {
    .joined([.text("."), .repeated(digit, 1, most)])
  }
  private var exponent: EmittedExpression {
    let most =
      automaton.options.numbers == .plain
      ? NumberAutomaton.Extent.limit(at: .exponentDigits) : nil
    return .joined([
      .scalars(ScalarSet("eE")), .optional(.scalars(ScalarSet("+-"))),
      .repeated(Self.digit, 1, most),
    ])
  }

  mutating func number(_ constraint: NumberConstraint) -> EmittedExpression {
    if constraint == .none {
      let most =
        automaton.options.numbers == .plain ? NumberAutomaton.Extent.limit(at: .fraction) : nil
      return .terminal(
        .joined([
          Self.integer, .optional(Self.fraction(atMost: most)), .optional(exponent),
        ]))
    }
    if let expression = spellings(constraint) { return expression }
    let message = "the spellings of the numbers that it allows are too many for a small automaton"
    lose(
      [
        ("minimum", { $0.minimum?.isExclusive == false }),
        ("exclusiveMinimum", { $0.minimum?.isExclusive == true }),
        ("maximum", { $0.maximum?.isExclusive == false }),
        ("exclusiveMaximum", { $0.maximum?.isExclusive == true }),
        ("multipleOf", { $0.multipleOf != nil }),
      ], message)
    let isPlain = automaton.options.numbers == .plain
    if constraint.onlyIntegers, isPlain { return .terminal(Self.integer) }
    return .terminal(
      .joined([
        Self.integer, .optional(Self.fraction()), isPlain ? .empty : .optional(exponent),
      ]))
  }

  /// The numbers of a constraint, from the states of their automaton; `nil` where there are many.
  private mutating func spellings(_ constraint: NumberConstraint) -> EmittedExpression? {
    if automaton.options.numbers == .plain || constraint.spelledAsInteger == true,
      let expression = NumberSpellings(constraint)?.expression()
    {
      return .terminal(expression)
    }
    if automaton.options.numbers == .plain || constraint.spelledAsInteger == true,
      let multiples = MultipleSpellings(constraint)
    {
      let transitions = multiples.transitions.map { $0.mapValues(EmittedExpression.scalars) }
      return texts(transitions, multiples.accepting, name: "number")
    }
    // Without a count of digits, which would take a rule for each.
    var numbers = NumberAutomaton(spelling: automaton.options.numbers, isWithinDouble: false)
    let start = numbers.start(constraint)
    var indices: [NumberAutomaton.State: Int] = [start: 0]
    var order = [start]
    var transitions: [[Int: EmittedExpression]] = []
    var at = 0
    while at < order.count {
      var sets: [Int: ScalarSet] = [:]
      for byte in "-+.0123456789eE".utf8 {
        let target = numbers.next(order[at], byte)
        if target == NumberAutomaton.dead { continue }
        if indices[target] == nil {
          guard order.count < Self.stateLimit else { return nil }
          indices[target] = order.count
          order.append(target)
        }
        guard let index = indices[target] else { continue }
        let set = ScalarSet([UInt32(byte)...UInt32(byte)])
        sets[index] = sets[index].map { $0.union(set) } ?? set
      }
      transitions.append(sets.mapValues { .scalars($0) })
      at += 1
    }
    let accepting = order.map { numbers.mayEnd($0) }
    return texts(transitions, accepting, name: "number")
  }

  // MARK: Arrays

  mutating func array(_ node: ArrayNode) -> EmittedExpression {
    if node.isUnique || node.needsDuplicate {
      lose([("uniqueItems", { $0.uniqueItems })], "a context-free grammar cannot compare items")
    }
    if node.containments.contains(where: { !isImplied($0, in: node) }) {
      lose(
        [("contains", { $0.contains != nil })], "items that count in any place are not written out")
    }
    let comma = separator(",")
    let uniform = node.uniformFrom
    let most = node.maximum ?? .max
    // From the last place to the first: what may follow the items so far.
    var rest = EmittedExpression.empty
    if most > uniform, automaton.obligations.isSatisfiable(node.goals[uniform]) {
      let item = rule(of: node.goals[uniform])
      let least = max(0, node.minimum - uniform)
      let bound = node.maximum.map { $0 - uniform }
      if uniform == 0 {
        let more = EmittedExpression.repeated(
          group(.joined([comma, item])), max(0, least - 1), bound.map { $0 - 1 })
        rest = .joined([item, more])
        if node.minimum == 0 { rest = .optional(rest) }
      } else {
        rest = .repeated(group(.joined([comma, item])), least, bound)
      }
    }
    for index in stride(from: min(uniform, most) - 1, through: 0, by: -1) {
      let item = rule(of: node.goals[index])
      let here = EmittedExpression.joined([index == 0 ? .empty : comma, item, rest])
      rest = index < node.minimum ? here : .optional(here)
      if index % 16 == 15 { rest = .rule(addRule("items", rest)) }
    }
    return .joined([opening("["), rest, closing("]")])
  }

  /// Whether every item counts, so that the bounds on the array say it all.
  private mutating func isImplied(_ containment: ArrayNode.Containment, in node: ArrayNode) -> Bool
  {
    guard containment.from == 0, containment.maximum == nil, containment.literals.count == 1,
      let literal = containment.literals.first
    else { return false }
    for goal in node.goals {
      let other = automaton.obligations.goal(goal, and: Obligations.negation(of: literal))
      if automaton.obligations.isSatisfiable(other) { return false }
    }
    return node.minimum >= containment.minimum
  }

  /// A part that is repeated, as a rule: llama.cpp bounds what a repeated group may hold.
  private mutating func group(_ expression: EmittedExpression) -> EmittedExpression {
    guard dialect == .gbnf, case .sequence = expression else { return expression }
    return .rule(addRule("more", expression))
  }

  // MARK: Objects

  mutating func object(_ index: Int) -> EmittedExpression {
    let node = automaton.obligations.objects[index]
    let comma = separator(",")
    let colon = separator(":")
    if node.formula != ObjectFormulas.always {
      report(
        "not", pointer(of: node), "negations that members decide together are not written out")
    }
    if automaton.options.propertyOrder == .any, node.members.count > 1 {
      report(
        "properties", pointer(of: node), "members are written in declared order alone")
    }
    var members: [(expression: EmittedExpression, isRequired: Bool)] = []
    /// The keys of patterns that match a few keys only: they have no order.
    var unordered: [EmittedExpression] = []
    for (place, member) in node.members.enumerated()
    where automaton.obligations.isSatisfiable(member.goal) {
      let key = String(decoding: automaton.obligations.graph.names[member.name], as: UTF8.self)
      let name = EmittedExpression.terminal(.text("\"" + Self.spelled(key) + "\""))
      let expression = EmittedExpression.joined([name, colon, rule(of: member.goal)])
      if place < node.orderedCount || member.isRequired {
        members.append((expression, member.isRequired))
      } else {
        unordered.append(expression)
      }
    }
    var branches = undeclaredMembers(index, colon)
    if branches.isEmpty, unordered.count == 1 {
      // Alone after the others it has a place all the same.
      members += unordered.map { ($0, false) }
    } else {
      branches += unordered
    }
    let extra = undeclaredMember(branches, of: node)
    let required = members.count { $0.isRequired }
    var bounds: (least: Int, most: Int?) = (0, nil)
    if node.counts {
      if required == members.count {
        bounds = (max(0, node.minimum - required), node.maximum.map { $0 - required })
      } else if !(node.minimum <= required && node.maximum.map { $0 >= members.count } ?? true
        && extra == nil)
      {
        let message = "members are not counted where some of them are optional"
        lose(
          [
            ("minProperties", { $0.minProperties ?? 0 > required }),
            ("maxProperties", { $0.maxProperties != nil }),
          ], message)
      }
    }
    let extras = extraMembers(extra, comma, bounds)
    var body: EmittedExpression
    if members.isEmpty {
      body = extras.first
    } else if dialect == .lark {
      body = declaredFromTheLeft(members, extras, comma)
    } else {
      body = declared(members, extras, comma)
    }
    body = .joined([opening("{"), body, closing("}")])
    return body
  }

  private func pointer(of node: ObjectNode) -> String {
    node.sources.first.map { automaton.obligations.graph.nodes[$0].pointer } ?? "#"
  }

  /// The undeclared members at the end: with nothing before them, and after other members.
  private mutating func extraMembers(
    _ extra: EmittedExpression?, _ comma: EmittedExpression, _ bounds: (least: Int, most: Int?)
  ) -> (first: EmittedExpression, following: EmittedExpression) {
    guard let extra, bounds.most ?? 1 > 0 else { return (.empty, .empty) }
    let next = group(.joined([comma, extra]))
    let more = EmittedExpression.repeated(
      next, max(0, bounds.least - 1), bounds.most.map { $0 - 1 })
    let first = EmittedExpression.joined([extra, more])
    return (
      bounds.least == 0 ? .optional(first) : first,
      .repeated(next, bounds.least, bounds.most)
    )
  }

  /// The declared members in their order.
  ///
  /// What may follow the member at a place is one rule for each place, so that optional members
  /// cost no more than required ones.
  private mutating func declared(
    _ members: [(expression: EmittedExpression, isRequired: Bool)],
    _ extras: (first: EmittedExpression, following: EmittedExpression), _ comma: EmittedExpression
  ) -> EmittedExpression {
    let firstRequired = members.firstIndex { $0.isRequired }
    var following = [EmittedExpression](repeating: extras.following, count: members.count + 1)
    for index in members.indices.reversed() where index > 0 {
      let member = EmittedExpression.joined([comma, members[index].expression])
      let rest = following[index + 1]
      let here = EmittedExpression.joined([
        members[index].isRequired ? member : .optional(member), rest,
      ])
      // Places that several others refer to, and long tails, are rules.
      let isShared = firstRequired.map { index <= $0 } ?? true
      let makesRule =
        dialect != .regularExpression && !here.isEmpty
        && (isShared && members.count > 1 || index % 24 == 0)
      following[index] = makesRule ? .rule(addRule("members", here)) : here
    }
    var branches: [EmittedExpression] = []
    for (index, member) in members.enumerated() {
      branches.append(.joined([member.expression, following[index + 1]]))
      if member.isRequired { return .either(branches) }
    }
    return .either(branches + [extras.first])
  }

  /// The declared members in their order, by left recursion: the members up to a place are those
  /// up to the one before, and this one.
  ///
  /// llguidance bounds how many items of its chart a place may have; of a run of optional members
  /// this takes the fewest.
  private mutating func declaredFromTheLeft(
    _ members: [(expression: EmittedExpression, isRequired: Bool)],
    _ extras: (first: EmittedExpression, following: EmittedExpression), _ comma: EmittedExpression
  ) -> EmittedExpression {
    var soFar = EmittedExpression.never
    var canBeEmpty = true
    for member in members {
      var branches: [EmittedExpression] = []
      if !member.isRequired { branches.append(soFar) }
      branches.append(.joined([soFar, comma, member.expression]))
      if canBeEmpty { branches.append(member.expression) }
      canBeEmpty = canBeEmpty && !member.isRequired
      soFar = .rule(addRule("members", .either(branches)))
    }
    let all = EmittedExpression.joined([soFar, extras.following])
    return canBeEmpty ? .either([all, extras.first]) : all
  }

  /// A member of some that have no order; `nil` where there is none.
  private mutating func undeclaredMember(
    _ branches: [EmittedExpression], of node: ObjectNode
  ) -> EmittedExpression? {
    if branches.isEmpty { return nil }
    report(
      "additionalProperties", pointer(of: node),
      "undeclared members may be repeated: a context-free grammar cannot compare keys")
    if branches.count == 1 { return branches[0] }
    return .rule(addRule("member", .either(branches)))
  }

  /// The members with undeclared keys, by what their values satisfy.
  private mutating func undeclaredMembers(
    _ index: Int, _ colon: EmittedExpression
  ) -> [EmittedExpression] {
    let node = automaton.obligations.objects[index]
    let names = automaton.obligations.languages.finite(
      node.members.map { automaton.obligations.graph.names[$0.name] })
    var branches: [EmittedExpression] = []
    let start = automaton.obligations.startTuple(index)
    let classes = automaton.obligations.classes(ofKeys: start)
    if classes == nil {
      report(
        "patternProperties", pointer(of: node),
        "the keys of patterns that overlap in more ways than are listed are not written out")
    }
    for keyClass in classes ?? [] {
      let goal = automaton.obligations.extraGoal(index, keyClass).goal
      guard automaton.obligations.isSatisfiable(goal) else { continue }
      var included: [RegularLanguages.State] = [RegularLanguages.free]
      var excluded = node.members.isEmpty ? [] : [names]
      for (component, language) in node.components.enumerated() {
        if automaton.obligations.isComponent(component, of: keyClass) {
          included.append(language)
        } else {
          excluded.append(language)
        }
      }
      let keys = automaton.obligations.languages.intersection(of: included, without: excluded)
      guard automaton.obligations.languages.isLive(keys) else { continue }
      let key = string(StringNode(language: keys, minimum: 0, maximum: nil))
      branches.append(.joined([key, colon, rule(of: goal)]))
    }
    return branches
  }
}
