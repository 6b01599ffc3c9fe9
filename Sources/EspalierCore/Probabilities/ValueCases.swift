// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The values of a JSON text with their places, and the cases that a schema gives them.
///
///     {"room":"suite","nights":2}      /room    bytes 8..<15    cases "single", "double", "suite"
///                                      /nights  bytes 25..<26   none
package struct ValueCases {
  /// A value that holds no others.
  package struct Leaf {
    /// Its JSON Pointer.
    package var path: String
    package var range: Range<Int>
    package var value: GeneratedContent
    /// The cases as JSON; empty where the schema lists none.
    package var cases: [String]
  }

  private let schema: GeneratedContent
  private let bytes: [UInt8]
  private var index = 0
  package private(set) var leaves: [Leaf] = []

  /// - Parameters:
  ///   - json: A value of the schema.
  ///   - schema: The JSON Schema.
  package init(_ json: [UInt8], schema: GeneratedContent) {
    self.schema = schema
    bytes = json
    read(path: "", [schema])
  }

  // MARK: Places

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  private mutating func read(path: String, _ schemas: [GeneratedContent]) {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      index += 1
      skipSpace()
      while let byte = next, byte != UInt8(ascii: "}") {
        if byte == UInt8(ascii: ",") {
          index += 1
          skipSpace()
        }
        guard let key = text(skipScalar()) else { return }
        skipSpace()
        index += 1
        read(
          path: path + "/" + Self.escaped(key),
          schemas.flatMap { alternatives(of: $0) }.compactMap {
            $0["properties"]?[key] ?? $0["additionalProperties"]
          })
        skipSpace()
      }
      index += 1
    case UInt8(ascii: "["):
      index += 1
      var count = 0
      skipSpace()
      while let byte = next, byte != UInt8(ascii: "]") {
        if byte == UInt8(ascii: ",") { index += 1 }
        read(
          path: path + "/\(count)",
          schemas.flatMap { alternatives(of: $0) }.compactMap { schema in
            let first = schema["prefixItems"]?.listElements ?? []
            return count < first.count ? first[count] : schema["items"]
          })
        count += 1
        skipSpace()
      }
      index += 1
    default:
      let range = skipScalar()
      guard !range.isEmpty,
        let value = try? GeneratedContent(json: String(decoding: bytes[range], as: UTF8.self))
      else { return }
      leaves.append(
        Leaf(
          path: path, range: range, value: value,
          cases: cases(schemas.flatMap { alternatives(of: $0) })))
    }
  }

  /// The place of a text, a number or a word; empty where there is none.
  private mutating func skipScalar() -> Range<Int> {
    let start = index
    if next == UInt8(ascii: "\"") {
      index += 1
      while let byte = next, byte != UInt8(ascii: "\"") {
        index += byte == UInt8(ascii: "\\") ? 2 : 1
      }
      index = min(index + 1, bytes.count)
    } else {
      while let byte = next, !",]} \n\r\t:".utf8.contains(byte) { index += 1 }
      // Never without a step: what is no JSON ends at once.
      if index == start { index = bytes.count }
    }
    return start..<index
  }

  private func text(_ range: Range<Int>) -> String? {
    let json = String(decoding: bytes[range], as: UTF8.self)
    return try? GeneratedContent(json: json).value(String.self)
  }

  private static func escaped(_ key: String) -> String {
    key.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  // MARK: Schemas

  /// A schema with its references followed, and its alternatives.
  private func alternatives(of schema: GeneratedContent, depth: Int = 0) -> [GeneratedContent] {
    guard depth < 32 else { return [] }
    if let reference = schema["$ref"]?.stringValue {
      guard reference.hasPrefix("#") else { return [] }
      var target = self.schema
      for key in reference.dropFirst().split(separator: "/") {
        guard
          let next = target[
            String(key).replacing("~1", with: "/").replacing("~0", with: "~")]
        else { return [] }
        target = next
      }
      return alternatives(of: target, depth: depth + 1)
    }
    let nested = ["anyOf", "oneOf"].flatMap { schema[$0]?.listElements ?? [] }
    return nested.isEmpty ? [schema] : nested.flatMap { alternatives(of: $0, depth: depth + 1) }
  }

  /// The cases of some alternatives; none where one of them lists none.
  private func cases(_ alternatives: [GeneratedContent]) -> [String] {
    var cases: [String] = []
    for schema in alternatives {
      let listed: [String]
      if let values = schema["enum"]?.listElements {
        listed = values.map(\.jsonString)
      } else if let value = schema["const"] {
        listed = [value.jsonString]
      } else if schema["type"]?.stringValue == "boolean" {
        listed = ["true", "false"]
      } else if schema["type"]?.stringValue == "null" {
        listed = ["null"]
      } else {
        return []
      }
      for text in listed where !cases.contains(text) { cases.append(text) }
    }
    return cases
  }
}

extension GeneratedContent {
  fileprivate var listElements: [GeneratedContent]? {
    if case .array(let elements) = value { elements } else { nil }
  }
}
