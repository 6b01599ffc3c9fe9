// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension LanguageModelError {
  public var userMessage: ErrorMessage {
    switch self {
    // A limit of the request is not that of the model: what is asked of it would fit.
    case .contextSizeExceeded(let payload) where payload.tokenCount <= payload.contextSize:
      ErrorMessage(.answerLacksRoom)
    case .contextSizeExceeded(let payload):
      ErrorMessage(
        .contextExceeded, .text(String(payload.tokenCount)), .text(String(payload.contextSize)))
    case .rateLimited: ErrorMessage(.rateLimited)
    case .guardrailViolation: ErrorMessage(.guardrail)
    case .refusal(let payload):
      payload.explanationText.isEmpty
        ? ErrorMessage(.refusalWithoutReason)
        : ErrorMessage(.refusal, .text(payload.explanationText))
    case .unsupportedCapability(let payload):
      switch payload.capability {
      case .vision: ErrorMessage(.lacksVision)
      case .guidedGeneration: ErrorMessage(.lacksGuidedGeneration)
      case .reasoning: ErrorMessage(.lacksReasoning)
      case .toolCalling: ErrorMessage(.lacksToolCalling)
      default: ErrorMessage(.lacksCapability, .text(payload.capability.description))
      }
    case .unsupportedTranscriptContent: ErrorMessage(.unreadableConversation)
    case .unsupportedGenerationGuide: ErrorMessage(.unsupportedForm)
    case .unsupportedLanguageOrLocale(let payload):
      ErrorMessage(.unsupportedLanguage, .language(payload.languageCode.identifier))
    case .timeout: ErrorMessage(.modelTimeout)
    }
  }

  public var problemDescription: String { debugDescription }

  public var failureReason: String? { debugDescription }

  public var recoverySuggestion: String? {
    switch self {
    case .contextSizeExceeded(let payload) where payload.tokenCount <= payload.contextSize:
      "Raise 'maximumResponseTokens'."
    case .contextSizeExceeded:
      "Shorten the prompt or what tools give back, offer fewer tools ('toolNames' of the options), "
        + "start a new session, or give the session a context policy that drops or summarises older "
        + "turns."
    case .rateLimited(let payload):
      payload.resetDate.flatMap(Self.words).map { "Try again after \($0)." } ?? "Try again later."
    case .guardrailViolation: "Change the prompt."
    case .refusal: "Ask for something else, or show the model's explanation."
    case .unsupportedCapability(let payload):
      "Use a model with the capability \(payload.capability), or do without it."
    case .unsupportedTranscriptContent:
      "Remove the entries, or use a model that can read them."
    case .unsupportedGenerationGuide:
      "Simplify the guides that the description names."
    case .unsupportedLanguageOrLocale: "Ask in a language that the model supports."
    case .timeout: "Try again, or allow more time."
    }
  }
}

extension LanguageModelError: RetryAdvising {
  public var isWorthRetrying: Bool {
    switch self {
    case .rateLimited, .timeout: true
    case .contextSizeExceeded, .guardrailViolation, .refusal, .unsupportedCapability,
      .unsupportedTranscriptContent, .unsupportedGenerationGuide, .unsupportedLanguageOrLocale:
      false
    }
  }
}

extension LanguageModelError {
  /// A date in words; nil for one that no calendar has: describing it would trap.
  private static func words(for date: Date) -> String? {
    abs(date.timeIntervalSinceReferenceDate) < 1e11 ? "\(date)" : nil
  }
}
