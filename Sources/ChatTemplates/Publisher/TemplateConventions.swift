// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a publisher's template expects, and how the model writes: found by rendering conversations
/// and looking at what changed.
///
/// Two renderings that differ by one thing share a beginning; what follows it is how that thing is
/// written. Names, keys and values are words that no template holds, so that they can be found again:
///
///     user                     … <|im_start|>assistant\n
///     user, one call           … <|im_start|>assistant\n<tool_call>\n{"name": "NAME", "arguments": …
struct TemplateConventions: Sendable {
  /// What the content of a turn is that has calls and says nothing.
  enum Content: Sendable { case text, none, absent }

  var callContent = Content.text
  /// Whether the template writes `tool_calls`.
  var writesCalls = false
  /// Whether arguments are handed over as JSON text, not as an object.
  var argumentsAreText = false
  /// Whether identifiers of calls need nine letters or digits.
  var needsShortIdentifiers = false
  /// Whether the template tells the model about tools.
  var describesTools = false
  /// Whether it takes the tools from the system's message, as JSON text: Phi-4.
  var describesToolsOfSystem = false
  /// Under which keys of a message the template looks for reasoning.
  var reasoningKeys: [String] = []
  var toolCalls = ToolCallSyntax.untaught
  var reasoning: ReasoningSyntax?
  /// What stands before an answer in the assistant's turn.
  var answerOpening = ""

  init() {}

  /// - Throws: ``ChatTemplateError`` where the template reaches a limit.
  init(learnedFrom template: PublisherTemplate) throws(ChatTemplateError) {
    var probe = try TemplateProbe(template)
    reasoningKeys = ["reasoning_content", "thinking", "reasoning"].filter {
      template.template.mentions($0)
    }
    probe.reasoningKeys = reasoningKeys
    describesTools = probe.describesTools()
    if !describesTools {
      describesToolsOfSystem = try probe.describesToolsOfSystem()
      describesTools = describesToolsOfSystem
    }
    reasoning = try probe.reasoning()
    answerOpening = try probe.answerOpening()
    if let found = try probe.calls() {
      writesCalls = true
      callContent = found.content
      argumentsAreText = found.argumentsAreText
      toolCalls = found.syntax
      needsShortIdentifiers = try probe.needsShortIdentifiers(found)
    } else {
      let source = template.template.source
      toolCalls = ToolCallSyntax(recognising: source) ?? .untaught
    }
    if toolCalls.isBare { toolCalls.otherOpenings = ToolCallSyntax.llama3.otherOpenings }
  }

  /// Tools as JSON text in a message of the system: what each has beside its `type`.
  static func systemTools(_ tools: [TemplateValue]) -> String {
    let functions = tools.map { tool -> TemplateValue in
      if case .dictionary(let members) = tool, let function = members["function"] {
        return function
      }
      return tool
    }
    return ToolCallSyntax.json(.items(functions))
  }

  /// A call as templates expect it.
  static func call(
    name: TemplateText, arguments: TemplateValue, id: TemplateText
  ) -> TemplateValue {
    .dictionary(
      TemplateDictionary([
        "type": .string("function"), "id": .text(id),
        "function": .dictionary(
          TemplateDictionary(["name": .text(name), "arguments": arguments])),
      ]))
  }
}
