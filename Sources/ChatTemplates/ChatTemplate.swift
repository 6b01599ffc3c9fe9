// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How a conversation is written for a model: by the template that the model's publisher wrote, or in
/// the markup of a known family where there is none that can be read.
///
///     let template = try ChatTemplate(jinja: source)
///     let pieces = try template.pieces(
///       of: ChatTemplate.Conversation(
///         messages: [.init(role: .user, content: "What is the weather in Paris?")],
///         tools: [.init(name: "get_weather", description: "The weather", parameters: schema)],
///         variables: ["enable_thinking": false]))
public struct ChatTemplate: Sendable, Hashable {
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

  /// The family: whose markup is written where there is no template that can be read.
  public var family: Family
  /// What the family's markup says to the model where the app says nothing.
  public var defaultSystemMessage: String?
  /// Whether what a tool answers is said by the user between `<tool_response>` and its end, as Qwen
  /// has it, and not by a speaker of its own.
  public var wrapsToolResponses: Bool

  /// The publisher's own template.
  var publisher: PublisherTemplate?
  /// The one for conversations with tools, where the publisher wrote another for these.
  var toolPublisher: PublisherTemplate?
  /// Why the publisher's template is not used, where there is one.
  public private(set) var problem: ChatTemplateError?

  /// What Mistral writes before an array of calls.
  package static let toolCallsMark = "[TOOL_CALLS]"

  /// ChatML without a system message of its own.
  public static let chatML = ChatTemplate(family: .chatML)

  /// Creates a template of a family.
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
  ///   - limits: What writing a conversation may take.
  /// - Throws: ``ChatTemplateError`` with the line that cannot be read.
  public init(
    jinja: String, beginningOfSequence: String = "", endOfSequence: String = "",
    limits: Limits = Limits()
  ) throws(ChatTemplateError) {
    self.init(family: Self.family(of: jinja))
    publisher = try PublisherTemplate(
      jinja, beginningOfSequence: beginningOfSequence, endOfSequence: endOfSequence,
      limits: limits)
  }

  /// Reads the template of a model file. Where it cannot be read its markup tells the family, and
  /// ``problem`` why.
  ///
  /// - Parameters:
  ///   - template: The template, in Jinja; empty where a model has none.
  ///   - toolTemplate: The one for conversations with tools; empty where it is the same.
  ///   - beginningOfSequence: What `bos_token` stands for.
  ///   - endOfSequence: What `eos_token` stands for.
  package init(
    recognising template: String, forTools toolTemplate: String = "",
    beginningOfSequence: @autoclosure () -> String, endOfSequence: @autoclosure () -> String
  ) {
    self.init(
      family: Self.family(of: template),
      wrapsToolResponses: Marks.occurs("<tool_response>", in: TemplateText(template)))
    defaultSystemMessage = Self.defaultMessage(in: template)
    guard !template.isEmpty else { return }
    func read(_ source: String) throws(ChatTemplateError) -> PublisherTemplate {
      let publisher = try PublisherTemplate(
        source, beginningOfSequence: beginningOfSequence(), endOfSequence: endOfSequence(),
        limits: Limits())
      guard publisher.template.mentions("messages") else {
        throw ChatTemplateError(message: "It never says 'messages'.", line: nil)
      }
      return publisher
    }
    do throws(ChatTemplateError) {
      publisher = try read(template)
      if !toolTemplate.isEmpty { toolPublisher = try read(toolTemplate) }
    } catch {
      problem = error
    }
  }

  /// The family that a template's marks tell.
  private static func family(of template: String) -> Family {
    let text = TemplateText(template)
    for (mark, family) in [
      ("<|im_start|>", Family.chatML), ("<|start_header_id|>", .llama3),
      ("<start_of_turn>", .gemma), (Self.toolCallsMark, .mistral), ("[INST]", .instruction),
    ] where Marks.occurs(mark, in: text) { return family }
    return .plain
  }

