// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

/// What an answer is held to in the fields of other servers: `grammar` and `json_schema` of
/// llama-server, `structured_outputs` and `guided_…` of vLLM, `regex` and `ebnf` of SGLang.
extension ServedRequest {
  /// A grammar and the field that it came in.
  struct Guide: Sendable {
    var grammar: ResponseGrammar
    var place: String
  }

  mutating func readGuides(_ fields: inout FieldReader) throws {
    try readGuides(
      &fields, schemas: ["json_schema", "guided_json"], patterns: ["regex", "guided_regex"],
      choices: ["guided_choice"], grammars: ["grammar", "guided_grammar", "ebnf"])
    if var outputs = try fields.reader("structured_outputs") {
      try readGuides(
        &outputs, schemas: ["json"], patterns: ["regex"], choices: ["choice"],
        grammars: ["grammar"])
      if try outputs.flag("json_object") == true {
        try hold(to: Self.anyObject, at: outputs.path("json_object"))
      }
      try outputs.finish()
    }
    if let guide, !tools.isEmpty {
      throw ServeProblem(
        400, "'\(guide.place)' cannot be honoured beside tools: a call has a form of its own.",
        at: guide.place, code: "unsupported_parameter")
    }
  }

  private mutating func readGuides(
    _ fields: inout FieldReader, schemas: [String], patterns: [String], choices: [String],
    grammars: [String]
  ) throws {
    for name in schemas {
      guard let value = fields.value(name) else { continue }
      let place = fields.path(name)
      try hold(to: Self.schema(Self.document(value, at: place), name: nil, at: place), at: place)
    }
    for name in patterns {
      guard let pattern = try fields.text(name), !pattern.isEmpty else { continue }
      try hold(to: .regularExpression(pattern), at: fields.path(name))
    }
    for name in grammars {
      // Clients of llama-server send an empty one for none.
      guard let text = try fields.text(name), !text.isEmpty else { continue }
      try hold(to: .gbnf(text), at: fields.path(name))
    }
    for name in choices {
      guard let values = try fields.list(name) else { continue }
      let texts = values.compactMap(\.asText)
      guard !texts.isEmpty, texts.count == values.count else {
        throw ServeProblem(400, "Expected one string or more.", at: fields.path(name))
      }
      try hold(to: .choice(texts), at: fields.path(name))
    }
  }

  /// A schema that came as an object, or as the text of one.
  private static func document(
    _ value: GeneratedContent, at place: String
  ) throws -> GeneratedContent {
    guard let text = value.asText else { return value }
    do {
      return try GeneratedContent(json: text)
    } catch {
      throw ServeProblem(
        400, "The schema is no JSON: \(ErrorWords.problem(of: error))", at: place)
    }
  }

  private mutating func hold(to grammar: ResponseGrammar, at place: String) throws {
    try requireFirst(at: place)
    guide = Guide(grammar: grammar, place: place)
  }

  private mutating func hold(to schema: GenerationSchema, at place: String) throws {
    try requireFirst(at: place)
    self.schema = schema
  }

  private func requireFirst(at place: String) throws {
    guard schema == nil, guide == nil else {
      throw ServeProblem(
        400, "'\(place)' cannot be honoured: the answer is held to something else already.",
        at: place, code: "unsupported_parameter")
    }
  }
}
