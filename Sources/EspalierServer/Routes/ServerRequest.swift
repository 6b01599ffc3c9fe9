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
  var constraint: ServerConstraint.Form?
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

extension GeneratedContent {
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
