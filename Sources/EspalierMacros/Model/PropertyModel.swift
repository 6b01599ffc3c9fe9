// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// A property that is generated, or an associated value.
struct PropertyModel {
  /// The name as Swift code says it, with backticks where it has them.
  let name: String
  /// The key in JSON.
  let key: String
  let type: PropertyType
  /// Where the type is checked, for types that may not be generable.
  var check: TypeCheck?
  let guides: GuideModel
  /// Where the property is, if something generated for it may be wrong.
  var place: SourcePlace?
  /// Whether a wrapper stores the value.
  var isWrapped = false
  var deprecations: [Deprecation] = []
  /// The access level in front of the declaration, with a space after it.
  let access: String
  let token: TokenSyntax
}

/// The one place in an expansion where the compiler says that a type cannot be generated.
///
/// A type that is not `Generable` would be an error wherever the expansion uses it, four times or
/// more, in code that the developer has not written. So the expansion declares
///
/// ```text
/// enum __Generated {
///   #sourceLocation(file: "Trip.swift", line: 12)
///   typealias _color = Espalier.GeneratedType<Color>  // What to do …
///   #sourceLocation()
/// }
/// ```
///
/// and says `__Generated._color` for the type. `GeneratedType` has a requirement; where the type does
/// not meet it, that line is an error, at the place of the property, and whatever refers to the alias
/// the compiler then leaves alone. Types of the standard library that are known need no check.
struct TypeCheck {
  private static let namespace = "__Generated"

  /// The lines that declare the aliases of a type.
  static func namespace(of declarations: [String], _ access: String) -> [String] {
    ["nonisolated \(access)enum \(namespace) {"] + declarations.indented + ["}"]
  }

  /// The name as code says it.
  let alias: String
  let access: String
  /// The type, without arrays, dictionaries and optionals around it: of these the compiler says everything twice.
  let type: String
  /// Whether the type is a dictionary: one that is written otherwise than `[String: …]`.
  let isDictionary: Bool
  /// What is around the type: `[` and `]?`, say.
  let prefix: String
  let suffix: String
  /// Where the type is written.
  let place: SourcePlace

  var reference: String { "\(prefix)\(Self.namespace).\(alias)\(suffix)" }

  /// The compiler shows it with the line.
  private var advice: String {
    isDictionary
      ? "Not generable? Use 'String' for the keys, and values of a generable type."
      : "Not generable? Put '@Generable' in front of the type, or use one that is."
  }

  var declaration: [String] {
    let alias = "\(access)typealias \(alias) = Espalier.GeneratedType<\(type)>"
    return [alias + "  // \(advice)"].located(at: place)
  }
}

/// The written type of a property.
struct PropertyType {
  /// The type, with `!` as `?`.
  let text: String
  let isOptional: Bool
  let kind: Kind
  /// The innermost type, and the arrays, dictionaries and optionals around it.
  let core: (prefix: String, type: TypeSyntax, suffix: String)
  /// The type as it is written, without an optional around it, where it is `GenerationID`: a value
  /// of it is not generated, but the identity of the content.
  let identity: String?

  /// Whether the type is known to be generable.
  var isKnown: Bool {
    core.type.as(IdentifierTypeSyntax.self).map {
      ["String", "Int", "Bool", "Double", "Float", "Decimal"].contains($0.name.text)
    } ?? false
  }

  /// What guides can be used with the type, as far as its spelling tells.
  enum Kind {
    case string, number, array, other
    /// No guide goes with it.
    case unguided
  }

  init(_ type: TypeSyntax) {
    core = type.core
    let wrapped =
      type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType ?? type.wrappedInOptional
    identity = (wrapped ?? type).isGenerationID ? (wrapped ?? type).trimmedDescription : nil
    if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      text = implicit.wrappedType.trimmedDescription + "?"
      isOptional = true
      kind = Self.kind(of: implicit.wrappedType)
    } else if let wrapped = type.wrappedInOptional {
      text = type.trimmedDescription
      isOptional = true
      kind = Self.kind(of: wrapped)
    } else {
      text = type.trimmedDescription
      isOptional = false
      kind = Self.kind(of: type)
    }
  }

  private static func kind(of type: TypeSyntax) -> Kind {
    if type.is(ArrayTypeSyntax.self) || type.isDictionary { return .array }
    switch type.baseName {
    case "String": return .string
    case "Array", "Set": return .array
    case "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32",
      "UInt64", "UInt128", "Float", "Double", "Decimal":
      return .number
    case "Bool", "Date", "URL", "UUID", "Data": return .unguided
    default: return .other
    }
  }
}

extension TypeSyntax {
  /// The type without arrays, dictionaries and optionals around it, and what these are.
  fileprivate var core: (prefix: String, type: TypeSyntax, suffix: String) {
    if let array = self.as(ArrayTypeSyntax.self) {
      let inner = array.element.core
      return ("[" + inner.prefix, inner.type, inner.suffix + "]")
    }
    if let dictionary = self.as(DictionaryTypeSyntax.self),
      dictionary.key.trimmedDescription == "String"
    {
      let inner = dictionary.value.core
      return ("[String: " + inner.prefix, inner.type, inner.suffix + "]")
    }
    let optional =
      self.as(OptionalTypeSyntax.self)?.wrappedType
      ?? self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType
    guard let inner = optional?.core else { return ("", self, "") }
    return (inner.prefix, inner.type, inner.suffix + "?")
  }

  fileprivate var isGenerationID: Bool {
    let name = "GenerationID"
    if let member = self.as(MemberTypeSyntax.self) {
      return member.name.text == name
        && ["Espalier", "EspalierCore", "FoundationModels"].contains(
          member.baseType.trimmedDescription)
    }
    return self.as(IdentifierTypeSyntax.self)?.name.text == name
  }

  var isDictionary: Bool { self.is(DictionaryTypeSyntax.self) || baseName == "Dictionary" }

  /// The name of a type without its module and its arguments.
  var baseName: String? {
    if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
    if let member = self.as(MemberTypeSyntax.self),
      ["Swift", "Foundation"].contains(member.baseType.trimmedDescription)
    {
      return member.name.text
    }
    return nil
  }

  /// What an optional wraps.
  var wrappedInOptional: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    return baseName == "Optional" ? genericArguments.first : nil
  }

  /// What stands between `<` and `>`.
  var genericArguments: [TypeSyntax] {
    let clause =
      self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
      ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    return clause?.arguments.compactMap { Syntax($0.argument).as(TypeSyntax.self) } ?? []
  }
}
