// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What happens when a tool throws, or is called with arguments that break its schema.
public enum ToolFailurePolicy: Sendable {
  /// The request fails with ``LanguageModelSession/ToolCallError``.
  case fail

  /// The model gets the error in words as the output of the tool, and goes on.
  case answerModel

  /// The app decides, for each error: text for the model, or nil to fail.
  case custom(@Sendable (LanguageModelSession.ToolCallError) -> String?)

  /// Whether the request fails, whatever the error is.
  var isFailure: Bool { if case .fail = self { true } else { false } }

  /// What the model is told; nil where the request fails.
  func answer(to error: LanguageModelSession.ToolCallError) -> String? {
    switch self {
    case .fail: nil
    case .answerModel: error.answer
    case .custom(let decide): decide(error)
    }
  }
}

/// What an app says to a call before the tool runs.
public enum ToolCallDecision: Sendable, Hashable {
  /// The tool runs.
  case allow

  /// The tool does not run, and the model is told why.
  case deny(reason: String)
}

/// How a session deals with the tools that its model calls.
public struct ToolCallPolicy: Sendable {
  /// How often the model may call tools before it has to answer. One more is an error.
  public var maximumRounds: Int

  /// Whether a model that has called tools ``maximumRounds`` times is then asked without tools, so
  /// that it answers with what it has. Small models often call on and on otherwise.
  public var answersAfterLastRound: Bool

  /// What happens when a tool throws.
  public var onFailure: ToolFailurePolicy

  /// Asked before each call; the calls of one round are asked about in order.
  public var decide: @Sendable (Transcript.ToolCall) async throws -> ToolCallDecision

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - maximumRounds: How often the model may call tools before it has to answer.
  ///   - answersAfterLastRound: Whether the model is asked without tools after that many rounds.
  ///   - onFailure: What happens when a tool throws.
  ///   - decide: Asked before each call.
  public init(
    maximumRounds: Int = 16, answersAfterLastRound: Bool = false,
    onFailure: ToolFailurePolicy = .fail,
    decide: @escaping @Sendable (Transcript.ToolCall) async throws -> ToolCallDecision = { _ in
      .allow
    }
  ) {
    self.maximumRounds = maximumRounds
    self.answersAfterLastRound = answersAfterLastRound
    self.onFailure = onFailure
    self.decide = decide
  }
}
