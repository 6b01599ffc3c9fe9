// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keywords for one value that contradict each other.
extension ContradictionSearch {
  /// What contradicts itself among the subschemas for one value.
  mutating func reason(_ station: Station, _ parts: [SchemaNode.ID]) -> Finding? {
    if let found = falseReason(station, parts) ?? typeReason(parts) ?? valueReason(parts) {
      return found
    }
    let types = types(parts)
    if let bounds = boundReason(parts, types) { return bounds }
    if types.contains(.string), let found = stringReason(parts) { return found }
    if types.contains(.object), let found = objectReason(parts) { return found }
    if types.contains(.array), let found = arrayReason(parts) { return found }
    return nil
  }

  private func falseReason(_ station: Station, _ parts: [SchemaNode.ID]) -> Finding? {
    guard let part = parts.first(where: { graph.nodes[$0].boolean == false }) else { return nil }
    let asked = station.asked.map { ", and \($0)" } ?? ""
    // The subschema that allows nothing stands nowhere; what it is said beside does.
    let named = station.schemas.first { !graph.nodes[$0].pointer.isEmpty } ?? part
    let place = graph.nodes[part].pointer.isEmpty ? named : part
    return finding("", place, "`false` allows no value\(asked)")
  }

  private func typeReason(_ parts: [SchemaNode.ID]) -> Finding? {
    var types = JSONTypes.all
    for (count, part) in parts.enumerated() {
      let before = types
      types.formIntersection(graph.nodes[part].types)
      guard types.isEmpty else { continue }
      guard
        let other = parts[..<count].last(where: { graph.nodes[$0].types != .all })
      else { return finding("type", part, "names no type; name one, or leave `type` out") }
      return finding(
        "type", part,
        "expected \(graph.nodes[part].types.words), but\(place(of: other, seenFrom: part)) "
          + "`type` leaves \(before.words); no value has both")
    }
    return nil
  }

  /// Of more lists not every two are compared.
  private static let mostLists = 32

  private func valueReason(_ parts: [SchemaNode.ID]) -> Finding? {
    let types = types(parts)
    let typed = parts.first { graph.nodes[$0].types != .all }
    let integers = parts.first { graph.nodes[$0].onlyIntegers }
    for part in parts {
      guard let values = graph.nodes[part].values else { continue }
      let keyword = graph.nodes[part].valuesKeyword
      guard !values.types.isEmpty else {
        // Both in one subschema are read as what is in both.
        return finding(
          keyword, part,
          keyword == "const"
            ? "its value is none of the `enum` beside it; correct one of the two"
            : "lists no value; add one, or leave it out")
      }
      let whole = values.numbers.contains { integers == nil || $0.isInteger }
      var kinds = values.types
      if !whole { kinds.remove(.number) }
      if let typed, kinds.isDisjoint(with: types) {
        let place = place(of: integers ?? typed, seenFrom: part)
        let words = integers != nil && types == .number ? "integer" : types.words
        return finding(
          keyword, part,
          "no value that it lists is of the `type` \(words)\(place); correct one of the two")
      }
      for other in parts.prefix(Self.mostLists) where other < part {
        guard let others = graph.nodes[other].values,
          let both = values.scalars(alsoIn: others), both.types.isEmpty
        else { continue }
        return finding(
          keyword, part,
          "lists no value that `\(graph.nodes[other].valuesKeyword)`"
            + "\(place(of: other, seenFrom: part)) lists too; correct one of the two")
      }
    }
    return nil
  }

  /// A list none of whose values satisfies what else is asked for.
  func listReason(_ parts: [SchemaNode.ID]) -> Finding? {
    guard let part = parts.first(where: { graph.nodes[$0].values != nil }) else { return nil }
    return finding(
      graph.nodes[part].valuesKeyword, part,
      "no value that it lists satisfies the keywords beside it; correct the list or these")
  }