  /// The text between `<|im_start|>system` and its end, where it is a literal of the template.
  private static func defaultMessage(in template: String) -> String? {
    // The literal stands in single quotes; a quote before the end means that it is put together.
    let text = TemplateText(template).replacing(TemplateText("\\n"), with: TemplateText("\n"))
    let opening = TemplateText("<|im_start|>system\n")
    guard let start = text.firstIndex(of: opening).map({ $0 + opening.bytes.count }),
      let end = text.firstIndex(of: TemplateText("<|im_end|>"), from: start)
    else { return nil }
    let message = text[start..<end]
    return message.isEmpty || message.bytes.contains(UInt8(ascii: "'")) ? nil : message.string
  }

  // MARK: What the template says about the model

  /// How the model writes calls of tools.
  public var toolCallSyntax: ToolCallSyntax {
    (toolPublisher ?? publisher)?.conventions.toolCalls ?? ToolCallSyntax(family)
  }

  /// How the model marks its reasoning; nil where nothing says that it reasons.
  public var reasoningSyntax: ReasoningSyntax? { publisher?.conventions.reasoning }

  /// What the model writes between the generation prompt and an answer: `<|channel|>final<|message|>`
  /// of gpt-oss. Empty for most.
  public var answerOpening: String { publisher?.conventions.answerOpening ?? "" }

  /// Whether the template tells the model about tools. Where it does not, the app has to: in the
  /// system message, say.
  public var describesTools: Bool {
    (toolPublisher ?? publisher)?.conventions.describesTools ?? false
  }

  /// The publisher's template for a conversation.
  private func publisher(of conversation: Conversation) -> PublisherTemplate? {
    let hasTools =
      !conversation.tools.isEmpty
      || conversation.messages.contains { $0.role == .tool || !$0.toolCalls.isEmpty }
    return hasTools ? toolPublisher ?? publisher : publisher
  }

  // MARK: Writing

  /// Writes a conversation.
  ///
  /// A publisher's template that refuses two turns of one speaker is given them as one. One that
  /// refuses a system message, or results of tools, is given these as words of the user. Calls that a template leaves out are written as ``toolCallSyntax`` says.
  ///
  /// - Throws: ``ChatTemplateError`` where the publisher's template refuses the conversation, lacks
  ///   what it asks for, or takes more than its limits allow, and where a tool, arguments or a
  ///   variable are no JSON.
  public func pieces(of conversation: Conversation) throws(ChatTemplateError) -> [Piece] {
    guard let publisher = publisher(of: conversation) else {
      return familyPieces(of: conversation)
    }
    do {
      return try publisher.text(of: conversation).pieces
    } catch {
      let plain = Self.foldingSystem(conversation.messages).map { message in
        message.role == .tool ? Message(role: .user, content: message.content) : message
      }
      for messages in [Self.merged(conversation.messages), plain, Self.merged(plain)]
      where !error.isLimit && messages != conversation.messages {
        var other = conversation
        other.messages = messages
        if let text = try? publisher.text(of: other) { return text.pieces }
      }
      throw error
    }
  }

  /// Writes a conversation as `transformers` hands it to a template.
  ///
  /// - Parameters:
  ///   - json: A JSON object whose members are the template's variables: `messages`, `tools`,
  ///     `add_generation_prompt`, `bos_token`, …
  ///   - date: What `strftime_now` tells.
  /// - Throws: ``ChatTemplateError`` where there is no publisher's template or it refuses the
  ///   conversation, and where the text is no JSON.
  package func text(
    ofJSON json: [UInt8], date: Date?
  ) throws(ChatTemplateError) -> [UInt8] {
    guard let publisher else {
      throw problem ?? ChatTemplateError(message: "The model has no template.", line: nil)
    }
    return try publisher.text(json: json, date: date).bytes
  }

  /// Writes a conversation, ready for the assistant's next turn.
  public func pieces(of messages: [Message]) -> [Piece] { pieces(of: messages, opensTurn: true) }

  /// Writes a conversation.
  ///
  /// - Parameter opensTurn: Whether the assistant's next turn is begun; without it, what is written
  ///   is the beginning of the conversation with more turns.
  package func pieces(of messages: [Message], opensTurn: Bool) -> [Piece] {
    anyPieces(of: Conversation(messages: messages, addsGenerationPrompt: opensTurn))
  }

  /// Writes a conversation; in the family's words where the publisher's template refuses it.
  package func anyPieces(of conversation: Conversation) -> [Piece] {
    (try? pieces(of: conversation)) ?? familyPieces(of: conversation)
  }
}
