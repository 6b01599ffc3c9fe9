// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A guide of a name that this package does not have: one of the app's own, or a mistake.
///
/// Where there is no such guide the compiler says so at the attribute. The expansion must not be an
/// error too, so it writes `GenerationSchema.Property.guides { $0.name(…) }`, which is no guides where
/// there is none of that name.
struct UnlistedGuide {
  /// The guide as an array.
  let expression: String

  /// Reads a guide; nil where it is one of this package, or not written as `.name` or `.name(…)`.
  init?(_ guide: ExprSyntax) {
    let call = guide.as(FunctionCallExprSyntax.self)
    guard let member = (call?.calledExpression ?? guide).as(MemberAccessExprSyntax.self),
      member.base == nil
    else { return nil }
    let name = member.declName.baseName.plainText
    if name == "element", let inner = call?.arguments.first?.expression,
      let unlisted = UnlistedGuide(inner)
    {
      expression = unlisted.expression + ".map { .element($0) }"
      return
    }
    guard !Self.listed.contains(name) else { return nil }
    expression = "GenerationSchema.Property.guides { $0\(guide.trimmedDescription) }"
  }

  private static let listed: Set<String> = [
    "constant", "anyOf", "pattern", "minimumLength", "maximumLength", "length", "format", "minimum",
    "maximum", "range", "exclusiveMinimum", "exclusiveMaximum", "multiple", "minimumCount",
    "maximumCount", "count", "element", "uniqueElements",
  ]
}
