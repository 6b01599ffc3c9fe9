public import Foundation

extension LanguageModelSession {
  /// What an app did with a session that it cannot do.
  public enum Error: LocalizedError, Hashable, Sendable {
    /// A request was made while another was being answered.
    case concurrentRequests
    /// The transcript was changed while a request was being answered.
    case transcriptMutationWhileResponding

    public var errorDescription: String? {
      switch self {
      case .concurrentRequests: "The session is still answering another request."
      case .transcriptMutationWhileResponding:
        "The transcript was changed while a request was being answered."
      }
    }

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
  public struct ToolCallError: Swift.Error, LocalizedError {
    /// The tool.
    public var tool: any Tool

    /// What it threw.
    public var underlyingError: any Swift.Error

    /// Creates an error.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }

    public var errorDescription: String? {
      "The tool '\(tool.name)' failed: \(Self.words(for: underlyingError))"
    }

    public var failureReason: String? { Self.words(for: underlyingError) }

    public var recoverySuggestion: String? {
      (underlyingError as? any LocalizedError)?.recoverySuggestion
        ?? "Handle the error in the tool, or let the session answer the model with it "
        + "(ToolFailurePolicy.answerModel)."
    }

    /// An error in words, also where it has none of its own.
    static func words(for error: any Swift.Error) -> String {
      (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
    }
  }
}

extension LanguageModelSession.Error: RetryAdvising {
  public var canRetryHelp: Bool { self == .concurrentRequests }
}
