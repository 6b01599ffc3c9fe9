import ChatTemplates
import ConstrainedDecoding
import EspalierCore

/// How calls of tools stand in a response, as the model's family writes them.
///
/// - Most: `<tool_call>`, an object with `name` and `arguments`, `</tool_call>`, also after text.
/// - Llama 3: an object with `name` and `parameters` that is the whole response; where an object
///   could be something else too, `<|python_tag|>` may stand before it.
/// - Mistral: `[TOOL_CALLS]`, and a list of objects with `name` and `arguments`.
///
/// The objects are held to the tools' schemas.
struct ToolCallEnvelope: Sendable, Equatable {
  /// The ways of the families.
  enum Form: Sendable { case tagged, bare, list }

  let form: Form
  /// What stands before the object or the list.
  let opening: String
  /// What stands after it.
  let closing: String
  /// The object's key for the arguments.
  let argumentsKey: String
  /// Whether a response that begins with a brace is a call.
  var isBare: Bool { form == .bare }

  /// How many calls a list may have.
  private static var listLimit: Int { 8 }

  init(_ family: ChatTemplate.Family) {
    switch family {
    case .llama3: (form, opening, closing) = (.bare, "<|python_tag|>", "")
    case .mistral: (form, opening, closing) = (.list, ChatTemplate.toolCallsMark, "")
    case .chatML, .gemma, .instruction, .plain:
      (form, opening, closing) = (.tagged, "<tool_call>", "</tool_call>")
    }
    argumentsKey = form == .bare ? "parameters" : "arguments"
  }

  /// Whether calls in a syntax are what the model is held to, but for white space.
  func writes(_ syntax: ToolCallSyntax) -> Bool {
    guard syntax.argumentsKey == argumentsKey, syntax.arguments == .json else { return false }
    return isBare ? syntax.isBare : syntax.beginning.hasPrefix(opening)
  }

  /// The schema of what stands in the envelope.
  func schema(of tools: [Transcript.ToolDefinition]) throws -> String {
    let call = try callSchema(of: tools)
    guard form == .list else { return call }
    return "{\"type\":\"array\",\"minItems\":1,\"maxItems\":\(Self.listLimit),\"items\":\(call)}"
  }

  /// The schema of one object: an alternative for each tool.
  private func callSchema(of tools: [Transcript.ToolDefinition]) throws -> String {
    var alternatives: [String] = []
    for (index, tool) in tools.enumerated() {
      // References in a tool's schema are relative to an identity of its own.
      let parameters = Self.identified(try tool.parameters.jsonSchema(), as: "tool:/\(index)")
      alternatives.append(
        """
        {"type":"object","properties":{"name":{"const":\(JSONText.quoted(tool.name))},\
        "\(argumentsKey)":\(parameters)},"required":["name","\(argumentsKey)"],\
        "additionalProperties":false}
        """)
    }
    return "{\"anyOf\":[\(alternatives.joined(separator: ","))]}"
  }

  /// The schema of a response that is either a call or a value of another schema: for families
  /// whose calls nothing marks.
  func schema(of tools: [Transcript.ToolDefinition], orValueOf schema: String) throws -> String {
    "{\"anyOf\":[\(try callSchema(of: tools)),\(Self.identified(schema, as: "value:/"))]}"
  }

  private static func identified(_ schema: String, as identity: String) -> String {
    guard schema.hasPrefix("{") else { return schema }
    return "{\"$id\":\"\(identity)\"\(schema == "{}" ? "" : ",")" + schema.dropFirst()
  }

  /// Calls as they stand in the conversation.
  func text(of calls: some Sequence<Transcript.ToolCall>) -> String {
    let objects = calls.map { call in
      "{\"name\":\(JSONText.quoted(call.toolName)),"
        + "\"\(argumentsKey)\":\(call.arguments.jsonString)}"
    }
    switch form {
    case .tagged: return objects.map { opening + $0 + closing }.joined(separator: "\n")
    case .bare: return objects.joined(separator: "\n")
    case .list: return "\(opening)[\(objects.joined(separator: ","))]"
    }
  }

  /// What the model is told about the tools.
  func instructions(for tools: [Transcript.ToolDefinition]) throws -> String {
    let call = "{\"name\": \"…\", \"\(argumentsKey)\": {…}}"
    let whole =
      switch form {
      case .tagged: opening + call + closing
      case .bare: call
      case .list: "\(opening)[\(call)]"
      }
    var lines = [
      "You may call one of these tools. To call one, answer with \(whole) and nothing else."
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
