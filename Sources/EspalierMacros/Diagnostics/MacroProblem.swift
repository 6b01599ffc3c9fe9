// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// What is wrong with a declaration, in words.
struct MacroProblem: DiagnosticMessage {
  let id: String
  let message: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "Espalier", id: id) }
}

/// What a fix-it does, in words.
struct MacroFix: FixItMessage {
  let id: String
  let message: String

  var fixItID: MessageID { MessageID(domain: "Espalier", id: id) }
}

/// Gathers the problems of one declaration.
struct ProblemCollector {
  private(set) var diagnostics: [Diagnostic] = []

  /// Whether anything is an error, so that the declaration cannot be compiled.
  var hasErrors: Bool { diagnostics.contains { $0.diagMessage.severity == .error } }

  mutating func report(_ diagnostic: Diagnostic) { diagnostics.append(diagnostic) }
}
