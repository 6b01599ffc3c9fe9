// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension RegularLanguages {
  /// A language as an expression over its whole strings, where that is short.
  package mutating func shortExpression(of language: State) -> String? {
    var indices: [State: Int] = [language: 0]
    var order = [language]
    var transitions: [[Int: EmittedExpression]] = []
    while transitions.count < order.count {
      var row: [Int: EmittedExpression] = [:]
      for (scalars, target) in scalarTransitions(order[transitions.count]) {
        if indices[target] == nil {
          guard order.count < 32 else { return nil }
          indices[target] = order.count
          order.append(target)
        }
        if let index = indices[target] { row[index] = .scalars(scalars) }
      }
      transitions.append(row)
    }
    var elimination = StateElimination(
      transitions: transitions, accepting: order.map { accepts($0) }, sizeLimit: 64)
    guard let expression = elimination.expression() else { return nil }
    var writer = DialectWriter(dialect: .regularExpression, names: [])
    let text = writer.text(expression, .choice)
    return text.count <= 60 ? text : nil
  }
}
