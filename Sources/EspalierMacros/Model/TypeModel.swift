// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Where `@Generable` stands.
struct MacroUse {
  let attribute: AttributeSyntax
  /// The name of the type that it stands in front of.
  let typeName: String
  let lines: SourceLines
  /// The declarations around, from the inside out.
  let context: [Syntax]

  /// The check of a property's type; nil for a type that is known to be generable, and where nobody
  /// knows where the property is.
  ///
  func check(of type: PropertyType, named name: String, access: String) -> TypeCheck? {
    guard !type.isKnown else { return nil }
    return lines.place(of: type.core.type).map { place in
      TypeCheck(
        // Not the name itself: it may be the type's too.
        alias: name.hasPrefix("`") ? "`_" + name.dropFirst() : "_" + name,
        access: access == "private " ? "fileprivate " : access,
        type: type.core.type.trimmedDescription, isDictionary: type.core.type.isDictionary,
        prefix: type.core.prefix,
        suffix: type.core.suffix, place: place)
    }
  }

  /// `public ` or `package ` where an extension says so for all that it holds.
  fileprivate var accessOfExtension: String? {
    context.first?.as(ExtensionDeclSyntax.self)?.modifiers.generatedAccess
  }
}

/// What all generable types have in common.
struct TypeModel {
  /// The arguments of `@Generable`.
  struct Arguments {
    var name: String?
    var description: String?
    var representsNilExplicitly = "false"
    var usesDocumentation = false

    init(_ attribute: AttributeSyntax) {
      guard case .argumentList(let arguments)? = attribute.arguments else { return }
      for argument in arguments {
        let text = argument.expression.trimmedDescription
        switch argument.label?.text {
        case "name": name = text
        case "description": description = text
        case "representNilExplicitlyInGeneratedContent": representsNilExplicitly = text
        case "descriptionsFromDocumentation": usesDocumentation = text == "true"
        default: continue
        }
      }
      if description == "nil" { description = nil }
    }
  }

  let name: String
  let arguments: Arguments
  let description: String?
  /// `public `, `package ` or nothing.
  let access: String
  let isSendable: Bool
  let isIdentifiable: Bool
  let declaresPartiallyGenerated: Bool

  init(
    _ declaration: some DeclGroupSyntax & NamedDeclSyntax, use: MacroUse, isGeneric: Bool
  ) {
    name = declaration.name.text
    arguments = Arguments(use.attribute)
    description =
      arguments.description
      ?? (arguments.usesDocumentation ? declaration.documentation?.swiftLiteral : nil)
    let ownAccess = declaration.modifiers.first { $0.isAccessLevel }
    access =
      ownAccess == nil
      ? use.accessOfExtension ?? "" : declaration.modifiers.generatedAccess ?? ""
    // Of a generic type it is not known whether what is partial of its parameters is sendable; where
    // it is, the compiler finds that out, except for public types.
    isSendable = !isGeneric && declaration.declaredConformance(to: "Sendable") != nil
    isIdentifiable = declaration.declaredConformance(to: "Identifiable") != nil
    declaresPartiallyGenerated = declaration.memberBlock.members.contains { member in
      member.decl.asProtocol((any NamedDeclSyntax).self)?.name.text == "PartiallyGenerated"
    }
  }

  /// The first arguments of the schema's initializer.
  var schemaArguments: String {
    var result = "type: Self.self"
    if let name = arguments.name { result += ", name: \(name)" }
    if let description { result += ", description: \(description)" }
    return result
  }

  /// The conformances of `PartiallyGenerated`.
  func partialConformances(identifiable: Bool) -> String {
    (identifiable ? "Identifiable, " : "") + (isSendable ? "Sendable, " : "")
      + "nonisolated Espalier.ConvertibleFromGeneratedContent"
  }
}

extension DeclModifierListSyntax {
  /// The access level that generated members need, with a space after it; nil for none.
  fileprivate var generatedAccess: String? {
    first { ["public", "package"].contains($0.name.text) && $0.detail == nil }
      .map { $0.name.text + " " }
  }
}

extension DeclModifierSyntax {
  fileprivate var isAccessLevel: Bool {
    ["public", "package", "internal", "fileprivate", "private", "open"].contains(name.text)
      && detail == nil
  }
}

extension SyntaxProtocol {
  /// The text of the documentation comment, its lines joined.
  var documentation: String? {
    var lines: [Substring] = []
    for piece in leadingTrivia {
      switch piece {
      case .docLineComment(let text): lines.append(text.dropFirst(3))
      case .docBlockComment(let text):
        lines += text.dropFirst(3).dropLast(2).split(separator: "\n").map { line in
          line.drop { $0 == " " || $0 == "*" }
        }
      default: continue
      }
    }
    let text = lines.map { $0.trimmingSpaces }.filter { !$0.isEmpty }.joined(separator: " ")
    return text.isEmpty ? nil : text
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}

extension String {
  /// The string as a literal of Swift.
  var swiftLiteral: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
