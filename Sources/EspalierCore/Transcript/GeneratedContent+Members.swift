// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GeneratedContent {
  /// The value of a property; nil where there is none.
  subscript(name: String) -> GeneratedContent? { property(name) }

  static func object(_ members: [(String, GeneratedContent)]) -> GeneratedContent {
    var structure = Structure()
    for (name, value) in members { structure[name] = value }
    return GeneratedContent(.structure(structure))
  }

  static func list(_ elements: [GeneratedContent]) -> GeneratedContent {
    GeneratedContent(.array(elements))
  }

  static func text(_ text: String) -> GeneratedContent { GeneratedContent(.string(text)) }

  static func integer(_ integer: Int) -> GeneratedContent { integer.generatedContent }

  /// Whether the keys of every object in it are in the order in which decoders give them.
  var hasSortedKeys: Bool {
    switch value {
    case .structure(let structure):
      structure.orderedKeys == structure.orderedKeys.sorted()
        && structure.properties.values.allSatisfy(\.hasSortedKeys)
    case .array(let elements): elements.allSatisfy(\.hasSortedKeys)
    case .null, .bool, .number, .string: true
    }
  }

  /// The content with the keys of every object sorted.
  var withSortedKeys: GeneratedContent {
    switch value {
    case .structure(let structure):
      .object(
        structure.orderedKeys.sorted().compactMap { key in
          structure[key].map { (key, $0.withSortedKeys) }
        })
    case .array(let elements): .list(elements.map(\.withSortedKeys))
    case .null, .bool, .number, .string: self
    }
  }
}
