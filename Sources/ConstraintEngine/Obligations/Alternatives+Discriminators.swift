// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Branches that one property tells apart.
///
/// Most `oneOf`s are unions with a discriminator: each branch requires a property such as `type`
/// and lists its values, or gives a pattern that few strings match. One look at each branch then
/// says that no two have an object in common, and the pairs, many more, need not be looked at.
///
/// Worked example: for `{required: [t], properties: {t: {const: "a"}}}`, the same with `b`, and one
/// with `{pattern: "^[cd]$"}`, the lists `a`, `b` and `c, d` share nothing.
extension Alternatives {
  /// Whether one required property has different strings in all of some subschemas.
  mutating func areToldApart(_ branches: [SchemaNode.ID]) -> Bool {
    let parts = branches.map { conjuncts(of: $0) }
    guard let first = parts.first else { return true }
    for id in first {
      for name in graph.nodes[id].required where areToldApart(parts, by: name) { return true }
    }
    return false
  }

  private mutating func areToldApart(
    _ branches: [[SchemaNode.ID]], by name: SchemaNode.Name
  ) -> Bool {
    var seen: Set<[UInt8]> = []
    for parts in branches {
      guard parts.contains(where: { graph.nodes[$0].required.contains(name) }),
        let strings = strings(of: name, in: parts)
      else { return false }
      for string in strings where !seen.insert(string).inserted { return false }
    }
    return true
  }

  /// The strings that are all a property may be in an object for which some subschemas hold.
  private mutating func strings(
    of name: SchemaNode.Name, in parts: [SchemaNode.ID]
  ) -> [[UInt8]]? {
    for id in parts {
      guard let index = graph.nodes[id].properties.firstIndex(where: { $0.name == name })
      else { continue }
      for schema in conjuncts(of: graph.nodes[id].properties[index].schema) {
        if let strings = listedStrings(schema) { return strings }
      }
    }
    return nil
  }

  /// The strings that a subschema lists, where it allows nothing else.
  private mutating func listedStrings(_ id: SchemaNode.ID) -> [[UInt8]]? {
    if let values = graph.nodes[id].values {
      let hasOthers =
        values.null || !values.booleans.isEmpty || !values.numbers.isEmpty
        || values.hasArrays || values.hasObjects
      return hasOthers ? nil : values.strings
    }
    guard graph.nodes[id].types == .string, let pattern = graph.nodes[id].pattern else {
      return nil
    }
    return languages.strings(of: pattern)
  }
}
