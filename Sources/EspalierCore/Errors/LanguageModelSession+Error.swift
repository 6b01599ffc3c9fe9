// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension LanguageModelSession {
  /// What an app did with a session that it cannot do.
  public enum Error: ExplainedError, Hashable, Sendable, CustomDebugStringConvertible {
    /// A request was made while another was being answered.
    case concurrentRequests
    /// The transcript was changed while a request was being answered.
    case transcriptMutationWhileResponding

    public var userMessage: ErrorMessage {
      switch self {
      case .concurrentRequests: ErrorMessage(.stillAnswering)
      case .transcriptMutationWhileResponding: ErrorMessage(.conversationChanged)
      }
    }

    public var problemDescription: String {
      switch self {
      case .concurrentRequests: "The session is still answering another request."
      case .transcriptMutationWhileResponding:
        "The transcript was changed while a request was being answered."
      }
    }

    public var description: String {
      switch self {
      case .concurrentRequests: description(ofCase: "concurrentRequests")
      case .transcriptMutationWhileResponding:
        description(ofCase: "transcriptMutationWhileResponding")
      }
    }

    public var debugDescription: String { description }

    public var failureReason: String? {
      switch self {
      case .concurrentRequests: "A session answers one request after the other."
      case .transcriptMutationWhileResponding:
        "The response would have followed entries that are no longer there."
      }
    }

    public var recoverySuggestion: String? {
      switch self {
      case .concurrentRequests:
        "Wait until 'isResponding' is false, or use a session for each conversation."
      case .transcriptMutationWhileResponding:
        "Change the transcript while 'isResponding' is false."
      }
    }
  }

  /// What a tool threw, or what kept it from being called.
  public struct ToolCallError: ExplainedError {
    /// The tool.
    public var tool: any Tool

    /// What it threw.
    public var underlyingError: any Swift.Error

    /// Creates an error.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }

    public var userMessage: ErrorMessage {
      let reason: ErrorMessage.Argument? =
        switch underlyingError {
        case let error as any ExplainedError: .message(error.userMessage)
        case let error as any LocalizedError: error.errorDescription.map { .text($0) }
        default: nil
        }
      return reason.map { ErrorMessage(.toolFailedBecause, .text(tool.name), $0) }
        ?? ErrorMessage(.toolFailed, .text(tool.name))
    }

    public var problemDescription: String {
      "The tool '\(tool.name)' failed: \(ErrorWords.problem(of: underlyingError))"
    }

    /// The error in words for the model.
    var answer: String {
      guard let broken = underlyingError as? any BrokenCallError else { return problemDescription }
      return "The tool '\(tool.name)' failed: \(broken.brokenCallProblem)"
    }

    public var failureReason: String? { ErrorWords.problem(of: underlyingError) }

    public var recoverySuggestion: String? {
      (underlyingError as? any LocalizedError)?.recoverySuggestion
        ?? "Handle the error in the tool, or let the session answer the model with it "
        + "(ToolFailurePolicy.answerModel)."
    }
  }
}

extension LanguageModelSession.Error: RetryAdvising {
  public var isWorthRetrying: Bool { self == .concurrentRequests }
}
