// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Why a language model did not answer.
public enum LanguageModelError: ExplainedError, Sendable, CustomDebugStringConvertible {
  /// The transcript and the room for the response are more than the model can read.
  case contextSizeExceeded(ContextSizeExceeded)
  /// Too many requests in too short a time.
  case rateLimited(RateLimited)
  /// A guardrail does not let the prompt or the response through.
  case guardrailViolation(GuardrailViolation)
  /// The model declines to answer.
  case refusal(Refusal)
  /// The request needs something that the model cannot do.
  case unsupportedCapability(UnsupportedCapability)
  /// The transcript has entries that the model cannot read.
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  /// The schema asks for something that the model cannot be held to.
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  /// The model does not know the language.
  case unsupportedLanguageOrLocale(UnsupportedLanguageOrLocale)
  /// No answer came in time.
  case timeout(Timeout)

  /// The payload of ``contextSizeExceeded(_:)``.
  public struct ContextSizeExceeded: Sendable {
    /// How many tokens the model can read.
    public var contextSize: Int
    /// How many tokens there are.
    public var tokenCount: Int
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(
      contextSize: Int, tokenCount: Int, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.contextSize = contextSize
      self.tokenCount = tokenCount
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The payload of ``rateLimited(_:)``.
  public struct RateLimited: Sendable {
    /// When requests are taken again, where that is known.
    public var resetDate: Date?
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(
      resetDate: Date? = nil, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      self.resetDate = resetDate
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The payload of ``guardrailViolation(_:)``.
  public struct GuardrailViolation: Sendable {
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(debugDescription: String, metadata: [String: any Sendable] = [:]) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The payload of ``unsupportedCapability(_:)``.
  public struct UnsupportedCapability: Sendable {
    /// What the model cannot do.
    public var capability: LanguageModelCapabilities.Capability
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(
      capability: LanguageModelCapabilities.Capability, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.capability = capability
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The payload of ``unsupportedTranscriptContent(_:)``.
  public struct UnsupportedTranscriptContent: Sendable {
    /// The entries that the model cannot read.
    public var unsupportedContent: [Transcript.Entry]
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(
      unsupportedContent: [Transcript.Entry], debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.unsupportedContent = unsupportedContent
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The payload of ``unsupportedGenerationGuide(_:)``.
  public struct UnsupportedGenerationGuide: Sendable {
    /// The name of the schema, where it has one.
    public var schemaName: String?
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(
      schemaName: String? = nil, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.schemaName = schemaName
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The payload of ``unsupportedLanguageOrLocale(_:)``.
  public struct UnsupportedLanguageOrLocale: Sendable {
    /// The language.
    public var languageCode: Locale.LanguageCode
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(
      languageCode: Locale.LanguageCode, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.languageCode = languageCode
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The payload of ``timeout(_:)``.
  public struct Timeout: Sendable {
    /// The error in words for a developer.
    public var debugDescription: String
    /// What else there is to say.
    public var metadata: [String: any Sendable]

    /// Creates a payload.
    public init(debugDescription: String, metadata: [String: any Sendable] = [:]) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  public var description: String { description(ofCase: nameOfCase) }

  public var debugDescription: String {
    switch self {
    case .contextSizeExceeded(let payload): payload.debugDescription
    case .rateLimited(let payload): payload.debugDescription
    case .guardrailViolation(let payload): payload.debugDescription
    case .refusal(let payload): payload.debugDescription
    case .unsupportedCapability(let payload): payload.debugDescription
    case .unsupportedTranscriptContent(let payload): payload.debugDescription
    case .unsupportedGenerationGuide(let payload): payload.debugDescription
    case .unsupportedLanguageOrLocale(let payload): payload.debugDescription
    case .timeout(let payload): payload.debugDescription
    }
  }
}
