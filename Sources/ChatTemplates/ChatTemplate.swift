/// How a conversation is written for a model.
public struct ChatTemplate: Sendable, Hashable {
  /// Who speaks.
  public enum Role: String, Sendable, Hashable { case system, user, assistant, tool }

  /// One turn.
  public struct Message: Sendable, Hashable {
    /// Who speaks.
    public var role: Role
    /// What is said.
    public var content: String

    /// Creates a turn.
    public init(role: Role, content: String) {
      self.role = role
      self.content = content
    }
  }

  /// A piece of a prompt: markup, whose special tokens count, or text of others, where they do not.
  public enum Piece: Sendable, Hashable {
    /// Text of the template.
    case markup(String)
    /// Text of a message.
    case text(String)
  }

  /// The model family whose markup is written.
  public enum Family: Sendable, Hashable {
    /// `<|im_start|>role … <|im_end|>`: SmolLM2 and Qwen.
    case chatML
    /// `<|start_header_id|>role<|end_header_id|> … <|eot_id|>`: Llama 3.
    case llama3
    /// `<start_of_turn>role … <end_of_turn>`: Gemma.
    case gemma
    /// `[INST] … [/INST]`: Llama 2 and early Mistral.
    case instruction
    /// `[INST] …[/INST]`, and `[TOOL_CALLS]` before an array of calls: Mistral.
    case mistral
    /// `role: …`: models without a template.
    case plain
  }

  /// The family.
  public var family: Family
  /// What is said to the model where the app says nothing; part of the families' templates.
  public var defaultSystemMessage: String?

  /// Whether what a tool answers is said by the user between `<tool_response>` and its end, as Qwen
  /// has it, and not by a speaker of its own.
  public var wrapsToolResponses: Bool

  /// The publisher's own template, where the family is not known.
  private var template: JinjaTemplate?

  /// What Mistral writes before an array of calls.
  package static let toolCallsMark = "[TOOL_CALLS]"

  /// ChatML without a system message of its own.
  public static let chatML = ChatTemplate(family: .chatML)

  /// Creates a template.
  public init(
    family: Family, defaultSystemMessage: String? = nil, wrapsToolResponses: Bool = false
  ) {
    self.family = family
    self.wrapsToolResponses = wrapsToolResponses
    self.defaultSystemMessage = defaultSystemMessage
  }

  /// Reads a template as publishers write them, in Jinja.
  ///
  /// - Parameters:
  ///   - jinja: The template.
  ///   - beginningOfSequence: What `bos_token` stands for; empty where a sequence begins with that
  ///     token anyway.
  ///   - endOfSequence: What `eos_token` stands for.
  /// - Throws: ``ChatTemplateError`` with the line that cannot be read.
  public init(
    jinja: String, beginningOfSequence: String = "", endOfSequence: String = ""
  ) throws(ChatTemplateError) {
    self.init(family: .plain)
    template = try JinjaTemplate(
      jinja, beginningOfSequence: beginningOfSequence, endOfSequence: endOfSequence)
  }

  /// Recognises a publisher's template by its markup; one that is not known is followed as it is
  /// written.
  ///
  /// - Parameters:
  ///   - template: The template, in Jinja; empty where a model has none.
  ///   - beginningOfSequence: What `bos_token` stands for.
  ///   - endOfSequence: What `eos_token` stands for.
  package init(
    recognising template: String, beginningOfSequence: @autoclosure () -> String,
    endOfSequence: @autoclosure () -> String
  ) {
    var family = Family.plain
    for (mark, known) in [
      ("<|im_start|>", Family.chatML), ("<|start_header_id|>", .llama3),
      ("<start_of_turn>", .gemma), (Self.toolCallsMark, .mistral), ("[INST]", .instruction),
    ] where template.contains(mark) {
      family = known
      break
    }
    self.init(family: family, wrapsToolResponses: template.contains("<tool_response>"))
    defaultSystemMessage = Self.defaultMessage(in: template)
    guard family == .plain, !template.isEmpty else { return }
    // One that cannot be read is as good as none.
    self.template = try? JinjaTemplate(
      template, beginningOfSequence: beginningOfSequence(), endOfSequence: endOfSequence())
  }

  /// The text between `<|im_start|>system` and its end, where it is a literal of the template.
  private static func defaultMessage(in template: String) -> String? {
    // The literal stands in single quotes; a quote before the end means that it is put together.
    let template = template.split(separator: "\\n", omittingEmptySubsequences: false)
      .joined(separator: "\n")
    guard let start = template.firstRange(of: "<|im_start|>system\n") else { return nil }
    let rest = template[start.upperBound...]
    guard let end = rest.firstRange(of: "<|im_end|>") else { return nil }
    let text = rest[..<end.lowerBound]
    return text.contains("'") || text.isEmpty ? nil : String(text)
  }

