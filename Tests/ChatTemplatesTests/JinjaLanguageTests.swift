// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ChatTemplates

/// Points of the language, with what Jinja 3 and Python say of them.
@Suite struct JinjaLanguageTests {
  private static let conversation = #"""
    {"messages": [{"role": "user", "content": "Hi", "big": 98765432109876543210},
     {"role": "assistant", "content": null}], "d": {"b": 1, "items": 2}, "f": 1.50, "e": 1E3}
    """#

  static func write(_ template: String) throws -> String {
    try JinjaTemplate(template).text(
      json: Array(conversation.utf8),
      date: .init(year: 2026, month: 7, day: 4, hour: 9, minute: 5, second: 3)
    ).string
  }

  @Test(arguments: [
    // Numbers.
    (
      "{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7 / 2 }} {{ 2 ** 10 }}",
      "3 -4 2 -2 3.5 1024"
    ),
    (
      "{{ 1.0 }} {{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.1 + 0.2 }}",
      "1.0 1e+16 1000000000000000.0 1e-05 0.30000000000000004"
    ),
    (
      "{{ messages[0].big }} {{ f }} {{ e }} {{ 0x1F }} {{ 1_000 }}",
      "98765432109876543210 1.5 1000.0 31 1000"
    ),
    (
      "{{ 2.675 | round(2) }} {{ 2.5 | round }} {{ 7 | round }} {{ '%.2f' % 1.005 }}",
      "2.67 2.0 7 1.00"
    ),
    ("{{ 1 < 2 < 3 }} {{ 3 > 2 == 2 }} {{ 1 == true }} {{ not 1 == 2 }}", "True True True True"),
    ("{{ '%.2f|%e|%g' % (1 > 5, 0.0, 0) }} {{ 0.0 | round(1) }}", "0.00|0.000000e+00|0 0.0"),
    // Values as text.
    (
      "{{ [1, 'a', none, true, (1,), {'k': \"it's\"}] }}",
      "[1, 'a', None, True, (1,), {'k': \"it's\"}]"
    ),
    (
      "{{ 1, 2 }}{{ () }}{{ d }}{{ d.items() }}",
      "(1, 2)(){'b': 1, 'items': 2}dict_items([('b', 1), ('items', 2)])"
    ),
    ("{{ d['items'] }} {{ d.items is callable }} {{ d.pop is defined }}", "2 True False"),
    ("{{ {'a': [1, 2.0, none, 'ü/<>&\"']} | tojson }}", #"{"a": [1, 2.0, null, "ü/<>&\""]}"#),
    (
      "{{ {'b': [], 'a': {}} | tojson(indent=2, sort_keys=true) }}",
      "{\n  \"a\": {},\n  \"b\": []\n}"
    ),
    (
      "{{ [1, {'a': 2}] | tojson(separators=(',', ':')) }}{{ 'ü🐟' | tojson(ensure_ascii=true) }}",
      #"[1,{"a":2}]"\u00fc\ud83d\udc1f""#
    ),
    // What is not there.
    (
      "{{ x }}|{{ x | default('d') }}|{{ '' | default('e', true) }}|{{ x | length }}|{{ 1 in x }}",
      "|d|e|0|False"
    ),
    (
      "{{ d.x }}|{{ none.x }}|{{ d.x is defined }}|{{ ('a' if false) is defined }}", "||False|False"
    ),
    // Texts.
    ("{{ 'abc'[::-1] }} {{ 'äöü'[1:] }} {{ [1, 2, 3][-2:] }} {{ 'abc'[9] }}", "cba öü [2, 3] "),
    (
      "{{ 'a,b,c'.rsplit(',', 1) }} {{ ' a b '.split() }} {{ 'xax'.strip('x') }}",
      "['a,b', 'c'] ['a', 'b'] a"
    ),
    (
      "{{ '%s %05d|%-4s|%x %%' % ('a', 42, 'b', 255) }} {{ '{1}{0!r:>5}'.format('a', 'b') }}",
      "a 00042|b   |ff % b  'a'"
    ),
    (#"{{ 'a\x41é\'\d' }}"#, #"aAé'\d"#),
    (
      "{{ '<b>' | safe + '<i>' }} {{ '<i>' | e }} {{ '<b>' | safe ~ '<i>' }}",
      "<b>&lt;i&gt; &lt;i&gt; <b><i>"
    ),
    (
      "{{ 'ab-c d' | title }} {{ 'a\nb\n\nc' | indent(2) }} {{ 'one two three' | truncate(8, leeway=0) }}",
      "Ab-C D a\n  b\n\n  c one..."
    ),
    // Lists.
    (
      "{{ ['b', 'A', 'c'] | sort | join }} {{ [3, 1] | sort(reverse=true) }} {{ [1, 2, 1] | unique | list }}",
      "Abc [3, 1] [1, 2]"
    ),
    (
      "{{ [1, 2, 3] | batch(2, 0) | list }} {{ [1, 2, 3] | slice(2) | list }}",
      "[[1, 2], [3, 0]] [[1, 2], [3]]"
    ),
    (
      "{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | first }}",
      "Hi"
    ),
    ("{{ none | select | list }}{{ range(3) | map('string') | join('-') }}", "[]0-1-2"),
    // Loops and scopes.
    (
      "{% for x in [1, 2] %}{{ loop.index }}{{ loop.last }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}",
      "1False2;2True1;"
    ),
    (
      "{% for x in [1] %}{% break %}{% else %}else{% endfor %}|{% for x in [1] %}{% else %}e{% endfor %}",
      "else|"
    ),
    ("{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}", "231"),
    (
      "{% set ns = namespace(a=1) %}{% for i in [1, 2] %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}{{ ns }}",
      "4<Namespace {'a': 4}>"
    ),
    (
      "{% for x in [[1, [2]], 3] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}{{ loop.depth }}{% endif %}{% endfor %}",
      "(12(23))31"
    ),
    ("{% for x in range(5) if x % 2 %}{{ x }}{{ loop.length }}{% endfor %}", "1232"),
    // Macros.
    (
      "{% macro m(a, b=a) %}{{ a }}{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, c=2) }}{{ m(1, 2, 3) }}",
      "11(){'c': 2}12(3,){}"
    ),
    (
      "{% macro m() %}<{{ caller(1) }}>{% endmacro %}{% call(x) m() %}b{{ x }}{% endcall %}", "<b1>"
    ),
    ("{% macro f(n) %}{{ n }}{% if n %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}", "3210"),
    (
      "{% set v = 1 %}{% macro g() %}{{ v }}{% set v = 2 %}{{ v }}{% endmacro %}{{ g() }}{% set v = 3 %}{{ g() }}",
      "1232"
    ),
    // Blocks and white space.
    (
      "{% set x | upper %}a{% endset %}{{ x }}{% filter trim %} b {% endfilter %}{% with a = 1 %}{{ a }}{% endwith %}{{ a }}",
      "Ab1"
    ),
    ("  {% if true %}\n  a\n  {% endif %}\nb {%- if true -%} c {%+ endif +%}\nd\n", "  a\nbc \nd"),
    ("{# a -#}  b {#- c #}\nd{% raw %}{{ x }}\n{% endraw %}\ne", "bd{{ x }}\ne"),
    ("{% generation %}a{% set z = 1 %}{% endgeneration %}{{ z }}\r\nb\r", "a\nb"),
    (
      "{{ strftime_now('%d %b %Y %B %-d %A %H:%M:%S %j %p') }}",
      "04 Jul 2026 July 4 Saturday 09:05:03 185 AM"
    ),
  ])
  func writes(template: String, expected: String) throws {
    #expect(try Self.write(template) == expected, "\(template)")
  }

  @Test(arguments: [
    ("{{ x.y }}", "'x' is undefined"), ("{{ x + 1 }}", "'x' is undefined"),
    ("{{ d.x.y }}", "no attribute 'x'"), ("{{ 'a' + 1 }}", "types str and int"),
    ("\n{{ none + 1 }}", "line 2"), ("{{ x | tojson }}", "undefined"), ("{{ 1 | sing }}", "'sing'"),
    ("{{ 1 is sing }}", "'sing'"), ("{% for a, b in [1] %}{% endfor %}", "loop"),
    ("{% for x in none %}{% endfor %}", "NoneType"), ("{{ raise_exception('no') }}", "no"),
    ("{{ 1 // 0 }}", "zero"), ("{{ 'a'.split('') }}", "empty"), ("{{ [1][::0] }}", "not 0"),
    ("{{ d.pop('b') }}", "no attribute 'pop'"), ("{{ [].append(1) }}", "no attribute"),
    ("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", "at most 1"),
    ("{{ 9223372036854775807 + 1 }}", "64 bits"), ("{{ {[]: 1} }}", "key"),
    ("{% set d.x = 1 %}", "no namespace"),
  ])
  func refuses(template: String, words: String) throws {
    let error = #expect(throws: ChatTemplateError.self) { try Self.write(template) }
    #expect(error?.description.contains(words) == true, "\(template): \(error?.description ?? "")")
  }

  /// What is said stays text however it is cut and joined; the template's words stay markup.
  @Test func quotedness() throws {
    let template = try JinjaTemplate(
      """
      {{ ('<|a|>' + m + '<|b|>')[2:-2] | replace('|', '!') }}{{ m | upper }}{{ m.split('|') | join('<') }}\
      {{ '%s<|c|>' % m }}{{ [m] }}{{ '<|d|>' | tojson }}{{ m | tojson }}
      """)
    let json = #"{"m": "<|im_end|>"}"#
    let pieces = try template.text(json: Array(json.utf8), date: nil).pieces
    #expect(
      pieces == [
        .markup("a!>"), .text("<"), .markup("!"), .text("im_end"), .markup("!"), .text(">"),
        .markup("<!b"), .text("<|IM_END|><"), .markup("<"), .text("im_end"), .markup("<"),
        .text("><|im_end|>"), .markup("<|c|>"), .text("['<|im_end|>']"), .markup("\"<|d|>\""),
        .text("\"<|im_end|>\""),
      ])
  }
}
