// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ConstrainedDecoding

/// A grammar that the text of a response is held to, where there is no schema: as it was written.
package enum ResponseGrammar: Sendable, Hashable {
  /// GBNF, the notation of llama.cpp.
  case gbnf(String)
  /// A regular expression (ECMA-262) that matches the whole text.
  case regularExpression(String)
  /// One of several texts.
  case choice([String])

  /// Compiles the grammar.
  ///
  /// - Parameter tokenOfText: the token that is a text, special or not; nil where there is no model.
  /// - Throws: `GrammarError` with the place of what cannot be read.
  package func compiled(tokenOfText: ((String) -> Int?)?) throws(GrammarError) -> Grammar {
    switch self {
    case .gbnf(let text): try Grammar(gbnf: text, tokenOfText: tokenOfText)
    case .regularExpression(let pattern): try Grammar(regularExpression: pattern)
    case .choice(let texts): try Grammar(.oneOf(texts.map { .text($0) }))
    }
  }
}

/// A model that holds its text to the grammar of a request. Others would answer as if there were none.
package protocol GrammarGuidedModel: LanguageModel {}
