// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A schema in the short notation that people use to tell each other what a value looks like.
///
/// Example: `{guest: string (name of the guest), nights: integer 1-14, room: "single" | "double",
/// tags?: [string]}`. Small models read it better than JSON Schema, and it takes a third of the
/// tokens. It says what can be said in a few words; what holds a value to its schema is the grammar.
package struct TypeNotation {
  /// The notation.
  package private(set) var text: String

  private let definitions: [String: GeneratedContent]
  /// The definitions that are being written: one of them within itself goes by its name.
  private var open: [String] = []

  /// Writes a schema in the notation.
  ///
  /// - Throws: What writing the schema as JSON throws.
  package init(_ schema: GenerationSchema) throws {
    let content = try GeneratedContent(json: try schema.jsonSchema())
    definitions = Self.definitions(of: content)
    text = ""
    text = notation(of: content)
  }

  /// What references of a schema lead to: the schema itself and its definitions.
  static func definitions(of content: GeneratedContent) -> [String: GeneratedContent] {
    var definitions: [String: GeneratedContent] = ["#": content]
    for keyword in ["$defs", "definitions"] {
      guard case .structure(let members, _)? = Self.members(of: content)[keyword]?.kind else {
        continue
      }
      for (name, definition) in members { definitions["#/\(keyword)/\(name)"] = definition }
    }
    return definitions
  }

  static func members(of content: GeneratedContent) -> [String: GeneratedContent] {
    if case .structure(let members, _) = content.kind { members } else { [:] }
  }

  /// How deep a value is described.
  private static var depthLimit: Int { 16 }

  private mutating func notation(of content: GeneratedContent) -> String {
    let members = Self.members(of: content)
    if let reference = members["$ref"]?.stringValue {
      guard let target = definitions[reference], !open.contains(reference),
        open.count < Self.depthLimit
      else { return Self.name(of: reference) }
      open.append(reference)
      defer { open.removeLast() }
      return notation(of: target)
    }
    if let constant = members["const"] { return constant.jsonString }
    if let cases = members["enum"]?.arrayValue {
      return cases.map(\.jsonString).joined(separator: " | ")
    }
    for keyword in ["anyOf", "oneOf"] {
      guard let choices = members[keyword]?.arrayValue else { continue }
      return choices.map { notation(of: $0) }.joined(separator: " | ")
    }
    if let parts = members["allOf"]?.arrayValue, let first = parts.first, parts.count == 1 {
      return notation(of: first)
    }
    if let types = members["type"]?.arrayValue {
      return types.map { plainNotation(of: $0.stringValue ?? "", members) }
        .joined(separator: " | ")
    }
    return plainNotation(of: members["type"]?.stringValue ?? "", members)
  }

  private mutating func plainNotation(
    of type: String, _ members: [String: GeneratedContent]
  ) -> String {
    switch type {
    case "object": objectNotation(members)
    case "array": arrayNotation(members)
    case "string": Self.stringNotation(members)
    case "integer", "number": type + Self.range(members, "minimum", "maximum", " ")
    case "": "any value"
    default: type
    }
  }

  private mutating func objectNotation(_ members: [String: GeneratedContent]) -> String {
    guard case .structure(let properties, let keys)? = members["properties"]?.kind else {
      return "object"
    }
    let required = Set((members["required"]?.arrayValue ?? []).compactMap(\.stringValue))
    let parts = keys.map { key in
      let property = properties[key] ?? GeneratedContent(.null)
      let description = Self.members(of: property)["description"]?.stringValue
      return key + (required.contains(key) ? ": " : "?: ") + notation(of: property)
        + (description.map { " (\($0))" } ?? "")
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  private mutating func arrayNotation(_ members: [String: GeneratedContent]) -> String {
    let items = members["items"].map { notation(of: $0) } ?? "any value"
    let count = Self.range(members, "minItems", "maxItems", " ")
    return "[\(items)]" + (count.isEmpty ? "" : "\(count) items")
  }

  private static func stringNotation(_ members: [String: GeneratedContent]) -> String {
    switch members["format"]?.stringValue {
    case "date": "date YYYY-MM-DD"
    case "date-time": "date and time YYYY-MM-DDThh:mm:ssZ"
    case "time": "time hh:mm:ssZ"
    case let format?: "string, \(format)"
    case nil: "string"
    }
  }

  private static func range(
    _ members: [String: GeneratedContent], _ least: String, _ greatest: String, _ space: String
  ) -> String {
    switch (members[least]?.jsonString, members[greatest]?.jsonString) {
    case (let least?, let greatest?):
      space + (least == greatest ? least : "\(least)-\(greatest)")
    case (let least?, nil): "\(space)at least \(least)"
    case (nil, let greatest?): "\(space)at most \(greatest)"
    case (nil, nil): ""
    }
  }

  private static func name(of reference: String) -> String {
    reference.split(separator: "/").last.map(String.init) ?? reference
  }
}
