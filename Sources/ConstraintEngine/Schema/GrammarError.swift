// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why a grammar could not be made from its source: every finding in one report.
public struct GrammarError: Error, Sendable, CustomStringConvertible {
  /// One finding.
  public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The keyword of the schema at fault, or an empty string where there is none.
    public var keyword: String
    /// Where it stands: a JSON Pointer as a URI fragment (`#/properties/a`), a byte offset, a line and a
    /// column, or a rule. An empty string where there is one place alone, as in a regular expression.
    public var location: String
    /// What was expected, what was found, and what to do.
    public var message: String

    /// Creates a finding.
    public init(keyword: String, location: String, message: String) {
      self.keyword = keyword
      self.location = location
      self.message = message
    }

    public var description: String {
      (location.isEmpty ? "" : "\(location): ") + (keyword.isEmpty ? "" : "`\(keyword)`: ")
        + message
    }
  }

  /// The findings in the order of the text.
  public var diagnostics: [Diagnostic]

  /// Creates an error from its findings.
  public init(diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
