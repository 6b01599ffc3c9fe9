// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension GenerationSchema: Codable {
  /// Writes the schema in the dialect of FoundationModels. `x-order` keeps the order of properties,
  /// which encoders do not; for the same bytes every time, let the encoder sort keys or use
  /// ``jsonSchema(dialect:)``.
  public func encode(to encoder: any Encoder) throws {
    try JSONCoding(content: jsonContent(dialect: .foundationModels)).encode(to: encoder)
  }

  /// Reads a schema in the dialect of FoundationModels or another.
  public init(from decoder: any Decoder) throws {
    try self.init(jsonSchema: JSONCoding(from: decoder).content.jsonString)
  }
}

/// JSON through `Codable`.
package struct JSONCoding: Codable {
  package var content: GeneratedContent

  package init(content: GeneratedContent) { self.content = content }

  package init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      var structure = GeneratedContent.Structure()
      for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        structure[key.stringValue] = try container.decode(JSONCoding.self, forKey: key).content
      }
      content = GeneratedContent(.structure(structure))
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [GeneratedContent] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONCoding.self).content) }
      content = GeneratedContent(.array(elements))
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        content = GeneratedContent(.null)
      } else if let bool = try? container.decode(Bool.self) {
        content = bool.generatedContent
      } else if let integer = try? container.decode(Int64.self) {
        content = integer.generatedContent
      } else if let integer = try? container.decode(UInt64.self) {
        content = integer.generatedContent
      } else if let decimal = try? container.decode(Decimal.self) {
        content = decimal.generatedContent
      } else if let double = try? container.decode(Double.self) {
        content = double.generatedContent
      } else {
        content = try container.decode(String.self).generatedContent
      }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch content.value {
    case .structure(let structure):
      var container = encoder.container(keyedBy: Key.self)
      for key in structure.orderedKeys {
        guard let value = structure[key] else { continue }
        try container.encode(JSONCoding(content: value), forKey: Key(key))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(JSONCoding(content: element)) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let bool): try encode(bool, to: encoder)
    case .string(let string): try encode(string, to: encoder)
    case .number(let number):
      if let integer = number.integerValue(as: Int64.self) {
        try encode(integer, to: encoder)
      } else if let integer = number.integerValue(as: UInt64.self) {
        try encode(integer, to: encoder)
      } else if case .literal = number, let decimal = number.decimalValue {
        try encode(decimal, to: encoder)
      } else {
        try encode(number.doubleValue, to: encoder)
      }
    }
  }

  private func encode(_ value: some Encodable, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
