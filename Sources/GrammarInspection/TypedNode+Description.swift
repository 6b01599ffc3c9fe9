// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension Obligations {
  /// A goal in words, with its typed nodes.
  mutating func described(goal: Goal) -> GrammarInspection.Goal {
    let conjunctions = Array(goals[goal]).map { conjunction in
      let literals = self.conjunctions[conjunction].map { literal in
        (Self.isNegated(literal) ? "not " : "") + "subschema \(Self.schema(of: literal))"
      }
      return literals.isEmpty ? "anything" : literals.joined(separator: " and ")
    }
    var nodes: [GrammarInspection.Node] = []
    for type in JSONTypes.each {
      for node in self.nodes(goal, type) { nodes.append(described(node)) }
    }
    return GrammarInspection.Goal(index: Int(goal), conjunctions: conjunctions, nodes: nodes)
  }

  /// The goals of the members and items of values that meet a goal.
  mutating func goals(within goal: Goal) -> [Goal] {
    var result: [Goal] = []
    for case .array(let index) in nodes(goal, .array) { result += arrays[index].goals }
    for case .object(let index) in nodes(goal, .object) {
      result += objects[index].members.map(\.goal)
      if takesUndeclared(index) { result.append(extraGoal(index, 0).goal) }
    }
    return result.filter { $0 != nothing }
  }

  private mutating func described(_ node: TypedNode) -> GrammarInspection.Node {
    switch node {
    case .null: return GrammarInspection.Node(summary: "null", parts: [])
    case .boolean(let allowsTrue, let allowsFalse):
      let values = (allowsTrue ? ["true"] : []) + (allowsFalse ? ["false"] : [])
      return GrammarInspection.Node(summary: values.joined(separator: " or "), parts: [])
    case .number(let index):
      return GrammarInspection.Node(
        summary: numberConstraints[index].described + " (constraint \(index))", parts: [])
    case .string(let node):
      let length = Self.range(node.minimum, node.maximum)
      let text = languages.described(node.language)
      return GrammarInspection.Node(
        summary: "a string" + (length.map { " of \($0) characters" } ?? "") + ": \(text)", parts: []
      )
    case .array(let index): return described(array: index)
    case .object(let index): return described(object: index)
    }
  }

  private func described(array index: Int) -> GrammarInspection.Node {
    let node = arrays[index]
    var parts: [String] = []
    for (place, goal) in node.goals.enumerated() where goal != nothing {
      let items = place < node.uniformFrom ? "item \(place)" : "every item from \(place) on"
      parts.append("\(items): goal \(goal)")
    }
    if node.isUnique { parts.append("no two items are equal") }
    if node.needsDuplicate { parts.append("two items are equal") }
    for containment in node.containments {
      let count = Self.range(containment.minimum, containment.maximum) ?? "any number"
      parts.append("\(count) items that `contains` counts")
    }
    let length = Self.range(node.minimum, node.maximum)
    return GrammarInspection.Node(
      summary: "an array" + (length.map { " of \($0) items" } ?? "") + " (array \(index))",
      parts: parts)
  }

  private mutating func described(object index: Int) -> GrammarInspection.Node {
    let node = objects[index]
    var parts = node.members.map { member in
      let name = String(decoding: graph.names[member.name], as: UTF8.self)
      return "`\(name)`: goal \(member.goal)" + (member.isRequired ? ", required" : "")
    }
    if takesUndeclared(index) {
      let extra = extraGoal(index, 0).goal
      parts.append(extra == nothing ? "other keys by patterns" : "other keys: goal \(extra)")
    } else {
      parts.append("no other keys")
    }
    if node.formula != ObjectFormulas.always {
      parts.append("what its members must make true: formula \(node.formula)")
    }
    let count = Self.range(node.minimum, node.maximum)
    return GrammarInspection.Node(
      summary: "an object" + (count.map { " of \($0) members" } ?? "") + " (object \(index))",
      parts: parts)
  }

  /// A range of counts in words; `nil` where every count will do.
  static func range(_ minimum: Int, _ maximum: Int?) -> String? {
    guard let maximum else { return minimum == 0 ? nil : "at least \(minimum)" }
    if minimum == maximum { return "\(minimum)" }
    return minimum == 0 ? "at most \(maximum)" : "\(minimum) to \(maximum)"
  }
}

extension NumberConstraint {
  /// The constraint in words.
  var described: String {
    var result = Automaton.words(self)
    for multiple in nonMultiples { result += ", no multiple of \(multiple.shortSpelling)" }
    if onlyFractions { result += ", no integer" }
    if !excluded.isEmpty { result += ", but for \(excluded.count) values" }
    return result
  }
}
