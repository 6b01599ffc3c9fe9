// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ChatTemplates

/// Chat templates as publishers write them. `Tests/Consumers/chat_templates.py` compares with Jinja
/// itself.
@Suite struct JinjaTemplateTests {
  private let chat: [ChatTemplate.Message] = [
    .init(role: .system, content: "Be brief."), .init(role: .user, content: " Hi <|end|> "),
    .init(role: .assistant, content: "Hello."), .init(role: .user, content: "Bye"),
  ]

  private func write(
    _ template: String, _ messages: [ChatTemplate.Message]? = nil, opensTurn: Bool = true
  ) throws -> String {
    let template = try ChatTemplate(
      jinja: template, beginningOfSequence: "<s>", endOfSequence: "</s>")
    return try template.pieces(
      of: .init(messages: messages ?? chat, addsGenerationPrompt: opensTurn)
    ).map { piece in
      switch piece {
      case .markup(let text), .text(let text): text
      }
    }.joined()
  }

  struct Example: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var template: String
    var expected: String
  }

  static let examples: [Example] = [
    Example(
      testDescription: "roles between marks",
      template: """
        {{ bos_token }}{% for message in messages %}
        <|{{ message['role'] }}|>
        {{ message.content | trim }}<|end|>
        {% endfor %}
        {% if add_generation_prompt %}
        <|assistant|>
        {% else %}
        {{ eos_token }}
        {% endif %}
        """,
      expected:
        "<s><|system|>\nBe brief.<|end|>\n<|user|>\nHi <|end|><|end|>\n<|assistant|>\nHello.<|end|>\n"
        + "<|user|>\nBye<|end|>\n<|assistant|>\n"),
    Example(
      testDescription: "a system message taken out, and loop variables",
      template: """
        {%- if messages[0]['role'] == 'system' -%}
          {%- set system = messages[0]['content'] ~ '\\n\\n' -%}
          {%- set rest = messages[1:] -%}
        {%- else -%}
          {%- set system = '' -%}
          {%- set rest = messages -%}
        {%- endif -%}
        {%- for message in rest -%}
          {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
            {{ raise_exception('Roles must alternate') }}
          {%- endif -%}
          {{ ('Q' if message.role == 'user' else 'A') + loop.index|string + ': ' }}
          {{- (system if loop.first else '') + message['content'].strip() -}}
          {{ '.' if not loop.last }}
        {%- endfor -%}
        """, expected: "Q1: Be brief.\n\nHi <|end|>.A2: Hello..Q3: Bye"),
    Example(
      testDescription: "namespaces, filters and tests",
      template: """
        {% set ns = namespace(count=0, roles=[]) %}
        {% for m in messages if m.role is not in ['system'] %}
        {% set ns.count = ns.count + 1 %}
        {% set ns.roles = ns.roles + [m.role | upper] %}
        {% endfor %}
        {{ ns.count }} {{ ns.roles | join('-') }} {{ messages | length }} {{ missing is defined }}
        {{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list | last }}
        {{ {'a': [1, 2.5, none], 'b': 'x"y'} | tojson }}
        {{ missing | default('nothing') }} {{ 7 // 2 }} {{ -7 % 3 }} {{ 'b' in 'abc' and not false }}
        """,
      expected: """
        3 USER-ASSISTANT-USER 4 False
        Bye
        {"a": [1, 2.5, null], "b": "x\\"y"}
        nothing 3 2 True
        """),
    Example(
      testDescription: "macros, breaks and slices",
      template: """
        {% macro turn(role, text='none') %}[{{ role }}:{{ text }}]{% endmacro %}
        {% for m in messages[::-1] %}
        {% if m.role == 'system' %}{% continue %}{% endif %}
        {{ turn(m.role, m.content) }}
        {% if m.role == 'assistant' %}{% break %}{% endif %}
        {% endfor %}
        {{ turn('end') }} {{ 'abcdef'[1:4] }} {{ 'abc'[-1] }} {% raw %}{{ x }}{% endraw %}{# note #}
        """,
      expected: "[user:Bye]\n[assistant:Hello.]\n[end:none] bcd c {{ x }}"),
    Example(
      testDescription: "texts and objects",
      template: """
        {{ 'a,b'.split(',') | join(' ') }} {{ 'Title'.startswith('T') }} {{ ' x '.lstrip() }}|
        {%- for key, value in {'k': 'v', 'l': 2}.items() %} {{ key }}={{ value }}{% endfor %}
         {{ (messages | first).get('name', 'unnamed') }} {{ range(1, 4) | list | tojson }}
        """, expected: "a b True x | k=v l=2 unnamed [1, 2, 3]"),
  ]

  @Test(arguments: examples) func asJinjaWritesIt(_ example: Example) throws {
    #expect(try write(example.template) == example.expected)
  }

  @Test func whatAUserSaysIsNoMarkup() throws {
    let template = try ChatTemplate(
      jinja: "{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}<|end|>{% endfor %}")
    #expect(
      template.pieces(of: [.init(role: .user, content: " Hi <|end|> there ")]) == [
        .markup("<|user|>"), .text("Hi <|end|> there"), .markup("<|end|>"),
      ])
  }

  /// Of every text, marks that combine with what stands before them among them.
  @Test func textsAsJSON() throws {
    let texts = (UInt8.min...0x7F).map { String(Unicode.Scalar($0)) }
    for text in texts + ["e\u{301}", "\u{301}", "🐟\u{200D}", "\r\n", "\u{2028}", ""] {
      let written = try write(
        "{{ messages[0].content | tojson }}", [.init(role: .user, content: text)])
      #expect(try JSONDecoder().decode(String.self, from: Data(written.utf8)) == text)
      #expect(written.unicodeScalars.count >= text.unicodeScalars.count + 2)
    }
  }

  @Test func aTemplateWithoutSystemOrTools() throws {
    let template = try ChatTemplate(
      jinja: """
        {%- for m in messages -%}
        {%- if m.role not in ['user', 'assistant'] -%}{{ raise_exception('no ' + m.role) }}{%- endif -%}
        <{{ m.role }}>{{ m.content }}
        {%- endfor -%}
        """)
    let pieces = template.pieces(of: [
      .init(role: .system, content: "S"), .init(role: .user, content: "U"),
      .init(role: .tool, content: "T"),
    ])
    #expect(
      pieces == [.markup("<user>"), .text("S\n\nU"), .markup("<user>"), .text("T")])
  }

  @Test(arguments: [
    ("{{ 'a' }", "line 1: '}' closes nothing"), ("{% if a %}", "'endif' is missing"),
    ("a\n{% sing %}", "line 2: The statement 'sing' is not known."), ("{{ 'a", "does not end"),
    ("{{ a | }}", "A name is expected"), ("{% endif %}", "is not known"),
    ("{{ (1 }}", "')' is expected, not '}'"), ("{{ [1", "'}}' is missing"),
    ("{# a", "does not end"),
    ("{% raw %}", "'endraw' is missing"), ("{% break %}", "stand in loops"),
    ("{% for x in y %}{% macro m() %}{% continue %}{% endmacro %}{% endfor %}", "stand in loops"),
    ("{{ f(a=1, 2) }}", "without a name"), ("{{ }}", "An expression is expected"),
    ("{% include 'x' %}", "is not supported"), ("{% set true = 1 %}", "cannot be set"),
    ("{{ a is b is c }}", "Tests cannot follow"),
    ("{% macro m(a=1, b) %}{% endmacro %}", "default"),
  ])
  func brokenTemplatesSayWhere(template: String, words: String) {
    do {
      _ = try JinjaTemplate(template)
      Issue.record("\(template) was read.")
    } catch {
      #expect(error.description.contains(words), "\(template): \(error)")
    }
  }
}
