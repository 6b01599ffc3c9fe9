// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Builds a prompt from the components of a closure, one per line.
@resultBuilder
public struct PromptBuilder {
  /// The components of a block, in order.
  public static func buildBlock<each Component: PromptRepresentable>(
    _ components: repeat each Component
  ) -> Prompt {
    var parts: [PromptPart] = []
    for component in repeat each components { parts += component.promptRepresentation.parts }
    return Prompt(parts: parts)
  }

  /// The components of a loop, in order.
  public static func buildArray(_ prompts: [some PromptRepresentable]) -> Prompt {
    prompts.promptRepresentation
  }

  /// The first branch of a condition.
  public static func buildEither(first component: some PromptRepresentable) -> Prompt {
    component.promptRepresentation
  }

  /// The other branch of a condition.
  public static func buildEither(second component: some PromptRepresentable) -> Prompt {
    component.promptRepresentation
  }

  /// A branch without an alternative.
  public static func buildOptional(_ component: Prompt?) -> Prompt {
    component ?? Prompt(parts: [])
  }

  /// A branch of `if #available`.
  public static func buildLimitedAvailability(_ prompt: some PromptRepresentable) -> Prompt {
    prompt.promptRepresentation
  }

  /// One component.
  @_disfavoredOverload
  public static func buildExpression<Expression: PromptRepresentable>(
    _ expression: Expression
  ) -> Expression {
    expression
  }

  /// One component that is a prompt.
  public static func buildExpression(_ expression: Prompt) -> Prompt { expression }

  @available(
    *, unavailable, message: "Only `Prompt` and `PromptRepresentable` are supported."
  )
  public static func buildExpression<Expression>(_ expression: Expression) -> Prompt {
    Prompt(parts: [])
  }
}
