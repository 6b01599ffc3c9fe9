// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Generable`: reads the declaration into a model, then writes its members and its conformance.
///
/// Both roles read the declaration; the member role alone reports what is wrong with it.
package struct GenerableMacro: MemberMacro {
  /// What is written here is laid out already; to lay it out again took a third of the time.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let reading = DeclarationReading(
      of: declaration, attribute: node, in: context)
    for diagnostic in reading.diagnostics { context.diagnose(diagnostic) }
    guard let members = reading.expansion?.members else { return [] }
    return members.map { DeclSyntax(stringLiteral: $0.joined(separator: "\n")) }
  }
}

extension GenerableMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let reading = DeclarationReading(
      of: declaration, attribute: node, in: context)
    guard let initializer = reading.expansion?.initializer else { return [] }
    let availability = declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { $0.attributeName.trimmedDescription == "available" }
      .map { $0.trimmedDescription + "\n" }.joined()
    let body = initializer.indented.joined(separator: "\n")
    // The compiler expands the macro of a type that it has not come to yet only to find a protocol
    // that the macro is declared with and whose name is in the expansion. Aliases in other expansions
    // require this one of the type, and may be asked first.
    let content = "ConvertibleToGeneratedContent"
    let isContentStated = !protocols.contains { $0.trimmedDescription.hasSuffix(content) }
    let conformances = isContentStated ? "" : ", nonisolated Espalier.\(content)"
    let declaration: DeclSyntax = """
      \(raw: availability)extension \(type.trimmed): nonisolated Espalier.Generable\(raw: conformances) {
      \(raw: body)
      }
      """
    return declaration.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

/// A declaration read for expansion, and what is wrong with it.
private struct DeclarationReading {
  private(set) var expansion: (any GenerableExpansion)?
  private(set) var diagnostics: [Diagnostic] = []

  init(
    of declaration: some DeclGroupSyntax, attribute: AttributeSyntax,
    in context: some MacroExpansionContext
  ) {
    var problems = ProblemCollector()
    let use = MacroUse(
      attribute: attribute,
      typeName: declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? "",
      lines: SourceLines(declaration, in: context),
      context: context.lexicalContext)
    if !context.lexicalContext.isEmpty,
      let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
    {
      problems.report(.hiddenFromItsExtension(modifier))
    } else if let conformance = declaration.declaredConformance(to: "Generable") {
      problems.report(.alreadyGenerable(conformance, in: declaration, attribute: attribute))
    } else if let structure = declaration.as(StructDeclSyntax.self) {
      expansion = StructureExpansion(
        model: StructureModel(structure, use: use, problems: &problems))
    } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
      expansion = EnumerationModel(enumeration, use: use, problems: &problems)
        .map(enumerationExpansion)
    } else {
      problems.report(.notAStructureOrEnumeration(declaration))
    }
    diagnostics = problems.diagnostics
  }
}

/// What a declaration expands to, as lines of source.
///
/// The names of the package have the module in front: an app may have types of the same names.
protocol GenerableExpansion {
  /// The members that are added to the type.
  var members: [[String]] { get }

  /// The initializer in the extension that declares the conformance.
  var initializer: [String] { get }
}

extension DeclGroupSyntax {
  /// The place in the inheritance clause where the declaration itself names a protocol.
  func declaredConformance(to name: String) -> InheritedTypeSyntax? {
    inheritanceClause?.inheritedTypes.first {
      $0.type.trimmedDescription.split(separator: ".").last.map(String.init) == name
    }
  }
}
