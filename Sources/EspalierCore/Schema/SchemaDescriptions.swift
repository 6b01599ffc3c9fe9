// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a schema says of its members in words, and nothing of their types.
///
/// Example: `guest: name of the guest. arrival: first day of the stay.` for a booking whose number of
/// nights has no description. What has none is left out: its name is in the value.
package struct SchemaDescriptions {
  /// A sentence for each member that is described, in the order of the schema; empty where none is.
  package private(set) var text: String

  private let definitions: [String: GeneratedContent]
  /// The definitions that were read: each is described once.
  private var read: Set<String> = ["#"]
  private var sentences: [String] = []

  /// Collects the descriptions of a schema.
  ///
  /// - Throws: What writing the schema as JSON throws.
  package init(_ schema: GenerationSchema) throws {
    let content = try GeneratedContent(json: try schema.jsonSchema())
    definitions = TypeNotation.definitions(of: content)
    text = ""
    collect(content)
    text = sentences.joined(separator: " ")
  }

  private mutating func collect(_ content: GeneratedContent) {
    let members = TypeNotation.members(of: content)
    if let reference = members["$ref"]?.stringValue {
      guard let target = definitions[reference], read.insert(reference).inserted else { return }
      return collect(target)
    }
    if case .structure(let properties, let keys)? = members["properties"]?.kind {
      for key in keys {
        guard let property = properties[key] else { continue }
        if let description = TypeNotation.members(of: property)["description"]?.stringValue {
          let isSentence = description.last.map(".!?".contains) ?? false
          sentences.append("\(key): \(description)" + (isSentence ? "" : "."))
        }
        collect(property)
      }
    }
    if let items = members["items"] { collect(items) }
    for keyword in ["anyOf", "oneOf", "allOf"] {
      for choice in members[keyword]?.arrayValue ?? [] { collect(choice) }
    }
  }
}
