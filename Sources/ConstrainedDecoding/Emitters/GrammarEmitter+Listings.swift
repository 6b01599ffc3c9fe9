// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Arrays and objects that must be one of many listed ones: each is written out.
extension GrammarEmitter {
  mutating func listed(_ ids: [ListedValues.ID], _ shape: SchemaNode.ID) -> EmittedExpression {
    .either(ids.map { listed($0, shape) })
  }

  private mutating func listed(
    _ id: ListedValues.ID, _ shape: SchemaNode.ID
  ) -> EmittedExpression {
    let node = automaton.obligations.graph.nodes[shape]
    switch automaton.obligations.listed[id] {
    case .null: return .text("null")
    case .boolean(let value): return .text(value ? "true" : "false")
    case .number(let value):
      var constraint = NumberConstraint.none
      constraint.values = [value]
      return number(constraint)
    case .string(let bytes):
      let language = automaton.obligations.languages.finite([bytes])
      return string(StringNode(language: language, minimum: 0, maximum: nil))
    case .array(let items):
      return container("[", items.map { listed($0, node.items ?? shape) }, "]")
    case .object(let members):
      if automaton.options.propertyOrder == .any, members.count > 1 {
        report("enum", node.pointer, "members are written in listed order alone")
      }
      let values = Dictionary(
        members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
      var parts: [EmittedExpression] = []
      for property in node.properties {
        let name = automaton.obligations.graph.names[property.name]
        guard let value = values[name] else { continue }
        let key = "\"" + Self.spelled(String(decoding: name, as: UTF8.self)) + "\""
        parts.append(
          .joined([.terminal(.text(key)), separator(":"), listed(value, property.schema)]))
      }
      return container("{", parts, "}")
    }
  }

  private func container(
    _ open: String, _ parts: [EmittedExpression], _ close: String
  ) -> EmittedExpression {
    var between: [EmittedExpression] = []
    for part in parts {
      if !between.isEmpty { between.append(separator(",")) }
      between.append(part)
    }
    return .joined([opening(open)] + between + [closing(close)])
  }
}
