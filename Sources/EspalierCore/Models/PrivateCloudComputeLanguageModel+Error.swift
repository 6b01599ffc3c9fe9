// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension PrivateCloudComputeLanguageModel {
  /// Why a model on Private Cloud Compute does not answer.
  public enum Error: ExplainedError, Sendable, CustomDebugStringConvertible {
    /// The network does not reach the model.
    case networkFailure(NetworkFailure)
    /// A person has made all the requests that they may make.
    case quotaLimitReached(QuotaLimitReached)
    /// The model takes no requests.
    case serviceUnavailable(ServiceUnavailable)

    /// The payload of ``networkFailure(_:)``.
    public struct NetworkFailure: Sendable {
      /// The error in words for a developer.
      public var debugDescription: String

      /// Creates a payload.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// The payload of ``quotaLimitReached(_:)``.
    public struct QuotaLimitReached: Sendable {
      /// How a person can get more requests, where there is a way.
      public var limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion?
      /// When requests are taken again, where that is known.
      public var resetDate: Date?
      /// The error in words for a developer.
      public var debugDescription: String

      /// Creates a payload.
      public init(
        limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion? = nil,
        resetDate: Date? = nil, debugDescription: String
      ) {
        self.limitIncreaseSuggestion = limitIncreaseSuggestion
        self.resetDate = resetDate
        self.debugDescription = debugDescription
      }
    }

    /// The payload of ``serviceUnavailable(_:)``.
    public struct ServiceUnavailable: Sendable {
      /// The error in words for a developer.
      public var debugDescription: String

      /// Creates a payload.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    static let noModel = Error.serviceUnavailable(
      .init(debugDescription: "There is no model behind PrivateCloudComputeLanguageModel."))

    public var userMessage: ErrorMessage {
      switch self {
      case .networkFailure, .serviceUnavailable: ErrorMessage(.modelUnavailable)
      case .quotaLimitReached: ErrorMessage(.rateLimited)
      }
    }

    public var problemDescription: String {
      switch self {
      case .networkFailure(let payload): payload.debugDescription
      case .quotaLimitReached(let payload): payload.debugDescription
      case .serviceUnavailable(let payload): payload.debugDescription
      }
    }

    public var description: String { description(ofCase: nameOfCase) }

    public var debugDescription: String { description }

    public var failureReason: String? { problemDescription }

    public var recoverySuggestion: String? {
      switch self {
      case .networkFailure: "Try again, or ask a model that needs no network."
      case .quotaLimitReached: "Ask another model until 'resetDate'."
      case .serviceUnavailable:
        "Check 'availability' first; say which model to use with "
          + "'PrivateCloudComputeLanguageModel.setModel(_:)'."
      }
    }
  }
}

extension PrivateCloudComputeLanguageModel.Error: RetryAdvising {
  public var isWorthRetrying: Bool {
    if case .networkFailure = self { true } else { false }
  }
}
