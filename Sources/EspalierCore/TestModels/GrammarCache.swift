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

  /// The grammar of a schema, compiled when it is first asked for.
  ///
  /// - Throws: ``LanguageModelError/unsupportedGenerationGuide(_:)`` where the schema cannot be
  ///   honoured.
  package func grammar(for schema: GenerationSchema) throws -> Grammar {
    do {
      let text = try schema.jsonSchema()
      if let known = grammars.withLock({ $0.first { $0.schema == text }?.grammar }) {
        return known
      }
      let grammar = try Grammar(jsonSchema: text, options: options)
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      guard matcher.canEnd() || matcher.allowedTokens().count > 0 else {
        throw GrammarError(diagnostics: [
          .init(keyword: "", location: "#", message: "no value satisfies the schema")
        ])
      }
      grammars.withLock { grammars in
        grammars.append((text, grammar))
        if grammars.count > capacity { grammars.removeFirst() }
      }
      return grammar
    } catch {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(schemaName: schema.name, debugDescription: "\(error)"))
    }
  }
}