  /// Writes a conversation, ready for the assistant's next turn.
  public func pieces(of messages: [Message]) -> [Piece] { pieces(of: messages, opensTurn: true) }

  /// Writes a conversation.
  ///
  /// - Parameter opensTurn: Whether the assistant's next turn is begun; without it, what is written
  ///   is the beginning of the conversation with more turns.
  package func pieces(of messages: [Message], opensTurn: Bool) -> [Piece] {
    var messages = messages
    if let defaultSystemMessage, messages.first?.role != .system {
      messages.insert(Message(role: .system, content: defaultSystemMessage), at: 0)
    }
    if let pieces = templatePieces(of: messages, opensTurn: opensTurn) { return pieces }
    let pieces = familyPieces(of: messages)
    return opensTurn ? pieces : pieces.dropLast()
  }

  /// What the publisher's template makes of a conversation. Many know neither a system nor tools:
  /// then the user says what these do.
  private func templatePieces(of messages: [Message], opensTurn: Bool) -> [Piece]? {
    guard let template else { return nil }
    if let pieces = try? template.pieces(of: messages, opensTurn: opensTurn) { return pieces }
    let folded = Self.foldingSystem(messages).map { message in
      message.role == .tool ? Message(role: .user, content: message.content) : message
    }
    return try? template.pieces(of: folded, opensTurn: opensTurn)
  }

  private func familyPieces(of messages: [Message]) -> [Piece] {
    switch family {
    case .chatML:
      return messages.flatMap { message -> [Piece] in
        if message.role == .tool, wrapsToolResponses {
          return [
            .markup("<|im_start|>user\n<tool_response>\n"), .text(message.content),
            .markup("\n</tool_response><|im_end|>\n"),
          ]
        }
        return [
          .markup("<|im_start|>\(message.role.rawValue)\n"), .text(message.content),
          .markup("<|im_end|>\n"),
        ]
      } + [.markup("<|im_start|>assistant\n")]
    case .llama3:
      return messages.flatMap { message in
        let role = message.role == .tool ? "ipython" : message.role.rawValue
        return [
          .markup("<|start_header_id|>\(role)<|end_header_id|>\n\n"), .text(message.content),
          .markup("<|eot_id|>"),
        ] as [Piece]
      } + [.markup("<|start_header_id|>assistant<|end_header_id|>\n\n")]
    case .gemma: return gemmaPieces(of: messages)
    case .instruction: return instructionPieces(of: messages)
    case .mistral: return mistralPieces(of: messages)
    case .plain:
      return messages.flatMap { message in
        [.text("\(message.role.rawValue): \(message.content)\n")] as [Piece]
      } + [.text("assistant:")]
    }
  }

  /// Gemma has no system role: what is said there comes first in the user's turn.
  private func gemmaPieces(of messages: [Message]) -> [Piece] {
    Self.foldingSystem(messages).flatMap { message in
      let role = message.role == .assistant ? "model" : "user"
      return [
        .markup("<start_of_turn>\(role)\n"), .text(message.content), .markup("<end_of_turn>\n"),
      ] as [Piece]
    } + [.markup("<start_of_turn>model\n")]
  }

  private func instructionPieces(of messages: [Message]) -> [Piece] {
    Self.foldingSystem(messages).flatMap { message in
      (message.role == .assistant
        ? [.text(" " + message.content), .markup("</s>")]
        : [.markup("[INST] "), .text(message.content), .markup(" [/INST]")]) as [Piece]
    }
  }

  /// Calls of tools are the assistant's, what they answer stands between marks of its own.
  private func mistralPieces(of messages: [Message]) -> [Piece] {
    let calls = Self.toolCallsMark
    return Self.foldingSystem(messages).flatMap { message -> [Piece] in
      switch message.role {
      case .tool:
        return [
          .markup("[TOOL_RESULTS] {\"content\": "),
          .text("\"\(message.content.escapedForJSON)\""), .markup("}[/TOOL_RESULTS]"),
        ]
      case .assistant where message.content.hasPrefix(calls):
        return [
          .markup(calls), .text(String(message.content.dropFirst(calls.count))), .markup("</s>"),
        ]
      case .assistant: return [.text(" " + message.content), .markup("</s>")]
      case .system, .user:
        return [.markup("[INST] "), .text(message.content), .markup("[/INST]")]
      }
    }
  }

  private static func foldingSystem(_ messages: [Message]) -> [Message] {
    guard let first = messages.first, first.role == .system else { return messages }
    var rest = Array(messages.dropFirst())
    if let index = rest.firstIndex(where: { $0.role == .user }) {
      rest[index].content = first.content + "\n\n" + rest[index].content
      return rest
    }
    return [Message(role: .user, content: first.content)] + rest
  }
}
