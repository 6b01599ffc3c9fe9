// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

// A model that is not held to a schema token by token may break it unnoticed: a guide is only as
// good as what happens when it is not kept. So every structured response, and the arguments of
// every call, go through the engine under its policy for text that others wrote: members in any
// order, any spelling.
//
// Models like to write `null` for what is optional, which the schema of an optional property does
// not allow and every decoder takes for absent. A value is therefore looked at a second time
// without the members that are null, and passes where it would pass without them.

/// A model that holds its answers to the grammars of their schemas itself, and keeps the grammars:
/// sessions check answers with them, so that a new session does not compile its schemas again.
package protocol GrammarKeepingModel: LanguageModel {
  /// Grammars under the policy for text that others wrote.
  var validationGrammars: GrammarCache { get }
}

/// The checks of a session: a schema is compiled when it is first asked for.
final class SchemaChecks: Sendable {
  private let grammars = GrammarCache(options: .validation)

  /// The check of a schema.
  ///
  /// - Parameters:
  ///   - schema: What values are to satisfy.
  ///   - model: The model that makes the values; nil where another one may have made them.
  /// - Throws: ``LanguageModelError/unsupportedGenerationGuide(_:)`` where the schema cannot be
  ///   honoured.
  func check(
    for schema: GenerationSchema, model: (any LanguageModel)? = nil
  ) async throws -> SchemaCheck {
    var model = model
    while let wrapper = model as? any WrappingLanguageModel { model = wrapper.base }
    let grammars = (model as? any GrammarKeepingModel)?.validationGrammars ?? grammars
    return SchemaCheck(
      schemaName: schema.name, grammar: try await grammars.grammar(for: schema))
  }
}

/// Tells whether a response is what was asked for.
protocol ResponseCheck: Sendable {
  /// - Throws: ``GeneratedContent/ParsingError`` where it is not.
  func verify(_ content: GeneratedContent) async throws
}

/// Tells whether values satisfy a schema.
struct SchemaCheck: ResponseCheck {
  let schemaName: String
  let grammar: Grammar

  /// - Throws: ``GeneratedContent/ParsingError`` where the value does not satisfy the schema, with
  ///   the place of the first byte that no value of the schema has there.
  func verify(_ content: GeneratedContent) async throws {
    try await ComputeThreads.shared.run { try compare(content) }
  }

  private func compare(_ content: GeneratedContent) throws {
    guard let failure = try failure(of: content) else { return }
    let lenient = content.withoutNullMembers
    guard try lenient == content || self.failure(of: lenient) != nil else { return }
    throw failure
  }

  /// - Throws: ``GrammarError`` where a limit leaves it undecided.
  private func failure(of content: GeneratedContent) throws -> GeneratedContent.ParsingError? {
    let json = content.jsonString
    var validator = StreamValidator(grammar: grammar)
    validator.append(json)
    let verdict = validator.finish()
    if case .undecided(let limit) = verdict { throw GrammarError(diagnostics: [limit]) }
    guard case .violated(let violation) = verdict else { return nil }
    let place = violation.instanceLocation.isEmpty ? "" : " at \(violation.instanceLocation)"
    var error = GeneratedContent.ParsingError(
      rawContent: json,
      debugDescription: "The value does not satisfy the schema '\(schemaName)': expected "
        + "\(violation.expected)\(place), found \(violation.found).")
    error.path = content.path(toByte: violation.offset)
    return error
  }
}

extension GeneratedContent {
  /// The way to the innermost value that a byte of the content's JSON belongs to. A number also has
  /// the byte after it, which is what tells that it has ended.
  ///
  /// - Complexity: Linear in the length of the JSON, for each level.
  fileprivate func path(toByte offset: Int) -> [ParsingError.PathComponent] {
    func inner(
      _ value: GeneratedContent, _ component: ParsingError.PathComponent, start: Int, end: Int
    ) -> [ParsingError.PathComponent]? {
      var end = end
      if case .number = value.value { end += 1 }
      guard (start..<end).contains(offset) else { return nil }
      return [component] + value.path(toByte: offset - start)
    }
    var position = 1
    switch value {
    case .structure(let structure):
      for key in structure.orderedKeys {
        guard let value = structure[key] else { continue }
        let start = position + GeneratedContent(.string(key)).jsonString.utf8.count + 1
        let end = start + value.jsonString.utf8.count
        if let path = inner(value, .property(key), start: start, end: end) { return path }
        position = end + 1
      }
    case .array(let elements):
      for (index, value) in elements.enumerated() {
        let end = position + value.jsonString.utf8.count
        if let path = inner(value, .element(index), start: position, end: end) { return path }
        position = end + 1
      }
    case .null, .bool, .number, .string: break
    }
    return []
  }

  /// The content without the members of objects that are null.
  package var withoutNullMembers: GeneratedContent {
    switch value {
    case .structure(let structure):
      return .object(
        structure.orderedKeys.compactMap { key in
          guard let value = structure[key] else { return nil }
          if case .null = value.value { return nil }
          return (key, value.withoutNullMembers)
        })
    case .array(let elements): return .list(elements.map(\.withoutNullMembers))
    case .null, .bool, .number, .string: return self
    }
  }
}
