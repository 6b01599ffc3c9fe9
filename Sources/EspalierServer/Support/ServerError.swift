// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ConstrainedDecoding
public import EspalierCore
import Foundation

/// What went wrong with a server, where no `LanguageModelError` says it.
///
/// A full context, a limit of requests, a refusal and a time limit are the cases of
/// `LanguageModelError` that context policies, wrappers and apps know already. Everything else is
/// one of these. No error holds a key, a header or a prompt.
public struct ServerError: ExplainedError, Sendable {
  /// The kinds of failures.
  public enum Kind: Sendable, Hashable {
    /// Nobody answers at the address.
    case unreachable
    /// The server does not take the key, or wants one.
    case unauthorized
    /// There is no such model or route.
    case notFound
    /// The server does not take the request.
    case badRequest
    /// The server failed.
    case serverFailure
    /// What came is no answer in the server's protocol.
    case malformedAnswer
    /// The connection ended before the answer did.
    case endedEarly
    /// The server said that it is done, and said nothing.
    case emptyAnswer
    /// The value breaks its schema.
    case brokenSchema
    /// The limit of tokens cut the value off.
    case truncated
    /// The model answered without the call of a tool that was required.
    case missingCall
    /// Only white space came, more than any value has.
    case endlessWhiteSpace
  }

  /// What kind of failure it is.
  public var kind: Kind
  /// The host and the port of the server.
  public var server: String
  /// The status of the answer; nil where there was none, or it does not matter.
  public var status: Int?
  /// What is wrong, in a sentence.
  public var problem: String
  /// What to do about it.
  public var suggestion: String
  /// What the server broke and where, where it broke a schema.
  public var violation: Violation?
  /// What had come of the value, where a schema is broken or the value was cut off.
  public var text: String?

  /// Whether another address is to be asked: no change of the request helps.
  var isRedirection: Bool { status.map { (300..<400).contains($0) } ?? false }

  /// The field of the request that the server does not take.
  var refusedField: RefusedField?

  /// The tool whose arguments broke their schema.
  package var brokenCallToolName: String?

  /// Creates an error.
  public init(
    _ kind: Kind, server: String, status: Int? = nil, problem: String, suggestion: String,
    violation: Violation? = nil, text: String? = nil
  ) {
    self.kind = kind
    self.server = server
    self.status = status
    self.problem = problem
    self.suggestion = suggestion
    self.violation = violation
    self.text = text
  }

  public var userMessage: ErrorMessage {
    let host = ErrorMessage.Argument.text(server)
    return switch kind {
    case .unreachable: ErrorMessage(.serverUnreachable, host)
    case .unauthorized: ErrorMessage(.serverKey, host)
    case .notFound: ErrorMessage(.serverNotFound, host)
    case .badRequest: ErrorMessage(.serverRequest, host)
    case .serverFailure: ErrorMessage(.serverFailed, host)
    case .malformedAnswer: ErrorMessage(.serverAnswer, host)
    case .endedEarly: ErrorMessage(.serverEndedEarly, host)
    case .emptyAnswer, .endlessWhiteSpace: ErrorMessage(.serverEmpty, host)
    case .brokenSchema: ErrorMessage(.wrongAnswer)
    case .truncated: ErrorMessage(.answerCutOff)
    case .missingCall: ErrorMessage(.toolNotCalled)
    }
  }

  public var problemDescription: String { server.isEmpty ? problem : "\(server): \(problem)" }
  public var failureReason: String? { problem }
  public var recoverySuggestion: String? { suggestion }
}

extension ServerError: BrokenCallError {
  package var brokenCallProblem: String { problem }
}

extension ServerError: RetryAdvising {
  public var isWorthRetrying: Bool {
    switch kind {
    case .unreachable, .serverFailure, .malformedAnswer, .endedEarly, .emptyAnswer, .brokenSchema,
      .endlessWhiteSpace, .missingCall:
      true
    case .unauthorized, .notFound, .badRequest, .truncated: false
    }
  }
}
