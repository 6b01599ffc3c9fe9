// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What the `@Guide` attributes of one property say, merged.
struct GuideModel {
  private(set) var description: String?
  /// The guides as elements of an array literal.
  private(set) var guides: [String] = []
  /// More guides, as expressions that are arrays: see ``UnlistedGuide``.
  private(set) var expressions: [String] = []

  init() {}

  init(
    attributes: [AttributeSyntax], type: PropertyType, typeText: String,
    documentation: String?, problems: inout ProblemCollector
  ) {
    for attribute in attributes {
      guard case .argumentList(let arguments)? = attribute.arguments else { continue }
      for argument in arguments {
        // Of text without a label the compiler says that the label is missing.
        if argument.label?.text == "description"
          || argument.label == nil && argument.expression.is(StringLiteralExprSyntax.self)
        {
          guard !argument.expression.is(NilLiteralExprSyntax.self) else { continue }
          if description == nil {
            description = argument.expression.trimmedDescription
          } else {
            problems.report(.secondDescription(argument))
          }
        } else if let problem = Self.mismatch(argument.expression, type: type, text: typeText) {
          problems.report(problem)
        } else if let unlisted = UnlistedGuide(argument.expression) {
          expressions.append(unlisted.expression)
        } else {
          guides.append(Self.element(argument.expression))
        }
      }
    }
    description = description ?? documentation?.swiftLiteral
  }

  private static func element(_ guide: ExprSyntax) -> String {
    guide.is(RegexLiteralExprSyntax.self)
      ? ".pattern(\(guide.trimmedDescription))" : guide.trimmedDescription
  }

  /// What is wrong with a guide for this type, as far as spelling tells; the compiler tells the
  /// rest.
  private static func mismatch(
    _ guide: ExprSyntax, type: PropertyType, text: String
  ) -> Diagnostic? {
    guard type.kind != .other, let guided = GuidedKind(guide), guided.kind != type.kind else {
      return nil
    }
    let fix: FixIt?
    if type.kind == .array {
      let inner =
        guide.is(RegexLiteralExprSyntax.self)
        ? ".pattern(\(guide.trimmedDescription))" : guide.trimmedDescription
      fix = .replace(
        message: MacroFix(id: "guideElements", message: "guide the elements"), oldNode: guide,
        newNode: ExprSyntax(".element(\(raw: inner))"))
    } else {
      fix = .removingArgument(guide)
    }
    return .guideOfWrongKind(
      guide, name: guided.name, guided: guided.description, type: text, fix: fix)
  }
}

/// What kind of type a guide is for.
private struct GuidedKind {
  let name: String
  let kind: PropertyType.Kind
  let description: String

  init?(_ guide: ExprSyntax) {
    if guide.is(RegexLiteralExprSyntax.self) {
      (name, kind, description) = ("Regex", .string, "strings")
      return
    }
    guard let call = guide.as(FunctionCallExprSyntax.self),
      let member = call.calledExpression.as(MemberAccessExprSyntax.self), member.base == nil
    else { return nil }
    name = "." + member.declName.baseName.text
    switch member.declName.baseName.text {
    case "constant", "anyOf", "pattern", "minimumLength", "maximumLength", "length", "format":
      (kind, description) = (.string, "strings")
    case "minimum", "maximum", "range", "exclusiveMinimum", "exclusiveMaximum", "multiple":
      (kind, description) = (.number, "numbers")
    case "minimumCount", "maximumCount", "count", "element", "uniqueElements":
      (kind, description) = (.array, "arrays")
    default: return nil
    }
  }
}

extension FixIt {
  /// A fix that takes an argument of an attribute away.
  fileprivate static func removingArgument(_ expression: ExprSyntax) -> FixIt? {
    let message = MacroFix(id: "removeGuide", message: "remove the guide")
    guard let argument = expression.parent?.as(LabeledExprSyntax.self),
      let list = argument.parent?.as(LabeledExprListSyntax.self)
    else { return nil }
    var kept = list.filter { $0.id != argument.id }
    if let last = kept.indices.last {
      kept[last].trailingComma = nil
      return FixIt(
        message: message, changes: [.replace(oldNode: Syntax(list), newNode: Syntax(kept))])
    }
    guard let attribute = list.parent?.as(AttributeSyntax.self),
      let declaration = attribute.parent?.parent
    else { return nil }
    return .removing(attribute, from: declaration)
  }
}
