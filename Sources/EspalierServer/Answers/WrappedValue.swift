// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// A value in an object of one member, as OpenAI has it of values that are no objects.
///
/// The strict subset knows objects alone at the root, so that a list of cities is asked for as
/// `{"value": […]}`, and `value` is taken out while it streams.
///
/// Example: of `{"value": [1, {"a": "}"}]}` the text `[1, {"a": "}"}]` is handed on.
struct WrappedValue {
  private enum State {
    /// So many bytes of the opening have come.
    case opening(Int)
    /// Within the value: the objects and arrays that are open, and whether a string is.
    case value(depth: Int, isText: Bool, isEscaped: Bool)
    /// No wrapper, or what follows it.
    case plain, after
  }

  static let name = "value"
  private static let opening = Array("{\"\(name)\":".utf8)

  private var state = State.opening(0)
  /// What came before it was known whether it is the wrapper.
  private var held: [UInt8] = []

  /// Takes the value out of more text.
  mutating func take(_ text: String) -> String {
    var inner: [UInt8] = []
    for byte in text.utf8 { take(byte, into: &inner) }
    // The bytes that delimit are ASCII: no character is cut in two.
    return String(decoding: inner, as: UTF8.self)
  }

  /// What was held back of a text that is not in a wrapper.
  mutating func finish() -> String {
    defer { held = [] }
    return String(decoding: held, as: UTF8.self)
  }

  private mutating func take(_ byte: UInt8, into inner: inout [UInt8]) {
    switch state {
    case .opening(let count):
      held.append(byte)
      if byte == Self.opening[count] {
        let isWhole = count + 1 == Self.opening.count
        state =
          isWhole ? .value(depth: 0, isText: false, isEscaped: false) : .opening(count + 1)
        if isWhole { held = [] }
      } else if !(" \n\r\t".utf8.contains(byte) && !(2..<8).contains(count)) {
        state = .plain
        inner += held
        held = []
      }
    case .value(let depth, let isText, let isEscaped):
      if isText {
        let isEnd = byte == UInt8(ascii: "\"") && !isEscaped
        state = .value(
          depth: depth, isText: !isEnd,
          isEscaped: byte == UInt8(ascii: "\\") && !isEscaped)
      } else if "[{".utf8.contains(byte) {
        state = .value(depth: depth + 1, isText: false, isEscaped: false)
      } else if "]}".utf8.contains(byte) {
        guard depth > 0 else {
          state = .after
          return
        }
        state = .value(depth: depth - 1, isText: false, isEscaped: false)
      } else if byte == UInt8(ascii: "\"") {
        state = .value(depth: depth, isText: true, isEscaped: false)
      }
      inner.append(byte)
    case .plain: inner.append(byte)
    case .after: break
    }
  }
}

extension GeneratedContent {
  /// A schema of objects with one member that satisfies this one, and where this one stands in it; nil
  /// where this is one of objects already.
  var wrappedSchema: (schema: GeneratedContent, rootPointer: String)? {
    let isObject = self["type"]?.asText == "object"
    guard !isObject || ["anyOf", "$ref", "enum"].contains(where: { self[$0] != nil }) else {
      return nil
    }
    var root = Structure()
    var definitions = Structure()
    for (name, value) in asMembers ?? [] {
      if name == "$defs", case .structure(let inner) = value.value {
        definitions = inner
      } else {
        root[name] = value
      }
    }
    var name = "Value"
    while definitions[name] != nil { name += "_" }
    let reference = "#/$defs/\(name)"
    definitions[name] = GeneratedContent(.structure(root))
    let wrapped = GeneratedContent(.structure(definitions)).replacing(reference: "#", by: reference)
    let member = GeneratedContent.members(["$ref": reference])
    let schema = GeneratedContent.members([
      "type": "object",
      "properties": GeneratedContent.members([WrappedValue.name: member]),
      "required": GeneratedContent.items([WrappedValue.name.generatedContent]),
      "additionalProperties": false,
      "$defs": wrapped,
    ])
    return (schema, "/$defs/\(name)")
  }

  private func replacing(reference: String, by other: String, depth: Int = 0) -> GeneratedContent {
    guard depth < 128 else { return self }
    if let list = asList {
      return .items(list.map { $0.replacing(reference: reference, by: other, depth: depth + 1) })
    }
    guard let members = asMembers else { return self }
    var result = Structure()
    for (name, value) in members {
      result[name] =
        name == "$ref" && value.asText == reference
        ? other.generatedContent
        : value.replacing(reference: reference, by: other, depth: depth + 1)
    }
    return GeneratedContent(.structure(result))
  }
}
