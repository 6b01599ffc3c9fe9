// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Which generation of error types a session throws.
///
/// Apps written for the first generation of the interface catch
/// ``LanguageModelSession/GenerationError``; those written for the second catch
/// ``LanguageModelError``, ``GeneratedContent/ParsingError``, ``LanguageModelSession/Error`` and
/// ``SystemLanguageModel/Error``. A session throws one or the other, by
/// ``LanguageModelSession/errorGeneration``, which starts as ``standard``:
///
/// | second (2027)                    | first (2026)                  |
/// |----------------------------------|-------------------------------|
/// | `contextSizeExceeded`            | `exceededContextWindowSize`   |
/// | `SystemLanguageModel.Error`      | `assetsUnavailable`           |
/// | `guardrailViolation`             | `guardrailViolation`          |
/// | `unsupportedGenerationGuide`     | `unsupportedGuide`            |
/// | `unsupportedLanguageOrLocale`    | `unsupportedLanguageOrLocale` |
/// | `GeneratedContent.ParsingError`  | `decodingFailure`             |
/// | `rateLimited`                    | `rateLimited`                 |
/// | `refusal`                        | `refusal`                     |
/// | `Session.Error.concurrentRequests` | `concurrentRequests`        |
///
/// Errors without a counterpart (a timeout, `ToolCallError`, cancellation, errors of a model's own)
/// are the same in both.
public enum ErrorGeneration: Sendable, Hashable {
  /// `LanguageModelSession.GenerationError`.
  case first
  /// `LanguageModelError` and its companions.
  case second

  private static let shared = Mutex(ErrorGeneration.second)

  /// What new sessions start with: ``second`` unless the app has said otherwise.
  public static var standard: ErrorGeneration {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }

  /// The error in the types of this generation.
  package func translate(_ error: any Error) -> any Error {
    switch self {
    case .second: error
    case .first: LanguageModelSession.GenerationError(error) ?? error
    }
  }
}

extension LanguageModelSession.GenerationError {
  /// The counterpart of an error of the second generation; nil where there is none.
  init?(_ error: any Error) {
    switch error {
    case let error as LanguageModelError:
      let context = Context(debugDescription: error.debugDescription)
      switch error {
      case .contextSizeExceeded:
        self = .exceededContextWindowSize(
          Context(
            debugDescription: error.userMessage.text(for: Locale(identifier: "en"))))
      case .rateLimited: self = .rateLimited(context)
      case .guardrailViolation: self = .guardrailViolation(context)
      case .refusal(let refusal):
        self = .refusal(
          Refusal(transcriptEntries: [
            .response(
              Transcript.Response(segments: [
                .text(.init(content: refusal.explanationText))
              ]))
          ]), context)
      case .unsupportedGenerationGuide: self = .unsupportedGuide(context)
      case .unsupportedLanguageOrLocale: self = .unsupportedLanguageOrLocale(context)
      case .unsupportedCapability, .unsupportedTranscriptContent, .timeout: return nil
      }
    case let error as GeneratedContent.ParsingError:
      self = .decodingFailure(Context(debugDescription: error.problemDescription))
    case LanguageModelSession.Error.concurrentRequests:
      self = .concurrentRequests(
        Context(debugDescription: "The session is still answering another request."))
    case let error as SystemLanguageModel.Error:
      self = .assetsUnavailable(Context(debugDescription: error.problemDescription))
    default: return nil
    }
  }
}
