// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ChatTemplate {
  /// Who speaks.
  public enum Role: String, Sendable, Hashable { case system, user, assistant, tool }

  /// A call of a tool that the assistant made.
  public struct ToolCall: Sendable, Hashable {
    /// The tool's name.
    public var name: String
    /// The arguments: a JSON object.
    public var arguments: String
    /// What a result refers to the call by.
    public var id: String?

    /// Creates a call.
    public init(name: String, arguments: String, id: String? = nil) {
      self.name = name
      self.arguments = arguments
      self.id = id
    }
  }

  /// A tool that the model may call.
  public struct Tool: Sendable, Hashable {
    /// The tool as templates expect it: `{"type": "function", "function": {"name": …,
    /// "description": …, "parameters": …}}`.
    public var definition: String

    /// Creates a tool from its definition.
    ///
    /// - Parameter definition: A JSON object.
    public init(definition: String) { self.definition = definition }

    /// Creates a tool.
    ///
    /// - Parameters:
    ///   - name: What the model calls it by.
    ///   - description: What it does.
    ///   - parameters: The JSON Schema of its arguments.
    public init(name: String, description: String, parameters: String) {
      definition =
        "{\"type\": \"function\", \"function\": {\"name\": \"\(name.escapedForJSON)\", "
        + "\"description\": \"\(description.escapedForJSON)\", \"parameters\": \(parameters)}}"
    }
  }

  /// One turn.
  public struct Message: Sendable, Hashable {
    /// Who speaks.
    public var role: Role
    /// What is said; for a tool, its result.
    public var content: String
    /// What the assistant thought before it spoke. The template decides where it is kept.
    public var reasoning: String?
    /// The tools that the assistant called.
    public var toolCalls: [ToolCall]
    /// The name of the tool whose result this is.
    public var name: String?
    /// The call whose result this is.
    public var toolCallID: String?

    /// Creates a turn.
    public init(
      role: Role, content: String, reasoning: String? = nil, toolCalls: [ToolCall] = [],
      name: String? = nil, toolCallID: String? = nil
    ) {
      self.role = role
      self.content = content
      self.reasoning = reasoning
      self.toolCalls = toolCalls
      self.name = name
      self.toolCallID = toolCallID
    }
  }

  /// A variable of a template: `enable_thinking`, `reasoning_effort`, `documents`, …
  public enum Variable: Sendable, Hashable, ExpressibleByBooleanLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral
  {
    case boolean(Bool)
    case integer(Int)
    case text(String)
    /// Any value, as JSON.
    case json(String)

    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
  }

  /// What a prompt is written from.
  public struct Conversation: Sendable, Hashable {
    /// The turns.
    public var messages: [Message]
    /// The tools that the model may call.
    public var tools: [Tool]
    /// Whether the assistant's next turn is begun.
    public var addsGenerationPrompt: Bool
    /// What the template may ask for besides, by name.
    public var variables: [String: Variable]
    /// The date that the template may tell the model. A template that asks for one that is not given
    /// cannot write the conversation.
    public var date: Date?

    /// Creates a conversation.
    public init(
      messages: [Message], tools: [Tool] = [], addsGenerationPrompt: Bool = true,
      variables: [String: Variable] = [:], date: Date? = nil
    ) {
      self.messages = messages
      self.tools = tools
      self.addsGenerationPrompt = addsGenerationPrompt
      self.variables = variables
      self.date = date
    }
  }
}
