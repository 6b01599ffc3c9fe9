// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// A request as every route needs it: what is said, what is asked for, and how tokens are drawn.
struct ServerRequest: Sendable {
  /// Something said, in the roles of Chat Completions.
  struct Message: Sendable {
    enum Role: String, Sendable { case system, user, assistant, tool }

    /// A call that the assistant made.
    struct Call: Sendable {
      var id: String
      var name: String
      var arguments: String
    }

    var role: Role
    var text: String
    /// Addresses of images, as `https:` or `data:`.
    var images: [String] = []
    var calls: [Call] = []
    /// The call that a tool's output answers.
    var callID: String?
    /// The name of the tool whose output it is.
    var toolName: String?
  }

  /// A tool that may be called.
  struct ToolDefinition: Sendable {
    var name: String
    var description: String
    var parameters: GeneratedContent
  }

  /// Whether tools are called.
  enum ToolChoice: Sendable, Equatable {
    case auto, required, none
    case named(String)
  }

  var model: String?
  var messages: [Message]
  var tools: [ToolDefinition] = []
  var toolChoice = ToolChoice.auto
  /// The name of the schema.
  var schemaName: String?
  var constraint: ServerConstraint?
  /// Whether the last message is the beginning of the answer.
  var continuesLastMessage = false
  var temperature: Double?
  var topK: Int?
  var topP: Double?
  var seed: UInt64?
  var maximumTokens: Int?
  var reasoningEffort: String?
  var topLogProbabilities: Int?
  /// What the app adds to the body.
  var extraFields: GeneratedContent?
}

extension ServerRequest.ToolChoice {
  /// The choice as a request has it; the routes differ in how a tool is named.
  func content(named: (String) -> GeneratedContent) -> GeneratedContent {
    switch self {
    case .auto: "auto".generatedContent
    case .none: "none".generatedContent
    case .required: "required".generatedContent
    case .named(let name): named(name)
    }
  }
}

extension GeneratedContent {
  /// A body with a grammar in the field that the server reads it from.
  func adding(grammar text: String, in field: ServerProfile.GrammarField?) -> GeneratedContent {
    switch field {
    case .gbnf?: adding(["grammar": text])
    case .ebnf?: adding(["ebnf": text])
    case .structuredOutputs?:
      adding(["structured_outputs": GeneratedContent.members(["grammar": text])])
    case nil: self
    }
  }

  /// A body with what holds the answer to its schema; the same where the model alone is told of it.
  ///
  /// - Parameter addingSchema: The body with a schema under its name, where the route has it.
  func adding(
    constraintOf request: ServerRequest, _ profile: ServerProfile,
    addingSchema: (GeneratedContent) -> GeneratedContent
  ) -> GeneratedContent {
    guard let constraint = request.constraint else { return self }
    switch constraint.form {
    case .grammar(let text): return adding(grammar: text, in: profile.grammar)
    case .schema:
      guard let schema = constraint.schema else { return self }
      return addingSchema(
        .members([
          "name": request.plainSchemaName,
          "strict": profile.schemaField == .strictJSONSchema ? true : nil,
          "schema": schema,
        ]))
    case .instructions: return self
    }
  }

  /// A body with what the app adds to it.
  func adding(extra: GeneratedContent?) -> GeneratedContent {
    guard let members = extra?.asMembers, case .structure(var structure) = value else {
      return self
    }
    for (name, value) in members { structure[name] = value }
    return GeneratedContent(.structure(structure))
  }
}

extension ServerRequest {
  /// A name that every server takes: letters, digits, `_` and `-`, at most 64.
  var plainSchemaName: String {
    let name = (schemaName ?? "").unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        ? String(scalar) : "_"
    }.joined()
    return name.isEmpty ? "answer" : String(name.prefix(64))
  }
}
