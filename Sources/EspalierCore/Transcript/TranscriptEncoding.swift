// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

// A transcript as JSON, in the form of FoundationModels:
//
//     {"type": "FoundationModels.Transcript", "version": 1, "transcript": {"entries": [
//       {"id": "…", "role": "user", "contents": [{"type": "text", "id": "…", "text": "Hello"}],
//        "options": {}}]}}
//
// What the second generation of the interface adds (reasoning, attachments, metadata, context
// options) has keys of its own, which readers of the first generation skip. Encoders do not keep
// the order of keys, so a structure whose keys are not in alphabetical order also says them in
// "json"; on reading, that text counts as long as its value is the same.

/// Writes transcripts as JSON.
package struct TranscriptEncoding {
  package static func document(for transcript: Transcript) throws -> GeneratedContent {
    let entries = GeneratedContent.list(try transcript.map { try entry($0) })
    return .object([
      ("type", .text("FoundationModels.Transcript")), ("version", .integer(1)),
      ("transcript", .object([("entries", entries)])),
    ])
  }

  private typealias Members = [(String, GeneratedContent)]

  private static func entry(_ entry: Transcript.Entry) throws -> GeneratedContent {
    var members: Members = [("id", .text(entry.id))]
    switch entry {
    case .instructions(let instructions):
      members.append(("role", .text("instructions")))
      members.append(("contents", try contents(instructions.segments)))
      members.append(("tools", .list(try instructions.toolDefinitions.map(tool))))
    case .prompt(let prompt):
      members.append(("role", .text("user")))
      members.append(("contents", try contents(prompt.segments)))
      members.append(("options", options(prompt.options)))
      if let format = prompt.responseFormat {
        members.append(("responseFormat", try responseFormat(format)))
      }
      if prompt.contextOptions != ContextOptions() {
        members.append(("contextOptions", contextOptions(prompt.contextOptions)))
      }
      members += metadata(prompt.metadata)
    case .toolCalls(let calls):
      members.append(("role", .text("response")))
      members.append(("toolCalls", .list(try calls.map(call))))
    case .toolOutput(let output):
      members.append(("role", .text("tool")))
      members.append(("toolName", .text(output.toolName)))
      members.append(("toolCallID", .text(output.id)))
      members.append(("contents", try contents(output.segments)))
    case .response(let response):
      members.append(("role", .text("response")))
      members.append(("contents", try contents(response.segments)))
      members.append(("assets", .list(response.assetIDs.map { .text($0) })))
      members += metadata(response.metadata.filter { $0.key != "assetIDs" })
    case .reasoning(let reasoning):
      members.append(("role", .text("reasoning")))
      members.append(("contents", try contents(reasoning.segments)))
      if let signature = reasoning.signature {
        members.append(("signature", .text(signature.base64EncodedString())))
      }
      members += metadata(reasoning.metadata)
    }
    return .object(members)
  }

  private static func responseFormat(
    _ format: Transcript.ResponseFormat
  ) throws -> GeneratedContent {
    let schema = GeneratedContent.object([
      ("name", .text(format.name)),
      ("schema", try format.schema.jsonContent(dialect: .foundationModels)),
    ])
    return .object([("type", .text("jsonSchema")), ("jsonSchema", schema)])
  }

  private static func tool(_ tool: Transcript.ToolDefinition) throws -> GeneratedContent {
    let function = GeneratedContent.object([
      ("name", .text(tool.name)), ("description", .text(tool.description)),
      ("parameters", try tool.parameters.jsonContent(dialect: .foundationModels)),
    ])
    return .object([("type", .text("function")), ("function", function)])
  }

  private static func call(_ call: Transcript.ToolCall) throws -> GeneratedContent {
    .object(
      [
        ("id", .text(call.id)), ("name", .text(call.toolName)),
        ("arguments", .text(call.arguments.jsonString)),
      ] + metadata(call.metadata))
  }

  private static func contents(_ segments: [Transcript.Segment]) throws -> GeneratedContent {
    .list(try segments.map(segment))
  }

  static func segment(_ segment: Transcript.Segment) throws -> GeneratedContent {
    switch segment {
    case .text(let text):
      return .object([
        ("type", .text("text")), ("id", .text(text.id)), ("text", .text(text.content)),
      ])
    case .structure(let structure):
      var members: Members = [
        ("source", .text(structure.schemaName)), ("content", structure.content),
      ]
      if !structure.content.hasSortedKeys {
        members.append(("json", .text(structure.content.jsonString)))
      }
      return .object([
        ("type", .text("structure")), ("id", .text(structure.id)),
        ("structure", .object(members)),
      ])
    case .attachment(let attachment):
      var members: Members = [("type", .text("attachment")), ("id", .text(attachment.id))]
      if let label = attachment.label { members.append(("label", .text(label))) }
      if case .image(let image) = attachment.content, let url = image.url {
        members.append(("image", .object([("url", .text(url.absoluteString))])))
      }
      return .object(members)
    }
  }

  private static func options(_ options: GenerationOptions) -> GeneratedContent {
    var members: Members = []
    if let mode = options.samplingMode { members.append(("sampling", sampling(mode))) }
    if let temperature = options.temperature {
      members.append(("temperature", temperature.generatedContent))
    }
    if let count = options.maximumResponseTokens {
      members.append(("maximumResponseTokens", .integer(count)))
    }
    if let mode = options.toolCallingMode {
      members.append(("toolCallingMode", .text("\(mode.kind)")))
    }
    return .object(members)
  }

  private static func sampling(_ mode: GenerationOptions.SamplingMode) -> GeneratedContent {
    var members: Members
    switch mode.kind {
    case .greedy: members = [("type", .text("greedy"))]
    case .randomTopK(let count, _): members = [("type", .text("topK")), ("top", .integer(count))]
    case .randomProbabilityThreshold(let threshold, _):
      members = [("type", .text("topP")), ("threshold", threshold.generatedContent)]
    }
    // As text: not every reader of JSON keeps 64 bits.
    if let seed = mode.seed { members.append(("seed", .text("\(seed)"))) }
    return .object(members)
  }

  private static func contextOptions(_ options: ContextOptions) -> GeneratedContent {
    var members: Members = []
    if let includes = options.includeSchemaInPrompt {
      members.append(("includeSchemaInPrompt", includes.generatedContent))
    }
    switch options.reasoningLevel {
    case nil: break
    case .custom(let name): members.append(("customReasoningLevel", .text(name)))
    case .some(let level): members.append(("reasoningLevel", .text("\(level)")))
    }
    return .object(members)
  }

  private static func metadata(_ metadata: Transcript.MetadataValues) -> Members {
    guard !metadata.isEmpty else { return [] }
    let content = values(metadata)
    var members: Members = [("metadata", content)]
    if !content.hasSortedKeys { members.append(("metadataJSON", .text(content.jsonString))) }
    return members
  }

  /// Attached values by name, in alphabetical order.
  static func values(_ metadata: Transcript.MetadataValues) -> GeneratedContent {
    .object(metadata.sorted { $0.key < $1.key })
  }
}
