// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a model is shown beside the prompt, and how much it thinks before it answers.
public struct ContextOptions: Sendable, Equatable {
  /// Whether the schema of the response is put into the prompt; the model decides where nil.
  public var includeSchemaInPrompt: Bool?

  /// How much the model reasons before it answers; its own measure where nil.
  public var reasoningLevel: ReasoningLevel?

  /// Creates options.
  public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
    self.includeSchemaInPrompt = includeSchemaInPrompt
    self.reasoningLevel = reasoningLevel
  }

  /// How much a model reasons before it answers.
  public enum ReasoningLevel: Sendable, Equatable {
    /// A little.
    case light
    /// Somewhat.
    case moderate
    /// At length.
    case deep
    /// A level that the model names itself.
    case custom(String)
  }
}
