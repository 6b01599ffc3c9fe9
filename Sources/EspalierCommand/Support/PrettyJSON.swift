// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// JSON with white space for people: an element or member on each line.
struct PrettyJSON {
  private(set) var text = ""

  init(_ content: GeneratedContent) { write(content, depth: 0) }

  private mutating func write(_ content: GeneratedContent, depth: Int) {
    switch content.kind {
    case .structure(let properties, let keys) where !keys.isEmpty:
      text += "{\n"
      for (index, key) in keys.enumerated() {
        indent(depth + 1)
        text += GeneratedContent(key).jsonString + ": "
        if let value = properties[key] { write(value, depth: depth + 1) }
        text += index + 1 < keys.count ? ",\n" : "\n"
      }
      indent(depth)
      text += "}"
    case .array(let elements) where !elements.isEmpty:
      text += "[\n"
      for (index, element) in elements.enumerated() {
        indent(depth + 1)
        write(element, depth: depth + 1)
        text += index + 1 < elements.count ? ",\n" : "\n"
      }
      indent(depth)
      text += "]"
    default: text += content.jsonString
    }
  }

  private mutating func indent(_ depth: Int) { text += String(repeating: "  ", count: depth) }
}
