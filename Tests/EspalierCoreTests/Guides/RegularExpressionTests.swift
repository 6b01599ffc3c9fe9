// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import RegexBuilder
import Testing

/// Regular expressions of Swift mean in a schema what they mean in Swift, or are an error.
@Suite struct RegularExpressionTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let guide: @Sendable () -> GenerationGuide<String>
    let valid: [String]
    let invalid: [String]

    init<Output>(
      _ name: String, _ regex: @autoclosure @escaping @Sendable () -> Regex<Output>,
      valid: [String], invalid: [String]
    ) {
      testDescription = name
      guide = { .pattern(regex()) }
      self.valid = valid
      self.invalid = invalid
    }
  }

  static let written: [Example] = [
    Example("plain", /[A-Z]{2}\d+-x/, valid: ["AB1-x"], invalid: ["A1-x", "AB1-xx"]),
    Example("choice", /a|b(?:c|d)/, valid: ["a", "bc"], invalid: ["ac", "b"]),
    Example("named group", /(?<year>\d{4})\/(?<month>\d\d)/, valid: ["2026/11"], invalid: ["1/1"]),
    Example("look-ahead", /(?!ab)[a-z]+/, valid: ["ba"], invalid: ["abc"]),
    Example("anchors", /\Aab\z/, valid: ["ab"], invalid: ["Aabz", "abz"]),
    Example("space", /a\hb/, valid: ["a b", "a\tb"], invalid: ["ahb", "a\nb"]),
    Example("space in brackets", /[\h-]+/, valid: [" -"], invalid: ["h"]),
    Example("code point", /\u{1F600}\u{2e}\x{41}?/, valid: ["😀.", "😀.A"], invalid: ["u", "😀x"]),
    Example("brackets in brackets", /[a-c[x-z]]+/, valid: ["ax", "bz"], invalid: ["[", "d"]),
    Example("property", /\p{Lu}+\P{L}?/, valid: ["É", "AB1"], invalid: ["é", "pLu"]),
    Example(
      "script", /\p{Script=Hiragana}{2,}\P{Greek}?/, valid: ["さくら", "さくA"],
      invalid: ["あ", "さくα", "script"]),
    Example(
      "script in brackets", /[\p{Thai}0-9]+[^\p{Script=Latin}]/, valid: ["สวน1!"], invalid: ["สวนa"]
    ),
    Example("ASCII", /\p{ASCII}+[\p{ASCII}é]\P{ASCII}/, valid: ["abéé"], invalid: ["aba", "ééé"]),
    Example("spread out", #/  a  b # two /#, valid: ["  a  b # two "], invalid: ["ab"]),
    Example("lazy", /a+?b??/, valid: ["a", "aab"], invalid: ["b"]),
    Example(
      "builder",
      Regex {
        OneOrMore(.digit)
        "a.b"
        Repeat(2...3) { "x*" }
        Optionally(CharacterClass.anyOf("+-").union("0"..."9"))
      }, valid: ["1a.bx*x*", "12a.bx*x*x*+"], invalid: ["1aabx*x*", "1a.bx*", "Q"]),
    Example(
      "builder with a literal",
      Regex {
        /[a-c]+/
        "$"
      }, valid: ["ab$"], invalid: ["ab"]),
  ]

  private func pattern(_ guide: GenerationGuide<String>) throws -> String {
    try GenerationSchema(
      root: DynamicGenerationSchema(type: String.self, guides: [guide]), dependencies: []
    ).jsonSchema()
  }

  @Test(arguments: written) func theSameStrings(_ example: Example) throws {
    let text = try pattern(example.guide())
    let grammar = try Grammar(jsonSchema: text)
    for string in example.valid + example.invalid {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      let json = string.generatedContent.jsonString
      let isAccepted = (try? matcher.accept(bytes: json.utf8)) != nil && matcher.canEnd()
      #expect(isAccepted == example.valid.contains(string), "\(json) under \(text)")
    }
  }

  @Test func whatHasNoOtherSpellingIsAnError() {
    let guides: [GenerationGuide<String>] = [
      .pattern(/abc/.ignoresCase()), .pattern(/(?i)abc/), .pattern(/a++b/), .pattern(/a{2}+/),
      .pattern(/[a-z&&[^aeiou]]/), .pattern(/[a[^b]]/), .pattern(/(?>a|b)c/), .pattern(/a\Rb/),
      .pattern(/a.b/.dotMatchesNewlines()), .pattern(/\Xa/),
      // Its text would be "a|bc".
      .pattern(
        Regex {
          ChoiceOf {
            "a"
            "b"
          }
          "c"
        }),
    ]
    for (index, guide) in guides.enumerated() {
      let error = #expect(throws: SchemaConversionError.self, "\(index)") { try pattern(guide) }
      #expect(error?.problem.hasPrefix("A regular expression cannot be put") == true)
      #expect((error?.problem.count ?? 0) > 60, "\(index) says why")
    }
  }
}
