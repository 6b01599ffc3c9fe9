// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A structure as `@Generable` sees it.
struct StructureModel {
  let type: TypeModel
  let properties: [Conditional<PropertyModel>]
  /// The properties that have the identity of the content, which no model generates.
  let identities: [Conditional<PropertyModel>]
  /// How properties are deprecated, each way once.
  let deprecations: [Deprecation]
  /// Whether the type has an `id` of another kind.
  let hasOwnID: Bool

  init(
    _ declaration: StructDeclSyntax, use: MacroUse, problems: inout ProblemCollector
  ) {
    type = TypeModel(
      declaration, use: use, isGeneric: declaration.genericParameterClause != nil)
    let usesDocumentation = type.arguments.usesDocumentation
    var collector = problems
    let stored = Array(declaration.memberBlock.members).conditional { member in
      member.as(VariableDeclSyntax.self)?
        .generatedProperties(
          usesDocumentation: usesDocumentation, use: use, problems: &collector) ?? []
    }
    collector.reportDuplicates(in: stored)
    problems = collector
    var deprecations: [Deprecation] = []
    for property in stored.flatMap(\.elements) {
      for deprecation in property.deprecations where !deprecations.contains(deprecation) {
        deprecations.append(deprecation)
      }
    }
    self.deprecations = deprecations
    properties = stored.filter { $0.type.identity == nil }
    identities = stored.filter { $0.type.identity != nil }
    hasOwnID =
      !identities.contains { $0.contains { $0.key == "id" } }
      && (type.isIdentifiable
        || declaration.memberBlock.members.contains { $0.decl.declaresVariable(named: "id") })
  }
}

extension ProblemCollector {
  /// Reports properties of one name that exist together.
  fileprivate mutating func reportDuplicates(in properties: [Conditional<PropertyModel>]) {
    var seen: Set<String> = []
    for case .element(let property) in properties where !seen.insert(property.key).inserted {
      report(.duplicateName(property.token, kind: "property"))
    }
  }
}

extension DeclSyntax {
  fileprivate func declaresVariable(named name: String) -> Bool {
    self.as(VariableDeclSyntax.self)?.bindings.contains {
      $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText == name
    } ?? false
  }
}

extension AttributeListSyntax.Element {
  /// Whether this may be a property wrapper: an attribute whose name is a type's, and not one of a
  /// global actor or of this package.
  fileprivate var isWrapper: Bool {
    guard let name = self.as(AttributeSyntax.self)?.baseName else { return false }
    return name.first?.isUppercase == true && !name.hasSuffix("Actor") && name != "Guide"
      && !name.hasPrefix("Observation")
  }
}

extension AttributeSyntax {
  /// The name without modules and generic arguments: `Guide` of `@Espalier.Guide<[String]>`.
  fileprivate var baseName: String {
    attributeName.as(IdentifierTypeSyntax.self)?.name.text
      ?? attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
  }
}

extension VariableDeclSyntax {
  var isStatic: Bool {
    modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
  }

  private var isLazy: Bool { modifiers.contains { $0.name.tokenKind == .keyword(.lazy) } }

  /// Whether every variable here is stored in an instance.
  var isStored: Bool { !isStatic && bindings.allSatisfy { !$0.isComputed } }

  private var access: String {
    modifiers.first {
      $0.detail == nil
        && ["public", "package", "internal", "fileprivate", "private"].contains($0.name.text)
    }.map { $0.name.text + " " } ?? ""
  }

  private var deprecations: [Deprecation] {
    attributes.compactMap { $0.as(AttributeSyntax.self).flatMap(Deprecation.init) }
  }

  private var guideAttributes: [AttributeSyntax] {
    attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.baseName == "Guide" }
  }

  /// The properties that a model generates: stored, of the instance, with a written type, and not
  /// a constant that has its value already.
  fileprivate func generatedProperties(
    usesDocumentation: Bool, use: MacroUse, problems: inout ProblemCollector
  ) -> [PropertyModel] {
    guard !isStatic else { return [] }
    guard !isLazy else {
      reportLazy(to: &problems)
      return []
    }
    let isConstant = bindingSpecifier.tokenKind == .keyword(.let)
    var annotation: TypeSyntax?
    var result: [PropertyModel] = []
    // `var a, b: String`: a type belongs to the names before it, too.
    for binding in bindings.reversed() {
      annotation = binding.typeAnnotation?.type ?? (binding.initializer == nil ? annotation : nil)
      guard !binding.isComputed else { continue }
      guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
        if !isConstant || binding.initializer == nil {
          problems.report(.tuplePattern(binding.pattern))
        }
        continue
      }
      if isConstant, binding.initializer != nil {
        if let attribute = guideAttributes.first {
          problems.report(.guideOnConstant(attribute, on: self, name: identifier.plainText))
        } else if binding.typeAnnotation != nil, identifier.plainText != "id" {
          // Without a type it is no property of the schema; and `let id: UUID = UUID()` gives a value
          // its identity, which nobody expects of a model.
          problems.report(.constantWithValue(identifier))
        }
        continue
      }
      guard let written = annotation else {
        problems.report(.propertyWithoutType(binding, isGuided: !guideAttributes.isEmpty))
        continue
      }
      if let problem = written.problem(in: use.typeName) {
        problems.report(problem)
        continue
      }
      let type = PropertyType(written)
      if type.identity != nil {
        if let attribute = guideAttributes.first {
          problems.report(.guideOnIdentity(attribute, on: self, name: identifier.plainText))
        }
      } else if access == "private " || access == "fileprivate " {
        problems.report(.privateProperty(identifier))
      }
      let guides = GuideModel(
        attributes: guideAttributes, type: type, typeText: written.trimmedDescription,
        documentation: usesDocumentation ? documentation : nil, problems: &problems)
      let isWrapped = attributes.contains(where: \.isWrapper)
      result.append(
        PropertyModel(
          name: identifier.text, key: identifier.plainText, type: type,
          check: use.check(of: type, named: identifier.text, access: access), guides: guides,
          place: isWrapped || !guides.expressions.isEmpty ? use.lines.place(of: identifier) : nil,
          isWrapped: isWrapped, deprecations: deprecations, access: access, token: identifier))
    }
    return result.reversed()
  }

  /// Says that a lazy property is not generated, unless it looks as if that were meant: private, or
  /// without a type.
  private func reportLazy(to problems: inout ProblemCollector) {
    let isGuided = !guideAttributes.isEmpty
    let isPrivate = access == "private " || access == "fileprivate "
    for binding in bindings where isGuided || !isPrivate && binding.typeAnnotation != nil {
      problems.report(.lazyProperty(binding.pattern, isGuided: isGuided))
    }
  }
}

extension PatternBindingSyntax {
  /// Whether accessors compute the value. Observers alone do not: such a property is stored.
  fileprivate var isComputed: Bool {
    guard let accessorBlock else { return false }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return true }
    return !accessors.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}
