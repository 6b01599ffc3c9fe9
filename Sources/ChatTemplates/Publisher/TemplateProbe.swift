// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Conversations of words that no template holds, and what a template makes of them.
struct TemplateProbe {
  private let template: PublisherTemplate
  var reasoningKeys: [String] = []
  /// What ends a turn of the assistant that only speaks.
  private var answerEnd: Scalars?
  /// A block of reasoning without a thought, which some templates write before calls.
  private var emptyReasoning: Scalars = []

  typealias Scalars = [Unicode.Scalar]

  static let question = "qquestion words"
  static let answer = "qanswer words"
  static let thought = "qthought words"
  static let names = ["qprobealpha", "qprobebeta"]
  static let keys = ["qkeyone", "qkeytwo"]
  static let values = ["qvalueone", "qvaluetwo"]
  static let ids = ["qidAlpha1", "qidBeta02"]
  private static let longID = "call_qid-alpha-0123456789"

  /// A conversation of one question, with and without tools: before and after the assistant's turn is
  /// begun.
  private struct Question {
    var closed: Scalars?
    var open: Scalars?
  }

  private var withTools = Question()
  private var withoutTools = Question()

  /// - Throws: ``ChatTemplateError`` where the template reaches a limit with a single question.
  init(_ template: PublisherTemplate) throws(ChatTemplateError) {
    self.template = template
    withTools = try question(hasTools: true)
    withoutTools = try question(hasTools: false)
  }

  private func question(hasTools: Bool) throws(ChatTemplateError) -> Question {
    Question(
      closed: try render([Self.user], hasTools: hasTools),
      open: try render([Self.user], hasTools: hasTools, opensTurn: true))
  }

  // MARK: Rendering

  /// What the template makes of a conversation; nil where it refuses it.
  private func render(
    _ messages: [TemplateValue], hasTools: Bool = true, opensTurn: Bool = false,
    _ variables: [(name: String, value: TemplateValue)] = []
  ) throws(ChatTemplateError) -> Scalars? {
    do throws(ChatTemplateError) {
      let text = try template.text(
        messages: messages, tools: hasTools ? Self.names.map(Self.tool) : [],
        opensTurn: opensTurn, variables: variables, weight: 1 << 12,
        date: ChatTemplate.Date(year: 2000, month: 1, day: 1))
      return Array(text.scalars)
    } catch {
      // A limit would be reached again each time, and each time it takes long.
      if error.isLimit { throw error }
      return nil
    }
  }

  private static func tool(_ name: String) -> TemplateValue {
    let parameters = TemplateDictionary([
      "type": .string("object"),
      "properties": .dictionary(
        TemplateDictionary([
          keys[0]: .dictionary(
            TemplateDictionary(["type": .string("string"), "description": .string("qd")])),
          keys[1]: .dictionary(
            TemplateDictionary(["type": .string("string"), "description": .string("qd")])),
        ])),
      "required": .items([.string(keys[0])]),
    ])
    return .dictionary(
      TemplateDictionary([
        "type": .string("function"),
        "function": .dictionary(
          TemplateDictionary([
            "name": .string(name), "description": .string("qdescription"),
            "parameters": .dictionary(parameters),
          ])),
      ]))
  }

  private static func message(
    _ role: String, _ content: TemplateValue?, _ more: [(String, TemplateValue)] = []
  ) -> TemplateValue {
    var members = TemplateDictionary.Builder()
    members.set(.string(role), "role")
    if let content { members.set(content, "content") }
    for (key, value) in more { members.set(value, key) }
    return .dictionary(members.dictionary())
  }

  private static let user = message("user", .string(question))

  private func caller(
    _ count: Int, _ content: TemplateConventions.Content, argumentsAreText: Bool,
    ids: [String] = TemplateProbe.ids
  ) -> TemplateValue {
    let object = TemplateDictionary([
      Self.keys[0]: .string(Self.values[0]), Self.keys[1]: .string(Self.values[1]),
    ])
    let arguments =
      argumentsAreText
      ? TemplateValue.string(ToolCallSyntax.json(.dictionary(object))) : .dictionary(object)
    let calls = (0..<count).map { index in
      TemplateConventions.call(
        name: TemplateText(Self.names[index]), arguments: arguments, id: TemplateText(ids[index]))
    }
    let value: TemplateValue? =
      switch content {
      case .text: .string("")
      case .none: TemplateValue.none
      case .absent: nil
      }
    return Self.message("assistant", value, [("tool_calls", .items(calls))])
  }

  // MARK: Parts of a rendering

