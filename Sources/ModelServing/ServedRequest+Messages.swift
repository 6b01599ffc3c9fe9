// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation

extension ServedRequest {
  /// Reads a message of Chat Completions.
  mutating func read(message fields: FieldReader) throws {
    var fields = fields
    let role = try fields.text("role") ?? ""
    // A turn that calls tools or refuses says nothing else.
    let calls = try fields.list("tool_calls") ?? []
    let refusal = try fields.text("refusal")
    let mayBeSilent = role == "assistant" && (!calls.isEmpty || refusal != nil)
    let text = try text(of: &fields, mayBeMissing: mayBeSilent)
    // What clients keep with a message and send again.
    fields.ignore(
      "id", "type", "status", "name", "annotations", "audio", "parsed", "metadata", "created_at",
      "timestamp", "reasoning_content", "reasoning", "reasoning_details", "thinking",
      "thinking_blocks", "cache_control", "provider_specific_fields")
    switch role {
    case "system", "developer": appendInstructions(text)
    case "user": entries.append(.prompt(.init(segments: [.text(.init(content: text))])))
    case "assistant":
      if !text.isEmpty {
        entries.append(.response(.init(segments: [.text(.init(content: text))])))
      }
      var read: [Transcript.ToolCall] = []
      for (index, call) in calls.enumerated() {
        var call = try FieldReader(call, at: "\(fields.path("tool_calls"))[\(index)]")
        call.ignore("type", "index", "provider_specific_fields")
        let id = try call.text("id") ?? "call-\(index)"
        guard var function = try call.reader("function"), let name = try function.text("name")
        else { throw ServeProblem(400, "A call needs a function with a name.", at: call.place) }
        read.append(try Self.call(id, name, &function))
      }
      if !read.isEmpty { append(read) }
    case "tool":
      let id = try fields.text("tool_call_id") ?? ""
      appendOutput(text, id: id)
    default:
      let found = role.isEmpty ? "none" : "'\(role)'"
      throw ServeProblem(
        400, "Expected the role system, developer, user, assistant or tool, found \(found).",
        at: fields.path("role"))
    }
    try fields.finish()
  }

  /// Reads an item of Responses.
  mutating func read(item fields: FieldReader) throws {
    var fields = fields
    fields.ignore("id", "status")
    switch try fields.text("type") ?? "message" {
    case "message":
      try read(message: FieldReader(fields.content, at: fields.place))
    case "function_call":
      let id = try fields.text("call_id") ?? ""
      append([try Self.call(id, try fields.text("name") ?? "", &fields)])
      try fields.finish()
    case "function_call_output":
      let id = try fields.text("call_id") ?? ""
      appendOutput(try text(of: &fields, in: "output", mayBeMissing: false), id: id)
      try fields.finish()
    // What the model thought is not shown to it again.
    case "reasoning": break
    case let type:
      throw ServeProblem(400, "Items of type '\(type)' cannot be read.", at: fields.path("type"))
    }
  }

  /// The instructions come first, in one entry.
  mutating func appendInstructions(_ text: String) {
    instructions.append(.text(.init(content: text)))
  }

  private mutating func appendOutput(_ text: String, id: String) {
    entries.append(
      .toolOutput(
        .init(
          id: id, toolName: calledTools[id] ?? "", segments: [.text(.init(content: text))])))
  }

  private mutating func append(_ calls: [Transcript.ToolCall]) {
    // Of calls with one identity the first of the last turn counts.
    for call in calls.reversed() { calledTools[call.id] = call.toolName }
    entries.append(.toolCalls(.init(calls)))
  }

  /// A call with the arguments of an object. Some clients send an object in place of its text, and no
  /// text where a call has none.
  private static func call(
    _ id: String, _ name: String, _ fields: inout FieldReader
  ) throws -> Transcript.ToolCall {
    var content = fields.value("arguments") ?? .members([:])
    if !content.isStructure {
      let text = try fields.text("arguments") ?? ""
      let json = text.allSatisfy(\.isWhitespace) ? "{}" : text
      guard let read = try? GeneratedContent(json: json), read.isComplete else {
        throw ServeProblem(400, "The arguments are no JSON.", at: fields.path("arguments"))
      }
      content = read
    }
    return Transcript.ToolCall(id: id, toolName: name, arguments: content)
  }

