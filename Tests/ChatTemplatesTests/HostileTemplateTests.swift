// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ChatTemplates

/// Templates that would take for ever, all memory or the stack end with an error.
@Suite struct HostileTemplateTests {
  private static func write(_ template: String) throws -> TemplateText {
    let json = #"{"messages": [{"role": "user", "content": "Hi"}]}"#
    return try JinjaTemplate(template).text(json: Array(json.utf8), date: nil)
  }

  private static func rounds(_ start: String, _ step: String, _ end: String = "") -> String {
    "{% set ns = namespace(\(start)) %}{% for i in range(100000) %}\(step){% endfor %}\(end)"
  }

  static let templates = [
    rounds("x=[]", "{% set ns.x = [ns.x] %}"), rounds("x={}", "{% set ns.x = {'a': ns.x} %}"),
    rounds("x=0", "{% set ns.x = namespace(x=ns.x) %}", "{{ ns }}"),
    rounds("x='ab'", "{% set ns.x = ns.x + ns.x %}"),
    rounds("x=[1]", "{% set ns.x = ns.x + ns.x %}"),
    rounds("x='ab'", "{% set ns.x = ns.x ~ ns.x %}"), rounds("x=[1]", "{% set ns.x = ns.x * 2 %}"),
    rounds("x='a'", "{% set ns.x = [ns.x].count %}"),
    rounds("x={}", "{% set ns.x = dict(ns.x, a=i) %}"),
    "{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x | tojson }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
    "{% set ns = namespace(x=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ [ns.x] | unique | list }}",
    "{% set a = 'a' * 1000 %}{{ a | replace('a', a) | replace('a', a) | replace('a', a) }}",
    "{{ range(100000) | list | unique | list }}", "{{ range(1000000000) }}",
    "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
    "{% set a = 'a' * 1000000 %}{% for i in range(100000) %}{% set b = a[1:] %}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% macro m() %}{% call m() %}{% endcall %}{{ caller }}{% endmacro %}{{ m() }}",
    "{{ '%999999999d' % 1 }}", "{{ '{:>999999999}'.format(1) }}", "{{ '%.999999999f' % 1.5 }}",
    "{{ 'a' | center(999999999) }}", "{{ 'a\\nb' | indent(999999999) }}",
    "{{ [1] | tojson(indent=999999999) }}", "{{ [1] | batch(999999999, 1) | list }}",
    "{{ [1] | slice(999999999) | list }}", "{{ 'a'.zfill(999999999) }}",
    "{{ '\\t'.expandtabs(999999999) }}",
    "{{ [1] * 1000000000 }}", "{{ 'a' * 9223372036854775807 }}", "{{ 10 ** 1000000 }}",
    "{% set a = 'a' * 100000 %}{{ a | list | join(a) }}",
    "{% set a = 'a ' * 100000 %}{{ a | wordwrap(1) }}",
    "{{ (-9223372036854775807 - 1) // -1 }}", "{{ (-9223372036854775807 - 1) | abs }}",
    "{{ range(-9223372036854775807, 9223372036854775807) }}",
    "{{ \(String(repeating: "(", count: 5000))1\(String(repeating: ")", count: 5000)) }}",
    "{{ \(String(repeating: "[", count: 50000)) }}",
    "{{ \(String(repeating: "-", count: 50000))1 }}",
    String(repeating: "{% if true %}", count: 5000), String(repeating: "a", count: 1 << 19),
    "{% for \(String(repeating: "(", count: 5000)) in x %}{% endfor %}",
  ]

  /// On a stack as small as that of a task.
  @Test(arguments: templates) func ends(template: String) throws {
    let box = ResultBox()
    let thread = Thread {
      box.result = Result { try Self.write(template) }
      box.done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    box.done.wait()
    #expect(throws: ChatTemplateError.self, "\(template.prefix(80))") { try box.result?.get() }
  }

  private final class ResultBox: @unchecked Sendable {
    var result: Result<TemplateText, any Error>?
    let done = DispatchSemaphore(value: 0)
  }

  /// Opening a template tries it with short conversations: one that reaches a limit is tried once.
  @Test(arguments: [
    rounds("x=[1]", "{% set ns.x = ns.x + ns.x %}"),
    "{% set ns = namespace() %}" + String(repeating: "{% set ns = namespace(x=ns) %}", count: 2000)
      + "{{ ns }}",
    "{% if tools %}{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
      + "{% endif %}",
  ])
  func openingEndsAtALimit(template: String) {
    #expect(throws: ChatTemplateError.self) { try ChatTemplate(jinja: template) }
    // A model whose template cannot be followed is written for in the words of its family.
    let model = ChatTemplate(
      recognising: template + "{{ messages }}<|im_start|>", beginningOfSequence: "",
      endOfSequence: "")
    #expect(model.problem != nil)
    #expect(model.family == .chatML)
  }

  /// Texts that nearly match everywhere are searched in as many steps as they have bytes.
  @Test(.timeLimit(.minutes(30)), arguments: ["find", "rfind", "count"])
  func searchesAreLinear(method: String) throws {
    for part in ["'a' * 250000 ~ 'b'", "'b' ~ 'a' * 250000"] {
      let template =
        "{% set a = 'a' * 500000 %}{% set b = \(part) %}{{ a.\(method)(b) | string | length }}"
      #expect(try Self.write(template).bytes.count > 0)
    }
  }

  /// A long text is found where it stands, from both sides, as a short one is.
  @Test func longTextsAreFound() throws {
    for count in [3, 31, 32, 33, 40] {
      let part = String(repeating: "ab", count: count) + "c"
      let text = "x" + part + "abab" + part + "ab"
      let template =
        "{% set t = '\(text)' %}{% set p = '\(part)' %}{{ t.find(p) }} {{ t.rfind(p) }} "
        + "{{ t.count(p) }} {{ t.replace(p, '-') }} {{ t.find(p ~ 'd') }}"
      #expect(
        try Self.write(template).string == "1 \(1 + part.utf8.count + 4) 2 x-abab-ab -1")
    }
  }

  /// What a template refuses by itself is no limit: others may be taken.
  @Test func openingGoesOnAfterARefusal() throws {
    let template = try ChatTemplate(
      jinja: "{% if tools %}{{ raise_exception('no tools') }}{% endif %}{{ messages[0].content }}")
    let pieces = try template.pieces(of: .init(messages: [.init(role: .user, content: "Hi")]))
    #expect(pieces == [.text("Hi")])
  }

  private static func nested(
    _ opening: String, _ inner: String, _ closing: String, _ count: Int
  ) -> String {
    String(repeating: opening, count: count) + inner + String(repeating: closing, count: count)
  }

  /// As deep as the limits allow, on the same stack.
  @Test func depthFits() {
    let box = ResultBox()
    let templates = [
      "{{ \(String(repeating: "(", count: 49))1\(String(repeating: ")", count: 49)) }}",
      "{% set ns = namespace(x=[]) %}{% for i in range(98) %}{% set ns.x = [ns.x] %}{% endfor %}"
        + "{{ ns.x }}{{ ns.x | tojson(indent=1) }}{{ ns.x == [ns.x] }}{{ ns.x < ns.x }}",
      "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(99) }}",
      Self.nested("{% if true %}", "", "{% endif %}", 99),
      Self.nested("{% for i in [1] %}", "", "{% endfor %}", 99),
      Self.nested("{% with %}", "", "{% endwith %}", 99),
      Self.nested("{% filter upper %}", "", "{% endfilter %}", 49),
      "{{ \(Self.nested("[", "1", "]", 98)) }}",
      "{{ \(Self.nested("{1: ", "1", "}", 98)) }}",
      "{{ \(Self.nested("(1 + ", "1", ")", 49)) }}",
      "{{ \(Self.nested("not (", "1", ")", 49)) }}",
      "{{ \(Self.nested("-", "1", "", 97)) }}",
      Self.nested("{% macro m() %}", "", "{% endmacro %}", 99),
      "{{ \(Self.nested("[1][", "0", " - 1]", 97)) }}",
      "{{ \(Self.nested("[1][:", "0", "] | length", 97)) }}",
      "{{ \(Self.nested("dict(a=", "1", ").a", 97)) }}",
      "{{ \(Self.nested("1 if 1 else ", "1", "", 97)) }}",
      "{% for \(Self.nested("(", "a", ")", 98)) in [] %}{% endfor %}",
    ]
    let thread = Thread {
      box.result = Result { try templates.map(Self.write)[0] }
      box.done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    box.done.wait()
    #expect(throws: Never.self) { try box.result?.get() }
  }

  @Test func workGrowsWithTheConversation() throws {
    let template = try JinjaTemplate(
      "{% for a in m %}{% for b in m %}{% set c = b %}{% endfor %}{% endfor %}")
    let long =
      "{\"m\": [\((0..<150).map { "\"number \($0) and some more words\"" }.joined(separator: ","))]}"
    #expect(throws: Never.self) { try template.text(json: Array(long.utf8), date: nil) }
    var limits = ChatTemplate.Limits()
    limits.workPerByte = 0
    let strict = try JinjaTemplate(template.source, limits: limits)
    #expect(throws: ChatTemplateError.self) { try strict.text(json: Array(long.utf8), date: nil) }
  }

  @Test func limitsAreValues() throws {
    var limits = ChatTemplate.Limits()
    limits.textBytes = 10
    let json = Array("{}".utf8)
    let text = try JinjaTemplate("{{ 'abcdef' * 2 }}", limits: limits)
    #expect(throws: ChatTemplateError.self) { try text.text(json: json, date: nil) }
    limits = ChatTemplate.Limits()
    limits.outputBytes = 10
    let output = try JinjaTemplate("abcdef{{ 'abcdef' }}", limits: limits)
    #expect(throws: ChatTemplateError.self) { try output.text(json: json, date: nil) }
    limits = ChatTemplate.Limits()
    limits.depth = 3
    #expect(throws: ChatTemplateError.self) { try JinjaTemplate("{{ [[[[1]]]] }}", limits: limits) }
    limits.templateBytes = 3
    #expect(throws: ChatTemplateError.self) { try JinjaTemplate("abcd", limits: limits) }
  }
}
