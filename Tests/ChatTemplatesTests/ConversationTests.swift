// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ChatTemplates

/// What a conversation becomes.
@Suite struct ConversationTests {
  private func text(_ pieces: [ChatTemplate.Piece]) -> String {
    pieces.map {
      switch $0 {
      case .markup(let text), .text(let text): text
      }
    }.joined()
  }

  @Test func everythingReachesTheTemplate() throws {
    let template = try ChatTemplate(
      jinja: """
        {{ (tools or [{}])[0].function['name'] if tools }} {{ enable_thinking }} {{ level }} {{ documents2[0].a if documents2 }} \
        {{ strftime_now('%Y-%m-%d') }} {{ bos_token }}
        {% for m in messages %}
        {{ m.role }}:{{ m.content }}:{{ m.reasoning_content }}:{{ m.name }}:{{ m.tool_call_id }}
        {% for c in m.tool_calls or [] %}
        ({{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson }})
        {% endfor %}
        {% endfor %}
        {{ add_generation_prompt }}
        """, beginningOfSequence: "<s>")
    let pieces = try template.pieces(
      of: .init(
        messages: [
          .init(role: .user, content: "U"),
          .init(
            role: .assistant, content: "A", reasoning: "R",
            toolCalls: [.init(name: "f", arguments: #"{"b": 1.0, "a": 10000000000000000000}"#)]),
          .init(role: .tool, content: "T", name: "f"),
        ],
        tools: [.init(name: "f", description: "\"d\"", parameters: "{}")],
        addsGenerationPrompt: false,
        variables: [
          "enable_thinking": false, "level": "high", "documents2": .json("[{\"a\": 5}]"),
        ],
        date: .init(year: 2026, month: 7, day: 4)))
    #expect(
      text(pieces) == """
        f False high 5 2026-07-04 <s>
        user:U:::
        assistant:A:R::
        (call00001 f {"b": 1.0, "a": 10000000000000000000})
        tool:T::f:call00001
        False
        """)
  }

  /// Templates that take tools from the system's message, as that of Phi-4-mini.
  @Test(arguments: [true, false]) func toolsOfTheSystem(hasInstructions: Bool) throws {
    let template = try ChatTemplate(
      jinja: """
        {% for m in messages %}<|{{ m.role }}|>{{ m.content }}\
        {% if m.role == 'system' and 'tools' in m and m['tools'] is not none %}\
        <|tool|>{{ m['tools'] }}<|/tool|>{% endif %}<|end|>{% endfor %}
        """)
    #expect(template.describesTools)
    var messages = [ChatTemplate.Message(role: .user, content: "U")]
    if hasInstructions {
      messages.insert(.init(role: .system, content: "S"), at: 0)
      messages.append(.init(role: .system, content: "Later."))
    }
    let tool = ChatTemplate.Tool(name: "f", description: "D<|end|>", parameters: #"{"a": 1}"#)
    let pieces = try template.pieces(of: .init(messages: messages, tools: [tool]))
    let listed = #"[{"name": "f", "description": "D<|end|>", "parameters": {"a": 1}}]"#
    let expected =
      hasInstructions
      ? "<|system|>S<|tool|>\(listed)<|/tool|><|end|><|user|>U<|end|><|system|>Later.<|end|>"
      : "<|system|><|tool|>\(listed)<|/tool|><|end|><|user|>U<|end|>"
    #expect(text(pieces) == expected)
    // What a tool says of itself is no markup.
    #expect(
      pieces.contains {
        if case .text(let text) = $0 { text.contains("D<|end|>") } else { false }
      })
    let without = try template.pieces(of: .init(messages: messages))
    #expect(!text(without).contains("<|tool|>"))
  }

  @Test func withoutADate() throws {
    let template = try ChatTemplate(jinja: "{{ messages }}{{ strftime_now('%Y') }}")
    let error = #expect(throws: ChatTemplateError.self) {
      try template.pieces(of: .init(messages: []))
    }
    #expect(error?.message.contains("date") == true)
  }

  @Test func wrongJSONSaysWhere() throws {
    let template = try ChatTemplate(jinja: "{{ messages[0].tool_calls[0].function.arguments.a }}")
    let error = #expect(throws: ChatTemplateError.self) {
      try template.pieces(of: .init(messages: [], tools: [.init(definition: "{\"a\": }")]))
    }
    #expect(error?.message.contains("byte 6") == true)
  }

