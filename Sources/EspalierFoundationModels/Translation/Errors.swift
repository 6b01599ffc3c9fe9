// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  import EspalierCore
  import Foundation
  import FoundationModels

  extension Own {
    /// An error of Apple's session as one of this package; another error as it is.
    ///
    /// - Parameter contextSize: What the model can read: Apple's error of 26 does not say it.
    @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
    static func error(_ error: any Error, contextSize: Int) -> any Error {
      #if canImport(FoundationModels, _version: 2)
        if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *) {
          if let known = error as? Apple.LanguageModelError { return Self.error(known) }
          if error is Apple.Session.Error { return Session.Error.concurrentRequests }
          if let known = error as? Apple.SystemLanguageModel.Error {
            return SystemLanguageModel.Error.assetsUnavailable(
              .init(debugDescription: "\(known)"))
          }
        }
      #endif
      if let failed = error as? Apple.Session.ToolCallError {
        return Self.error(failed.underlyingError, contextSize: contextSize)
      }
      guard let known = error as? Apple.Session.GenerationError else { return error }
      switch known {
      case .exceededContextWindowSize(let context):
        return LanguageModelError.contextSizeExceeded(
          .init(
            contextSize: contextSize, tokenCount: contextSize + 1,
            debugDescription: context.debugDescription))
      case .assetsUnavailable(let context):
        return SystemLanguageModel.Error.assetsUnavailable(
          .init(debugDescription: context.debugDescription))
      case .guardrailViolation(let context):
        return LanguageModelError.guardrailViolation(
          .init(debugDescription: context.debugDescription))
      case .unsupportedGuide(let context):
        return LanguageModelError.unsupportedGenerationGuide(
          .init(debugDescription: context.debugDescription))
      case .unsupportedLanguageOrLocale(let context):
        return LanguageModelError.unsupportedLanguageOrLocale(
          .init(
            languageCode: Locale.current.language.languageCode ?? "und",
            debugDescription: context.debugDescription))
      case .decodingFailure(let context):
        return EspalierCore.GeneratedContent.ParsingError(
          rawContent: "", debugDescription: context.debugDescription)
      case .rateLimited(let context):
        return LanguageModelError.rateLimited(.init(debugDescription: context.debugDescription))
      case .concurrentRequests: return Session.Error.concurrentRequests
      case .refusal(_, let context):
        return LanguageModelError.refusal(
          .init(
            explanation: context.debugDescription, debugDescription: context.debugDescription))
      @unknown default: return error
      }
    }
  }

  #if canImport(FoundationModels, _version: 2)
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Own {
      fileprivate static func error(_ error: Apple.LanguageModelError) -> any Error {
        switch error {
        case .contextSizeExceeded(let error):
          LanguageModelError.contextSizeExceeded(
            .init(
              contextSize: error.contextSize, tokenCount: error.tokenCount,
              debugDescription: error.debugDescription))
        case .rateLimited(let error):
          LanguageModelError.rateLimited(
            .init(resetDate: error.resetDate, debugDescription: error.debugDescription))
        case .guardrailViolation(let error):
          LanguageModelError.guardrailViolation(.init(debugDescription: error.debugDescription))
        case .refusal(let error):
          LanguageModelError.refusal(
            .init(explanation: error.debugDescription, debugDescription: error.debugDescription))
        case .unsupportedGenerationGuide(let error):
          LanguageModelError.unsupportedGenerationGuide(
            .init(schemaName: error.schemaName, debugDescription: error.debugDescription))
        case .unsupportedLanguageOrLocale(let error):
          LanguageModelError.unsupportedLanguageOrLocale(
            .init(languageCode: error.languageCode, debugDescription: error.debugDescription))
        case .unsupportedTranscriptContent(let error):
          LanguageModelError.unsupportedTranscriptContent(
            .init(unsupportedContent: [], debugDescription: error.debugDescription))
        case .timeout(let error):
          LanguageModelError.timeout(.init(debugDescription: error.debugDescription))
        // The capability is Apple's: the error says it in words.
        case .unsupportedCapability: error
        @unknown default: error
        }
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Apple {
      /// An error of a model of this package as one of Apple's; another error as it is.
      static func error(_ error: any Error) -> any Error {
        guard let known = error as? Own.LanguageModelError else { return error }
        switch known {
        case .contextSizeExceeded(let error):
          return LanguageModelError.contextSizeExceeded(
            .init(
              contextSize: error.contextSize, tokenCount: error.tokenCount,
              debugDescription: error.debugDescription))
        case .rateLimited(let error):
          return LanguageModelError.rateLimited(
            .init(resetDate: error.resetDate, debugDescription: error.debugDescription))
        case .guardrailViolation(let error):
          return LanguageModelError.guardrailViolation(
            .init(debugDescription: error.debugDescription))
        case .refusal(let error):
          return LanguageModelError.refusal(
            .init(explanation: error.debugDescription, debugDescription: error.debugDescription))
        case .unsupportedGenerationGuide(let error):
          return LanguageModelError.unsupportedGenerationGuide(
            .init(schemaName: error.schemaName, debugDescription: error.debugDescription))
        case .unsupportedLanguageOrLocale(let error):
          return LanguageModelError.unsupportedLanguageOrLocale(
            .init(languageCode: error.languageCode, debugDescription: error.debugDescription))
        case .unsupportedTranscriptContent(let error):
          return LanguageModelError.unsupportedTranscriptContent(
            .init(unsupportedContent: [], debugDescription: error.debugDescription))
        case .timeout(let error):
          return LanguageModelError.timeout(.init(debugDescription: error.debugDescription))
        case .unsupportedCapability: return error
        }
      }
    }
  #endif
#endif
