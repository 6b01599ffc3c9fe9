// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation

/// Writes a transcript as the messages of a chat.
struct MessageWriter {
  /// What the model is told beside the transcript: the notation of its schema.
  var schemaText: String?

  func messages(of entries: some Sequence<Transcript.Entry>) throws -> [ServerRequest.Message] {
    var messages: [ServerRequest.Message] = []
    for entry in entries {
      switch entry {
      case .instructions(let entry):
        // Instructions that hold tools alone; some servers refuse a message that says nothing, and it
        // would stand in the place of what the model's template says by itself.
        let text = entry.description
        if !text.isEmpty { messages.append(.init(role: .system, text: text)) }
      case .prompt(let entry):
        messages.append(
          .init(
            role: .user, text: Self.text(of: entry.segments),
            images: try Self.images(in: entry.segments)))
      case .toolCalls(let entry):
        let calls = entry.map {
          ServerRequest.Message.Call(
            id: $0.id, name: $0.toolName, arguments: $0.arguments.jsonString)
        }
        // What the model said before it called belongs to the same turn.
        if messages.last?.role == .assistant {
          messages[messages.count - 1].calls += calls
        } else {
          messages.append(.init(role: .assistant, text: "", calls: calls))
        }
      case .toolOutput(let entry):
        messages.append(
          .init(
            role: .tool, text: entry.description, callID: entry.id, toolName: entry.toolName))
      case .response(let entry):
        // So does what it said after it: between calls and their outputs nothing may stand.
        if let last = messages.last, !last.calls.isEmpty {
          let texts = [last.text, entry.description].filter { !$0.isEmpty }
          messages[messages.count - 1].text = texts.joined(separator: "\n")
        } else {
          messages.append(.init(role: .assistant, text: entry.description))
        }
      case .reasoning: break
      }
    }
    guard let schemaText else { return messages }
    if messages.first?.role == .system {
      messages[0].text += (messages[0].text.isEmpty ? "" : "\n\n") + schemaText
    } else {
      messages.insert(.init(role: .system, text: schemaText), at: 0)
    }
    return messages
  }

  private static func text(of segments: [Transcript.Segment]) -> String {
    segments.compactMap { segment in
      if case .attachment(let attachment) = segment {
        return attachment.label.map { "[image: \($0)]" }
      }
      return segment.description
    }.joined(separator: "\n")
  }

  /// Images as addresses: those on this machine as their bytes.
  private static func images(in segments: [Transcript.Segment]) throws -> [String] {
    try segments.compactMap { segment in
      guard case .attachment(let attachment) = segment, case .image(let image) = attachment.content,
        let url = image.url
      else { return nil }
      guard url.isFileURL else { return url.absoluteString }
      let name = url.pathExtension.lowercased()
      let kind = ["png", "webp", "gif", "heic"].contains(name) ? name : "jpeg"
      return "data:image/\(kind);base64,\(try Data(contentsOf: url).base64EncodedString())"
    }
  }
}
