// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ConstrainedDecoding

extension Transcript.ToolDefinition {
  /// The error that no call can be held to the parameters, with the place and the reason within them.
  package func unusableParameters(_ reason: some CustomStringConvertible) -> LanguageModelError {
    .unsupportedGenerationGuide(
      .init(
        schemaName: name,
        debugDescription: "The parameters of the tool '\(name)' cannot be held, so correct their "
          + "schema or leave the tool out: \(reason)"))
  }
}

extension Grammar {
  /// What keeps every value from satisfying the schema; nil where some value does.
  package var contradiction: GrammarError? {
    var matcher = Matcher(grammar: self, vocabulary: .singleBytes)
    guard !matcher.canEnd(), matcher.allowedTokens().count == 0 else { return nil }
    // What is read only is compiled all the same, with a warning that says where it contradicts itself.
    let unsatisfiable = GrammarError.Diagnostic(
      keyword: "", location: "#", message: "no value satisfies the schema")
    return GrammarError(diagnostics: warnings.isEmpty ? [unsatisfiable] : warnings)
  }
}