  /// What a rendering has after what it shares with another.
  private func rest(of text: Scalars, after other: Scalars) -> Scalars {
    Array(text[Marks.sharedStart(text, other)...])
  }

  /// What the assistant's turn begins with, before anything is said or thought.
  private func header(hasTools: Bool) -> Scalars {
    let question = hasTools ? withTools : withoutTools
    guard let closed = question.closed, let open = question.open else { return [] }
    return rest(of: open, after: closed)
  }

  /// What the assistant's turn says, after the beginning of the turn.
  private func turn(
    _ messages: [TemplateValue], hasTools: Bool
  ) throws(ChatTemplateError) -> Scalars? {
    guard let base = (hasTools ? withTools : withoutTools).closed,
      let full = try render(messages, hasTools: hasTools)
    else { return nil }
    let turn = rest(of: full, after: base)
    let header = header(hasTools: hasTools)
    // A prompt may end with the beginning of reasoning, which a turn need not have.
    let said = Array(turn[Marks.sharedStart(turn, header)...])
    // GLM begins a line before it.
    let lines = said.drop { $0.isPythonSpace }
    return !emptyReasoning.isEmpty && lines.starts(with: emptyReasoning)
      ? Array(lines.dropFirst(emptyReasoning.count)) : said
  }

  /// What stands before an answer in its turn: the channel of gpt-oss.
  func answerOpening() throws(ChatTemplateError) -> String {
    let answer = Self.message("assistant", .string(Self.answer))
    guard let turn = try turn([Self.user, answer], hasTools: false),
      let place = Marks.firstIndex(of: Array(Self.answer.unicodeScalars), in: turn)
    else { return "" }
    return TemplateText(turn[..<place], isQuoted: false).trimmed().string
  }

  func describesTools() -> Bool {
    guard let text = withTools.open else { return false }
    return Marks.firstIndex(of: Array(Self.names[1].unicodeScalars), in: text) != nil
  }

  func describesToolsOfSystem() throws(ChatTemplateError) -> Bool {
    guard template.template.mentions("tools") else { return false }
    let tools = TemplateConventions.systemTools(Self.names.map(Self.tool))
    let system = Self.message("system", .string("qsystem"), [("tools", .string(tools))])
    guard let text = try render([system, Self.user], hasTools: false) else { return false }
    return Marks.firstIndex(of: Array(Self.names[1].unicodeScalars), in: text) != nil
  }

  // MARK: Reasoning

  private static let thinking = Array("<think>".unicodeScalars)

  mutating func reasoning() throws(ChatTemplateError) -> ReasoningSyntax? {
    var syntax = try renderedReasoning()
    if syntax == nil {
      let source = TemplateText(template.template.source)
      if Marks.occurs("<|channel|>analysis<|message|>", in: source) {
        syntax = ReasoningSyntax(opening: "<|channel|>analysis<|message|>", closing: "<|end|>")
      } else if Marks.occurs("<|channel>", in: source) {
        syntax = ReasoningSyntax(opening: "<|channel>thought\n", closing: "<channel|>")
      } else if Marks.occurs("<think>", in: source) {
        syntax = ReasoningSyntax(opening: "<think>\n", closing: "\n</think>\n\n")
      } else if Marks.occurs("<|START_THINKING|>", in: source) {
        syntax = ReasoningSyntax(opening: "<|START_THINKING|>", closing: "<|END_THINKING|>")
      } else if Marks.occurs("[THINK]", in: source) {
        syntax = ReasoningSyntax(opening: "[THINK]", closing: "[/THINK]")
      }
    }
    guard var syntax else { return nil }
    emptyReasoning = Array((syntax.opening + syntax.closing).unicodeScalars)
    try takeTurnOpening(from: &syntax)
    syntax.toggle = try toggle()
    syntax.effortVariable =
      template.template.mentions("reasoning_effort") ? "reasoning_effort" : nil
    var variables: [(name: String, value: TemplateValue)] = []
    if let toggle = syntax.toggle { variables.append((toggle.variable, .bool(toggle.on))) }
    if let open = try render([Self.user], hasTools: false, opensTurn: true, variables) {
      let opening = TemplateText(open.suffix(64), isQuoted: false).trimmed(atStart: false)
      let mark = TemplateText(syntax.opening).trimmed()
      syntax.promptOpens = opening.hasSuffix(mark)
      if syntax.promptOpens, let place = opening.lastIndex(of: mark) {
        let whole = TemplateText(open.suffix(64), isQuoted: false)
        syntax.opening = whole[place..<whole.bytes.count].string
      }
    }
    return syntax
  }

