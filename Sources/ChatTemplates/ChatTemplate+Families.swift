// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The markup of known families, for models without a template that can be read.
extension ChatTemplate {
  func familyPieces(of conversation: Conversation) -> [Piece] {
    var messages = conversation.messages
    if let defaultSystemMessage, messages.first?.role != .system {
      messages.insert(Message(role: .system, content: defaultSystemMessage), at: 0)
    }
    let opening: Piece?
    var pieces: [Piece] = []
    switch family {
    case .chatML:
      for message in messages { pieces += Self.joined(chatMLPieces(of: message)) }
      opening = .markup("<|im_start|>assistant\n")
    case .llama3:
      for message in messages {
        let role = message.role == .tool ? "ipython" : message.role.rawValue
        pieces += Self.joined(
          [.markup("<|start_header_id|>\(role)<|end_header_id|>\n\n")]
            + contentPieces(of: message) + [.markup("<|eot_id|>")])
      }
      opening = .markup("<|start_header_id|>assistant<|end_header_id|>\n\n")
    case .gemma:
      // Gemma has no system role: what is said there comes first in the user's turn.
      for message in Self.foldingSystem(messages) {
        let role = message.role == .assistant ? "model" : "user"
        pieces += Self.joined(
          [.markup("<start_of_turn>\(role)\n")] + contentPieces(of: message)
            + [.markup("<end_of_turn>\n")])
      }
      opening = .markup("<start_of_turn>model\n")
    case .instruction, .mistral:
      for message in Self.foldingSystem(messages) {
        pieces += Self.joined(instructionPieces(of: message))
      }
      opening = nil
    case .plain:
      for message in messages {
        pieces += Self.joined(
          [.text("\(message.role.rawValue): ")] + contentPieces(of: message) + [.text("\n")])
      }
      opening = .text("assistant:")
    }
    if conversation.addsGenerationPrompt, let opening { pieces.append(opening) }
    return pieces
  }

  /// What is said, and the calls after it.
  private func contentPieces(of message: Message) -> [Piece] {
    guard !message.toolCalls.isEmpty else { return [.text(message.content)] }
    return [.text(message.content)] + toolCallSyntax.pieces(of: message.toolCalls)
  }

  private func chatMLPieces(of message: Message) -> [Piece] {
    if message.role == .tool, wrapsToolResponses {
      return [
        .markup("<|im_start|>user\n<tool_response>\n"), .text(message.content),
        .markup("\n</tool_response><|im_end|>\n"),
      ]
    }
    return [.markup("<|im_start|>\(message.role.rawValue)\n")] + contentPieces(of: message)
      + [.markup("<|im_end|>\n")]
  }

  private func instructionPieces(of message: Message) -> [Piece] {
    switch message.role {
    case .tool where family == .mistral:
      return [
        .markup("[TOOL_RESULTS] {\"content\": "), .text("\"\(message.content.escapedForJSON)\""),
        .markup("}[/TOOL_RESULTS]"),
      ]
    case .assistant:
      let space: [Piece] = message.toolCalls.isEmpty ? [.text(" ")] : []
      return space + contentPieces(of: message) + [.markup("</s>")]
    case .system, .user, .tool:
      return [
        .markup("[INST] "), .text(message.content),
        .markup(family == .mistral ? "[/INST]" : " [/INST]"),
      ]
    }
  }

  /// Pieces of the same kind as one, and none that are empty beside others.
  static func joined(_ pieces: [Piece]) -> [Piece] {
    var result: [Piece] = []
    for piece in pieces {
      switch (result.last, piece) {
      case (_, .text("")), (_, .markup("")): break
      case (.text(let before)?, .text(let text)):
        result[result.count - 1] = .text(before + text)
      case (.markup(let before)?, .markup(let text)):
        result[result.count - 1] = .markup(before + text)
      default: result.append(piece)
      }
    }
    return result
  }

  /// What one speaker says in several turns as one turn.
  static func merged(_ messages: [Message]) -> [Message] {
    var result: [Message] = []
    for message in messages {
      if let last = result.last, last.role == message.role, message.role != .tool,
        last.toolCalls.isEmpty, message.reasoning == nil
      {
        result[result.count - 1].content += "\n\n" + message.content
        result[result.count - 1].toolCalls = message.toolCalls
      } else {
        result.append(message)
      }
    }
    return result
  }

  static func foldingSystem(_ messages: [Message]) -> [Message] {
    guard let first = messages.first, first.role == .system else { return messages }
    var rest = Array(messages.dropFirst())
    if let index = rest.firstIndex(where: { $0.role == .user }) {
      rest[index].content = first.content + "\n\n" + rest[index].content
      return rest
    }
    return [Message(role: .user, content: first.content)] + rest
  }
}
