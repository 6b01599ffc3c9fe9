// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Bounds that contradict each other.
extension SchemaGraph {
  /// The bounds between which nothing lies, wherever in the schema they stand.
  func contradictoryBounds() -> [GrammarError.Diagnostic] {
    nodes.flatMap { contradictoryBounds(of: $0, .all) }
  }

  /// The bounds of one subschema between which no value of some types lies.
  func contradictoryBounds(
    of node: SchemaNode, _ types: JSONTypes
  ) -> [GrammarError.Diagnostic] {
    var result: [GrammarError.Diagnostic] = []
    func compare(
      _ type: JSONTypes, _ names: (String, String), _ lower: Int?, _ upper: Int?
    ) {
      guard let lower, let upper, lower > upper, types.contains(type) else { return }
      result.append(
        .init(
          keyword: names.0, location: node.pointer,
          message: "\(lower) is above the `\(names.1)` of \(upper); nothing lies between"))
    }
    if types.contains(.number), let minimum = node.minimum, let maximum = node.maximum {
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
    compare(.string, ("minLength", "maxLength"), node.minLength, node.maxLength)
    compare(.array, ("minItems", "maxItems"), node.minItems, node.maxItems)
    compare(.object, ("minProperties", "maxProperties"), node.minProperties, node.maxProperties)
    compare(.array, ("minContains", "maxContains"), node.minContains, node.maxContains)
    return result
  }
}
