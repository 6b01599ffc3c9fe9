// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

extension Diagnostic {
  /// A variable without a type: it is not generated.
  static func propertyWithoutType(
    _ binding: PatternBindingSyntax, isGuided: Bool
  ) -> Diagnostic {
    let name = binding.pattern.trimmedDescription
    let type = binding.initializer?.value.literalTypeName ?? "<#Type#>"
    let pattern = binding.pattern.with(\.trailingTrivia, [])
    let annotated = binding.with(\.pattern, pattern)
      .with(
        \.typeAnnotation,
        TypeAnnotationSyntax(
          colon: .colonToken(trailingTrivia: .space),
          type: TypeSyntax(IdentifierTypeSyntax(name: .identifier(type))),
          trailingTrivia: binding.pattern.trailingTrivia))
    return Diagnostic(
      node: binding.pattern,
      message: MacroProblem(
        id: "propertyWithoutType",
        message: "'\(name)' is not generated, because it has no type annotation.",
        severity: isGuided ? .error : .warning),
      fixIt: .replace(
        message: MacroFix(id: "addType", message: "add ': \(type)'"), oldNode: binding,
        newNode: annotated))
  }

  /// `var (a, b): (Int, Int)`.
  static func tuplePattern(_ pattern: PatternSyntax) -> Diagnostic {
    Diagnostic(
      node: pattern,
      message: MacroProblem(
        id: "tuplePattern",
        message: "A generated property needs a name of its own; declare one variable for each."))
  }

  /// `@Guide` on what is not a stored property.
  static func guideOutsideStoredProperty(
    _ attribute: AttributeSyntax, on declaration: some DeclSyntaxProtocol
  ) -> Diagnostic {
    Diagnostic(
      node: attribute,
      message: MacroProblem(
        id: "guideOutsideStoredProperty",
        message: "'@Guide' can only be used with a stored property."),
      fixIts: [FixIt.removing(attribute, from: declaration)].compactMap { $0 })
  }

  /// A guide that does not go with the type of its property.
  static func guideOfWrongKind(
    _ guide: ExprSyntax, name: String, guided: String, type: String, fix: FixIt?
  ) -> Diagnostic {
    Diagnostic(
      node: guide,
      message: MacroProblem(
        id: "guideOfWrongKind",
        message: "'\(name)' guides \(guided); it cannot be used with type '\(type)'."),
      fixIts: [fix].compactMap { $0 })
  }

  /// A second description of one property.
  static func secondDescription(_ argument: LabeledExprSyntax) -> Diagnostic {
    Diagnostic(
      node: argument,
      message: MacroProblem(
        id: "secondDescription",
        message: "The property already has a description; this one is not used.",
        severity: .warning))
  }
}

extension ExprSyntax {
  /// The type of a literal.
  fileprivate var literalTypeName: String? {
    if self.is(StringLiteralExprSyntax.self) { return "String" }
    if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if self.is(FloatLiteralExprSyntax.self) { return "Double" }
    if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    return nil
  }
}

extension Diagnostic {
  /// A constant with a value.
  static func constantWithValue(_ name: TokenSyntax) -> Diagnostic {
    Diagnostic(
      node: name,
      message: MacroProblem(
        id: "constantWithValue",
        message:
          "'\(name.plainText)' is not generated, because it is a constant with a value; for a "
          + "value of the model's write 'var'; to keep it as it is, leave its type out.",
        severity: .warning))
  }

  /// A lazy property: what computes its value is the app's.
  static func lazyProperty(_ pattern: PatternSyntax, isGuided: Bool) -> Diagnostic {
    Diagnostic(
      node: pattern,
      message: MacroProblem(
        id: "lazyProperty",
        message:
          "'\(pattern.trimmedDescription)' is not generated, because it is lazy; for a value of the "
          + "model's remove 'lazy'; to keep it from the model make it computed, or leave its type "
          + "out.",
        severity: isGuided ? .error : .warning))
  }

  /// A private property: the model is told of it, as of any other.
  static func privateProperty(_ name: TokenSyntax) -> Diagnostic {
    Diagnostic(
      node: name,
      message: MacroProblem(
        id: "privateProperty",
        message:
          "'\(name.plainText)' is generated although it is private; to keep it from the model "
          + "write it without a type, as 'static', or as 'lazy'.",
        severity: .remark))
  }

  /// `@Guide` on a constant that has its value already.
  static func guideOnConstant(
    _ attribute: AttributeSyntax, on declaration: VariableDeclSyntax, name: String
  ) -> Diagnostic {
    Diagnostic(
      node: attribute,
      message: MacroProblem(
        id: "guideOnConstant",
        message: "'\(name)' is not generated, because it is a constant with a value.",
        severity: .warning),
      fixIts: [FixIt.removing(attribute, from: declaration)].compactMap { $0 })
  }

  /// `@Guide` on a property that has the identity of the content.
  static func guideOnIdentity(
    _ attribute: AttributeSyntax, on declaration: VariableDeclSyntax, name: String
  ) -> Diagnostic {
    Diagnostic(
      node: attribute,
      message: MacroProblem(
        id: "guideOnIdentity",
        message:
          "'\(name)' is not generated, because a 'GenerationID' is the identity of its value; remove "
          + "'@Guide'.",
        severity: .warning),
      fixIts: [FixIt.removing(attribute, from: declaration)].compactMap { $0 })
  }
}
