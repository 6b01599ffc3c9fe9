// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a person says about a response.
public struct LanguageModelFeedback: Sendable {
  /// Whether a response was liked.
  public enum Sentiment: String, Sendable, Hashable, CaseIterable {
    /// It was liked.
    case positive
    /// It was not liked.
    case negative
    /// Neither.
    case neutral
  }

  /// What was wrong with a response.
  public struct Issue: Sendable, Hashable {
    /// The kind of issue.
    public var category: Category

    /// The issue in a person's own words.
    public var explanation: String?

    /// Creates an issue.
    public init(category: Category, explanation: String? = nil) {
      self.category = category
      self.explanation = explanation
    }

    /// The kinds of issues.
    public enum Category: String, Sendable, Hashable, CaseIterable {
      /// The response is of no use.
      case unhelpful
      /// The response is longer than it needs to be.
      case tooVerbose
      /// The response does not do what the instructions say.
      case didNotFollowInstructions
      /// The response is wrong.
      case incorrect
      /// The response speaks of people by prejudice.
      case stereotypeOrBias
      /// The response is suggestive or sexual.
      case suggestiveOrSexual
      /// The response is vulgar or offensive.
      case vulgarOrOffensive
      /// A guardrail refused what was harmless.
      case triggeredGuardrailUnexpectedly
    }
  }
}
