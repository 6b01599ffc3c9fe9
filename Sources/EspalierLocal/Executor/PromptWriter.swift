import ChatTemplates
import EspalierCore

/// Writes a transcript as the turns of a chat.
struct PromptWriter {
  var tools: [Transcript.ToolDefinition]
  var includesSchema: Bool
  var envelope: ToolCallEnvelope
  var schemaPrompt = SchemaPrompt()

  func messages(of entries: some Sequence<Transcript.Entry>) throws -> [ChatTemplate.Message] {
    var messages: [ChatTemplate.Message] = []
    var systemText: [String] = []
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
        messages.append(.init(role: .assistant, content: envelope.text(of: entry)))
      case .toolOutput(let entry):
        messages.append(.init(role: .tool, content: entry.description))
      case .response(let entry):
        messages.append(.init(role: .assistant, content: entry.description))
      case .reasoning: break
      }
    }
    if !tools.isEmpty { systemText.insert(try envelope.instructions(for: tools), at: 0) }
    guard !systemText.isEmpty else { return messages }
    let text = systemText.joined(separator: "\n\n")
    if messages.first?.role == .system {
      messages[0].content += "\n\n" + text
    } else {
      messages.insert(.init(role: .system, content: text), at: 0)
    }
    return messages
  }
}
