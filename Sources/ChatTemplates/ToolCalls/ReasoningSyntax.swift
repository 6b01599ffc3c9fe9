// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How a model marks what it thinks before it speaks.
///
///     Qwen3:    opening <think>\n                                closing \n</think>\n\n
///     gpt-oss:  opening <|channel|>analysis<|message|>           closing <|end|>
///               and the turn begins again: <|start|>assistant
///     Gemma 4:  opening <|channel>thought\n                       closing <channel|>
public struct ReasoningSyntax: Sendable, Hashable {
  /// A variable of the template that switches reasoning on and off.
  public struct Toggle: Sendable, Hashable {
    /// The variable's name: `enable_thinking`, `thinking`.
    public var variable: String
    /// The value with which the model reasons.
    public var on: Bool
    /// Whether the model reasons where the variable is not given.
    public var isOnByDefault: Bool

    /// Creates a toggle.
    public init(variable: String, on: Bool = true, isOnByDefault: Bool) {
      self.variable = variable
      self.on = on
      self.isOnByDefault = isOnByDefault
    }
  }

  /// What stands before the reasoning, after the generation prompt.
  public var opening: String
  /// What stands after the reasoning.
  public var closing: String
  /// What begins the assistant's turn once more after ``closing``, before the answer or a call:
  /// `<|start|>assistant` of gpt-oss. Empty for others.
  public var turnOpening: String
  /// Whether the generation prompt ends with ``opening`` already, where reasoning is on.
  public var promptOpens: Bool
  /// The template's own switch; nil where it has none.
  public var toggle: Toggle?
  /// A variable that says how much to reason, with the values low, medium and high; nil where the
  /// template has none.
  public var effortVariable: String?

  /// Creates a syntax.
  public init(
    opening: String, closing: String, turnOpening: String = "", promptOpens: Bool = false,
    toggle: Toggle? = nil, effortVariable: String? = nil
  ) {
    self.opening = opening
    self.closing = closing
    self.turnOpening = turnOpening
    self.promptOpens = promptOpens
    self.toggle = toggle
    self.effortVariable = effortVariable
  }
}
