// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ConstrainedDecoding
import Foundation

// The engine does without Foundation: its errors get their sentences for people here.

extension GrammarError: ExplainedError {
  public var userMessage: ErrorMessage { ErrorMessage(.unusableForm) }
  public var problemDescription: String { description }
}

extension MatcherError: ExplainedError {
  public var userMessage: ErrorMessage { ErrorMessage(limit == nil ? .wrongAnswer : .limitReached) }
  public var problemDescription: String { "After \(offset) bytes: \(message)" }
}

extension Violation: ExplainedError {
  public var userMessage: ErrorMessage { ErrorMessage(.wrongAnswer) }
  public var problemDescription: String { description }
  public var recoverySuggestion: String? { "Ask again with these words, or change the schema." }
}

extension VocabularyError: ExplainedError {
  public var userMessage: ErrorMessage { ErrorMessage(.unusableVocabulary) }
  public var problemDescription: String { message }
}
