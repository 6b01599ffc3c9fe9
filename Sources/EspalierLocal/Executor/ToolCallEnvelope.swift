import ConstrainedDecoding
import EspalierCore

/// How a call of a tool stands in a response, as the model's family writes it.
///
/// - Most: `<tool_call>`, an object with `name` and `arguments`, `</tool_call>`, also after text.
/// - Llama 3: an object with `name` and `parameters` that is the whole response; where an object
///   could be something else too, `<|python_tag|>` stands before it.
///
/// The object is held to the tools' schemas.
struct ToolCallEnvelope: Sendable, Equatable {
  /// What stands before the object.
  let opening: String
  /// What stands after the object.
  let closing: String
  /// The object's key for the arguments.
  let argumentsKey: String
  /// Whether a response that begins with a brace is a call.
  let isBare: Bool

  init(_ family: ChatTemplate.Family) {
    isBare = family == .llama3
    opening = isBare ? "<|python_tag|>" : "<tool_call>"
    closing = isBare ? "" : "</tool_call>"
    argumentsKey = isBare ? "parameters" : "arguments"
  }

  /// The schema of the object: one alternative for each tool.
  func schema(of tools: [Transcript.ToolDefinition]) throws -> String {
    var alternatives: [String] = []
    for (index, tool) in tools.enumerated() {
      let parameters = try tool.parameters.jsonSchema()
      // References in a tool's schema are relative to an identity of its own.
      let identified = parameters.replacingPrefix(
        "{", with: "{\"$id\":\"tool:/\(index)\"\(parameters == "{}" ? "" : ",")")
      alternatives.append(
        """
        {"type":"object","properties":{"name":{"const":\(JSONText.quoted(tool.name))},\
        "\(argumentsKey)":\(identified)},"required":["name","\(argumentsKey)"],\
        "additionalProperties":false}
        """)
    }
    return "{\"anyOf\":[\(alternatives.joined(separator: ","))]}"
  }

  /// A call as it stands in the conversation.
  func text(of call: Transcript.ToolCall) -> String {
    "\(isBare ? "" : opening){\"name\":\(JSONText.quoted(call.toolName)),"
      + "\"\(argumentsKey)\":\(call.arguments.jsonString)}\(closing)"
  }

  /// What the model is told about the tools.
  func instructions(for tools: [Transcript.ToolDefinition]) throws -> String {
    let start = isBare ? "" : opening
    var lines = [
      "You may call one of these tools. To call one, answer with "
        + "\(start){\"name\": \"…\", \"\(argumentsKey)\": {…}}\(closing) and nothing else."
    ]
    for tool in tools {
      lines.append(
        "- \(tool.name): \(tool.description) Arguments: \(try tool.parameters.jsonSchema())")
    }
    return lines.joined(separator: "\n")
  }
}

/// Texts as JSON.
enum JSONText {
  static func quoted(_ text: String) -> String { GeneratedContent(text).jsonString }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with replacement: String) -> String {
    hasPrefix(prefix) ? replacement + dropFirst(prefix.count) : self
  }
}
