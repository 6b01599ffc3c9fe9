import ConstrainedDecoding
import EspalierCore

/// How a call of a tool stands in a response: `<tool_call>`, a JSON object with the tool's name and
/// arguments, `</tool_call>`. The object is held to the tools' schemas.
struct ToolCallEnvelope {
  static let opening = "<tool_call>"
  static let closing = "</tool_call>"

  /// The schema of the object: one alternative for each tool.
  static func schema(of tools: [Transcript.ToolDefinition]) throws -> String {
    var alternatives: [String] = []
    for (index, tool) in tools.enumerated() {
      let parameters = try tool.parameters.jsonSchema()
      // References in a tool's schema are relative to an identity of its own.
      let identified = parameters.replacingPrefix(
        "{", with: "{\"$id\":\"tool:/\(index)\"\(parameters == "{}" ? "" : ",")")
      alternatives.append(
        """
        {"type":"object","properties":{"name":{"const":\(JSONText.quoted(tool.name))},\
        "arguments":\(identified)},"required":["name","arguments"],"additionalProperties":false}
        """)
    }
    return "{\"anyOf\":[\(alternatives.joined(separator: ","))]}"
  }

  /// What the model is told about the tools.
  static func instructions(for tools: [Transcript.ToolDefinition]) throws -> String {
    var lines = [
      "You may call one of these tools. To call one, answer with "
        + "\(opening){\"name\": \"…\", \"arguments\": {…}}\(closing) and nothing else."
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
