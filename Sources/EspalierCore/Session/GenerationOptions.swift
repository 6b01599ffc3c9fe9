// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How a model chooses the tokens of one response.
public struct GenerationOptions: Sendable, Equatable {
  /// How a token is drawn from the model's distribution; the model's own way where nil.
  public var samplingMode: SamplingMode?

  /// What the logits are divided by: above 1 for more variety, below 1 for less.
  public var temperature: Double?

  /// The greatest number of tokens of the response. Structured responses are complete within it
  /// where the model is held to the schema token by token.
  public var maximumResponseTokens: Int?

  /// Whether the model may call tools; it may where nil.
  public var toolCallingMode: ToolCallingMode?

  /// The names of the tools that the model is told of and may call; all of the session's where nil.
  /// The others cost no tokens. With ``ToolCallingMode/required`` one name is the tool that is called.
  ///
  /// ```swift
  /// var options = GenerationOptions(toolCallingMode: .required)
  /// options.toolNames = ["git_status"]
  /// let answer = try await session.respond(to: "What has changed?", options: options)
  /// ```
  ///
  /// A name that the session does not have is ``ToolCallProblem/missingTool(name:available:)``.
  public var toolNames: Set<String>?

  /// Whether the model says how sure it is of each value of a structured response
  /// (``LanguageModelSession/Response/probabilities``). It takes a model in the process a few calls
  /// for each enumeration and boolean. A model behind a server says it of these alone, as far as the
  /// likeliest tokens tell that the server names.
  public var measuresProbabilities = false

  /// What the text of the response is held to; anything where nil. A response with a type has a schema
  /// in its place.
  public var grammar: ResponseGrammar?

  /// Whether events carry the probability of each token, and how many rivals of a token with it;
  /// nil for none. For `espalier serve`, which answers with them.
  package var tokenRivalCount: Int?

  /// How a token is drawn: the name of ``samplingMode`` in the first generation of the interface.
  public var sampling: SamplingMode? {
    get { samplingMode }
    set { samplingMode = newValue }
  }

  /// Creates options in the spelling of the first generation of the interface.
  public init(
    sampling: SamplingMode?, temperature: Double? = nil, maximumResponseTokens: Int? = nil
  ) {
    self.init(
      samplingMode: sampling, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens, toolCallingMode: nil)
  }

  /// Creates options.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil,
    maximumResponseTokens: Int? = nil
  ) {
    self.init(
      samplingMode: samplingMode, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens, toolCallingMode: nil)
  }

  /// Creates options that say whether the model may call tools.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil,
    maximumResponseTokens: Int? = nil, toolCallingMode: ToolCallingMode?
  ) {
    self.samplingMode = samplingMode
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
    self.toolCallingMode = toolCallingMode
  }
}

extension GenerationOptions {
  /// How a token is drawn from the model's distribution.
  public struct SamplingMode: Sendable, Equatable {
    /// The ways to draw a token.
    public enum Kind: Sendable, Equatable {
      /// The most likely token.
      case greedy
      /// One of the most likely tokens.
      case randomTopK(Int, seed: UInt64?)
      /// One of the most likely tokens that together have a probability.
      case randomProbabilityThreshold(Double, seed: UInt64?)
    }

    /// The way in which tokens are drawn.
    public let kind: Kind

    /// The most likely token, always.
    public static var greedy: SamplingMode { SamplingMode(kind: .greedy) }

    /// One of the `top` most likely tokens, in proportion to their probabilities.
    ///
    /// - Parameters:
    ///   - top: How many tokens are drawn from.
    ///   - seed: What makes the draws the same in every run; other draws each time where nil.
    public static func random(top: Int, seed: UInt64? = nil) -> SamplingMode {
      SamplingMode(kind: .randomTopK(top, seed: seed))
    }

    /// One of the most likely tokens whose probabilities add up to `probabilityThreshold`.
    ///
    /// - Parameters:
    ///   - probabilityThreshold: What the probabilities add up to, from 0 to 1.
    ///   - seed: What makes the draws the same in every run; other draws each time where nil.
    public static func random(
      probabilityThreshold: Double, seed: UInt64? = nil
    ) -> SamplingMode {
      SamplingMode(kind: .randomProbabilityThreshold(probabilityThreshold, seed: seed))
    }

    /// The seed, where there is one.
    package var seed: UInt64? {
      switch kind {
      case .greedy: nil
      case .randomTopK(_, let seed), .randomProbabilityThreshold(_, let seed): seed
      }
    }
  }

  /// Whether a model calls tools.
  public struct ToolCallingMode: Sendable, Equatable {
    /// The answers to whether a model calls tools.
    public enum Kind: Sendable, Equatable {
      /// The model decides.
      case allowed
      /// The model calls at least one tool before it answers.
      case required
      /// The model answers without tools.
      case disallowed
    }

    /// The answer.
    public var kind: Kind

    /// The model decides.
    public static let allowed = ToolCallingMode(kind: .allowed)
    /// The model calls at least one tool before it answers.
    public static let required = ToolCallingMode(kind: .required)
    /// The model answers without tools.
    public static let disallowed = ToolCallingMode(kind: .disallowed)
  }
}
