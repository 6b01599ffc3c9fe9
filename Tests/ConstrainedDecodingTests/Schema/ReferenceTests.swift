// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

@Suite(.computesForLong) struct ReferenceTests {
  func accepts(
    _ text: String, _ schema: String, options: CompilationOptions = .validation
  ) throws -> Bool {
    let grammar = try Grammar(jsonSchema: schema, options: options)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    guard (try? matcher.accept(bytes: text.utf8)) != nil else { return false }
    return matcher.canEnd()
  }

  /// A list of anything, extended to a list of numbers by a schema around it.
  static let list = """
    {"$id": "https://example.com/list", "$defs": {"item": {"$dynamicAnchor": "item"}},
     "type": "array", "items": {"$dynamicRef": "#item"}}
    """
  static let numbers = """
    {"$id": "https://example.com/numbers", "$ref": "list",
     "$defs": {"item": {"$dynamicAnchor": "item", "type": "number"}}}
    """

  /// `$id` is no keyword of draft 4: references beside and below it go from the document.
  @Test func draft4HasNoDollarID() throws {
    let schema = """
      {"$schema": "DRAFT", "definitions": {"n": {"type": "integer"}},
       "properties": {"a": {"$id": "/a", "properties": {"b": {"$ref": "#/definitions/n"}}}}}
      """
    let draft4 = schema.replacing("DRAFT", with: "http://json-schema.org/draft-04/schema#")
    #expect(try accepts(#"{"a":{"b":1}}"#, draft4))
    #expect(try !accepts(#"{"a":{"b":"x"}}"#, draft4))
    var strict = CompilationOptions.validation
    strict.toleratesUnresolvedReferences = false
    let draft7 = schema.replacing("DRAFT", with: "http://json-schema.org/draft-07/schema#")
    #expect(throws: GrammarError.self) { try accepts("{}", draft7, options: strict) }
  }

  @Test func dynamicReferencesGoToTheOutermostAnchor() throws {
    var options = CompilationOptions.validation
    options.documents["https://example.com/list"] = Self.list
    #expect(try accepts("[1, 2]", Self.numbers, options: options))
    #expect(try !accepts(#"["a"]"#, Self.numbers, options: options))
    #expect(try accepts(#"["a"]"#, Self.list, options: options))
  }

  @Test func oneSchemaMeansTwoThingsInTwoScopes() throws {
    var options = CompilationOptions.validation
    options.documents["https://example.com/list"] = Self.list
    options.documents["https://example.com/numbers"] = Self.numbers
    let schema = """
      {"$id": "https://example.com/both",
       "properties": {"any": {"$ref": "list"}, "numbers": {"$ref": "numbers"}}}
      """
    #expect(try accepts(#"{"any": ["a"], "numbers": [1]}"#, schema, options: options))
    #expect(try !accepts(#"{"any": ["a"], "numbers": ["a"]}"#, schema, options: options))
  }

  @Test func metaschemasAreKnown() throws {
    let current = #"{"$ref": "https://json-schema.org/draft/2020-12/schema"}"#
    let seven = #"{"$ref": "http://json-schema.org/draft-07/schema#"}"#
    for schema in [current, seven] {
      #expect(try accepts(#"{"items": {"minLength": 1}, "type": ["null"]}"#, schema))
      #expect(try accepts("true", schema))
      #expect(try !accepts(#"{"properties": {"a": {"type": 1}}}"#, schema))
      #expect(try !accepts(#"{"minLength": -1}"#, schema))
      #expect(try !accepts("1", schema))
    }
    #expect(try !accepts(#"{"items": [{}]}"#, current))
    #expect(try accepts(#"{"items": [{}]}"#, seven))
  }

