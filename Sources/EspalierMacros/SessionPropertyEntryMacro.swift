// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@SessionPropertyEntry`: a key beside the variable, and accessors that use it.
package struct SessionPropertyEntryMacro {
  /// What keeps a declaration from being an entry.
  private enum Misuse: Error {
    case notAVariable, isStatic, isConstant, severalVariables, isComputed
    case outsideValues
    case hasNoValue(String)

    /// Of a constant the compiler says itself that it can have no accessors.
    var severity: DiagnosticSeverity {
      if case .isConstant = self { .note } else { .error }
    }

    var message: String {
      switch self {
      case .notAVariable: "'@SessionPropertyEntry' can only be used with a variable."
      case .isStatic:
        "A session has values of its own: remove 'static' from the '@SessionPropertyEntry'."
      case .isConstant: "A value of a session can be set: write 'var' in place of 'let'."
      case .severalVariables:
        "An '@SessionPropertyEntry' is one variable: declare each on its own, with the attribute."
      case .isComputed:
        "'@SessionPropertyEntry' writes the accessors: remove them, and give a default value."
      case .outsideValues:
        "'@SessionPropertyEntry' belongs into an extension of 'SessionPropertyValues'."
      case .hasNoValue(let name):
        "'\(name)' needs a default value: the one before anyone sets it. Write '= …', or make the "
          + "type optional."
      }
    }
  }

  /// A variable that can become an entry: one name, and a type or a value.
  private struct Entry {
    let name: String
    let type: String?
    let value: String

    init(_ declaration: some DeclSyntaxProtocol, within context: [Syntax]) throws(Misuse) {
      if let outer = context.first,
        outer.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
          .hasSuffix("SessionPropertyValues") != true
      {
        throw .outsideValues
      }
      guard let variable = declaration.as(VariableDeclSyntax.self) else { throw .notAVariable }
      guard !variable.isStatic else { throw .isStatic }
      guard variable.bindingSpecifier.tokenKind == .keyword(.var) else { throw .isConstant }
      guard let binding = variable.bindings.first, variable.bindings.count == 1,
        let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
      else { throw .severalVariables }
      guard binding.accessorBlock == nil else { throw .isComputed }
      let written = binding.typeAnnotation?.type
      name = identifier.plainText
      type = written.map { PropertyType($0).text }
      if let initializer = binding.initializer {
        value = initializer.value.trimmedDescription
      } else if let written, PropertyType(written).isOptional {
        value = "nil"
      } else {
        throw .hasNoValue(name)
      }
    }

    var key: String { "__Key_" + name }

    /// A written type lets the value be made anew each time; without one it is the value's.
    var defaultValue: String {
      type.map { "static var defaultValue: \($0) { \(value) }" }
        ?? "static let defaultValue = \(value)"
    }
  }
}

extension SessionPropertyEntryMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let entry: Entry
    do throws(Misuse) {
      entry = try Entry(declaration, within: context.lexicalContext)
    } catch {
      context.diagnose(
        Diagnostic(
          node: node,
          message: MacroProblem(
            id: "noSessionPropertyEntry", message: error.message, severity: error.severity)))
      return []
    }
    return [
      """
      private struct \(raw: entry.key): nonisolated Espalier.SessionPropertyKey {
        nonisolated \(raw: entry.defaultValue)
      }
      """
    ]
  }
}

extension SessionPropertyEntryMacro: AccessorMacro {
  package static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let entry = try? Entry(declaration, within: context.lexicalContext) else {
      // Accessors all the same where there are none, so that the compiler does not ask for them too.
      let bindings = declaration.as(VariableDeclSyntax.self)?.bindings
      let hasAccessors = bindings?.contains { $0.accessorBlock != nil } ?? true
      return hasAccessors ? [] : ["get { preconditionFailure() }", "set {}"]
    }
    return [
      "get { self[\(raw: entry.key).self] }", "set { self[\(raw: entry.key).self] = newValue }",
    ]
  }
}