  /// The marks around reasoning in the last turn of a conversation.
  private func renderedReasoning() throws(ChatTemplateError) -> ReasoningSyntax? {
    guard !reasoningKeys.isEmpty else { return nil }
    let thought = TemplateValue.string(Self.thought)
    let more = reasoningKeys.map { ($0, thought) }
    let messages = [Self.user, Self.message("assistant", .string(Self.answer), more)]
    guard let turn = try turn(messages, hasTools: false) else { return nil }
    let words = Array(Self.thought.unicodeScalars)
    guard let start = Marks.firstIndex(of: words, in: turn),
      let end = Marks.firstIndex(
        of: Array(Self.answer.unicodeScalars), in: turn, from: start + words.count)
    else { return nil }
    // The beginning of the turn may come again before the answer, as gpt-oss has it.
    var opening = Array(turn[..<start])
    let closing = Array(turn[start + words.count..<end])
    if let header = Marks.firstIndex(of: Self.thinking, in: opening), header > 0 {
      opening = Array(opening[header...])
    }
    // Where the prompt has opened the reasoning, what is shared with it belongs to the opening.
    if opening.isEmpty || !opening.contains("<") && !opening.contains("[") {
      let header = header(hasTools: false)
      if let place = Marks.firstIndex(of: Self.thinking, in: header) {
        opening = Array(header[place...])
      }
    }
    guard !opening.isEmpty, !closing.isEmpty else { return nil }
    return ReasoningSyntax(opening: Marks.string(opening), closing: Marks.string(closing))
  }

  /// Where the turn begins again after reasoning, that is no part of the reasoning's end.
  private func takeTurnOpening(
    from syntax: inout ReasoningSyntax
  ) throws(ChatTemplateError) {
    let answer = try answerOpening()
    let header = Marks.string(header(hasTools: false))
    guard !answer.isEmpty, syntax.closing.hasSuffix(header + answer) else { return }
    syntax.closing.removeLast((header + answer).count)
    syntax.turnOpening = header
  }

  private func toggle() throws(ChatTemplateError) -> ReasoningSyntax.Toggle? {
    for name in ["enable_thinking", "thinking", "enable_reasoning", "think"]
    where template.template.mentions(name) {
      func prompt(_ value: Bool?) throws(ChatTemplateError) -> Scalars? {
        try render(
          [Self.user], hasTools: false, opensTurn: true, value.map { [(name, .bool($0))] } ?? [])
      }
      guard let on = try prompt(true), let off = try prompt(false), on != off,
        let standard = try prompt(nil)
      else { continue }
      return ReasoningSyntax.Toggle(variable: name, isOnByDefault: standard == on)
    }
    return nil
  }

  // MARK: Calls

  struct FoundCalls {
    var syntax: ToolCallSyntax
    var content: TemplateConventions.Content
    var argumentsAreText: Bool
    var hasTools: Bool
  }

  /// How the template writes calls; nil where it leaves them out.
  mutating func calls() throws(ChatTemplateError) -> FoundCalls? {
    for hasTools in [true, false] {
      if let answer = try turn(
        [Self.user, Self.message("assistant", .string(Self.answer))], hasTools: hasTools)
      {
        let words = Array(Self.answer.unicodeScalars)
        if let place = Marks.firstIndex(of: words, in: answer) {
          answerEnd = Array(answer[(place + words.count)...])
        }
      }
      for content in [TemplateConventions.Content.text, .none, .absent] {
        for argumentsAreText in [false, true] {
          let one = try turn(
            [Self.user, caller(1, content, argumentsAreText: argumentsAreText)],
            hasTools: hasTools)
          guard let one, let parts = CallParts(one, count: 1) else { continue }
          let two = try turn(
            [Self.user, caller(2, content, argumentsAreText: argumentsAreText)],
            hasTools: hasTools
          ).flatMap { CallParts($0, count: 2) }
          let syntax = two?.syntax(answerEnd: answerEnd) ?? parts.syntax(answerEnd: answerEnd)
          return FoundCalls(
            syntax: syntax, content: content, argumentsAreText: argumentsAreText,
            hasTools: hasTools)
        }
      }
    }
    return nil
  }

  func needsShortIdentifiers(_ found: FoundCalls) throws(ChatTemplateError) -> Bool {
    let call = caller(
      1, found.content, argumentsAreText: found.argumentsAreText, ids: [Self.longID])
    return try render([Self.user, call], hasTools: found.hasTools) == nil
  }
}
