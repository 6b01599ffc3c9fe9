// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GeneratedContent {
  /// What a content is, with its parts.
  public enum Kind: Equatable, Sendable {
    /// JSON's `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number, rounded to a double; the content itself keeps 64-bit integers exactly.
    case number(Double)
    /// A string.
    case string(String)
    /// An array with its elements.
    case array([GeneratedContent])
    /// An object with its properties, and their names in order.
    case structure(properties: [String: GeneratedContent], orderedKeys: [String])
  }

  /// Creates content from its kind. Names in `orderedKeys` without a property are left out, and
  /// properties without a place in it follow in alphabetical order.
  public init(kind: Kind, id: GenerationID? = nil) {
    switch kind {
    case .null: self.init(.null, id: id)
    case .bool(let bool): self.init(.bool(bool), id: id)
    case .number(let number): self.init(.number(.double(number)), id: id)
    case .string(let string): self.init(.string(string), id: id)
    case .array(let elements): self.init(.array(elements), id: id)
    case .structure(let properties, let orderedKeys):
      var structure = Structure()
      for key in orderedKeys { structure[key] = properties[key] ?? structure[key] }
      for key in properties.keys.sorted() where structure[key] == nil {
        structure[key] = properties[key]
      }
      self.init(.structure(structure), id: id)
    }
  }

  /// What the content is, with its parts. A value whose beginning does not tell yet what it is, is
  /// `null` and not complete.
  public var kind: Kind {
    switch value {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .number(let number): .number(number.doubleValue)
    case .string(let string): .string(string)
    case .array(let elements): .array(elements)
    case .structure(let structure):
      .structure(properties: structure.properties, orderedKeys: structure.orderedKeys)
    }
  }

  /// What the content is, as a person would say it.
  package var kindName: String {
    switch value {
    case .null: "null"
    case .bool: "a Boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .structure: "an object"
    }
  }
}
