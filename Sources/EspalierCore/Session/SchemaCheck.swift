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
    error.path = content.path(along: violation.instanceLocation)
    return error
  }
}

extension GeneratedContent {
  /// The way that a JSON Pointer goes, as far as there are values.
  fileprivate func path(along pointer: String) -> [ParsingError.PathComponent] {
    var path: [ParsingError.PathComponent] = []
    var content = self
    for step in JSONPointer.steps(of: pointer) {
      switch content.value {
      case .structure(let structure):
        guard let next = structure[step] else { return path }
        path.append(.property(step))
        content = next
      case .array(let elements):
        guard let index = Int(step), elements.indices.contains(index) else { return path }
        path.append(.element(index))
        content = elements[index]
      case .null, .bool, .number, .string: return path
      }
    }
    return path
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