  @Test func vocabulariesDecideWhichKeywordsMean() throws {
    var options = CompilationOptions.validation
    options.documents["https://example.com/plain"] = """
      {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/plain",
       "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true,
        "https://json-schema.org/draft/2020-12/vocab/applicator": true,
        "https://example.com/vocab/unknown": false}}
      """
    let schema = """
      {"$schema": "https://example.com/plain", "properties": {"a": {"type": "string"}, "b": false}}
      """
    #expect(try accepts(#"{"a": 1}"#, schema, options: options))
    #expect(try !accepts(#"{"b": 1}"#, schema, options: options))
    options.documents["https://example.com/strict"] = """
      {"$vocabulary": {"https://example.com/vocab/unknown": true}}
      """
    #expect(throws: GrammarError.self) {
      try Grammar(
        jsonSchema: #"{"$schema": "https://example.com/strict"}"#, options: options)
    }
  }

  @Test func idIsNoKeywordWhereNoDraftIsNamed() throws {
    let schema = """
      {"definitions": {"part": {"id": "/part", "properties": {"n": {"$ref": "#/definitions/n"}}},
       "n": {"id": "/n", "type": "integer", "minimum": 1}},
       "properties": {"part": {"$ref": "#/definitions/part"}, "named": {"$ref": "/n"}}}
      """
    #expect(try accepts(#"{"part": {"n": 1}, "named": 1}"#, schema))
    #expect(try !accepts(#"{"part": {"n": 0}}"#, schema))
    // Where nothing else has that name, it is looked for among the identifiers of draft 4.
    #expect(try !accepts(#"{"named": 0}"#, schema))
  }

  /// References are looked up once, but what they say depends on the resource around them.
  @Test func oneReferenceMeansTwoThingsInTwoResources() throws {
    let schema = """
      {"$id": "https://example.com/root", "$defs": {"value": {"type": "boolean"},
        "text": {"$id": "text", "$defs": {"value": {"type": "string"}}, "$ref": "#/$defs/value"},
        "deep": {"items": [], "anyOf": [{"properties": {"id": {}}}, {"not": {"allOf": [
          {"$id": "number", "$defs": {"value": {"type": "number"}},
           "not": {"$ref": "#/$defs/value"}}]}}]}},
       "properties": {"own": {"$ref": "#/$defs/value"}, "again": {"$ref": "#/$defs/value"},
        "text": {"$ref": "#/$defs/text"}, "other": {"$ref": "text"}, "number": {"$ref": "number"}}}
      """
    #expect(try accepts(#"{"own": true, "again": true, "text": "a", "other": "a"}"#, schema))
    for wrong in ["own", "again"] { #expect(try !accepts(#"{"\#(wrong)": "a"}"#, schema)) }
    for wrong in ["text", "other"] { #expect(try !accepts(#"{"\#(wrong)": true}"#, schema)) }
    #expect(try accepts(#"{"number": true}"#, schema))
    #expect(try !accepts(#"{"number": 1}"#, schema))
  }

  @Test func aReferenceThatNamesNothingIsAnError() {
    for reference in ["#/definitions/none", "https://example.com/none", "#none"] {
      let error = #expect(throws: GrammarError.self) {
        try Grammar(jsonSchema: #"{"properties": {"a": {"$ref": "\#(reference)"}}}"#)
      }
      #expect(error?.diagnostics.first?.keyword == "$ref")
      #expect(error?.diagnostics.first?.location == "#/properties/a")
    }
  }

  @Test func draft3IsReadAsDraft4AndSaysSo() throws {
    let schema = #"{"$schema":"http://json-schema.org/draft-03/schema#","type":"object"}"#
    let grammar = try Grammar(jsonSchema: schema)
    #expect(grammar.warnings.contains { $0.message.contains("draft 3 is read as draft 4") })
    let later = schema.replacing("draft-03", with: "draft-04")
    #expect(try Grammar(jsonSchema: later).warnings.isEmpty)
  }

  /// A registered document that is no JSON text is the one thing to repair.
  @Test func brokenDocumentsAreNamed() {
    var options = CompilationOptions.validation
    options.documents["https://x.example/y"] = "{"
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: #"{"$ref":"https://x.example/y"}"#, options: options)
    }
    #expect(error?.diagnostics.map(\.location) == ["https://x.example/y#"])
  }
}
