// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ConstrainedDecoding
import Synchronization

/// The grammars of the schemas that were asked for last.
package final class GrammarCache: Sendable {
  private let options: CompilationOptions
  private let capacity: Int
  private let grammars = Mutex<[(schema: String, grammar: Grammar)]>([])

  package init(options: CompilationOptions = .generation, capacity: Int = 16) {
    self.options = options
    self.capacity = capacity
  }

  /// The number of grammars that are kept.
  package var count: Int { grammars.withLock { $0.count } }

  /// The grammar of a schema, compiled on ``ComputeThreads`` when it is first asked for.
  ///
  /// - Throws: ``LanguageModelError/unsupportedGenerationGuide(_:)`` where the schema cannot be
  ///   honoured.
  package func grammar(for schema: GenerationSchema) async throws -> Grammar {
    do {
      return try await knownGrammar(for: schema)
    } catch {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(schemaName: schema.name, debugDescription: "\(error)"))
    }
  }

  /// The grammar of the parameters of a tool, which the error names.
  package func grammar(of tool: Transcript.ToolDefinition) async throws -> Grammar {
    do {
      return try await knownGrammar(for: tool.parameters)
    } catch {
      throw tool.unusableParameters("\(error)")
    }
  }

  private func knownGrammar(for schema: GenerationSchema) async throws -> Grammar {
    let text = try schema.grammarText()
    if let known = grammars.withLock({ $0.first { $0.schema == text }?.grammar }) { return known }
    let grammar = try await ComputeThreads.shared.run { try compile(text) }
    grammars.withLock { grammars in
      grammars.append((text, grammar))
      if grammars.count > capacity { grammars.removeFirst() }
    }
    return grammar
  }

  private func compile(_ text: String) throws -> Grammar {
    let grammar = try Grammar(jsonSchema: text, options: options)
    if let contradiction = grammar.contradiction { throw contradiction }
    return grammar
  }
}
