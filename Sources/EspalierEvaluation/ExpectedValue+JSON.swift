// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import EspalierCore

extension ExpectedValue {
  /// The value as a file of cases has it.
  package var content: GeneratedContent {
    switch self {
    case .exactly(let value): value
    case .oneOf(let choices):
      GeneratedContent(properties: ["$oneOf": GeneratedContent(elements: choices.map(\.content))])
    case .near(let number, let tolerance):
      GeneratedContent(properties: ["$near": number, "$tolerance": tolerance])
    case .any: GeneratedContent(properties: ["$any": true])
    case .object(let members):
      GeneratedContent(
        properties: members.map {
          ($0.name, $0.value.content as any ConvertibleToGeneratedContent)
        },
        uniquingKeysWith: { $1 })
    case .list(let elements): GeneratedContent(elements: elements.map(\.content))
    }
  }

  /// Why what was written as JSON is not what its author meant: `{"$oneof": …}` would be an object that
  /// no answer has. nil where nothing speaks against it.
  static func problem(of content: GeneratedContent) -> String? {
    switch content.kind {
    case .array(let elements):
      return elements.lazy.compactMap { problem(of: $0) }.first
    case .structure(let properties, let keys):
      guard let marker = keys.first(where: { markers.contains($0.lowercased()) }) else {
        return keys.lazy.compactMap { key in properties[key].flatMap { problem(of: $0) } }.first
      }
      switch ExpectedValue(content) {
      case .oneOf(let choices) where keys.count == 1 && !choices.isEmpty:
        guard case .array(let choices)? = properties["$oneOf"]?.kind else { return nil }
        return choices.lazy.compactMap { problem(of: $0) }.first
      case .near(_, let tolerance)
      where tolerance >= 0 && keys.count == (properties["$tolerance"] == nil ? 1 : 2):
        return nil
      case .any where properties["$any"]?.kind == .bool(true): return nil
      default:
        return "at '\(marker)', expected {\"$oneOf\": [...]} with at least one value, "
          + "{\"$near\": 3.5, \"$tolerance\": 0.1} or {\"$any\": true}, "
          + "found \(content.jsonString.prefix(80))"
      }
    default: return nil
    }
  }

  private static let markers: Set<String> = ["$oneof", "$near", "$tolerance", "$any"]
}
