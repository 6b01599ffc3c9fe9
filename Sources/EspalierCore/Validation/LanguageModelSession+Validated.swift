// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension LanguageModelSession {
  /// A response and what the rules of its type say of it.
  public struct ValidatedResponse<Content: Generable> {
    /// The response.
    public let response: Response<Content>
    /// What the rules say.
    public let report: ValidationReport
    /// How many times the model was asked, the first included.
    public let attemptCount: Int

    /// The value.
    public var content: Content { response.content }
  }

  /// No attempt was good enough.
  public struct ValidationError: ExplainedError {
    /// What the rules say of the last attempt.
    public var report: ValidationReport
    /// The last attempt.
    public var rawContent: GeneratedContent
    /// How many times the model was asked.
    public var attemptCount: Int

    /// Creates an error.
    public init(report: ValidationReport, rawContent: GeneratedContent, attemptCount: Int) {
      self.report = report
      self.rawContent = rawContent
      self.attemptCount = attemptCount
    }

    public var userMessage: ErrorMessage {
      ErrorMessage(.brokenRules, .text(String(attemptCount)))
    }

    public var problemDescription: String {
      "After \(attemptCount) attempts the response still breaks rules: "
        + report.findings.map(\.problem).joined(separator: " ")
    }

    public var recoverySuggestion: String? {
      "Allow more attempts, tolerate a greater severity, or relax the rules."
    }
  }

  /// Answers with a value that its type's rules accept. Where they do not, the model is told what
  /// is wrong, and tries again. All attempts stay in the transcript.
  ///
  /// - Parameters:
  ///   - prompt: What is asked.
  ///   - type: The type of the value.
  ///   - tolerated: The greatest severity that is no reason to try again.
  ///   - maximumRepairs: How often the model may try again.
  ///   - options: How tokens are chosen.
  /// - Throws: ``ValidationError`` where no attempt was good enough, and what
  ///   `respond(to:generating:)` throws.
  public func respond<Content: Generable & SemanticallyValidated>(
    to prompt: Prompt, validating type: Content.Type, tolerating tolerated: RuleSeverity = .warning,
    maximumRepairs: Int = 2, options: GenerationOptions = GenerationOptions()
  ) async throws -> ValidatedResponse<Content> {
    try await respond(
      to: prompt, generating: type, rules: type.semanticRules, tolerating: tolerated,
      maximumRepairs: maximumRepairs, options: options)
  }

  /// Answers with a value that its type's rules accept.
  @_disfavoredOverload
  public func respond<Content: Generable & SemanticallyValidated>(
    to prompt: String, validating type: Content.Type, tolerating tolerated: RuleSeverity = .warning,
    maximumRepairs: Int = 2, options: GenerationOptions = GenerationOptions()
  ) async throws -> ValidatedResponse<Content> {
    try await respond(
      to: Prompt(text: prompt), validating: type, tolerating: tolerated,
      maximumRepairs: maximumRepairs, options: options)
  }

  /// Answers with a value that rules accept.
  @_disfavoredOverload
  public func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type, rules: [SemanticRule<Content>],
    tolerating tolerated: RuleSeverity = .warning, maximumRepairs: Int = 2,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> ValidatedResponse<Content> {
    try await respond(
      to: Prompt(text: prompt), generating: type, rules: rules, tolerating: tolerated,
      maximumRepairs: maximumRepairs, options: options)
  }

  /// Answers with a value that rules accept.
  public func respond<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type, rules: [SemanticRule<Content>],
    tolerating tolerated: RuleSeverity = .warning, maximumRepairs: Int = 2,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> ValidatedResponse<Content> {
    var attempt = 1
    var prompt = prompt
    while true {
      let response = try await respond(to: prompt, generating: type, options: options)
      let report = ValidationReport(of: response.content, rules: rules)
      if report.severity <= tolerated {
        return ValidatedResponse(response: response, report: report, attemptCount: attempt)
      }
      guard attempt <= maximumRepairs else {
        throw ValidationError(
          report: report, rawContent: response.rawContent, attemptCount: attempt)
      }
      attempt += 1
      let problems = report.findings.filter { $0.severity > tolerated }
        .map { "- \($0.rule): \($0.problem)" }.joined(separator: "\n")
      prompt = Prompt(
        text: "The last answer breaks these rules:\n\(problems)\n"
          + "Answer again, with a value that keeps them all.")
    }
  }
}

extension LanguageModelSession.ValidatedResponse: Sendable where Content: Sendable {}
