// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import EspalierCore
import Foundation

/// Writes a transcript as the turns of a chat.
///
/// The model's own template tells of the tools and writes their calls, where the model is held to
/// calls of that form; elsewhere the system's message tells of them in words of our own.
struct PromptWriter {
  var tools: [Transcript.ToolDefinition]
  var includesSchema: Bool
  var template: ChatTemplate
  var form: ToolCallForm
  var schemaPrompt = SchemaPrompt()
  var variables: [String: ChatTemplate.Variable] = [:]

  private var usesTemplateForCalls: Bool { form.syntax == template.toolCallSyntax }
  private var templateDescribesTools: Bool { usesTemplateForCalls && template.describesTools }

  /// The conversation that a transcript is.
  ///
  /// - Parameter opensTurn: Whether the assistant's next turn is begun.
  func conversation(
    of entries: some Sequence<Transcript.Entry>, opensTurn: Bool
  ) throws -> ChatTemplate.Conversation {
    ChatTemplate.Conversation(
      messages: try messages(of: entries),
      tools: templateDescribesTools
        ? try tools.map { tool in
          ChatTemplate.Tool(
            name: tool.name, description: tool.description,
            parameters: try tool.parameters.jsonSchema())
        } : [], addsGenerationPrompt: opensTurn, variables: variables, date: .today)
  }

  private func messages(
    of entries: some Sequence<Transcript.Entry>
  ) throws -> [ChatTemplate.Message] {
    var messages: [ChatTemplate.Message] = []
    var systemText: [String] = []
    // What was thought belongs to the turn after it; the template decides how long it is kept.
    var thought: String?
    func turn(_ content: String, calls: [ChatTemplate.ToolCall] = []) -> ChatTemplate.Message {
      defer { thought = nil }
      return .init(role: .assistant, content: content, reasoning: thought, toolCalls: calls)
    }
    for entry in entries {
      switch entry {
      case .instructions(let entry):
        messages.append(.init(role: .system, content: entry.description))
      case .prompt(let entry):
        var content = entry.description
        if includesSchema, let format = entry.responseFormat {
          let text = try schemaPrompt.text(for: format.schema)
          switch schemaPrompt.place {
          case .system: systemText = [text]
          case .beforePrompt: content = text + "\n\n" + content
          case .afterPrompt: content += "\n\n" + text
          }
        }
        messages.append(.init(role: .user, content: content))
      case .toolCalls(let entry):
        messages.append(
          usesTemplateForCalls
            ? turn("", calls: form.calls(entry))
            : turn(form.text(of: entry)))
      case .toolOutput(let entry):
        messages.append(
          .init(
            role: .tool, content: entry.description, name: entry.toolName, toolCallID: entry.id))
      case .response(let entry):
        messages.append(turn(Self.spaced(entry.segments)))
      case .reasoning(let entry): thought = (thought ?? "") + entry.description
      }
    }
    if !tools.isEmpty, !templateDescribesTools {
      systemText.insert(try form.instructions(for: tools), at: 0)
    }
    guard !systemText.isEmpty else { return messages }
    let text = systemText.joined(separator: "\n\n")
    if messages.first?.role == .system {
      messages[0].content += "\n\n" + text
    } else {
      messages.insert(.init(role: .system, content: text), at: 0)
    }
    return messages
  }

  /// What a turn says, with values as the grammar has the model write them: a turn that it wrote
  /// itself is then read from the cache.
  private static func spaced(_ segments: [Transcript.Segment]) -> String {
    segments.map { segment in
      if case .structure(let value) = segment {
        value.content.spacedJSONString
      } else {
        segment.description
      }
    }.joined(separator: "\n")
  }
}

extension ChatTemplate.Date {
  /// The day, of which some templates tell the model; the time of day is left out, so that prompts
  /// of one day begin alike.
  fileprivate static var today: ChatTemplate.Date {
    let day = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: Date())
    return ChatTemplate.Date(year: day.year ?? 1, month: day.month ?? 1, day: day.day ?? 1)
  }
}
