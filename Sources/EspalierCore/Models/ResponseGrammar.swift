// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ConstrainedDecoding

/// What the text of a response is held to where it is no value of a type: moves of a game, queries,
/// expressions.
///
/// ```swift
/// var options = GenerationOptions(temperature: 0)
/// options.grammar = .gbnf(
///   """
///   root ::= move (" " move)*
///   move ::= [a-h] [1-8] [a-h] [1-8]
///   """)
/// let moves = try await session.respond(to: "Open the game.", options: options).content
/// ```
///
/// Models in the process and the sampling model choose among the tokens that the grammar allows. Servers
/// are sent the grammar in their own field, or the model is told of it where they have none, and the text is
/// checked as it streams. What any other model writes is checked at its end.
public enum ResponseGrammar: Sendable, Hashable {
  /// GBNF, the notation of llama.cpp; the rule `root` is the whole text.
  case gbnf(String)
  /// A regular expression (ECMA-262) that matches the whole text.
  case regularExpression(String)
  /// One of several texts.
  case choice([String])

  /// Compiles the grammar.
  ///
  /// - Parameter tokenOfText: the token that is a text, special or not; nil where there is no model.
  /// - Throws: `GrammarError` with the place of what cannot be read.
  package func compiled(
    tokenOfText: ((String) -> Int?)? = nil
  ) throws(GrammarError) -> Grammar {
    switch self {
    case .gbnf(let text): try Grammar(gbnf: text, tokenOfText: tokenOfText)
    case .regularExpression(let pattern): try Grammar(regularExpression: pattern)
    case .choice(let texts): try Grammar(.oneOf(texts.map { .text($0) }))
    }
  }
}

/// A model that holds its text to the grammar of a request, or fails. What others write is checked at its end.
package protocol GrammarGuidedModel: LanguageModel {}
