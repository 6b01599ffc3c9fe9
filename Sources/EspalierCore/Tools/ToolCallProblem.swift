// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// What keeps the tools of a round from being called.
public enum ToolCallProblem: ExplainedError, Sendable, Hashable {
  /// The model called a tool that the session does not have.
  case unknownTool(name: String, available: [String])
  /// The model called tools more often than the session allows.
  case tooManyRounds(limit: Int)
  /// The model was to call a tool, and there is none.
  case noToolToRequire
  /// The model was to call a tool, and answered without.
  case requiredCallMissing
  /// Two tools of the session have one name, so that a call of it could mean either.
  case duplicateTool(name: String)
  /// The options of a request name a tool that the session does not have.
  case missingTool(name: String, available: [String])

  public var userMessage: ErrorMessage {
    switch self {
    case .unknownTool: ErrorMessage(.unknownTool)
    case .tooManyRounds: ErrorMessage(.tooManyRounds)
    case .noToolToRequire: ErrorMessage(.noTools)
    case .requiredCallMissing: ErrorMessage(.toolNotCalled)
    case .duplicateTool, .missingTool: ErrorMessage(.wrongUse)
    }
  }

  public var problemDescription: String {
    switch self {
    case .unknownTool(let name, let available):
      "The model called '\(name)'; the session's tools are: \(ErrorWords.list(available))."
    case .tooManyRounds(let limit): "The model called tools more than \(limit) times in a row."
    case .noToolToRequire: "A tool call is required, and the session has no tools."
    case .requiredCallMissing: "A tool call is required, and the model answered without one."
    case .duplicateTool(let name): "Two tools of the session have the name '\(name)'."
    case .missingTool(let name, let available):
      "The options name the tool '\(name)'; the session's tools are: \(ErrorWords.list(available))."
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .unknownTool: "Give the session a tool of that name."
    case .tooManyRounds:
      "Raise 'toolCallPolicy.maximumRounds', set its 'answersAfterLastRound', or say when to stop "
        + "calling."
    case .noToolToRequire: "Give the session tools, or use 'ToolCallingMode.allowed'."
    case .requiredCallMissing: "Use a model that honours 'ToolCallingMode.required'."
    case .duplicateTool: "Give each tool a 'name' of its own; where it has none, it is its type's."
    case .missingTool:
      "Correct 'toolNames' of the options, or give the session a tool of that name."
    }
  }
}
