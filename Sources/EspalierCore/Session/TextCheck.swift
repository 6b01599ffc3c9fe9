// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// Tells whether a text follows the grammar of its request.
struct TextCheck: ResponseCheck {
  private let grammar: Grammar

  /// - Returns: Nil where the model holds its text to the grammar itself: a grammar with tokens of the
  ///   model can be read by nobody else.
  /// - Throws: ``LanguageModelError/unsupportedGenerationGuide(_:)`` where the grammar cannot be read.
  init?(_ source: ResponseGrammar, model: any LanguageModel) async throws {
    var model = model
    while let wrapper = model as? any WrappingLanguageModel { model = wrapper.base }
    if model is any GrammarGuidedModel { return nil }
    do {
      grammar = try await ComputeThreads.shared.run { try source.compiled() }
    } catch let error as GrammarError {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(schemaName: nil, debugDescription: error.description))
    }
  }

  func verify(_ content: GeneratedContent) async throws {
    guard case .string(let text) = content.value else { return }
    try await ComputeThreads.shared.run { try compare(text) }
  }

  private func compare(_ text: String) throws {
    var validator = StreamValidator(grammar: grammar)
    validator.append(text)
    switch validator.finish() {
    case .undecided(let limit): throw GrammarError(diagnostics: [limit])
    case .violated(let violation):
      throw GeneratedContent.ParsingError(
        rawContent: text,
        debugDescription: "The text does not follow its grammar: expected \(violation.expected) "
          + "at byte \(violation.offset), found \(violation.found). Ask again, or take a model that "
          + "is held to grammars: one in the process, or behind a server that has a field for them."
      )
    case .possible, .complete: return
    }
  }
}
