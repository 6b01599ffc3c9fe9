// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GeneratedContent {
  /// The content as JSON, without white space, properties in order. Incomplete content is closed
  /// where it ends.
  ///
  /// - Complexity: Linear in the length of the JSON.
  public var jsonString: String {
    json(spacing: "")
  }

  /// The content as JSON with a space after each colon and comma, as most models write it.
  package var spacedJSONString: String {
    json(spacing: " ")
  }

  private func json(spacing space: String) -> String {
    var json = ""
    write(into: &json, spacing: space)
    return json
  }

  /// - Parameter space: What stands after a colon and after a comma.
  private func write(into json: inout String, spacing space: String) {
    if let node { return node.write(into: &json, spacing: space) }
    switch value {
    case .null: json += "null"
    case .bool(let bool): json += bool ? "true" : "false"
    case .number(let number): json += number.jsonText
    case .string(let string): JSONText.write(string, into: &json)
    case .array(let elements):
      json += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { json += "," + space }
        element.write(into: &json, spacing: space)
      }
      json += "]"
    case .structure(let structure):
      json += "{"
      for (index, key) in structure.orderedKeys.enumerated() {
        if index > 0 { json += "," + space }
        JSONText.write(key, into: &json)
        json += ":" + space
        structure[key]?.write(into: &json, spacing: space)
      }
      json += "}"
    }
  }
}

/// JSON's spelling of strings.
package enum JSONText {
  /// Adds `string` in quotation marks, escaping only what JSON requires.
  package static func write(_ string: String, into json: inout String) {
    json += "\""
    if string.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
      for scalar in string.unicodeScalars {
        switch scalar {
        case "\"": json += "\\\""
        case "\\": json += "\\\\"
        case "\n": json += "\\n"
        case "\r": json += "\\r"
        case "\t": json += "\\t"
        case "\u{8}": json += "\\b"
        case "\u{C}": json += "\\f"
        case "\0"..<" ":
          let hex = String(scalar.value, radix: 16)
          json += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        default: json.unicodeScalars.append(scalar)
        }
      }
    } else {
      json += string
    }
    json += "\""
  }
}
