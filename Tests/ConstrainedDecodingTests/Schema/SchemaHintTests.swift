// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

@testable import ConstraintEngine

/// What may have been meant where a schema says something else.
@Suite struct SchemaHintTests {
  private func warnings(_ schema: String) throws -> [GrammarError.Diagnostic] {
    var options = CompilationOptions.generation
    options.warnsOfMisspellings = true
    return try Grammar(jsonSchema: schema, options: options).warnings
  }

  private func error(_ schema: String) throws -> GrammarError.Diagnostic {
    let error = #expect(throws: GrammarError.self, "\(schema)") {
      try Grammar(jsonSchema: schema)
    }
    return try #require(error?.diagnostics.first)
  }

  @Test(arguments: [
    (#"{"properties":{"Name":{}},"required":["name"]}"#, "was `Name` meant?"),
    (#"{"properties":{"street":{}},"required":["stret"]}"#, "was `street` meant?"),
    (#"{"properties":{"id":{},"ID":{}},"required":["Id"]}"#, "was `id` meant?"),
    (#"{"properties":{"city":{},"zone":{}},"required":["ctiy","zone"]}"#, "was `city` meant?"),
  ])
  func aRequiredMemberThatIsNearlyDeclared(schema: String, words: String) throws {
    let found = try warnings(schema)
    #expect(found.map(\.keyword) == ["required"] && found[0].location == "#")
    #expect(found[0].message.contains(words), "\(found)")
  }

  @Test(arguments: [
    #"{"properties":{"line1":{}},"required":["line2"]}"#,
    #"{"properties":{"name":{}},"required":["name","nama"]}"#,
    #"{"properties":{"a":{}},"required":["b"]}"#, #"{"required":["b"]}"#,
    #"{"properties":{"type":{"nullable":false}},"required":["type"]}"#,
    #"{"type":["string","null"],"nullable":true}"#,
  ])
  func whatIsMeantIsNotWarnedOf(schema: String) throws {
    #expect(try warnings(schema) == [])
  }

  @Test func definitionsOfAnotherDraftAreFound() throws {
    let old = try error(##"{"$ref":"#/definitions/a%20b","$defs":{"a b":{}}}"##)
    #expect(old.message == "`#/definitions/a%20b` names nothing; `#/$defs/a%20b` is there")
    let new = try error(##"{"items":{"$ref":"#/$defs/X"},"definitions":{"X":{}}}"##)
    #expect(new.message.contains("`#/definitions/X` is there"))
    let none = try error(##"{"$ref":"#/$defs/X","$defs":{"Y":{}}}"##)
    #expect(none.message.contains("define it"))
  }

  @Test(arguments: [
    (
      #"{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object"}}}"#,
      "is the schema at `#/json_schema/schema`?"
    ),
    (
      #"{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}"#,
      "is the schema at `#/function/parameters`?"
    ),
    (#"{"type":"STRING"}"#, "was `string` meant?"), (#"{"type":"strng"}"#, "was `string` meant?"),
    (#"{"type":["int"]}"#, "was `integer` meant?"),
    (#"{"properties":{"type":"x"},"type":"Object"}"#, "was `object` meant?"),
  ])
  func aTypeThatIsNone(schema: String, words: String) throws {
    let found = try error(schema)
    #expect(found.keyword == "type" && found.message.hasSuffix(words), "\(found)")
  }

  @Test func theFormatOfAResponseHasASchema() throws {
    let found = try warnings(
      #"{"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"null"}}}}"#)
    #expect(
      found.first?.message.contains("`#/response_format/json_schema/schema`") == true, "\(found)")
  }

  @Test(arguments: [
    (#"{"type":"object","propertyOrdering":["b"]}"#, "in the order of `properties`"),
    (#"{"type":"string","nullable":true}"#, #"write `"type": ["string", "null"]`"#),
    (#"{"type":"string","enum":["a"],"nullable":true}"#, "and `null` in the `enum`"),
    (##"{"$ref":"#/$defs/a","$defs":{"a":{}},"nullable":true}"##, "write `anyOf`"),
  ])
  func otherDialects(schema: String, words: String) throws {
    let found = try warnings(schema)
    #expect(found.count == 1 && found[0].message.contains(words), "\(found)")
  }
}
