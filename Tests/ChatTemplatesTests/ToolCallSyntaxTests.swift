// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ChatTemplates

/// How models write calls, found by rendering their templates. The templates here are made by hand in
/// the manner of published ones.
@Suite struct ToolCallSyntaxTests {
  private func template(calls: String, turn: String = "<|im_end|>\n", more: String = "") throws
    -> ChatTemplate
  {
    try ChatTemplate(
      jinja: """
        {%- if tools %}{{ tools | tojson }}{% endif %}
        {%- for message in messages %}
        {{- '<|im_start|>' + message.role + '\\n' }}
        {%- if message.tool_calls %}\(calls){%- else %}{{- message.content }}{% endif %}
        {{- '\(turn.replacing("\n", with: "\\n"))' }}
        {%- endfor %}
        {%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}\(more){% endif %}
        """)
  }

  private func call(_ index: Int) -> ChatTemplate.ToolCall {
    .init(
      name: ["get", "put"][index], arguments: #"{"a": "x y", "b": [1, true, {"c": null}]}"#,
      id: ["abcdefghi", "jklmnopqr"][index])
  }

  /// What the syntax writes for two calls is what the template writes for them.
  private func expectSame(
    _ template: ChatTemplate, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let syntax = template.toolCallSyntax
    #expect(syntax.source == .rendered, sourceLocation: sourceLocation)
    let calls = (0..<min(2, syntax.limit ?? 2)).map(call)
    let user = ChatTemplate.Message(role: .user, content: "Q")
    func text(_ messages: [ChatTemplate.Message], _ opens: Bool) throws -> String {
      try template.pieces(of: .init(messages: messages, addsGenerationPrompt: opens)).map {
        switch $0 {
        case .markup(let text), .text(let text): text
        }
      }.joined()
    }
    let prompt = try text([user], true)
    let whole = try text([user, .init(role: .assistant, content: "", toolCalls: calls)], false)
    let written = syntax.text(of: calls).string + syntax.turnEnd
    #expect(whole == prompt + written, sourceLocation: sourceLocation)
  }

  @Test func hermes() throws {
    let found = try template(
      calls: """
        {%- for call in message.tool_calls %}{{- '<tool_call>\\n{"name": "' + call.function.name + \
        '", "arguments": ' + call.function.arguments | tojson + '}\\n</tool_call>' }}\
        {%- if not loop.last %}{{- '\\n' }}{% endif %}{%- endfor %}
        """)
    try expectSame(found)
    var expected = ToolCallSyntax.hermes
    expected.source = .rendered
    expected.turnEnd = "<|im_end|>\n"
    #expect(found.toolCallSyntax == expected)
    #expect(found.toolCallSyntax.argumentsKey == "arguments")
  }

