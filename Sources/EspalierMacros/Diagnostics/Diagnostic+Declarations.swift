// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Diagnostic {
  /// `@Generable` on a class, an actor, a protocol or an extension.
  static func notAStructureOrEnumeration(_ declaration: some DeclGroupSyntax) -> Diagnostic {
    let problem = MacroProblem(
      id: "notAStructureOrEnumeration",
      message: "'@Generable' can only be used on structs and enums.")
    guard
      let keyword = declaration.as(ClassDeclSyntax.self)?.classKeyword
        ?? declaration.as(ActorDeclSyntax.self)?.actorKeyword
    else {
      return Diagnostic(node: declaration.introducer, message: problem)
    }
    // No structure is final, or open.
    let kept = declaration.modifiers.filter { !["final", "open"].contains($0.name.text) }
    var changes: [FixIt.Change] = []
    var structure = keyword.with(\.tokenKind, .keyword(.struct))
    if kept.count < declaration.modifiers.count {
      let trivia = declaration.modifiers.first?.leadingTrivia ?? []
      let modifiers = kept.isEmpty ? kept : kept.with(\.leadingTrivia, trivia)
      if kept.isEmpty { structure.leadingTrivia = trivia }
      changes.append(.replace(oldNode: Syntax(declaration.modifiers), newNode: Syntax(modifiers)))
    }
    changes.append(.replace(oldNode: Syntax(keyword), newNode: Syntax(structure)))
    return Diagnostic(
      node: keyword, message: problem,
      fixIt: FixIt(
        message: MacroFix(id: "useStruct", message: "use 'struct'"), changes: changes))
  }

  /// A private type within another: the extension with the conformance, which stands beside the
  /// outer type, does not see it.
  static func hiddenFromItsExtension(_ modifier: DeclModifierSyntax) -> Diagnostic {
    Diagnostic(
      node: modifier.name,
      message: MacroProblem(
        id: "hiddenFromItsExtension",
        message: "'@Generable' cannot extend a private type within another."),
      fixIt: .replace(
        message: MacroFix(id: "useFileprivate", message: "use 'fileprivate'"),
        oldNode: modifier.name,
        newNode: modifier.name.with(\.tokenKind, .keyword(.fileprivate))))
  }

  /// A type that says itself that it is `Generable`.
  static func alreadyGenerable(
    _ conformance: InheritedTypeSyntax, in declaration: some DeclGroupSyntax,
    attribute: AttributeSyntax
  ) -> Diagnostic {
    let removeMacro = FixIt.removing(attribute, from: declaration)
    let removeConformance = FixIt(
      message: MacroFix(id: "removeConformance", message: "remove the conformance"),
      changes: declaration.inheritanceClause.map { clause in
        let others = clause.inheritedTypes.filter { $0.id != conformance.id }
        var kept = others
        guard let last = kept.indices.last else {
          var unconstrained = declaration
          unconstrained.inheritanceClause = nil
          return [.replace(oldNode: Syntax(declaration), newNode: Syntax(unconstrained))]
        }
        kept[last].trailingComma = nil
        return [.replace(oldNode: Syntax(clause.inheritedTypes), newNode: Syntax(kept))]
      } ?? [])
    return Diagnostic(
      node: conformance.type,
      message: MacroProblem(
        id: "alreadyGenerable",
        message: "Type already conforms to 'Generable'. Remove the '@Generable' macro or delete "
          + "the existing conformance."),
      fixIts: [removeMacro, removeConformance].compactMap { $0 })
  }

  /// An enumeration without cases.
  static func emptyEnumeration(_ enumeration: EnumDeclSyntax) -> Diagnostic {
    let block = enumeration.memberBlock
    let added = block.with(
      \.members,
      block.members + [
        MemberBlockItemSyntax(
          leadingTrivia: [.newlines(1), .spaces(2)], decl: DeclSyntax("case <#name#>"))
      ])
    return Diagnostic(
      node: enumeration.name,
      message: MacroProblem(
        id: "emptyEnumeration", message: "Generable enums must have at least one case."),
      fixIt: .replace(
        message: MacroFix(id: "addCase", message: "add a case"), oldNode: block, newNode: added))
  }

  /// Two properties, or two cases, of one name.
  static func duplicateName(
    _ name: TokenSyntax, kind: String, fix: String = "rename it"
  ) -> Diagnostic {
    Diagnostic(
      node: name,
      message: MacroProblem(
        id: "duplicateName",
        message: "There is another \(kind) named '\(name.plainText)'; in JSON they would be one."),
      fixIt: .replace(
        message: MacroFix(id: "rename", message: fix), oldNode: name,
        newNode: name.with(\.tokenKind, .identifier(name.plainText + "2"))))
  }
}

extension FixIt {
  /// A fix that takes an attribute away; nil where the declaration does not show it.
  ///
  /// The compiler hands over the attribute apart from its declaration, so it is looked up by what
  /// it says.
  static func removing(
    _ attribute: AttributeSyntax, from declaration: some SyntaxProtocol
  ) -> FixIt? {
    guard let list = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes,
      let element = list.first(where: { $0.trimmedDescription == attribute.trimmedDescription })
    else { return nil }
    var kept = list.filter { $0.id != element.id }
    var changes: [FixIt.Change] = []
    // What follows takes the place of the attribute, at the beginning of its line.
    if element.id == list.first?.id {
      if kept.isEmpty,
        let next = list.lastToken(viewMode: .sourceAccurate)?
          .nextToken(viewMode: .sourceAccurate)
      {
        changes.append(
          .replaceLeadingTrivia(token: next, newTrivia: element.leadingTrivia))
      } else {
        kept.leadingTrivia = element.leadingTrivia
      }
    }
    changes.insert(.replace(oldNode: Syntax(list), newNode: Syntax(kept)), at: 0)
    let name = "@" + attribute.attributeName.trimmedDescription
    return FixIt(
      message: MacroFix(id: "removeAttribute", message: "remove '\(name)'"), changes: changes)
  }
}

extension TokenSyntax {
  /// The text of an identifier without backticks.
  var plainText: String {
    text.hasPrefix("`") && text.hasSuffix("`") && text.count > 1
      ? String(text.dropFirst().dropLast()) : text
  }
}
