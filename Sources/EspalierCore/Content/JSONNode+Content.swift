// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import IncrementalJSON

/// How content reads a value of a parse: one level at a time, as far as it is asked for.
extension JSONNode {
  var id: GenerationID { GenerationID(stream: stream, position: identity) }

  var isNull: Bool {
    switch kind {
    case .unknown, .null: true
    case .bool, .number, .string, .array, .object: false
    }
  }

  var isStructure: Bool { if case .object = kind { true } else { false } }

  /// The string, where this is one.
  var stringValue: String? { if case .string = kind { text } else { nil } }

  /// Writes the value as JSON, as it is read: to sort the members of objects into dictionaries first
  /// took most of the time.
  ///
  /// - Parameter space: What stands after a colon and after a comma.
  func write(into json: inout String, spacing space: String) {
    switch kind {
    case .unknown, .null: json += "null"
    case .bool(let bool): json += bool ? "true" : "false"
    case .number: json += JSONNumber(text: text).jsonText
    case .string: JSONText.write(text, into: &json)
    case .array:
      json += "["
      for (index, element) in elements().enumerated() {
        if index > 0 { json += "," + space }
        element.write(into: &json, spacing: space)
      }
      json += "]"
    case .object:
      json += "{"
      for (index, (key, value)) in members().enumerated() {
        if index > 0 { json += "," + space }
        JSONText.write(key, into: &json)
        json += ":" + space
        value.write(into: &json, spacing: space)
      }
      json += "}"
    }
  }

  var value: GeneratedContent.Value {
    switch kind {
    case .unknown, .null: return .null
    case .bool(let bool): return .bool(bool)
    case .number: return .number(JSONNumber(text: text))
    case .string: return .string(text)
    case .array: return .array(elements().map { GeneratedContent($0) })
    case .object:
      var structure = GeneratedContent.Structure()
      for (key, value) in members() { structure[key] = GeneratedContent(value) }
      return .structure(structure)
    }
  }
}
