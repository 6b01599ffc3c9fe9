// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Builds instructions from the components of a closure, one per line.
@resultBuilder
public struct InstructionsBuilder {
  /// The components of a block, in order.
  public static func buildBlock<each Component: InstructionsRepresentable>(
    _ components: repeat each Component
  ) -> Instructions {
    var parts: [PromptPart] = []
    for component in repeat each components { parts += component.instructionsRepresentation.parts }
    return Instructions(parts: parts)
  }

  /// The components of a loop, in order.
  public static func buildArray(_ components: [some InstructionsRepresentable]) -> Instructions {
    components.instructionsRepresentation
  }

  /// The first branch of a condition.
  public static func buildEither(first component: some InstructionsRepresentable) -> Instructions {
    component.instructionsRepresentation
  }

  /// The other branch of a condition.
  public static func buildEither(second component: some InstructionsRepresentable) -> Instructions {
    component.instructionsRepresentation
  }

  /// A branch without an alternative.
  public static func buildOptional(_ component: Instructions?) -> Instructions {
    component ?? Instructions(parts: [])
  }

  /// A branch of `if #available`.
  public static func buildLimitedAvailability(_ instructions: some InstructionsRepresentable)
    -> Instructions
  {
    instructions.instructionsRepresentation
  }

  /// One component.
  @_disfavoredOverload
  public static func buildExpression<Expression: InstructionsRepresentable>(
    _ expression: Expression
  ) -> Expression {
    expression
  }

  /// One component that is instructions.
  public static func buildExpression(_ expression: Instructions) -> Instructions { expression }

  @available(
    *, unavailable, message: "Only `Instructions` and `InstructionsRepresentable` are supported."
  )
  public static func buildExpression<Expression>(_ expression: Expression) -> Instructions {
    Instructions(parts: [])
  }
}
