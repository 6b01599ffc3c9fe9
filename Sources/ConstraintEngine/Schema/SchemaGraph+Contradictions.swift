// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why no value satisfies a schema.
extension SchemaGraph {
  /// The bounds that contradict each other; where there are none, the schema as a whole.
  func contradictions() -> [GrammarError.Diagnostic] {
    let bounds = contradictoryBounds()
    guard bounds.isEmpty else { return bounds }
    return [
      .init(
        keyword: "", location: "#",
        message:
          "no value satisfies the schema: its keywords contradict each other, or a required "
          + "member or item can never be complete")
    ]
  }

  /// The bounds between which nothing lies, wherever in the schema they stand.
  func contradictoryBounds() -> [GrammarError.Diagnostic] {
    var result: [GrammarError.Diagnostic] = []
    func compare(
      _ node: SchemaNode, _ names: (String, String), _ lower: Int?, _ upper: Int?
    ) {
      guard let lower, let upper, lower > upper else { return }
      result.append(
        .init(
          keyword: names.0, location: node.pointer,
          message: "\(lower) is above the `\(names.1)` of \(upper); nothing lies between"))
    }
    for node in nodes {
      if let minimum = node.minimum, let maximum = node.maximum {
        let meets = minimum.value == maximum.value
        if maximum.value < minimum.value || meets && (minimum.isExclusive || maximum.isExclusive) {
          result.append(
            .init(
              keyword: minimum.isExclusive ? "exclusiveMinimum" : "minimum",
              location: node.pointer,
              message: "\(minimum.value.shortSpelling) and the upper bound "
                + "\(maximum.value.shortSpelling) leave no number"))
        }
      }
      compare(node, ("minLength", "maxLength"), node.minLength, node.maxLength)
      compare(node, ("minItems", "maxItems"), node.minItems, node.maxItems)
      compare(node, ("minProperties", "maxProperties"), node.minProperties, node.maxProperties)
      compare(node, ("minContains", "maxContains"), node.minContains, node.maxContains)
    }
    return result
  }
}
