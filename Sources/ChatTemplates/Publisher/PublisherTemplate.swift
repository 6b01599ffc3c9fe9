// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The template of a model's publisher, with what it was found to expect.
struct PublisherTemplate: Sendable, Hashable {
  let template: JinjaTemplate
  private let limits: ChatTemplate.Limits
  private let beginningOfSequence: String
  private let endOfSequence: String
  private(set) var conventions = TemplateConventions()

  /// - Throws: ``ChatTemplateError`` where the template cannot be read, or reaches a limit with a short
  ///   conversation.
  init(
    _ source: String, beginningOfSequence: String, endOfSequence: String,
    limits: ChatTemplate.Limits
  ) throws(ChatTemplateError) {
    template = try JinjaTemplate(source, limits: limits)
    self.limits = limits
    self.beginningOfSequence = beginningOfSequence
    self.endOfSequence = endOfSequence
    conventions = try TemplateConventions(learnedFrom: self)
  }

  // MARK: Writing

  func text(
    json: [UInt8], date: ChatTemplate.Date?
  ) throws(ChatTemplateError) -> TemplateText { try template.text(json: json, date: date) }

  func text(of conversation: ChatTemplate.Conversation) throws(ChatTemplateError) -> TemplateText {
    var weight = 0
    var tools: [TemplateValue] = []
    for tool in conversation.tools {
      tools.append(try read(tool.definition, of: "a tool's definition", &weight))
    }
    var identifiers = CallIdentifiers(areShort: conventions.needsShortIdentifiers)
    var systemTools: TemplateText?
    if conventions.describesToolsOfSystem, !tools.isEmpty {
      systemTools = quoted(TemplateConventions.systemTools(tools), &weight)
    }
    var messages: [TemplateValue] = []
    if systemTools != nil, !conversation.messages.contains(where: { $0.role == .system }) {
      let system = ChatTemplate.Message(role: .system, content: "")
      messages.append(try value(of: system, &identifiers, &weight, &systemTools))
    }
    for message in conversation.messages {
      messages.append(try value(of: message, &identifiers, &weight, &systemTools))
    }
    var variables: [(name: String, value: TemplateValue)] = []
    for (name, variable) in conversation.variables.sorted(by: { $0.key < $1.key }) {
      switch variable {
      case .boolean(let flag): variables.append((name, .bool(flag)))
      case .integer(let number): variables.append((name, .integer(number)))
      case .text(let text): variables.append((name, .text(quoted(text, &weight))))
      case .json(let json):
        variables.append((name, try read(json, of: "the variable '\(name)'", &weight)))
      }
    }
    return try text(
      messages: messages, tools: tools, opensTurn: conversation.addsGenerationPrompt,
      variables: variables, weight: weight, date: conversation.date)
  }

  /// Renders values as `transformers` does.
  func text(
    messages: [TemplateValue], tools: [TemplateValue], opensTurn: Bool,
    variables: [(name: String, value: TemplateValue)], weight: Int, date: ChatTemplate.Date?
  ) throws(ChatTemplateError) -> TemplateText {
    let standard: [(name: String, value: TemplateValue)] = [
      ("messages", .items(messages)), ("tools", tools.isEmpty ? .none : .items(tools)),
      ("documents", .none), ("add_generation_prompt", .bool(opensTurn)),
      ("bos_token", .string(beginningOfSequence)), ("eos_token", .string(endOfSequence)),
    ]
    return try template.text(
      standard + variables, weight: weight + 128 * messages.count, date: date)
  }

  // MARK: Values

  private func read(
    _ json: String, of what: String, _ weight: inout Int
  ) throws(ChatTemplateError) -> TemplateValue {
    do {
      let (value, more) = try TemplateJSONReader.value(
        of: Array(json.utf8), depthLimit: limits.depth)
      weight += more
      return value
    } catch {
      throw ChatTemplateError(message: "In \(what): \(error.message)", line: nil)
    }
  }

  private func quoted(_ text: String, _ weight: inout Int) -> TemplateText {
    weight += text.utf8.count
    return TemplateText(text, isQuoted: true)
  }

  /// A message as templates expect it.
  ///
  /// - Parameter systemTools: What the first message of the system has beside its content.
  private func value(
    of message: ChatTemplate.Message, _ identifiers: inout CallIdentifiers, _ weight: inout Int,
    _ systemTools: inout TemplateText?
  ) throws(ChatTemplateError) -> TemplateValue {
    var members = TemplateDictionary.Builder()
    members.set(.string(message.role.rawValue), "role")
    let content = quoted(message.content, &weight)
    if message.role == .system, let tools = systemTools.take() {
      members.set(.text(tools), "tools")
    }
    let hasCalls = message.role == .assistant && !message.toolCalls.isEmpty
    if hasCalls, !conventions.writesCalls {
      let calls = conventions.toolCalls.text(of: message.toolCalls)
      weight += calls.bytes.count
      members.set(.text(content + calls), "content")
    } else if !hasCalls || !content.isEmpty || conventions.callContent == .text {
      members.set(.text(content), "content")
    } else if conventions.callContent == .none {
      members.set(.none, "content")
    }
    if let reasoning = message.reasoning {
      let value = TemplateValue.text(quoted(reasoning, &weight))
      for key in conventions.reasoningKeys { members.set(value, key) }
    }
    if hasCalls, conventions.writesCalls {
      var calls: [TemplateValue] = []
      for call in message.toolCalls {
        let arguments =
          conventions.argumentsAreText
          ? .text(quoted(call.arguments, &weight))
          : try read(call.arguments, of: "the arguments of '\(call.name)'", &weight)
        calls.append(
          TemplateConventions.call(
            name: quoted(call.name, &weight), arguments: arguments,
            id: TemplateText(identifiers.called(call.id), isQuoted: true)))
      }
      members.set(.items(calls), "tool_calls")
    }
    if message.role == .tool {
      if let name = message.name { members.set(.text(quoted(name, &weight)), "name") }
      let id = identifiers.answered(message.toolCallID)
      members.set(.text(TemplateText(id, isQuoted: true)), "tool_call_id")
    }
    return .dictionary(members.dictionary())
  }

  /// What calls and their results refer to each other by. Calls without an identifier get one, and
  /// results take those of the calls in order; Mistral's templates want nine letters or digits.
  private struct CallIdentifiers {
    var areShort: Bool
    private var count = 0
    private var known: [String: String] = [:]
    private var waiting: [String] = []

    init(areShort: Bool) { self.areShort = areShort }

    private mutating func made() -> String {
      count += 1
      let digits = String(count)
      return "call" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }

    private func isShort(_ id: String) -> Bool {
      id.utf8.count == 9
        && id.unicodeScalars.allSatisfy {
          $0.isASCII && $0.isPythonLetter
            || ("0"..."9").contains($0)
        }
    }

    mutating func called(_ id: String?) -> String {
      var result = id ?? made()
      if areShort, !isShort(result) { result = made() }
      if let id { known[id] = result }
      waiting.append(result)
      return result
    }

    mutating func answered(_ id: String?) -> String {
      let result = id.map { known[$0] ?? $0 } ?? waiting.first ?? made()
      waiting.removeAll { $0 == result }
      return areShort && !isShort(result) ? made() : result
    }
  }

  static func == (left: PublisherTemplate, right: PublisherTemplate) -> Bool {
    left.template == right.template && left.beginningOfSequence == right.beginningOfSequence
      && left.endOfSequence == right.endOfSequence
  }

  func hash(into hasher: inout Hasher) { hasher.combine(template) }
}
