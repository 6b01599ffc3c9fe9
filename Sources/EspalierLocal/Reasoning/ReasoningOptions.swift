// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How much a local model thinks before it answers.
///
/// A model reasons in the marks of its own template, which the session gets as reasoning entries, and
/// a schema or a grammar holds from the first byte after them. A request asks for more or less by
/// `ContextOptions.reasoningLevel`; `.custom("none")` switches reasoning off, by the template's own
/// switch where it has one.
public struct ReasoningOptions: Sendable, Hashable {
  /// Whether the model may reason.
  public var isEnabled: Bool
  /// The greatest number of tokens of reasoning where a request names no level, or one of its own.
  public var standardBudget: Int
  /// The greatest number of tokens of reasoning at the level `.light`.
  public var lightBudget: Int
  /// The greatest number of tokens of reasoning at the level `.moderate`.
  public var moderateBudget: Int
  /// The greatest number of tokens of reasoning at the level `.deep`.
  public var deepBudget: Int
  /// How many tokens a model without marks of reasoning may write freely before a value of a schema;
  /// 0 for none. Small models copy better than they plan: measure before you switch it on.
  public var draftBudget: Int

  /// Creates options. Whatever a budget is, at least half of the room that the prompt leaves is kept
  /// for the answer.
  public init(
    isEnabled: Bool = true, standardBudget: Int = 2048, lightBudget: Int = 512,
    moderateBudget: Int = 2048, deepBudget: Int = 8192, draftBudget: Int = 0
  ) {
    self.isEnabled = isEnabled
    self.standardBudget = standardBudget
    self.lightBudget = lightBudget
    self.moderateBudget = moderateBudget
    self.deepBudget = deepBudget
    self.draftBudget = draftBudget
  }

  /// No reasoning.
  public static let off = ReasoningOptions(isEnabled: false)
}
