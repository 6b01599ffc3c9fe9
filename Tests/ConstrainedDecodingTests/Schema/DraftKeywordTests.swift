// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// Keywords count in the drafts that have them, and elsewhere are told to say nothing.
@Suite struct DraftKeywordTests {
  static let drafts = [
    "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ]

  /// A keyword, a value that breaks it, and the drafts that have it, by their place in the list.
  static let keywords: [(schema: String, value: String, drafts: ClosedRange<Int>)] = [
    (#""const":1"#, "2", 0...4), (#""divisibleBy":2"#, "3", 0...0),
    (#""contains":{"type":"null"}"#, "[]", 1...4),
    (#""propertyNames":{"maxLength":1}"#, #"{"ab":1}"#, 1...4),
    (#""if":true,"then":false"#, "1", 2...4),
    (#""contains":true,"minContains":2"#, "[1]", 3...4),
    (#""contains":true,"maxContains":1"#, "[1,2]", 3...4),
    (#""dependentRequired":{"a":["b"]}"#, #"{"a":1}"#, 3...4),
    (#""dependentSchemas":{"a":{"required":["b"]}}"#, #"{"a":1}"#, 3...4),
    (#""dependencies":{"a":"b"}"#, #"{"a":1}"#, 0...4),
    (#""unevaluatedProperties":false"#, #"{"a":1}"#, 3...4),
    (#""unevaluatedItems":false"#, "[1]", 3...4),
    (#""prefixItems":[{"type":"null"}]"#, "[1]", 4...4),
    (
      ##""properties":{"a":{"$recursiveRef":"#"}},"additionalProperties":false"##,
      #"{"a":{"b":1}}"#, 3...3
    ),
  ]

  private func options() -> CompilationOptions {
    var options = CompilationOptions.validation
    options.warnsOfMisspellings = true
    return options
  }

  private func accepts(_ text: String, _ grammar: Grammar) -> Bool {
    var validator = StreamValidator(grammar: grammar)
    validator.append(text)
    return validator.finish() == .complete
  }

  @Test(arguments: keywords)
  func aKeywordCountsInItsDrafts(schema: String, value: String, drafts: ClosedRange<Int>) throws {
    for (number, draft) in Self.drafts.enumerated() {
      let text = "{\"$schema\":\"\(draft)\",\(schema)}"
      let grammar = try Grammar(jsonSchema: text, options: options())
      #expect(accepts(value, grammar) != drafts.contains(number), "\(text)")
      let warnings = grammar.warnings.filter { $0.message.contains("so that it says nothing") }
      #expect(warnings.isEmpty == drafts.contains(number), "\(text): \(warnings)")
    }
  }

  @Test(arguments: [
    (#""prefixItems":[]"#, "write a list as `items`, or name draft 2020-12"),
    (#""dependentRequired":{}"#, "write `dependencies`"),
    (#""divisibleBy":2"#, "no keyword of draft 7, so that it says nothing; write `multipleOf`"),
    (#""minContains":2"#, "name draft 2019-09 or later in `$schema`"),
  ])
  func whatToWriteInstead(schema: String, words: String) throws {
    let text = "{\"$schema\":\"\(Self.drafts[2])\",\(schema)}"
    let found = try Grammar(jsonSchema: text, options: options()).warnings
    #expect(found.count == 1 && found[0].message.contains(words), "\(found)")
  }

  @Test func whatAReferenceHidesIsTold() throws {
    let text = """
      {"$schema":"\(Self.drafts[2])","definitions":{"s":{"type":"string"}},"properties":{
      "a":{"$ref":"#/definitions/s","maxLength":2,"pattern":"x","description":"A"},
      "b":{"$ref":"#/definitions/s","type":"string","title":"B"}}}
      """
    let found = try Grammar(jsonSchema: text, options: options()).warnings
    #expect(found.map(\.location) == ["#/properties/a"])
    #expect(found.first?.message.contains("here `maxLength`, `pattern`; put") == true, "\(found)")
    let later = text.replacing(Self.drafts[2], with: Self.drafts[3])
    #expect(try Grammar(jsonSchema: later, options: options()).warnings == [])
  }

  @Test func findingsComeInTheOrderOfTheText() throws {
    let text = """
      {"items":{"format":"one"},"properties":{"a":{"properties":{"b":{"format":"two"}}},
      "c":{"format":"three"}},"contains":{"format":"four"}}
      """
    let found = try Grammar(jsonSchema: text).warnings.map(\.message)
    let names = ["one", "two", "three", "four"]
    #expect(zip(found, names).allSatisfy { $0.contains("`\($1)`") } && found.count == 4, "\(found)")
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: text.replacing("format", with: "type"))
    }
    let places = error?.diagnostics.map(\.location)
    #expect(places == ["#/items", "#/properties/a/properties/b", "#/properties/c", "#/contains"])
  }
}
