// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A chat template as the publisher of a model wrote it, in Jinja.
///
/// What is written is byte for byte what Jinja 3 writes in the environment that `transformers` sets
/// up: a sandbox in which values cannot change, `trim_blocks`, `lstrip_blocks`, loop controls,
/// `tojson` without escapes for HTML, `raise_exception`, `strftime_now` and the block `generation`.
/// Left out: templates that include others, `autoescape`, `block`, the filters `pprint`, `random` and
/// `urlize`, and computing with whole numbers beyond 64 bits.
///
/// What the conversation says is never markup, wherever the template puts it.
struct JinjaTemplate: Sendable, Hashable {
  let source: String
  private let program: TemplateProgram
  private let limits: ChatTemplate.Limits

  /// - Throws: ``ChatTemplateError`` with the line that cannot be read.
  init(
    _ source: String, limits: ChatTemplate.Limits = ChatTemplate.Limits()
  ) throws(ChatTemplateError) {
    guard source.utf8.count <= limits.templateBytes else {
      throw ChatTemplateError(
        message: "It is longer than the limit of \(limits.templateBytes) bytes. "
          + "ChatTemplate.Limits.templateBytes raises it.", line: nil)
    }
    self.source = source
    self.limits = limits
    program = try TemplateParser.program(of: source, depthLimit: limits.depth)
  }

  static func == (left: JinjaTemplate, right: JinjaTemplate) -> Bool {
    left.source == right.source && left.limits == right.limits
  }

  func hash(into hasher: inout Hasher) { hasher.combine(source) }

  /// Whether the template says a word, as a name or as a text.
  func mentions(_ word: String) -> Bool {
    let text = TemplateText(word)
    return program.number(of: word) != nil
      || program.constants.contains { $0.asText?.bytes == text.bytes }
  }

  /// Writes a conversation.
  ///
  /// - Throws: ``ChatTemplateError`` where the template refuses it, uses what is not there, or takes
  ///   more than its limits allow.
  func text(
    _ variables: [(name: String, value: TemplateValue)], weight: Int, date: ChatTemplate.Date?
  ) throws(ChatTemplateError) -> TemplateText {
    var machine = TemplateMachine(
      program, variables: variables, bytes: weight, limits: limits, date: date)
    return try machine.run()
  }

  /// Writes a conversation as `transformers` hands it to a template: a JSON object whose members are
  /// the template's variables.
  func text(
    json: [UInt8], date: ChatTemplate.Date?
  ) throws(ChatTemplateError) -> TemplateText {
    let (value, weight) = try TemplateJSONReader.value(of: json, depthLimit: limits.depth)
    guard case .dictionary(let dictionary) = value else {
      throw ChatTemplateError(message: "A conversation is a JSON object.", line: nil)
    }
    var variables: [(name: String, value: TemplateValue)] = []
    for (key, value) in zip(dictionary.keys, dictionary.values) {
      if case .text(let key) = key { variables.append((key.string, value)) }
    }
    return try text(variables, weight: weight, date: date)
  }
}