  private func boundReason(_ parts: [SchemaNode.ID], _ types: JSONTypes) -> Finding? {
    for part in parts {
      if let bounds = graph.contradictoryBounds(of: graph.nodes[part], types).first {
        return Finding(diagnostic: bounds)
      }
    }
    // All bounds as those of one subschema.
    var node = SchemaNode()
    for part in parts {
      let other = graph.nodes[part]
      node.minLength = [node.minLength, other.minLength].compactMap(\.self).max()
      node.maxLength = [node.maxLength, other.maxLength].compactMap(\.self).min()
      node.minItems = [node.minItems, other.minItems].compactMap(\.self).max()
      node.maxItems = [node.maxItems, other.maxItems].compactMap(\.self).min()
      node.minProperties = [node.minProperties, other.minProperties].compactMap(\.self).max()
      node.maxProperties = [node.maxProperties, other.maxProperties].compactMap(\.self).min()
      if let bound = other.minimum, node.minimum.map({ $0.value < bound.value }) ?? true {
        node.minimum = bound
      }
      if let bound = other.maximum, node.maximum.map({ bound.value < $0.value }) ?? true {
        node.maximum = bound
      }
    }
    guard let part = parts.first, let found = graph.contradictoryBounds(of: node, types).first
    else { return nil }
    return finding(found.keyword, part, found.message)
  }

  private mutating func objectReason(_ parts: [SchemaNode.ID]) -> Finding? {
    for part in parts {
      for name in graph.nodes[part].required {
        guard hasTime() else { return nil }
        for closed in parts where isClosed(closed, to: name) {
          return undeclared(name, requiredBy: part, closed)
        }
      }
    }
    let names = Set(parts.flatMap { graph.nodes[$0].required })
    for part in parts {
      let node = graph.nodes[part]
      if let most = node.maxProperties, most < names.count {
        return finding(
          "maxProperties", part,
          "expected at least \(names.count), for as many members are required; found \(most)")
      }
      guard node.patternProperties.isEmpty, isFalse(node.additionalProperties) else { continue }
      if let least = parts.compactMap({ graph.nodes[$0].minProperties }).max(),
        node.properties.count < least
      {
        return finding(
          "minProperties", part,
          "\(least) members are asked for, but the closed object declares only "
            + "\(node.properties.count)")
      }
    }
    return nil
  }

  private func isFalse(_ schema: SchemaNode.ID?) -> Bool {
    schema.map { graph.nodes[$0].boolean == false } ?? false
  }

  /// Whether a subschema has no place for a member.
  private mutating func isClosed(_ part: SchemaNode.ID, to name: SchemaNode.Name) -> Bool {
    let node = graph.nodes[part]
    guard isFalse(node.additionalProperties) else { return false }
    if declared(name, in: part) != nil { return false }
    for pattern in node.patternProperties
    where obligations.languages.contains(pattern.language, graph.names[name]) {
      return false
    }
    return true
  }

  private func undeclared(
    _ name: SchemaNode.Name, requiredBy part: SchemaNode.ID, _ closed: SchemaNode.ID
  ) -> Finding {
    guard closed == part else {
      return finding(
        "required", part,
        "`\(text(name))` must be there, but the closed object\(place(of: closed, seenFrom: part)) "
          + "does not declare it; declare it there, or open that object")
    }
    let node = graph.nodes[part]
    let declared = node.properties.map { graph.names[$0.name] }
    let required = Set(node.required.map { graph.names[$0] })
    let meant = Misspelling.meant(by: graph.names[name], among: declared, but: required)
    let advice =
      meant.map { "was `\(String(decoding: $0, as: UTF8.self))` meant?" }
      ?? "add it to `properties` or take it out of `required`"
    return finding(
      "required", part,
      "`\(text(name))` must be there, but the object is closed and `properties` does not declare it; "
        + advice)
  }

  private func arrayReason(_ parts: [SchemaNode.ID]) -> Finding? {
    guard let least = parts.compactMap({ graph.nodes[$0].minItems }).max() else { return nil }
    for part in parts {
      let node = graph.nodes[part]
      guard isFalse(node.items), node.prefixItems.count < least else { continue }
      return finding(
        "minItems", part,
        "\(least) items are asked for, but none may come after the first "
          + "\(node.prefixItems.count)")
    }
    return nil
  }
}

extension ConstantSet {
  /// The types of the values.
  fileprivate var types: JSONTypes {
    var result: JSONTypes = []
    if null { result.insert(.null) }
    if !booleans.isEmpty { result.insert(.boolean) }
    if !numbers.isEmpty { result.insert(.number) }
    if !strings.isEmpty { result.insert(.string) }
    if hasArrays { result.insert(.array) }
    if hasObjects { result.insert(.object) }
    return result
  }
}

extension JSONTypes {
  /// The types as a schema names them.
  fileprivate var words: String {
    let names = ["null", "boolean", "number", "string", "array", "object"]
    let words = zip(Self.each, names).filter { contains($0.0) }.map(\.1)
    return words.isEmpty ? "none" : words.joined(separator: " or ")
  }
}
