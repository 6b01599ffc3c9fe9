// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

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
