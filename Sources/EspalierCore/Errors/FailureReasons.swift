// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

// What errors say beside their description: why they happened, what to do, and whether another
// attempt can help. `LanguageModelError` and the errors of sessions say so in files of their own.

extension SystemLanguageModel.Error {
  public var failureReason: String? {
    switch self {
    case .assetsUnavailable(let payload): payload.debugDescription
    }
  }
}

extension SystemLanguageModel.Adapter.AssetError {
  public var failureReason: String? { "The model behind 'SystemLanguageModel' takes no adapters." }
}

extension GeneratedContent.ParsingError {
  public var failureReason: String? {
    if let underlyingError { return ErrorWords.problem(of: underlyingError) }
    return switch origin {
    case .value: "The content is not a value of the type or the schema that was asked for."
    case .schema, .transcript: nil
    }
  }

  public var recoverySuggestion: String? {
    switch origin {
    case .value:
      "'rawContent' is what came. Where a model wrote it, ask again, or ask one that is held to the "
        + "schema while it writes."
    case .schema: #"Give the text of a JSON Schema, such as {"type": "object"}."#
    case .transcript: "Give what a 'JSONEncoder' or 'write(to:)' made of a 'Transcript'."
    }
  }
}

extension ToolCallProblem {
  public var failureReason: String? {
    switch self {
    case .unknownTool: "The model made the name up, or the tool was taken away since."
    case .tooManyRounds: "After each output the model wanted another."
    case .noToolToRequire: "The tool-calling mode 'required' holds for a session without tools."
    case .requiredCallMissing: "The model does not keep to the tool-calling mode."
    case .duplicateTool: "Of a call of that name nobody can say which tool it means."
    case .missingTool: "A request offers only tools that its session has."
    }
  }
}

extension ToolCallProblem: RetryAdvising {
  /// Another draw may call the right tool, or none; what the app gave the session stays the same.
  public var isWorthRetrying: Bool {
    switch self {
    case .unknownTool, .tooManyRounds, .requiredCallMissing: true
    case .noToolToRequire, .duplicateTool, .missingTool: false
    }
  }
}

extension RoutedLanguageModel.NoRoute {
  public var failureReason: String? {
    failures.isEmpty
      ? "No route is available that can do what the request needs."
      : "All \(failures.count) routes that were tried failed."
  }

  public var recoverySuggestion: String? {
    "Add a route that is always there, or try again when one of the models is."
  }
}

extension LanguageModelSession.ValidationError {
  public var failureReason: String? {
    "These rules are broken: " + report.findings.map(\.rule).joined(separator: ", ") + "."
  }
}

extension LanguageModelSession.ValidationError: RetryAdvising {
  public var isWorthRetrying: Bool { true }
}

extension ScriptedLanguageModel.ScriptEnded {
  public var failureReason: String? { "A script has one turn for each request." }
  public var recoverySuggestion: String? { "Add a turn, or let the script repeat." }
}

extension ReplayingLanguageModel.Mismatch {
  public var failureReason: String? {
    recorded == nil ? "There are more requests than were recorded." : "The prompts differ."
  }
}

extension SchemaConversionError {
  public var failureReason: String? { problem }
}

extension SchemaImportError {
  public var failureReason: String? { problems.map(\.problem).joined(separator: "\n") }
}

extension GenerationSchema.SchemaError {
  public var failureReason: String? {
    switch self {
    case .duplicateType: "A name stands for one type in the whole schema."
    case .duplicateProperty: "An object has a property once."
    case .emptyTypeChoices: "A value has to be one of the choices."
    case .undefinedReferences: "A reference stands for a schema that is given beside the root."
    }
  }
}
