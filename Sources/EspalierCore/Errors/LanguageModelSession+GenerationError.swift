// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension LanguageModelSession {
  /// Why there is no response, in the first generation of the interface.
  ///
  /// Thrown in place of ``LanguageModelError`` and the others where ``ErrorGeneration`` says so.
  public enum GenerationError: ExplainedError, Sendable {
    /// The transcript and the response are more than the model can read.
    case exceededContextWindowSize(Context)
    /// The model is not there.
    case assetsUnavailable(Context)
    /// A guardrail does not let the prompt or the response through.
    case guardrailViolation(Context)
    /// The schema asks for something that the model cannot be held to.
    case unsupportedGuide(Context)
    /// The model does not know the language.
    case unsupportedLanguageOrLocale(Context)
    /// The response is not a value of the type asked for.
    case decodingFailure(Context)
    /// Too many requests in too short a time.
    case rateLimited(Context)
    /// A request was made while another was being answered.
    case concurrentRequests(Context)
    /// The model declines to answer.
    case refusal(Refusal, Context)

    /// What more there is to say about an error.
    public struct Context: Sendable {
      /// The error in words for a developer.
      public let debugDescription: String

      /// Creates a context.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// Why the model declines to answer.
    public struct Refusal: Sendable {
      private var text: String

      /// Creates a refusal.
      ///
      /// - Parameter transcriptEntries: The entries in which the model says why.
      public init(transcriptEntries: [Transcript.Entry]) {
        text =
          transcriptEntries.reversed().lazy.compactMap { entry in
            if case .response(let response) = entry { response.segments.text } else { nil }
          }.first ?? ""
      }

      /// Why the model declines, as a response.
      public var explanation: Response<String> {
        get async throws { .explanation(text) }
      }

      /// Why the model declines, as a stream.
      public var explanationStream: ResponseStream<String> {
        ResponseStream(finished: .explanation(text))
      }
    }

    private var context: Context {
      switch self {
      case .exceededContextWindowSize(let context), .assetsUnavailable(let context),
        .guardrailViolation(let context), .unsupportedGuide(let context),
        .unsupportedLanguageOrLocale(let context), .decodingFailure(let context),
        .rateLimited(let context), .concurrentRequests(let context), .refusal(_, let context):
        context
      }
    }

    public var userMessage: ErrorMessage {
      switch self {
      case .exceededContextWindowSize: ErrorMessage(.contextFull)
      case .assetsUnavailable: ErrorMessage(.modelUnavailable)
      case .guardrailViolation: ErrorMessage(.guardrail)
      case .unsupportedGuide: ErrorMessage(.unsupportedForm)
      case .unsupportedLanguageOrLocale: ErrorMessage(.unknownLanguage)
      case .decodingFailure: ErrorMessage(.wrongAnswer)
      case .rateLimited: ErrorMessage(.rateLimited)
      case .concurrentRequests: ErrorMessage(.stillAnswering)
      case .refusal: ErrorMessage(.refusalWithoutReason)
      }
    }

    public var problemDescription: String {
      switch self {
      case .exceededContextWindowSize: "The session's context is full."
      case .assetsUnavailable: "The model is not available."
      case .guardrailViolation: "A guardrail does not let the content through."
      case .unsupportedGuide: "The model cannot be held to the schema."
      case .unsupportedLanguageOrLocale: "The model does not know the language."
      case .decodingFailure: "The response is not a value of the type asked for."
      case .rateLimited: "The model takes no more requests for now."
      case .concurrentRequests: "The session is still answering another request."
      case .refusal: "The model declined to answer."
      }
    }

    public var description: String { description(ofCase: nameOfCase) }

    public var failureReason: String? { context.debugDescription }

    public var recoverySuggestion: String? {
      switch self {
      case .exceededContextWindowSize:
        "Shorten the prompt, start a new session, or give the session a context policy."
      case .assetsUnavailable: "Check the model's availability before asking."
      case .guardrailViolation: "Change the prompt."
      case .unsupportedGuide: "Simplify the guides that the description names."
      case .unsupportedLanguageOrLocale: "Ask in a language that the model supports."
      case .decodingFailure: "Try again, or allow more response tokens."
      case .rateLimited: "Try again later."
      case .concurrentRequests:
        "Wait until 'isResponding' is false, or use a session for each conversation."
      case .refusal: "Ask for something else, or show the model's explanation."
      }
    }
  }
}

extension LanguageModelSession.GenerationError: RetryAdvising {
  public var isWorthRetrying: Bool {
    switch self {
    case .rateLimited, .concurrentRequests, .decodingFailure: true
    case .exceededContextWindowSize, .assetsUnavailable, .guardrailViolation, .unsupportedGuide,
      .unsupportedLanguageOrLocale, .refusal:
      false
    }
  }
}