  /// Text of the assistant that looks like a call stays text, also in our own families.
  @Test func saidMarksAreNoMarks() throws {
    let calls = "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}}]"
    let said = ChatTemplate.Message(role: .assistant, content: calls)
    #expect(
      ChatTemplate(family: .mistral).pieces(of: [said])
        == [.text(" " + calls), .markup("</s>")])
    let call = ChatTemplate.Message(
      role: .assistant, content: "", toolCalls: [.init(name: "f", arguments: "{}")])
    #expect(
      ChatTemplate(family: .mistral).pieces(of: [call])
        == [
          .markup("[TOOL_CALLS][{\"name\": \""), .text("f"), .markup("\", \"arguments\": "),
          .text("{}"), .markup("}]</s>"),
        ])
    let template = try ChatTemplate(
      jinja: "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}[TOOL_CALLS]")
    #expect(
      template.pieces(of: [said], opensTurn: false)
        == [.markup("<assistant>"), .text(calls), .markup("[TOOL_CALLS]")])
    // A template that leaves calls out gets them in the content, with their marks.
    #expect(
      template.pieces(of: [call], opensTurn: false)
        == [
          .markup("<assistant>[TOOL_CALLS][{\"name\": \""), .text("f"),
          .markup("\", \"arguments\": "), .text("{}"), .markup("}][TOOL_CALLS]"),
        ])
  }

  @Test func identifiersAsTheTemplateWantsThem() throws {
    let template = try ChatTemplate(
      jinja: """
        {% for m in messages %}{% for c in m.tool_calls or [] %}
        {% if c.id | length != 9 %}{{ raise_exception('nine') }}{% endif %}
        call {{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson }}
        {% endfor %}{% if m.role == 'tool' %}result {{ m.tool_call_id }}{% endif %}{% endfor %}
        """)
    let calls = [
      ChatTemplate.ToolCall(name: "f", arguments: "{}", id: "call_long_identifier"),
      ChatTemplate.ToolCall(name: "g", arguments: "{}", id: "abcdefghi"),
    ]
    let pieces = try template.pieces(
      of: .init(messages: [
        .init(role: .assistant, content: "", toolCalls: calls),
        .init(role: .tool, content: "1", toolCallID: "abcdefghi"),
        .init(role: .tool, content: "2", toolCallID: "call_long_identifier"),
      ]))
    #expect(
      text(pieces) == """
        call call00001 f {}
        call abcdefghi g {}
        result abcdefghiresult call00001
        """)
  }

  @Test func templatesThatCannotBeRead() {
    let broken = ChatTemplate(
      recognising: "<|im_start|>{% if", beginningOfSequence: "", endOfSequence: "")
    #expect(broken.family == .chatML)
    #expect(broken.problem?.line == 1)
    #expect(
      broken.pieces(of: [.init(role: .user, content: "Hi")])
        == [
          .markup("<|im_start|>user\n"), .text("Hi"), .markup("<|im_end|>\n"),
          .markup("<|im_start|>assistant\n"),
        ])
    let silent = ChatTemplate(
      recognising: "<|im_start|> <tool_response>", beginningOfSequence: "", endOfSequence: "")
    #expect(silent.problem?.message.contains("messages") == true)
  }

  /// A template with a family's marks is followed as it is written.
  @Test func publishersComeFirst() {
    let template = ChatTemplate(
      recognising: "{% for m in messages %}<|im_start|>{{ m.role }}!{{ m.content }}{% endfor %}",
      beginningOfSequence: "", endOfSequence: "")
    #expect(
      template.pieces(of: [.init(role: .user, content: "Hi")])
        == [.markup("<|im_start|>user!"), .text("Hi")])
  }

  @Test(arguments: [
    ("{\"a\": 1} x", "byte 9"), ("[1,]", "byte 3"), ("{\"a\" 1}", "byte 5"), ("\"\n\"", "byte 1"),
    ("[01]", "byte 2"), ("\"\\x\"", "byte 2"), ("", "byte 0"), ("nul", "byte 0"),
    (String(repeating: "[", count: 5000), "deeper"),
  ])
  func brokenJSON(json: String, words: String) {
    let error = #expect(throws: ChatTemplateError.self) {
      try TemplateJSONReader.value(of: Array(json.utf8), depthLimit: 100)
    }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  /// Templates of Gemma and Mistral refuse speakers that do not alternate; the turns become one.
  @Test(arguments: [true, false]) func turnsOfOneSpeakerBecomeOne(takesSystem: Bool) throws {
    let template = try ChatTemplate(
      jinja: """
        {% if messages[0].role == 'system' and \(takesSystem) %}{{ messages[0].content }}|
        {%- set messages = messages[1:] %}{% endif %}
        {%- for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('must alternate') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}
        """)
    let text = try template.pieces(
      of: .init(messages: [
        .init(role: .system, content: "S"), .init(role: .user, content: "A"),
        .init(role: .user, content: "B"), .init(role: .assistant, content: "C"),
        .init(role: .assistant, content: "D"), .init(role: .user, content: "E"),
      ])
    ).map {
      switch $0 {
      case .markup(let text), .text(let text): text
      }
    }.joined()
    #expect(
      text == (takesSystem ? "S|<user>" : "<user>S\n\n") + "A\n\nB<assistant>C\n\nD<user>E")
    // Who begins is not ours to change.
    #expect(throws: ChatTemplateError.self) {
      try template.pieces(of: .init(messages: [.init(role: .assistant, content: "Hi")]))
    }
  }
}
