// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import EspalierCore
import EspalierServer

/// A schema with its objects closed: for `strict: true`, which OpenAI takes of such alone, and for
/// `espalier generate --closed`.
///
/// Who asks for it wants the declared members and no others. Models like to add some where a
/// schema lets them: `{"properties": {"city": …}}` allows any member beside `city`. So objects that
/// declare members and say nothing of others are closed.
package struct StrictSchema {
  /// The schema with its objects closed.
  package let closed: GeneratedContent

  package init(_ schema: GeneratedContent) {
    closed = Self.isComposed(schema, depth: 0) ? schema : Self.closing(schema, depth: 0)
  }

  /// Members of one object that are declared in several places: closed, each would refuse the others'.
  private static let composing: Set = [
    "allOf", "if", "dependentSchemas", "unevaluatedProperties", "$dynamicRef",
  ]
  private static let maps: Set = ["properties", "$defs", "definitions"]
  private static let lists: Set = ["anyOf", "oneOf", "prefixItems"]
  private static let depthLimit = 128

  private static func isComposed(_ schema: GeneratedContent, depth: Int) -> Bool {
    guard depth < depthLimit else { return true }
    guard let members = schema.asMembers else { return false }
    let declares = schema["properties"] != nil
    return members.contains { name, value in
      if composing.contains(name) { return true }
      // Beside members of its own an object has those of a branch or a reference.
      if declares, name == "anyOf" || name == "oneOf" || name == "$ref" { return true }
      return subschemas(name, value).contains { isComposed($0, depth: depth + 1) }
    }
  }

  private static func subschemas(_ name: String, _ value: GeneratedContent) -> [GeneratedContent] {
    if maps.contains(name) { return value.asMembers?.map(\.1) ?? [] }
    if lists.contains(name) { return value.asList ?? [] }
    return name == "items" ? [value] : []
  }

  private static func closing(_ schema: GeneratedContent, depth: Int) -> GeneratedContent {
    guard depth < depthLimit, let members = schema.asMembers else { return schema }
    var result = GeneratedContent.Structure()
    for (name, value) in members {
      if maps.contains(name), let inner = value.asMembers {
        var map = GeneratedContent.Structure()
        for (key, subschema) in inner { map[key] = closing(subschema, depth: depth + 1) }
        result[name] = GeneratedContent(.structure(map))
      } else if lists.contains(name), let inner = value.asList {
        result[name] = .items(inner.map { closing($0, depth: depth + 1) })
      } else if name == "items" {
        result[name] = closing(value, depth: depth + 1)
      } else {
        result[name] = value
      }
    }
    if schema["properties"] != nil, schema["additionalProperties"] == nil,
      schema["patternProperties"] == nil
    {
      result["additionalProperties"] = false.generatedContent
    }
    return GeneratedContent(.structure(result))
  }
}
