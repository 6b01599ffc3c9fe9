// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension TypeSyntax {
  /// What keeps a written type from being generated, as far as its spelling tells; the compiler tells
  /// the rest. Of these it would say several things, in code that the developer has not written.
  ///
  /// - Parameter name: The name of the type that has the property.
  func problem(in name: String) -> Diagnostic? {
    let own = tokens(viewMode: .sourceAccurate).first { $0.tokenKind == .keyword(.Self) }
    return own.map { .selfInType($0, name: name) } ?? problemOfSpelling
  }

  private var problemOfSpelling: Diagnostic? {
    if let element = elementOfCollection {
      return element.wrappedInAnyOptional == nil
        ? element.problemOfSpelling : .optionalElement(element, of: self, kind: "An element")
    }
    if let (key, value) = keyAndValue {
      if key.isKnownNotToBeString { return .keyThatIsNoString(key, of: self) }
      return value.wrappedInAnyOptional == nil
        ? value.problemOfSpelling : .optionalElement(value, of: self, kind: "A value")
    }
    guard let wrapped = wrappedInAnyOptional else { return nil }
    return wrapped.wrappedInAnyOptional == nil ? wrapped.problemOfSpelling : .doubleOptional(self)
  }

  private var elementOfCollection: TypeSyntax? {
    if let array = self.as(ArrayTypeSyntax.self) { return array.element }
    return ["Array", "Set"].contains(baseName) ? genericArguments.first : nil
  }

  private var keyAndValue: (key: TypeSyntax, value: TypeSyntax)? {
    if let dictionary = self.as(DictionaryTypeSyntax.self) {
      return (dictionary.key, dictionary.value)
    }
    let arguments = genericArguments
    return baseName == "Dictionary" && arguments.count == 2 ? (arguments[0], arguments[1]) : nil
  }

  private var wrappedInAnyOptional: TypeSyntax? {
    self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType ?? wrappedInOptional
  }

  /// The type without any optionals around it.
  fileprivate var unwrapped: TypeSyntax { wrappedInAnyOptional?.unwrapped ?? self }

  /// Whether a key is of another type than `String`. A name that is not known may be an alias of it,
  /// and the compiler says so at the property if it is not.
  private var isKnownNotToBeString: Bool {
    guard let baseName else { return !self.is(MemberTypeSyntax.self) }
    return [
      "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32",
      "UInt64", "UInt128", "Float", "Double", "Decimal", "Bool", "Character", "Substring", "Date",
      "URL", "UUID", "Data", "Array", "Set", "Dictionary", "Optional",
    ].contains(baseName)
  }
}

extension Diagnostic {
  /// `[String?]`, `[String: Int?]`.
  fileprivate static func optionalElement(
    _ element: TypeSyntax, of type: TypeSyntax, kind: String
  ) -> Diagnostic {
    let unwrapped = element.unwrapped.trimmed
    return Diagnostic(
      node: element,
      message: MacroProblem(
        id: "optionalElement",
        message:
          "\(kind) of '\(type.trimmedDescription)' cannot be optional, because 'null' is not "
          + "generated there; use '\(unwrapped)'."),
      fixIt: .using(unwrapped, for: element))
  }

  /// `[Int: String]`.
  fileprivate static func keyThatIsNoString(_ key: TypeSyntax, of type: TypeSyntax) -> Diagnostic {
    Diagnostic(
      node: key,
      message: MacroProblem(
        id: "keyThatIsNoString",
        message: "The keys of '\(type.trimmedDescription)' are to be generated as names in JSON, "
          + "which are strings, not '\(key.trimmedDescription)'; use 'String'."),
      fixIt: .using("String", for: key))
  }

  /// `Int??`.
  fileprivate static func doubleOptional(_ type: TypeSyntax) -> Diagnostic {
    let optional: TypeSyntax = "\(type.unwrapped.trimmed)?"
    return Diagnostic(
      node: type,
      message: MacroProblem(
        id: "doubleOptional",
        message: "'\(type.trimmedDescription)' is optional twice, and JSON has one 'null'; use "
          + "'\(optional)'."),
      fixIt: .using(optional, for: type))
  }

  /// `[Self]`, which in a type that the expansion declares is that type.
  fileprivate static func selfInType(_ token: TokenSyntax, name: String) -> Diagnostic {
    Diagnostic(
      node: token,
      message: MacroProblem(
        id: "selfInType",
        message: "'Self' is another type where '@Generable' repeats it; use '\(name)'."),
      fixIt: .replace(
        message: MacroFix(id: "useType", message: "use '\(name)'"), oldNode: token,
        newNode: token.with(\.tokenKind, .identifier(name))))
  }
}

extension FixIt {
  fileprivate static func using(_ type: TypeSyntax, for old: TypeSyntax) -> FixIt {
    .replace(
      message: MacroFix(id: "useType", message: "use '\(type)'"), oldNode: old,
      newNode: type.with(\.leadingTrivia, old.leadingTrivia)
        .with(\.trailingTrivia, old.trailingTrivia))
  }
}
