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
    (#"{"type":"any"}"#, "leave `type` out where any value may stand"),
    (#"{"type":"file"}"#, "was `string` meant?"), (#"{"type":["uint8"]}"#, "was `integer` meant?"),
    (#"{"type":[null,"object"]}"#, "was the string `null` meant?"),
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

  @Test(arguments: [
    (#"{"result":{"tools":[{"inputSchema":{"type":"object"}}]}}"#, "#/result/tools/0/inputSchema"),
    (#"{"tools":[{"name":"a"},{"inputSchema":{"type":"object"}}]}"#, "#/tools/1/inputSchema"),
  ])
  func theSchemasOfAListOfTools(schema: String, place: String) throws {
    let found = try warnings(schema)
    #expect(found.first?.message.contains("is the schema at `\(place)`?") == true, "\(found)")
    let list = schema.replacing(/^\{"(result":\{")?tools":|\}$/, with: "")
    let isList = schema.hasPrefix("{\"tools")
    if isList { #expect(try error(list).message.contains("is the schema at `#/1/inputSchema`?")) }
  }

  @Test(arguments: [
    (#"{"elements":{"type":"string"}}"#, "write `items`"),
    (#"{"type":"object","values":{"type":"string"}}"#, "write `additionalProperties`"),
    (#"{"properties":{},"optionalProperties":{"a":{}}}"#, "write its members in `properties`"),
    (##"{"allOf":[{"$ref":"#/$defs/a"}],"nullable":true,"$defs":{"a":{}}}"##, "with the `allOf`"),
  ])
  func membersOfOtherDialects(schema: String, words: String) throws {
    let found = try warnings(schema)
    #expect(found.count == 1 && found[0].message.contains(words), "\(found)")
  }

  @Test(arguments: [
    #"{"anyOf":[{"type":"string"},{"type":"null"}],"nullable":true}"#, #"{"nullable":true}"#,
    #"{"type":"object","values":3,"elements":[1]}"#,
  ])
  func whatSaysTheSameIsNotWarnedOf(schema: String) throws {
    #expect(try warnings(schema).filter { $0.keyword != "" } == [])
  }

  @Test func aFormatIsToldOnce() throws {
    let found = try warnings(
      """
      {"properties":{"a":{"format":"int32"},"b":{"format":"int32"},"c":{"format":"guid"},
      "d":{"format":"datetime"},"e":{"format":"emial"},"f":{"format":"ulid"}}}
      """)
    #expect(
      found.map(\.location) == ["a", "c", "d", "e", "f"].map { "#/properties/\($0)" }, "\(found)")
    let words = [
      "write `minimum` -2147483648 and `maximum` 2147483647", "was `uuid` meant?",
      "was `date-time` meant?", "was `email` meant?", "taken as an annotation",
    ]
    for (finding, words) in zip(found, words) {
      #expect(finding.message.contains(words), "\(finding)")
    }
  }

  @Test(arguments: [
    ("type: object\nproperties:\n", "YAML"), ("# A\ntype: object", "YAML"),
    ("- type: object", "YAML"), ("{\n  // A\n}", "JSON has no comments"),
    ("{'type': 'object'}", "double quotes"), (#"{"type":"object",}"#, "leave out the comma"),
    (#"{"enum":[1,2, ]}"#, "leave out the comma"),
  ])
  func whatIsNoJSON(schema: String, words: String) throws {
    let found = try error(schema).message
    #expect(found.hasPrefix("not a JSON text: at byte ") && found.contains(words), "\(found)")
  }
}

/// In a document of OpenAPI 3.0 `nullable` means what OpenAPI says.
@Suite struct OpenAPIDocumentTests {
  private func grammar(_ version: String, _ property: String) throws -> Grammar {
    var options = CompilationOptions.validation
    options.warnsOfMisspellings = true
    options.documents["shop.json"] = """
      {"openapi":"\(version)","components":{"schemas":{"Order":{"type":"object","properties":{
      "note":\(property)}}}}}
      """
    return try Grammar(
      jsonSchema: ##"{"$ref":"shop.json#/components/schemas/Order"}"##, options: options)
  }

  private func accepts(_ text: String, _ grammar: Grammar) -> Bool {
    var validator = StreamValidator(grammar: grammar)
    validator.append(text)
    return validator.finish() == .complete
  }

  @Test func nullableAddsNullToAType() throws {
    let old = try grammar("3.0.3", #"{"type":"string","nullable":true,"maxLength":3}"#)
    #expect(accepts(#"{"note":null}"#, old) && accepts(#"{"note":"abc"}"#, old))
    #expect(!accepts(#"{"note":"abcd"}"#, old) && !accepts(#"{"note":1}"#, old))
    #expect(old.warnings == [])
    let never = try grammar("3.0.3", #"{"type":"string","nullable":false}"#)
    #expect(!accepts(#"{"note":null}"#, never))
    let new = try grammar("3.1.0", #"{"type":"string","nullable":true}"#)
    #expect(!accepts(#"{"note":null}"#, new) && new.warnings.count == 1)
  }

  /// As OpenAPI 3.0.3 clarifies.
  @Test func anEnumerationListsNullItself() throws {
    let without = try grammar("3.0.0", #"{"type":"string","enum":["a"],"nullable":true}"#)
    #expect(!accepts(#"{"note":null}"#, without))
    #expect(without.warnings.first?.message.contains("write `null` in the `enum`") == true)
    let with = try grammar("3.0.0", #"{"type":"string","enum":["a",null],"nullable":true}"#)
    #expect(accepts(#"{"note":null}"#, with) && with.warnings == [])
  }
}
