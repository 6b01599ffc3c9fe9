/// A chat template as the publisher of a model wrote it: the part of Jinja that such templates use.
///
/// Statements `if`, `for`, `set`, `macro`, `break`, `continue`, `raw`; the usual operators, filters
/// and tests; namespaces. What messages say is never markup, wherever the template puts it.
///
/// Sources: the template language of Jinja 3; `trim_blocks` and `lstrip_blocks` as the publishers'
/// own library sets them.
struct JinjaTemplate: Sendable, Hashable {
  private let source: String
  private let nodes: [TemplateNode]
  private let beginningOfSequence: String
  private let endOfSequence: String

  /// How long a template may be, in bytes.
  private static var lengthLimit: Int { 1 << 20 }

  init(
    _ source: String, beginningOfSequence: String = "", endOfSequence: String = ""
  ) throws(ChatTemplateError) {
    guard source.utf8.count <= Self.lengthLimit else {
      throw ChatTemplateError(message: "It is longer than a megabyte.", line: nil)
    }
    self.source = source
    self.beginningOfSequence = beginningOfSequence
    self.endOfSequence = endOfSequence
    nodes = try TemplateParser.nodes(of: source)
  }

  static func == (left: JinjaTemplate, right: JinjaTemplate) -> Bool {
    left.source == right.source && left.beginningOfSequence == right.beginningOfSequence
      && left.endOfSequence == right.endOfSequence
  }

  func hash(into hasher: inout Hasher) { hasher.combine(source) }

  /// Writes a conversation.
  ///
  /// - Parameter opensTurn: Whether the assistant's next turn is begun.
  func pieces(
    of messages: [ChatTemplate.Message], opensTurn: Bool
  ) throws(ChatTemplateError) -> [ChatTemplate.Piece] {
    let list = messages.map { message in
      TemplateValue.object(
        TemplateObject([
          "role": .string(message.role.rawValue),
          "content": .text(TemplateText(message.content, isQuoted: true)),
        ]))
    }
    return try TemplateRenderer.render(
      nodes,
      [
        "messages": .list(list), "add_generation_prompt": .bool(opensTurn),
        "bos_token": .string(beginningOfSequence), "eos_token": .string(endOfSequence),
      ]
    ).pieces
  }
}