  /// Qwen3-Coder: each argument between marks.
  @Test func markedArguments() throws {
    let found = try template(
      calls: """
        {%- for call in message.tool_calls %}{{- '<tool_call>\\n<function=' + call.function.name + \
        '>\\n' }}{%- for key, value in call.function.arguments | items %}{{- '<parameter=' + key + \
        '>\\n' + (value if value is string else value | tojson) + '\\n</parameter>\\n' }}\
        {%- endfor %}{{- '</function>\\n</tool_call>' }}{%- endfor %}
        """)
    try expectSame(found)
    #expect(
      found.toolCallSyntax.call.first == .literal("<tool_call>\n<function="))
  }

  /// GLM: keys and values between marks of their own.
  @Test func keysAndValuesBetweenMarks() throws {
    try expectSame(
      template(
        calls: """
          {%- for call in message.tool_calls %}{{- '\\n<tool_call>' + call.function.name + '\\n' }}\
          {%- for key, value in call.function.arguments.items() %}{{- '<arg_key>' + key + \
          '</arg_key>\\n<arg_value>' + (value if value is string else value | tojson) + \
          '</arg_value>\\n' }}{%- endfor %}{{- '</tool_call>' }}{%- endfor %}
          """))
  }

  /// MiniMax: names and keys are attributes.
  @Test func keysInQuotes() throws {
    let found = try template(
      calls: """
        {{- '\\n<tool_call>\\n' }}{%- for call in message.tool_calls %}{{- '<invoke name="' + \
        call.function.name + '">' }}{%- for key, value in call.function.arguments | items %}\
        {{- '<parameter name="' + key + '">' + (value if value is string else value | tojson) + \
        '</parameter>' }}{%- endfor %}{{- '</invoke>\\n' }}{%- endfor %}{{- '</tool_call>' }}
        """)
    try expectSame(found)
    #expect(found.toolCallSyntax.beginning == "\n<tool_call>\n<invoke name=\"")
    guard case .marked(let marks) = found.toolCallSyntax.arguments else {
      Issue.record("\(found.toolCallSyntax.arguments)")
      return
    }
    #expect(marks.beforeKey == "<parameter name=\"" && marks.beforeValue == "\">")
  }

  /// GLM 4.5: a turn that was not thought over says so, a line below its beginning.
  @Test func emptyReasoningIsNoPartOfACall() throws {
    let found = try ChatTemplate(
      jinja: """
        {% for m in messages %}<|{{ m.role }}|>
        {%- if m.role == 'assistant' %}
        {{- '\\n<think>' + (m.reasoning_content or '') + '</think>' }}
        {%- if m.content %}{{ '\\n' + m.content }}{% endif %}
        {%- for c in m.tool_calls %}{{ '\\n<tool_call>' + c.function.name }}
        {%- for k, v in c.function.arguments.items() %}
        {{- '\\n<arg_key>' + k + '</arg_key>\\n<arg_value>' + v + '</arg_value>' }}
        {%- endfor %}{{ '\\n</tool_call>' }}{% endfor %}
        {%- else %}{{ '\\n' + m.content }}{% endif %}{% endfor %}
        {%- if add_generation_prompt %}<|assistant|>{% endif %}
        """)
    #expect(found.toolCallSyntax.beginning == "<tool_call>")
    #expect(found.answerOpening == "")
    #expect(found.reasoningSyntax?.opening == "<think>")
  }

  /// Gemma 4: not JSON.
  @Test func gemma() throws {
    let found = try template(
      calls: """
        {%- macro value(v) -%}{%- if v is string -%}<|"|>{{ v }}<|"|>{%- elif v is boolean -%}\
        {{ 'true' if v else 'false' }}{%- elif v is none -%}null{%- elif v is mapping -%}\
        {{- '{' -}}{%- for k, w in v | items -%}{{ k }}:{{ value(w) }}{{ ',' if not loop.last }}{%- endfor -%}{{- '}' -}}\
        {%- elif v is iterable -%}[{%- for w in v -%}{{ value(w) }}{{ ',' if not loop.last }}\
        {%- endfor -%}]{%- else -%}{{ v }}{%- endif -%}{%- endmacro -%}
        {%- for call in message.tool_calls -%}<|tool_call>call:{{ call.function.name }}{{- '{' -}}\
        {%- for k, v in call.function.arguments | items -%}{{ k }}:{{ value(v) }}\
        {{ ',' if not loop.last }}{%- endfor -%}{{- '}' -}}<tool_call|>{%- endfor -%}
        """)
    try expectSame(found)
    #expect(found.toolCallSyntax.arguments == .gemma)
  }

  /// Kimi and DeepSeek V3.1: a section around all calls.
  @Test func sections() throws {
    let found = try template(
      calls: """
        {{- '<|tool_calls_section_begin|>' }}{%- for call in message.tool_calls %}\
        {{- '<|tool_call_begin|>' + call.id + '<|tool_call_argument_begin|>' + call.function.name + \
        '<|sep|>' + call.function.arguments | tojson + '<|tool_call_end|>' }}{%- endfor %}\
        {{- '<|tool_calls_section_end|>' }}
        """)
    try expectSame(found)
    #expect(found.toolCallSyntax.opening == "<|tool_calls_section_begin|>")
    #expect(found.toolCallSyntax.closing == "<|tool_calls_section_end|>")
    #expect(found.toolCallSyntax.call.contains(.identifier))
  }

  /// Kimi K2 and Command R7B: calls are numbered, inside or before the name.
  @Test func numberedCalls() throws {
    let inside = try template(
      calls: """
        {%- for call in message.tool_calls %}{{- '<|call_begin|>functions.' + call.function.name + \
        ':' ~ loop.index0 ~ '<|arguments|>' + call.function.arguments | tojson + '<|call_end|>' }}\
        {%- endfor %}
        """)
    try expectSame(inside)
    let before = try template(
      calls: """
        {{- '<|START_ACTION|>[' }}{%- for call in message.tool_calls %}{{- '{"tool_call_id": "' ~ \
        loop.index0 ~ '", "tool_name": "' + call.function.name + '", "parameters": ' + \
        call.function.arguments | tojson + '}' }}{%- if not loop.last %}{{- ', ' }}{% endif %}\
        {%- endfor %}{{- ']<|END_ACTION|>' }}
        """)
    try expectSame(before)
    #expect(inside.toolCallSyntax.call.contains(.index))
    #expect(before.toolCallSyntax.call.contains(.index))
  }

  /// Phi-4 and Granite 4 with several calls in a list.
  @Test func lists() throws {
    let found = try template(
      calls: """
        {{- '<|tool_call|>[' }}{%- for call in message.tool_calls %}{{- '{"name": "' + \
        call.function.name + '", "arguments": ' + call.function.arguments | tojson + '}' }}\
        {%- if not loop.last %}{{- ', ' }}{% endif %}{%- endfor %}{{- ']<|/tool_call|>' }}
        """)
    try expectSame(found)
    #expect(found.toolCallSyntax.opening == "<|tool_call|>[")
  }

  /// Python calls in a list: Llama 4 and LFM2.
  @Test func pythonCalls() throws {
    let found = try template(
      calls: """
        {{- '[' }}{%- for call in message.tool_calls %}{{- call.function.name + '(' }}\
        {%- for key, value in call.function.arguments | items %}{{- key + '=' }}\
        {%- if value is string %}{{- '"' + value + '"' }}{%- else %}{{- value }}{% endif %}\
        {%- if not loop.last %}{{- ', ' }}{% endif %}{%- endfor %}{{- ')' }}\
        {%- if not loop.last %}{{- ', ' }}{% endif %}{%- endfor %}{{- ']' }}
        """)
    #expect(found.toolCallSyntax.arguments == .python)
    #expect(found.toolCallSyntax.opening == "[" && found.toolCallSyntax.closing == "]")
    #expect(
      found.toolCallSyntax.text(of: [.init(name: "f", arguments: #"{"a": "b", "c": true}"#)]).string
        == #"[f(a="b", c=True)]"#)
  }

  @Test(arguments: [
    ("{{ messages }}<|tool_call|>", ToolCallSyntax.granite),
    ("{{ messages }}<|tool_list_start|>", .lfm2), ("{{ messages }}<|tool|><|/tool_call|>", .phi4),
    ("{{ messages }}[TOOL_CALLS]", .mistral),
    ("{{ messages }}[TOOL_CALLS][ARGS]", .mistralArguments),
    ("{{ messages }}<tool_call>", .hermes), ("{{ messages }}<function=x>", .functionary),
  ])
  func marksTellWhatRenderingCannot(jinja: String, form: ToolCallSyntax) throws {
    var form = form
    form.source = .recognised
    let template = try ChatTemplate(
      jinja: "{% for m in messages %}{{ m.content }}{% endfor %}\(jinja.dropFirst(14))")
    #expect(template.toolCallSyntax == form)
  }

  /// A model that was not taught to call is asked for one call a turn.
  @Test func templatesWithoutCalls() throws {
    let template = try ChatTemplate(jinja: "{% for m in messages %}{{ m.content }}{% endfor %}")
    #expect(template.toolCallSyntax == .untaught && template.toolCallSyntax.limit == 1)
  }

  @Test func reasoning() throws {
    let found = try template(
      calls: "",
      more: """
        {%- if enable_thinking is defined and enable_thinking is false %}\
        {{- '<think>\\n\\n</think>\\n\\n' }}{%- else %}{{- '<think>\\n' }}{% endif %}
        """)
    let syntax = try #require(found.reasoningSyntax)
    #expect(syntax.opening == "<think>\n" && syntax.promptOpens)
    #expect(syntax.toggle == .init(variable: "enable_thinking", isOnByDefault: true))
    #expect(try template(calls: "").reasoningSyntax == nil)
  }

  /// Gemma 4 says that it thinks by a channel, which the prompt closes at once where it is not to.
  @Test func reasoningInAChannel() throws {
    let found = try template(
      calls: "",
      more: """
        {%- if not enable_thinking | default(false) %}\
        {{- '<|channel>thought\\n<channel|>' }}{% endif %}
        """)
    let syntax = try #require(found.reasoningSyntax)
    #expect(syntax.opening == "<|channel>thought\n" && syntax.closing == "<channel|>")
    #expect(!syntax.promptOpens)
    #expect(syntax.toggle == .init(variable: "enable_thinking", isOnByDefault: false))
  }

  // MARK: Published templates

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/data/chat-templates")

  /// Every published template is read, learned from, and writes a conversation.
  @Test func publishedTemplates() throws {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) ?? []
    guard !files.isEmpty else {
      print("skipped: no templates in \(Self.folder.path)")
      return
    }
    var rendered = 0
    for file in files.sorted() where file.hasSuffix(".jinja") {
      let source = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
      let template = try ChatTemplate(
        jinja: source, beginningOfSequence: "<s>", endOfSequence: "</s>")
      #expect(template.problem == nil)
      let calls = template.toolCallSyntax
      let pieces = try template.pieces(
        of: .init(
          messages: [
            .init(role: .user, content: "What? <|im_end|>"),
            .init(role: .assistant, content: "", toolCalls: [call(0)]),
            .init(role: .tool, content: "42", name: "get", toolCallID: "abcdefghi"),
          ],
          tools: [.init(name: "get", description: "Gets.", parameters: #"{"type": "object"}"#)],
          date: .init(year: 2026, month: 7, day: 4)))
      let text = pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
      #expect(text.contains("What? <|im_end|>"), "\(file)")
      let whole = pieces.map { piece in
        switch piece {
        case .markup(let text), .text(let text): text
        }
      }.joined()
      #expect(text.contains("get"), "\(file)")
      #expect(whole.contains(calls.beginning), "\(file)")
      if calls.source == .rendered { rendered += 1 }
    }
    #expect(rendered >= 9)
  }
}
