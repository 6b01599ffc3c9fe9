import SwiftDiagnostics
import SwiftSyntax

/// A property that is generated, or an associated value.
struct PropertyModel {
  /// The name as Swift code says it, with backticks where it has them.
  let name: String
  /// The key in JSON.
  let key: String
  let type: PropertyType
  let guides: GuideModel
  /// The access level in front of the declaration, with a space after it.
  let access: String
  let token: TokenSyntax
}

/// The written type of a property.
struct PropertyType {
  /// The type, with `!` as `?`.
  let text: String
  let isOptional: Bool
  let kind: Kind

  /// What guides can be used with the type, as far as its spelling tells.
  enum Kind {
    case string, number, array, other
  }

  init(_ type: TypeSyntax) {
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
    if type.is(ArrayTypeSyntax.self) { return .array }
    if type.is(DictionaryTypeSyntax.self) { return .array }
    switch type.baseName {
    case "String": return .string
    case "Array", "Set", "Dictionary": return .array
    case "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32",
      "UInt64", "UInt128", "Float", "Double", "Decimal":
      return .number
    default: return .other
    }
  }
}

extension TypeSyntax {
  /// The name of a type without its module and its arguments.
  fileprivate var baseName: String? {
    if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
    if let member = self.as(MemberTypeSyntax.self),
      ["Swift", "Foundation"].contains(member.baseType.trimmedDescription)
    {
      return member.name.text
    }
    return nil
  }

  /// What an optional wraps.
  fileprivate var wrappedInOptional: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    guard baseName == "Optional" else { return nil }
    let arguments =
      self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
      ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    return arguments?.arguments.first.flatMap { Syntax($0.argument).as(TypeSyntax.self) }
  }
}
