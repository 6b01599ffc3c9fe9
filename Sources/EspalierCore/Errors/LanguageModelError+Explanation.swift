import Foundation

extension LanguageModelError {
  public var errorDescription: String? {
    switch self {
    case .contextSizeExceeded(let payload):
      "Content contains \(payload.tokenCount) tokens, which exceeds the maximum allowed context "
        + "size of \(payload.contextSize)."
    case .rateLimited: "The model takes no more requests for now."
    case .guardrailViolation: "A guardrail does not let the content through."
    case .refusal(let payload): "The model declined: \(payload.explanationText)"
    case .unsupportedCapability(let payload):
      "The model lacks a capability: \(payload.capability)."
    case .unsupportedTranscriptContent(let payload):
      "The model cannot read \(payload.unsupportedContent.count) of the transcript's entries."
    case .unsupportedGenerationGuide(let payload):
      "The model cannot be held to the schema\(payload.schemaName.map { " '\($0)'" } ?? "")."
    case .unsupportedLanguageOrLocale(let payload):
      "The model does not know the language '\(payload.languageCode.identifier)'."
    case .timeout: "The model did not answer in time."
    }
  }

  public var failureReason: String? { debugDescription }

  public var recoverySuggestion: String? {
    switch self {
    case .contextSizeExceeded:
      "Shorten the prompt, start a new session, or give the session a context policy that drops "
        + "or summarises older turns."
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
  public var canRetryHelp: Bool {
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
