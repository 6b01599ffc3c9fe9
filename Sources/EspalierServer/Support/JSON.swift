// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import EspalierCore

// Requests and events are JSON. `GeneratedContent` is read by the engine's incremental parser, keeps
// the order of keys, which servers hold a value to, and spells equal values alike.

extension GeneratedContent {
  /// The value of a property; nil where there is none, or this is no object.
  package subscript(_ name: String) -> GeneratedContent? { property(name) }

  /// The text, where this is a string.
  package var asText: String? { stringValue }

  /// The integer, where this is a number without a fraction.
  package var asInteger: Int? {
    if case .number(let number) = value { number.integerValue(as: Int.self) } else { nil }
  }

  /// The number, where this is one.
  package var asNumber: Double? {
    if case .number(let number) = value { number.doubleValue } else { nil }
  }

  /// The elements, where this is an array.
  package var asList: [GeneratedContent]? {
    if case .array(let elements) = value { elements } else { nil }
  }

  /// The members in order, where this is an object.
  package var asMembers: [(name: String, value: GeneratedContent)]? {
    guard case .structure(let structure) = value else { return nil }
    return structure.orderedKeys.compactMap { key in structure[key].map { (key, $0) } }
  }

  /// Whether this is `true`.
  package var isTrue: Bool {
    if case .bool(true) = value { true } else { false }
  }

  /// An object of members in order; those without a value are left out.
  package static func members(
    _ members: KeyValuePairs<String, (any ConvertibleToGeneratedContent)?>
  ) -> GeneratedContent {
    var structure = Structure()
    for (name, value) in members {
      if let value { structure[name] = value.generatedContent }
    }
    return GeneratedContent(.structure(structure))
  }

  /// An array.
  package static func items(_ items: [GeneratedContent]) -> GeneratedContent {
    GeneratedContent(.array(items))
  }

  /// The object with more members, or others in place of those it has.
  package func adding(
    _ members: KeyValuePairs<String, (any ConvertibleToGeneratedContent)?>
  ) -> GeneratedContent {
    guard case .structure(var structure) = value else { return self }
    for (name, value) in members {
      if let value { structure[name] = value.generatedContent }
    }
    return GeneratedContent(.structure(structure))
  }
}
