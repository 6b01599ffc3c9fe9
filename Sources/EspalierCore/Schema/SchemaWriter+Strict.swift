// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// The strict subset of OpenAI's structured outputs: objects are closed, all of their members are
/// required, and one that may be absent is `null`.
extension SchemaWriter {
  private static let strictKeywords: Set = [
    "$ref", "type", "title", "description", "enum", "const", "anyOf", "properties", "required",
    "items", "additionalProperties", "pattern", "format", "multipleOf", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
  ]

  private static let strictFormats: Set = [
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
  ]

  private static let annotations: Set = [
    "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly",
    "contentMediaType", "contentEncoding", "$id", "$anchor",
  ]

  /// The subset's name of a keyword, or nil where it is left out.
  mutating func strictSpelling(
    of keyword: SchemaNode.Keyword, in node: SchemaNode, at place: SchemaPointer
  ) -> String? {
    if Self.strictKeywords.contains(keyword.name) {
      if keyword.name == "format", let format = keyword.value.content?.stringValue,
        !Self.strictFormats.contains(format)
      {
        report(
          place, "The strict subset does not know the format '\(format)'.",
          "Say it as a pattern, or leave it out.")
        return nil
      }
      return keyword.name
    }
    if node["anyOf"] == nil, case .schemas(let branches) = keyword.value {
      // Of one alone, and of branches that exclude each other, `anyOf` says the same.
      if keyword.name == "oneOf" {
        if !excludeEachOther(branches) {
          report(
            place, "The strict subset has no 'oneOf': as 'anyOf' several branches may hold.",
            "Give the branches a property of different constants, or use 'anyOf'.")
        }
        return "anyOf"
      }
      if keyword.name == "allOf", branches.count == 1, node["oneOf"] == nil { return "anyOf" }
    }
    // Lengths are said by a pattern, below; what is no constraint is not missed.
    if ["minLength", "maxLength"].contains(keyword.name), node["pattern"] == nil { return "x" }
    if Self.annotations.contains(keyword.name) || keyword.name.hasPrefix("x-") { return nil }
    report(
      place, "The strict subset has no '\(keyword.name)'.",
      "Leave it out and check the result, or change the type.")
    return nil
  }

  /// Every property is required; there are no others.
  mutating func completeStrictObject(
    _ node: SchemaNode, _ object: inout Object, at pointer: SchemaPointer
  ) {
    if let lengths = strictLengthPattern(of: node) {
      object["x"] = nil
      object["pattern"] = lengths.generatedContent
    }
    guard node.simpleType == .object || object["properties"] != nil else { return }
    if case .named(let properties)? = node["properties"] {
      object["required"] = properties.map(\.name).generatedContent
    } else {
      object["properties"] = GeneratedContent(.structure(Object()))
      object["required"] = [String]().generatedContent
    }
    if let others = object["additionalProperties"], others.boolValue != false {
      refuse(
        pointer + "/additionalProperties",
        "The strict subset has no objects with further properties.",
        "Use an array of keys and values.")
    }
    object["additionalProperties"] = false.generatedContent
  }

  /// A pattern that says the bounds of a string's length.
  private func strictLengthPattern(of node: SchemaNode) -> String? {
    guard node["pattern"] == nil, node["minLength"] != nil || node["maxLength"] != nil else {
      return nil
    }
    let minimum = node["minLength"]?.content?.numberValue?.jsonText ?? "0"
    let maximum = node["maxLength"]?.content?.numberValue?.jsonText ?? ""
    return "^[\\s\\S]{\(minimum),\(maximum)}$"
  }

  /// Every schema but a reference or a choice has a type.
  mutating func nameStrictType(_ object: inout Object, at pointer: SchemaPointer) {
    guard object["type"] == nil, object["anyOf"] == nil, object["$ref"] == nil else { return }
    let values = object["const"].map { [$0] } ?? object["enum"]?.arrayValue ?? []
    var names: [String] = []
    for value in values {
      guard let name = Self.typeName(of: value) else { return }
      if !names.contains(name) { names.append(name) }
    }
    guard let first = names.first else {
      return refuse(pointer, "The schema has no type.", "Give it one.")
    }
    var typed = Object()
    typed["type"] = names.count == 1 ? first.generatedContent : names.generatedContent
    for key in object.orderedKeys { typed[key] = object[key] }
    object = typed
  }

