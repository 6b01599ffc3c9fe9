// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// A keyword of a schema that a server cannot be trusted with: it refuses it, ignores it, or has no
/// way to say it. Values are checked for it here, as all are.
public struct UntrustedKeyword: Sendable, Hashable, CustomStringConvertible {
  /// The keyword; empty where it is the whole schema.
  public var keyword: String
  /// Where it stands, as a JSON Pointer in a URI fragment (`#/properties/age/minimum`).
  public var location: String

  /// Creates an entry.
  public init(keyword: String, location: String) {
    self.keyword = keyword
    self.location = location
  }

  public var description: String {
    keyword.isEmpty ? "the whole schema" : "'\(keyword)' at \(location)"
  }
}

/// Walks through a schema, finds what a server does not keep, and leaves out what it refuses.
///
/// Example: for a server that keeps `type` and refuses `uniqueItems`, the schema
/// `{"type": "array", "uniqueItems": true, "minItems": 2}` is sent as
/// `{"type": "array", "minItems": 2}`, and both other keywords are reported.
struct SchemaSurvey {
  let profile: ServerProfile
  /// What the server cannot be trusted with.
  private(set) var untrusted: [UntrustedKeyword] = []

  init(_ profile: ServerProfile) { self.profile = profile }

  /// Keywords that say nothing about values.
  private static let annotations: Set<String> = [
    "title", "description", "default", "examples", "example", "$schema", "$id", "id", "$comment",
    "$defs", "definitions", "$anchor", "deprecated", "readOnly", "writeOnly", "x-order",
    "contentEncoding", "contentMediaType", "contentSchema", "nullable", "discriminator",
    "$vocabulary", "then", "else",
  ]
  private static let schemaKeywords: Set<String> = [
    "additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames",
    "unevaluatedProperties", "unevaluatedItems", "additionalItems",
  ]
  private static let listKeywords: Set<String> = [
    "anyOf", "oneOf", "allOf", "prefixItems", "items",
  ]
  private static let mapKeywords: Set<String> = [
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
  ]

  /// The schema as it can be sent.
  mutating func reduced(_ schema: GeneratedContent, at location: String = "#", depth: Int = 0)
    -> GeneratedContent
  {
    guard depth < 128, let members = schema.asMembers else { return schema }
    let hasBranches = members.contains { $0.name == "anyOf" || $0.name == "$ref" }
    var kept = GeneratedContent.Structure()
    for (name, value) in members {
      let place = "\(location)/\(Self.escaped(name))"
      if !trusts(name, value, besideBranches: hasBranches, of: members.count) {
        untrusted.append(UntrustedKeyword(keyword: name, location: place))
      }
      if profile.refusedKeywords.contains(name) { continue }
      if Self.mapKeywords.contains(name), let inner = value.asMembers {
        var map = GeneratedContent.Structure()
        for (key, subschema) in inner {
          map[key] = reduced(subschema, at: "\(place)/\(Self.escaped(key))", depth: depth + 1)
        }
        kept[name] = GeneratedContent(.structure(map))
      } else if Self.listKeywords.contains(name), let inner = value.asList {
        kept[name] = .items(
          inner.enumerated().map { reduced($1, at: "\(place)/\($0)", depth: depth + 1) })
      } else if Self.schemaKeywords.contains(name) {
        kept[name] = reduced(value, at: place, depth: depth + 1)
      } else {
        kept[name] = value
      }
    }
    return GeneratedContent(.structure(kept))
  }

  private func trusts(
    _ name: String, _ value: GeneratedContent, besideBranches: Bool, of count: Int
  ) -> Bool {
    if Self.annotations.contains(name) { return true }
    guard profile.keptKeywords.contains(name), !profile.refusedKeywords.contains(name) else {
      return false
    }
    if besideBranches, !profile.keepsSiblings, name != "anyOf", name != "$ref" { return false }
    switch name {
    case "format": return value.asText.map { profile.keptFormats.contains($0) } ?? false
    case "pattern":
      guard let text = value.asText, !profile.keepsAnyPattern else { return true }
      return text.hasPrefix("^") && text.hasSuffix("$") && !text.hasSuffix("\\$")
        && !text.contains("(?")
    default: return true
    }
  }

  private static func escaped(_ name: String) -> String {
    name.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}

extension GeneratedContent {
  /// A schema under which optional members of closed objects may be `null` too.
  ///
  /// OpenAI's strict subset knows no optional members: they are required and may be `null`, which
  /// a session takes for absent. Values that come from it are checked with this.
  func allowingNullForOptionalMembers(depth: Int = 0) -> GeneratedContent {
    guard depth < 128, let members = asMembers else { return self }
    let required = Set((self["required"]?.asList ?? []).compactMap(\.asText))
    var result = Structure()
    for (name, value) in members {
      switch (name, value.value) {
      case ("properties", .structure(let properties)):
        var map = Structure()
        for key in properties.orderedKeys {
          guard let property = properties[key] else { continue }
          let inner = property.allowingNullForOptionalMembers(depth: depth + 1)
          map[key] =
            required.contains(key)
            ? inner
            : .members(["anyOf": GeneratedContent.items([inner, .members(["type": "null"])])])
        }
        result[name] = GeneratedContent(.structure(map))
      case ("$defs", .structure(let map)), ("definitions", .structure(let map)):
        var inner = Structure()
        for key in map.orderedKeys {
          inner[key] = map[key]?.allowingNullForOptionalMembers(depth: depth + 1)
        }
        result[name] = GeneratedContent(.structure(inner))
      case ("anyOf", .array(let list)), ("oneOf", .array(let list)),
        ("prefixItems", .array(let list)):
        result[name] = .items(list.map { $0.allowingNullForOptionalMembers(depth: depth + 1) })
      case ("items", _), ("additionalProperties", _):
        result[name] = value.allowingNullForOptionalMembers(depth: depth + 1)
      default: result[name] = value
      }
    }
    return GeneratedContent(.structure(result))
  }
}
