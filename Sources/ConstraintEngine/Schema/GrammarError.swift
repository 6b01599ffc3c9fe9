// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why a grammar could not be made from its source: every finding in one report.
public struct GrammarError: Error, Sendable, CustomStringConvertible {
  /// One finding.
  public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The keyword at fault, or an empty string where the whole text is.
    public var keyword: String
    /// Where it stands: a JSON Pointer as a URI fragment (`#/properties/a`), or a byte offset.
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
      keyword.isEmpty ? "\(location): \(message)" : "\(location): `\(keyword)`: \(message)"
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