  /// A schema that allows `null` as well.
  func nullable(_ content: GeneratedContent) -> GeneratedContent {
    let null = "null".generatedContent
    guard var object = content.structureValue else { return content }
    if let type = object["type"], type.stringValue != nil, object["const"] == nil {
      object["type"] = GeneratedContent(.array([type, null]))
      if let choices = object["enum"]?.arrayValue {
        object["enum"] = GeneratedContent(.array(choices + [GeneratedContent(.null)]))
      }
      return GeneratedContent(.structure(object))
    }
    var nullType = Object()
    nullType["type"] = null
    var choice = Object()
    if let description = object["description"] {
      choice["description"] = description
      object["description"] = nil
    }
    let choices = object["anyOf"]?.arrayValue
    choice["anyOf"] = GeneratedContent(
      .array(
        (choices != nil && object.orderedKeys.count == 1
          ? choices ?? [] : [GeneratedContent(.structure(object))])
          + [GeneratedContent(.structure(nullType))]))
    return GeneratedContent(.structure(choice))
  }

  /// Whether a schema takes `null` as it is.
  func allowsNull(_ node: SchemaNode, depth: Int = 0) -> Bool {
    guard depth < 32, case .keywords(let keywords) = node.form, !keywords.isEmpty else {
      return false
    }
    var isConstrained = false
    for keyword in keywords {
      switch (keyword.name, keyword.value) {
      case ("type", .value(let type)):
        let names =
          type.arrayValue?.compactMap(\.stringValue) ?? [type.stringValue].compactMap(\.self)
        guard names.contains("null") else { return false }
      case ("enum", .value(let values)):
        guard values.arrayValue?.contains(where: { $0.value == .null }) == true else {
          return false
        }
      case ("const", .value(let value)): guard value.value == .null else { return false }
      case ("anyOf", .schemas(let branches)), ("oneOf", .schemas(let branches)):
        guard branches.contains(where: { allowsNull($0, depth: depth + 1) }) else { return false }
      case ("allOf", .schemas(let branches)):
        guard branches.allSatisfy({ allowsNull($0, depth: depth + 1) }) else { return false }
      case ("$ref", .reference(.definition(let name))):
        guard let target = definitions[name], allowsNull(target, depth: depth + 1) else {
          return false
        }
      case ("$ref", _): return false
      default: continue
      }
      isConstrained = true
    }
    return isConstrained
  }

  /// Whether no value satisfies two of some branches: their types or constants differ, or those of a
  /// member that they require.
  private func excludeEachOther(_ branches: [SchemaNode]) -> Bool {
    branches.indices.allSatisfy { first in
      branches.indices.dropFirst(first + 1).allSatisfy { second in
        exclude(branches[first], branches[second])
      }
    }
  }

  private func exclude(_ first: SchemaNode, _ second: SchemaNode, depth: Int = 0) -> Bool {
    guard depth < 8 else { return false }
    let (first, second) = (target(first), target(second))
    if let known = types(first), let others = types(second), known.isDisjoint(with: others) {
      return true
    }
    if let values = constants(first), let others = constants(second) {
      return !values.contains(where: others.contains)
    }
    guard first.simpleType == .object, second.simpleType == .object,
      case .named(let members)? = first["properties"],
      case .named(let others)? = second["properties"]
    else { return false }
    let required = requiredNames(first).intersection(requiredNames(second))
    return members.contains { member in
      required.contains(member.name)
        && others.contains {
          $0.name == member.name && exclude(member.node, $0.node, depth: depth + 1)
        }
    }
  }

  /// The types of a schema's values, where it names them; integers are numbers.
  private func types(_ node: SchemaNode) -> Set<String>? {
    if let type = node["type"]?.content {
      let names =
        type.arrayValue?.compactMap(\.stringValue) ?? [type.stringValue].compactMap(\.self)
      return Set(names.map { $0 == "integer" ? "number" : $0 })
    }
    guard let values = constants(node) else { return nil }
    let names = values.map { Self.typeName(of: $0) ?? "container" }
    return names.contains("container") ? nil : Set(names.map { $0 == "integer" ? "number" : $0 })
  }

  /// The type of a value that is no container.
  private static func typeName(of value: GeneratedContent) -> String? {
    switch value.value {
    case .string: "string"
    case .bool: "boolean"
    case .number(let number): number.integerValue(as: Int.self) == nil ? "number" : "integer"
    case .null: "null"
    case .array, .structure: nil
    }
  }

  /// What a reference leads to.
  private func target(_ node: SchemaNode) -> SchemaNode {
    guard case .reference(.definition(let name))? = node["$ref"] else { return node }
    return definitions[name] ?? node
  }

  private func constants(_ node: SchemaNode) -> [GeneratedContent]? {
    node["const"]?.content.map { [$0] } ?? node["enum"]?.content?.arrayValue
  }

  private func requiredNames(_ node: SchemaNode) -> Set<String> {
    Set(node["required"]?.content?.arrayValue?.compactMap(\.stringValue) ?? [])
  }
}
