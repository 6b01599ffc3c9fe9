// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ChatTemplates
public import EspalierCore
import Foundation
public import GGUFRuntime

// The runtime and the templates know nothing of sessions: their errors get their sentences for
// people here.

extension TokenModelError: ExplainedError {
  public var userMessage: ErrorMessage {
    switch self {
    case .contextOverflow: ErrorMessage(.contextFull)
    case .unknownToken, .nothingRead, .missingLogits: ErrorMessage(.wrongUse)
    case .noUsableLogits, .deadEnd: ErrorMessage(.wrongAnswer)
    }
  }

  public var problemDescription: String { description }

  public var recoverySuggestion: String? {
    switch self {
    case .contextOverflow, .unknownToken, .nothingRead: nil
    case .missingLogits: "Give one logit for each token of 'vocabulary'."
    case .noUsableLogits: "Look at what 'nextLogits' gives: NaN and -∞ are never drawn."
    case .deadEnd: "Give 'vocabulary' a token for each byte that values of the schema may have."
    }
  }
}

extension GGUFError: ExplainedError {
  public var userMessage: ErrorMessage { ErrorMessage(.modelFileUnusable) }
  public var problemDescription: String { description }

  public var recoverySuggestion: String? {
    switch kind {
    case .unreadable: "Check the path."
    case .otherContent, .unsupported: "Use another file."
    case .damaged: "Fetch the file again, or use another."
    }
  }
}

extension ChatTemplateError: ExplainedError {
  public var userMessage: ErrorMessage { ErrorMessage(.templateUnusable) }
  public var problemDescription: String { description }
  public var recoverySuggestion: String? { "Use another template, or a model with one that works." }
}
