// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Forms that templates do not tell, because they leave calls out or hand them through.
extension ToolCallSyntax {
  private static func object(
    _ before: String = "", argumentsKey: String = "arguments", _ after: String = ""
  ) -> [Piece] {
    [
      .literal(before + "{\"name\": \""), .name, .literal("\", \"\(argumentsKey)\": "), .arguments,
      .literal("}" + after),
    ]
  }

  /// `<tool_call>`, an object with name and arguments, `</tool_call>`: Hermes, Qwen, SmolLM2 and
  /// most who were trained after them.
  public static let hermes = ToolCallSyntax(
    call: object("<tool_call>\n", "\n</tool_call>"), separator: "\n")

  /// ``hermes`` for models of which nothing says that they were taught to call tools, one call a turn:
  /// they do not know when to stop. Asked for one call, SmolLM2 repeats it until it is stopped.
  public static let untaught = ToolCallSyntax(
    call: hermes.call, separator: hermes.separator, limit: 1)

  /// An object with name and parameters that is the whole response: Llama 3.
  public static let llama3 = ToolCallSyntax(
    call: object(argumentsKey: "parameters"), limit: 1, otherOpenings: ["<|python_tag|>"])

  /// `[TOOL_CALLS]` and a list of objects: Mistral up to 2024.
  public static let mistral = ToolCallSyntax(
    opening: "[TOOL_CALLS][", call: object(), separator: ", ",
    closing: "]")

  /// `[TOOL_CALLS]name[ARGS]{…}`, once for each call: Mistral since 2025.
  public static let mistralArguments = ToolCallSyntax(
    call: [.literal("[TOOL_CALLS]"), .name, .literal("[ARGS]"), .arguments])

  /// `<|tool_call|>` and a list of objects: Granite 3.
  public static let granite = ToolCallSyntax(
    opening: "<|tool_call|>[", call: object(), separator: ", ",
    closing: "]")

  /// `<|tool_call|>`, a list of objects, `<|/tool_call|>`: Phi-4.
  public static let phi4 = ToolCallSyntax(
    opening: "<|tool_call|>[", call: object(), separator: ", ",
    closing: "]<|/tool_call|>")

  /// `<|tool_call>call:name{key:value}<tool_call|>`: Gemma 4.
  public static let gemma4 = ToolCallSyntax(
    call: [
      .literal("<|tool_call>call:"), .name, .literal("{"), .arguments, .literal("}<tool_call|>"),
    ], arguments: .gemma)

  /// `<|tool_call_start|>[name(key="value")]<|tool_call_end|>`: LFM2.
  public static let lfm2 = ToolCallSyntax(
    opening: "<|tool_call_start|>[", call: [.name, .literal("("), .arguments, .literal(")")],
    separator: ", ", closing: "]<|tool_call_end|>", arguments: .python)

  /// `<function=name>{…}</function>`: functionary v3.1.
  public static let functionary = ToolCallSyntax(
    call: [.literal("<function="), .name, .literal(">"), .arguments, .literal("</function>")])

  /// A message to `functions.name` in the channel of commentary: gpt-oss.
  public static let harmony = ToolCallSyntax(
    call: [
      .literal(" to=functions."), .name, .literal("<|channel|>commentary json<|message|>"),
      .arguments,
    ], turnEnd: "<|call|>", limit: 1)

  /// Calls with their arguments in a code block: DeepSeek R1.
  public static let deepSeek = ToolCallSyntax(
    opening: "<｜tool▁calls▁begin｜>",
    call: [
      .literal("<｜tool▁call▁begin｜>function<｜tool▁sep｜>"), .name, .literal("\n```json\n"),
      .arguments, .literal("\n```<｜tool▁call▁end｜>"),
    ], separator: "\n", closing: "<｜tool▁calls▁end｜>")

  /// Python calls in a list: Llama 4.
  public static let python = ToolCallSyntax(
    opening: "[", call: [.name, .literal("("), .arguments, .literal(")")], separator: ", ",
    closing: "]", arguments: .python)

  /// The form of a family whose template is not there.
  init(_ family: ChatTemplate.Family) {
    switch family {
    case .llama3: self = .llama3
    case .mistral: self = .mistral
    case .chatML, .gemma, .instruction, .plain: self = .untaught
    }
  }

  /// The form whose marks a template has; nil where it has none.
  init?(recognising template: String) {
    let forms: [(marks: [String], form: ToolCallSyntax)] = [
      (["<|tool_call_start|>"], .lfm2), (["<|tool_list_start|>"], .lfm2),
      (["<|tool_call>call:"], .gemma4), (["<|/tool_call|>"], .phi4), (["<|tool|>"], .phi4),
      (["<|tool_call|>"], .granite), (["<|channel|>commentary"], .harmony),
      (["<｜tool▁calls▁begin｜>"], .deepSeek), (["[TOOL_CALLS]", "[ARGS]"], .mistralArguments),
      (["[TOOL_CALLS]"], .mistral), (["<function="], .functionary), (["<tool_call>"], .hermes),
      (["<|python_tag|>"], .llama3), (["<|python_start|>"], .python),
    ]
    let text = TemplateText(template)
    for (marks, form) in forms where marks.allSatisfy({ Marks.occurs($0, in: text) }) {
      self = form
      source = .recognised
      return
    }
    return nil
  }
}
