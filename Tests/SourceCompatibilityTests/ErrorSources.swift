// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// Many apps do not match the cases of an error, but look for their names in what Swift prints of
// it, so that one branch takes the errors of every release of the system.

enum FailureKind: Equatable {
  case tooLong, blocked, unreadable, busy, limited, unavailable, language, declined, other
}

func failureKind(of error: any Error) -> FailureKind {
  let text = String(describing: error)
  if text.contains("exceededContextWindowSize") || text.contains("contextSizeExceeded") {
    return .tooLong
  }
  if text.contains("guardrailViolation") { return .blocked }
  if text.contains("decodingFailure") { return .unreadable }
  if text.contains("concurrentRequests") { return .busy }
  if text.contains("rateLimited") { return .limited }
  if text.contains("assetsUnavailable") { return .unavailable }
  if text.contains("unsupportedLanguageOrLocale") { return .language }
  return text.contains("refusal") ? .declined : .other
}

/// What a log has of an error of 27.
func debugLog(of error: any Error) -> String {
  switch error {
  case let error as LanguageModelError: error.debugDescription
  case let error as LanguageModelSession.Error: error.debugDescription
  case let error as SystemLanguageModel.Error: error.debugDescription
  case let error as PrivateCloudComputeLanguageModel.Error: error.debugDescription
  case let error as GeneratedContent.ParsingError: error.debugDescription
  default: String(describing: error)
  }
}

/// What a log has of a schema that could not be made.
func schemaLog(_ root: DynamicGenerationSchema) -> String? {
  do {
    _ = try GenerationSchema(root: root, dependencies: [])
    return nil
  } catch {
    return "\(error)"
  }
}

/// An answer, or the message of the branch that an app takes.
func answerOrAdvice(_ session: LanguageModelSession, _ prompt: String) async -> String {
  do {
    return try await session.respond(to: prompt).content
  } catch {
    switch failureKind(of: error) {
    case .tooLong: return "Start a new conversation."
    case .limited: return "Wait."
    default: return error.localizedDescription
    }
  }
}
