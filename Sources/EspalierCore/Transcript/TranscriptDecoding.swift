// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads transcripts from JSON.
package struct TranscriptDecoding {
  package init() {}

  package func transcript(from document: GeneratedContent) throws -> Transcript {
    do {
      return try readTranscript(from: document)
    } catch var error as GeneratedContent.ParsingError {
      error.origin = .transcript
      throw error
    }
  }

  private func readTranscript(from document: GeneratedContent) throws -> Transcript {
    guard case .structure = document.value else {
      throw document.mismatch(expected: "a transcript")
    }
    let type = "FoundationModels.Transcript"
    guard document["type"]?.stringValue == type else {
      throw Self.unfit(document, "type", "\"\(type)\"")
    }
    guard let entries = document["transcript"]?["entries"]?.arrayValue else {
      guard let content = document["transcript"], case .structure = content.value else {
        throw Self.unfit(document, "transcript", "an object")
      }
      throw GeneratedContent.ParsingError.wrapping(
        Self.unfit(content, "entries", "an array"), at: .property("transcript"),
        rawContent: content.jsonString)
    }
    let version = document["version"]?.numberValue?.integerValue(as: Int.self)
    guard version == 1 else {
      guard let found = document["version"] else {
        throw document.mismatch(expected: "version 1 of a transcript")
      }
      throw GeneratedContent.ParsingError(
        rawContent: document.jsonString,
        debugDescription:
          "Expected version 1 of a transcript, found version \(found.jsonString).")
    }
    return Transcript(
      entries: try entries.enumerated().map { index, content in
        do {
          return try entry(content)
        } catch {
          let path: [GeneratedContent.ParsingError.PathComponent] = [
            .property("transcript"), .property("entries"), .element(index),
          ]
          throw path.reversed().reduce(error) {
            GeneratedContent.ParsingError.wrapping($0, at: $1, rawContent: content.jsonString)
          }
        }
      })
  }

  /// The error for a member that is missing or something else.
  private static func unfit(
    _ content: GeneratedContent, _ name: String, _ expected: String
  ) -> GeneratedContent.ParsingError {
    var found = "no such member"
    if let member = content[name] {
      found = member.stringValue.map { "\"\($0.prefix(40))\"" } ?? member.kindName
    }
    return GeneratedContent.ParsingError(
      rawContent: content.jsonString,
      debugDescription: "Expected a transcript with the member '\(name)', \(expected), found "
        + "\(found).")
  }

  private func entry(_ content: GeneratedContent) throws -> Transcript.Entry {
    let id = content["id"]?.stringValue ?? Transcript.newID()
    let segments = try (content["contents"]?.arrayValue ?? []).map { try segment($0) }
    switch content["role"]?.stringValue {
    case "instructions":
      return .instructions(
        .init(
          id: id, segments: segments,
          toolDefinitions: try (content["tools"]?.arrayValue ?? []).map { try Self.tool($0) }))
    case "user":
      let format = try content["responseFormat"]?["jsonSchema"].map { format in
        guard let schema = format["schema"] else {
          throw format.mismatch(expected: "a response format with a schema")
        }
        return Transcript.ResponseFormat(
          schema: try GenerationSchema(
            jsonSchema: schema.jsonString, name: format["name"]?.stringValue))
      }
      return .prompt(
        .init(
          id: id, metadata: Self.metadata(content), segments: segments,
          options: Self.options(content["options"]), responseFormat: format,
          contextOptions: Self.contextOptions(content["contextOptions"])))
    case "response":
      if let calls = content["toolCalls"]?.arrayValue {
        return .toolCalls(.init(id: id, try calls.map { try Self.call($0) }))
      }
      var response = Transcript.Response(
        id: id, metadata: Self.metadata(content), segments: segments)
      let assets = content["assets"]?.arrayValue?.compactMap(\.stringValue) ?? []
      if !assets.isEmpty { response.assetIDs = assets }
      return .response(response)
    case "tool":
      return .toolOutput(
        .init(
          id: content["toolCallID"]?.stringValue ?? id,
          toolName: content["toolName"]?.stringValue ?? "", segments: segments))
    case "reasoning":
      return .reasoning(
        .init(
          id: id, metadata: Self.metadata(content), segments: segments,
          signature: content["signature"]?.stringValue.flatMap { Data(base64Encoded: $0) }))
    default: throw content.mismatch(expected: "an entry with a known role")
    }
  }

  private static func tool(_ content: GeneratedContent) throws -> Transcript.ToolDefinition {
    guard let function = content["function"], let name = function["name"]?.stringValue,
      let parameters = function["parameters"]
    else { throw content.mismatch(expected: "the definition of a tool") }
    return Transcript.ToolDefinition(
      name: name, description: function["description"]?.stringValue ?? "",
      parameters: try GenerationSchema(jsonSchema: parameters.jsonString))
  }

  private static func call(_ content: GeneratedContent) throws -> Transcript.ToolCall {
    guard let name = content["name"]?.stringValue,
      let arguments = content["arguments"]?.stringValue
    else { throw content.mismatch(expected: "the call of a tool") }
    // What is cut off is no call: half of the arguments may mean something else.
    var parser = GeneratedContentParser()
    try parser.append(arguments)
    return Transcript.ToolCall(
      id: content["id"]?.stringValue ?? Transcript.newID(), metadata: metadata(content),
      toolName: name, arguments: try parser.finish())
  }

  func segment(_ content: GeneratedContent) throws -> Transcript.Segment {
    let id = content["id"]?.stringValue ?? Transcript.newID()
    switch content["type"]?.stringValue {
    case "text":
      return .text(.init(id: id, content: content["text"]?.stringValue ?? ""))
    case "structure":
      guard let structure = content["structure"], let sorted = structure["content"] else {
        throw content.mismatch(expected: "a structure with content")
      }
      let value = Self.ordered(sorted, as: structure["json"])
      return .structure(
        .init(id: id, schemaName: structure["source"]?.stringValue ?? "", content: value))
    case "attachment":
      guard let text = content["image"]?["url"]?.stringValue, let url = URL(string: text) else {
        throw content.mismatch(expected: "an attachment with the address of an image")
      }
      return .attachment(
        .init(
          id: id, content: .image(.init(imageURL: url)), label: content["label"]?.stringValue))
    default: throw content.mismatch(expected: "a segment of a known type")
    }
  }

  private static func options(_ content: GeneratedContent?) -> GenerationOptions {
    guard let content else { return GenerationOptions() }
    let sampling = content["sampling"]
    let seed = sampling?["seed"]?.stringValue.flatMap { UInt64($0) }
    let mode: GenerationOptions.SamplingMode? =
      switch sampling?["type"]?.stringValue {
      case "greedy": .greedy
      case "topK":
        sampling?["top"]?.numberValue?.integerValue(as: Int.self).map {
          .random(top: $0, seed: seed)
        }
      case "topP":
        sampling?["threshold"]?.numberValue.map {
          .random(probabilityThreshold: $0.doubleValue, seed: seed)
        }
      default: nil
      }
    let toolCalling: GenerationOptions.ToolCallingMode? =
      switch content["toolCallingMode"]?.stringValue {
      case "allowed": .allowed
      case "required": .required
      case "disallowed": .disallowed
      default: nil
      }
    return GenerationOptions(
      samplingMode: mode, temperature: content["temperature"]?.numberValue?.doubleValue,
      maximumResponseTokens: content["maximumResponseTokens"]?.numberValue?
        .integerValue(as: Int.self),
      toolCallingMode: toolCalling)
  }

  private static func contextOptions(_ content: GeneratedContent?) -> ContextOptions {
    let level: ContextOptions.ReasoningLevel? =
      switch content?["reasoningLevel"]?.stringValue {
      case "light": .light
      case "moderate": .moderate
      case "deep": .deep
      default: content?["customReasoningLevel"]?.stringValue.map { .custom($0) }
      }
    return ContextOptions(
      includeSchemaInPrompt: content?["includeSchemaInPrompt"]?.boolValue, reasoningLevel: level)
  }

  private static func metadata(_ content: GeneratedContent) -> Transcript.MetadataValues {
    content["metadata"].map { values(ordered($0, as: content["metadataJSON"])) } ?? [:]
  }

  /// Content with its keys in the order of its JSON, where that is there and says the same.
  private static func ordered(
    _ content: GeneratedContent, as json: GeneratedContent?
  ) -> GeneratedContent {
    guard let text = json?.stringValue, let exact = try? GeneratedContent(json: text),
      exact.withSortedKeys == content.withSortedKeys
    else { return content }
    return exact
  }

  /// Attached values by name.
  static func values(_ content: GeneratedContent) -> Transcript.MetadataValues {
    content.structureValue?.properties ?? [:]
  }
}