  /// The text of a message: a string, or parts that are text.
  private func text(
    of fields: inout FieldReader, in name: String = "content", mayBeMissing: Bool
  ) throws -> String {
    guard let content = fields.value(name) else {
      if mayBeMissing { return "" }
      throw ServeProblem(400, "'\(name)' is missing.", at: fields.path(name))
    }
    if let text = content.asText { return text }
    var texts: [String] = []
    for (index, part) in (try fields.list(name) ?? []).enumerated() {
      let place = "\(fields.path(name))[\(index)]"
      guard let type = part["type"]?.asText,
        ["text", "input_text", "output_text"].contains(type), let text = part["text"]?.asText
      else {
        throw ServeProblem(
          400, "Parts of type '\(part["type"]?.asText ?? "")' cannot be read: there is text alone.",
          at: place)
      }
      texts.append(text)
    }
    return texts.joined(separator: "\n")
  }

  // MARK: Schemas

  /// Reads `response_format`, or `text.format`, in which the schema stands one level higher.
  mutating func read(format fields: inout FieldReader) throws {
    switch try fields.text("type") {
    case "text"?: break
    case "json_object"?:
      // With a schema beside it, as llama-server and others have it.
      schema =
        try fields.value("schema").map {
          try Self.schema($0, name: nil, at: fields.path("schema"))
        } ?? Self.anyObject
    case "json_schema"?:
      var inner = route == .chat ? try fields.reader("json_schema") : fields
      // A schema one level too high can mean but one thing.
      let isFlat = inner == nil || route == .responses
      if inner == nil, fields.content["schema"]?.isNull == false { inner = fields }
      guard inner != nil else {
        throw ServeProblem(400, "'json_schema' is missing.", at: fields.path("json_schema"))
      }
      inner?.ignore("description", "type")
      let isStrict = try inner?.flag("strict") ?? false
      let name = try inner?.text("name")
      guard let schema = inner?.value("schema") else {
        throw ServeProblem(
          400, "'schema' is missing.", at: inner?.path("schema") ?? fields.path("schema"))
      }
      self.schema = try Self.schema(
        schema, name: name, isStrict: isStrict, at: inner?.path("schema") ?? "")
      try inner?.finish()
      if isFlat { return }
    case let type:
      throw ServeProblem(
        400, "The format '\(type ?? "")' is not known: text, json_object or json_schema.",
        at: fields.path("type"))
    }
    try fields.finish()
  }

  static var anyObject: GenerationSchema {
    get throws { try GenerationSchema(jsonSchema: #"{"type":"object"}"#) }
  }

  static func schema(
    _ content: GeneratedContent, name: String?, isStrict: Bool = false, at place: String
  ) throws -> GenerationSchema {
    do {
      let schema = try GenerationSchema(jsonSchema: content.jsonString, name: name)
      return isStrict ? schema.closed : schema
    } catch let error as SchemaImportError {
      let first = error.problems.first
      throw ServeProblem(
        400, error.problemDescription,
        at: place + "#" + (first?.location ?? ""), code: "unsupported_schema")
    } catch {
      throw ServeProblem(
        400, ErrorWords.problem(of: error), at: place, code: "unsupported_schema")
    }
  }

  // MARK: Tools

  mutating func readTools(_ fields: inout FieldReader) throws {
    for (index, tool) in (try fields.list("tools") ?? []).enumerated() {
      var outer = try FieldReader(tool, at: "tools[\(index)]")
      guard try outer.text("type") == "function" else {
        throw ServeProblem(400, "There are tools of type 'function' alone.", at: outer.path("type"))
      }
      var function = route == .chat ? try outer.reader("function") : outer
      guard let name = try function?.text("name"), !name.isEmpty else {
        throw ServeProblem(400, "A tool needs a name.", at: outer.place)
      }
      let description = try function?.text("description") ?? ""
      let parameters =
        function?.value("parameters")
        ?? .members([
          "type": "object", "properties": GeneratedContent.members([:]),
        ])
      // Notes about the tool for people, and how it is to be cached.
      function?.ignore("annotations", "title", "cache_control")
      let isStrict = try function?.flag("strict") ?? false
      try function?.finish()
      let place = function?.path("parameters") ?? outer.place
      if toolPlaces[name] == nil { toolPlaces[name] = place }
      tools.append(
        .init(
          name: name, description: description,
          parameters: try Self.schema(parameters, name: name, isStrict: isStrict, at: place)))
    }
    guard let choice = fields.value("tool_choice") else { return }
    if let word = choice.asText {
      switch word {
      case "auto": break
      case "none": options.toolCallingMode = .disallowed
      case "required": options.toolCallingMode = .required
      default: throw ServeProblem(400, "'\(word)' is no choice of tools.", at: "tool_choice")
      }
    } else {
      let name = choice["function"]?["name"]?.asText ?? choice["name"]?.asText
      tools.removeAll { $0.name != name }
      options.toolCallingMode = .required
    }
    if options.toolCallingMode == .required, tools.isEmpty {
      throw ServeProblem(400, "There is no such tool to call.", at: "tool_choice")
    }
    if options.toolCallingMode == .disallowed { tools = [] }
  }
}
