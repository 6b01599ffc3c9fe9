// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// JSON, with the members of objects in order.
indirect enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case list([JSON])
  case object([(String, JSON)])

  var string: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .text(let text): text.generatedContent.jsonString
    case .list(let elements): "[\(elements.map(\.string).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\($0.generatedContent.jsonString):\($1.string)" }.joined(separator: ","))}"
    }
  }

  static func == (left: JSON, right: JSON) -> Bool { left.string == right.string }

  var names: [String] {
    switch self {
    case .object(let members):
      members.flatMap { key, value -> [String] in
        if key == "$ref", case .text(let text) = value { return [text] }
        return value.names
      }
    case .list(let elements): elements.flatMap(\.names)
    default: []
    }
  }
}

public struct GenerationGuide<Value> {
  let keywords: [(String, JSON)]
}

extension GenerationGuide where Value == String {
  public static func constant(_ value: String) -> Self {
    .init(keywords: [("const", .text(value))])
  }
  public static func pattern<Output>(_ regex: Regex<Output>) -> Self {
    .init(keywords: [("pattern", .text("(a pattern)"))])
  }
}

extension GenerationGuide where Value == Int {
  public static func minimum(_ value: Int) -> Self {
    .init(keywords: [("minimum", .integer(value))])
  }
  public static func maximum(_ value: Int) -> Self {
    .init(keywords: [("maximum", .integer(value))])
  }
}

extension GenerationGuide where Value == Double {
  public static func minimum(_ value: Double) -> Self {
    .init(keywords: [("minimum", .number(value))])
  }
  public static func maximum(_ value: Double) -> Self {
    .init(keywords: [("maximum", .number(value))])
  }
}

public struct DynamicGenerationSchema: Sendable {
  let name: String?
  let json: JSON

  public struct Property: Sendable {
    let name: String
    let schema: JSON
    let isOptional: Bool

    public init(
      name: String, description: String? = nil, schema: DynamicGenerationSchema,
      isOptional: Bool = false
    ) {
      self.name = name
      self.schema = described(schema.json, description)
      self.isOptional = isOptional
    }
  }

  public static var null: DynamicGenerationSchema {
    .init(name: nil, json: .object([("type", .text("null"))]))
  }

  init(name: String?, json: JSON) {
    self.name = name
    self.json = json
  }

  public init(name: String, description: String? = nil, properties: [Property]) {
    self.name = name
    let required = properties.filter { !$0.isOptional }.map { JSON.text($0.name) }
    json = described(
      .object([
        ("title", .text(name)), ("type", .text("object")),
        ("properties", .object(properties.map { ($0.name, $0.schema) })),
        ("required", .list(required)),
        ("additionalProperties", .bool(false)),
        ("x-order", .list(properties.map { .text($0.name) })),
      ]), description)
  }

  public init(name: String, description: String? = nil, anyOf choices: [DynamicGenerationSchema]) {
    self.name = name
    json = described(
      .object([("title", .text(name)), ("anyOf", .list(choices.map(\.json)))]), description)
  }

  public init(name: String, description: String? = nil, anyOf choices: [String]) {
    self.name = name
    json = described(
      .object([("type", .text("string")), ("enum", .list(choices.map(JSON.text)))]), description)
  }

  public init(
    arrayOf items: DynamicGenerationSchema, minimumElements: Int? = nil,
    maximumElements: Int? = nil
  ) {
    name = nil
    var members: [(String, JSON)] = [("type", .text("array")), ("items", items.json)]
    if let minimumElements { members.append(("minItems", .integer(minimumElements))) }
    if let maximumElements { members.append(("maxItems", .integer(maximumElements))) }
    json = .object(members)
  }

  public init<Value: Generable>(type: Value.Type, guides: [GenerationGuide<Value>] = []) {
    name = nil
    let names = ["String": "string", "Int": "integer", "Double": "number", "Bool": "boolean"]
    json = .object(
      [("type", .text(names["\(type)"] ?? "object"))] + guides.flatMap(\.keywords))
  }

  public init(referenceTo name: String) {
    self.name = nil
    json = .object([("$ref", .text(name))])
  }
}

private func described(_ json: JSON, _ description: String?) -> JSON {
  guard let description, case .object(let members) = json else { return json }
  return .object(members + [("description", .text(description))])
}

public struct GenerationSchema: Sendable, Codable {
  public let name: String
  let text: String

  public enum SchemaError: Error { case undefinedReferences([String]) }

  public init(root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]) throws {
    let name = root.name ?? "Schema"
    self.name = name
    let known = Set(dependencies.compactMap(\.name) + [name])
    let unknown = (root.json.names + dependencies.flatMap(\.json.names)).filter {
      !known.contains($0)
    }
    guard unknown.isEmpty else { throw SchemaError.undefinedReferences(unknown) }
    guard case .object(var members) = Self.resolved(root.json, root: name) else {
      throw SchemaError.undefinedReferences([])
    }
    let definitions = dependencies.compactMap { schema in
      schema.name.map { ($0, Self.resolved(schema.json, root: name)) }
    }
    if !definitions.isEmpty { members.append(("$defs", .object(definitions))) }
    text = JSON.object(members).string
  }

  private static func resolved(_ json: JSON, root: String) -> JSON {
    switch json {
    case .object(let members):
      .object(
        members.map { key, value in
          if key == "$ref", case .text(let name) = value {
            return (key, .text(name == root ? "#" : "#/$defs/\(name)"))
          }
          return (key, resolved(value, root: root))
        })
    case .list(let elements): .list(elements.map { resolved($0, root: root) })
    default: json
    }
  }

  public var debugDescription: String { text }

  public init(from decoder: any Decoder) throws { throw CocoaError(.coderReadCorrupt) }

  public func encode(to encoder: any Encoder) throws {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    try Encoded(value: object).encode(to: encoder)
  }
}

/// What `JSONSerialization` read, for an encoder.
private struct Encoded: Encodable {
  let value: Any

  func encode(to encoder: any Encoder) throws {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { return nil }
    }
    if let members = value as? [String: Any] {
      var container = encoder.container(keyedBy: Key.self)
      for (key, value) in members {
        try container.encode(Encoded(value: value), forKey: Key(stringValue: key))
      }
    } else if let elements = value as? [Any] {
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(Encoded(value: element)) }
    } else {
      var container = encoder.singleValueContainer()
      switch value {
      case let text as String: try container.encode(text)
      case let number as NSNumber where "\(type(of: value))".contains("Bool"):
        try container.encode(number.boolValue)
      case let flag as Bool where "\(value)" == "true" || "\(value)" == "false":
        try container.encode(flag)
      case let integer as Int: try container.encode(integer)
      case let number as Double: try container.encode(number)
      default: try container.encodeNil()
      }
    }
  }
}
