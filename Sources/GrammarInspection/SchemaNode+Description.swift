// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension SchemaGraph {
  /// The subschemas in words.
  var described: [GrammarInspection.Subschema] {
    nodes.indices.map { index in
      GrammarInspection.Subschema(
        index: index, location: nodes[index].pointer, keywords: keywords(of: nodes[index]))
    }
  }

  private func keywords(of node: SchemaNode) -> [String] {
    if let boolean = node.boolean { return [boolean ? "anything" : "nothing"] }
    var result: [String] = []
    if node.types != .all || node.onlyIntegers {
      result.append(
        "type " + node.types.names(integers: node.onlyIntegers).joined(separator: " or "))
    }
    if let values = node.values { result.append("\(node.valuesKeyword) \(described(values))") }
    if let reference = node.reference { result.append("$ref → \(reference)") }
    return result + scalarKeywords(of: node) + containerKeywords(of: node)
      + booleanKeywords(of: node)
  }

  private func scalarKeywords(of node: SchemaNode) -> [String] {
    var result: [String] = []
    if let bound = node.minimum {
      result.append((bound.isExclusive ? "above " : "minimum ") + bound.value.shortSpelling)
    }
    if let bound = node.maximum {
      result.append((bound.isExclusive ? "below " : "maximum ") + bound.value.shortSpelling)
    }
    if let step = node.multipleOf { result.append("multipleOf \(step.shortSpelling)") }
    if let count = node.minLength { result.append("minLength \(count)") }
    if let count = node.maxLength { result.append("maxLength \(count)") }
    if let state = node.pattern {
      result.append("pattern `\(node.patternText ?? "")` (language \(state))")
    }
    if let format = node.format { result.append("format \(format.rawValue)") }
    return result
  }

  private func containerKeywords(of node: SchemaNode) -> [String] {
    var result: [String] = []
    if !node.properties.isEmpty {
      let members = node.properties.map { "`\(text(of: $0.name))` → \($0.schema)" }
      result.append("properties " + members.joined(separator: ", "))
    }
    for pattern in node.patternProperties {
      result.append("keys of language \(pattern.language) → \(pattern.schema)")
    }
    if !node.required.isEmpty {
      result.append(
        "required " + node.required.map { "`\(text(of: $0))`" }.joined(separator: ", "))
    }
    let schemas: [(String, SchemaNode.ID?)] = [
      ("additionalProperties", node.additionalProperties), ("propertyNames", node.propertyNames),
      ("unevaluatedProperties", node.unevaluatedProperties), ("items", node.items),
      ("contains", node.contains), ("unevaluatedItems", node.unevaluatedItems),
    ]
    for case (let keyword, let schema?) in schemas { result.append("\(keyword) → \(schema)") }
    if !node.prefixItems.isEmpty { result.append("prefixItems → \(list(node.prefixItems))") }
    let counts: [(String, Int?)] = [
      ("minProperties", node.minProperties), ("maxProperties", node.maxProperties),
      ("minItems", node.minItems), ("maxItems", node.maxItems),
      ("minContains", node.minContains), ("maxContains", node.maxContains),
    ]
    for case (let keyword, let count?) in counts { result.append("\(keyword) \(count)") }
    if node.uniqueItems { result.append("uniqueItems") }
    for dependency in node.dependentRequired {
      let names = dependency.names.map { "`\(text(of: $0))`" }.joined(separator: ", ")
      result.append("`\(text(of: dependency.name))` requires \(names)")
    }
    for dependency in node.dependentSchemas {
      result.append("`\(text(of: dependency.name))` implies \(dependency.schema)")
    }
    return result
  }

  private func booleanKeywords(of node: SchemaNode) -> [String] {
    var result: [String] = []
    if !node.allOf.isEmpty { result.append("allOf → \(list(node.allOf))") }
    if let branches = node.anyOf { result.append("anyOf → \(list(branches))") }
    if let branches = node.oneOf { result.append("oneOf → \(list(branches))") }
    if let schema = node.not { result.append("not → \(schema)") }
    if let choice = node.ifThenElse {
      result.append("if → \(choice.condition)")
      if let schema = choice.then { result.append("then → \(schema)") }
      if let schema = choice.otherwise { result.append("else → \(schema)") }
    }
    return result
  }

  private func described(_ values: ConstantSet) -> String {
    var result = values.strings.map { "\"\(String(decoding: $0, as: UTF8.self))\"" }
    result += values.numbers.map(\.shortSpelling)
    result += values.booleans.sorted { !$0 && $1 }.map { "\($0)" }
    if values.null { result.append("null") }
    let containers =
      values.listing.map { $0.arrays.count + $0.objects.count }
      ?? values.arrays.count + values.objects.count
    if containers > 0 { result.append("\(containers) arrays or objects") }
    let rest = result.count > 8 ? ", and \(result.count - 8) more" : ""
    return result.prefix(8).joined(separator: ", ") + rest
  }

  private func text(of name: SchemaNode.Name) -> String {
    String(decoding: names[name], as: UTF8.self)
  }

  private func list(_ schemas: [SchemaNode.ID]) -> String {
    schemas.map(String.init).joined(separator: ", ")
  }
}

extension JSONTypes {
  /// The names of the types of a set.
  func names(integers: Bool) -> [String] {
    let names = ["null", "boolean", integers ? "integer" : "number", "string", "array", "object"]
    return zip(Self.each, names).compactMap { contains($0) ? $1 : nil }
  }
}
