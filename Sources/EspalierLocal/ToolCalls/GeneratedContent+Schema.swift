// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// Schemas as content: what is not of the kind that is asked for is nil.
extension GeneratedContent {
  subscript(key: String) -> GeneratedContent? {
    if case .structure(let members, _) = kind { members[key] } else { nil }
  }

  var text: String? { if case .string(let text) = kind { text } else { nil } }

  var elements: [GeneratedContent]? {
    if case .array(let elements) = kind { elements } else { nil }
  }

  var integer: Int? {
    if case .number(let number) = kind { Int(exactly: number) } else { nil }
  }
}
