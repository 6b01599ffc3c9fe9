// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore

extension ModelRuntime {
  /// Checks the parameters of each tool alone: a choice of tools leaves out one that no call can
  /// satisfy, and has no place within a schema to tell of.
  ///
  /// - Throws: ``LanguageModelError/unsupportedGenerationGuide(_:)`` that names the tool.
  func check(_ tools: [Transcript.ToolDefinition]) throws {
    for tool in tools {
      do {
        // Kept, so that of other tools beside known ones only the new are compiled.
        let grammar = try self.grammar(tool.parameters.grammarText(), .spaced)
        if let contradiction = grammar.contradiction { throw contradiction }
      } catch {
        throw tool.unusableParameters("\(error)")
      }
    }
  }

  /// The error that tools which are well alone cannot be held together.
  static func unusable(
    _ tools: [Transcript.ToolDefinition], _ error: GrammarError
  ) -> LanguageModelError {
    if let only = tools.first, tools.count == 1 { return only.unusableParameters(error) }
    let names = tools.map { "'\($0.name)'" }.joined(separator: ", ")
    return .unsupportedGenerationGuide(
      .init(
        schemaName: nil, debugDescription: "The tools \(names) cannot be held together: \(error)"))
  }
}
