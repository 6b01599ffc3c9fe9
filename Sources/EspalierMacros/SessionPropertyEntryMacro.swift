import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@SessionPropertyEntry`: a key beside the variable, and accessors that use it.
package struct SessionPropertyEntryMacro {
  /// A variable that can become an entry: one name, and a type or a value.
  private struct Entry {
    let name: String
    let type: String?
    let value: String

    init?(_ declaration: some DeclSyntaxProtocol) {
      guard let variable = declaration.as(VariableDeclSyntax.self), !variable.isStatic,
        variable.bindingSpecifier.tokenKind == .keyword(.var),
        let binding = variable.bindings.first,
        variable.bindings.count == 1, binding.accessorBlock == nil,
        let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
      else { return nil }
      let written = binding.typeAnnotation?.type
      name = identifier.plainText
      type = written.map { PropertyType($0).text }
      if let initializer = binding.initializer {
        value = initializer.value.trimmedDescription
      } else if let written, PropertyType(written).isOptional {
        value = "nil"
      } else {
        return nil
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
    guard let entry = Entry(declaration) else {
      context.diagnose(.noSessionPropertyEntry(node))
      return []
    }
    return [
      """
      private struct \(raw: entry.key): nonisolated SessionPropertyKey {
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
    guard let entry = Entry(declaration) else { return [] }
    return [
      "get { self[\(raw: entry.key).self] }", "set { self[\(raw: entry.key).self] = newValue }",
    ]
  }
}

extension Diagnostic {
  /// `@SessionPropertyEntry` on what cannot be a value of a session.
  fileprivate static func noSessionPropertyEntry(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      node: attribute,
      message: MacroProblem(
        id: "noSessionPropertyEntry",
        message: "'@SessionPropertyEntry' needs a variable of 'SessionPropertyValues' with a "
          + "default value."))
  }
}
