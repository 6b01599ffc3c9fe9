// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// A field of a request that a server does not know, or not at this model: OpenAI's models that reason
/// take no `temperature` and no `max_tokens`, Mistral's no `top_k`, most of Ollama's no `think`.
///
/// Example: from `Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead` comes the
/// field `max_tokens`, which is renamed; from `Extra inputs are not permitted` at `["body", "top_k"]`
/// the field `top_k`, which is left out.
struct RefusedField: Sendable, Hashable {
  /// The names of the members that lead to it, with points between them.
  let path: String

  /// The fields without which an answer is still one to the request.
  private static let dispensable = [
    "temperature", "top_p", "top_k", "seed", "reasoning.summary", "reasoning_effort", "reasoning",
    "stream_options", "top_logprobs", "logprobs", "include", "store", "think", "truncate", "shift",
  ]
  private static let renamed = [
    "max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens",
  ]
  private static let words = [
    "unsupported", "not support", "unknown", "unrecognized", "unexpected", "extra", "not permitted",
    "not allowed", "not available", "must be verified",
  ]

  /// Finds the field in what a server said; nil where it said something else.
  ///
  /// - Parameters:
  ///   - message: What the server said.
  ///   - parameter: The field, where the server names it apart from the message.
  init?(message: String, code: String, parameter: String?) {
    let said = "\(code) \(message)".lowercased()
    guard Self.words.contains(where: said.contains) else { return nil }
    let names = Self.dispensable + Self.renamed.keys.sorted()
    if let parameter {
      guard let name = names.first(where: { $0 == parameter }) else { return nil }
      path = name
    } else if said.contains("does not support thinking") {
      path = "think"
    } else if said.contains("not allowed to request logprobs") {
      path = "logprobs"
    } else {
      let quoted = names.first { name in
        ["'\(name)'", "\"\(name)\"", "`\(name)`"].contains { message.contains($0) }
      }
      guard let quoted else { return nil }
      path = quoted
    }
  }

  /// What the server may know it as.
  var replacement: String? { Self.renamed[path] }

  var topLevelName: String { path.split(separator: ".").first.map(String.init) ?? path }
}

extension GeneratedContent {
  /// A body without fields that the server refused.
  func leavingOut(_ fields: Set<RefusedField>) -> GeneratedContent {
    fields.isEmpty
      ? self
      : fields.reduce(self) { body, field in
        let body = body.replacing(
          field.path.split(separator: ".").map(String.init), by: field.replacement)
        // The one is an error without the other.
        return field.path == "logprobs" ? body.replacing(["top_logprobs"], by: nil) : body
      }
  }

  private func replacing(_ path: [String], by replacement: String?) -> GeneratedContent {
    guard let name = path.first, let members = asMembers else { return self }
    var kept = Structure()
    for (key, value) in members {
      if key != name {
        kept[key] = value
      } else if path.count > 1 {
        kept[key] = value.replacing(Array(path.dropFirst()), by: replacement)
      } else if let replacement {
        kept[replacement] = value
      }
    }
    return GeneratedContent(.structure(kept))
  }
}
