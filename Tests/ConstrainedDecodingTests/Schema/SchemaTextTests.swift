// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// What the text of a schema may be, beside what its keywords say.
@Suite(.computesForLong) struct SchemaTextTests {
  @Test func aByteOrderMarkIsAccepted() throws {
    var validator = try StreamValidator(jsonSchema: "\u{FEFF}" + #"{"type":"null"}"#)
    validator.append("null")
    #expect(validator.finish() == .complete)
    #expect(throws: GrammarError.self) { try Grammar(jsonSchema: " \u{FEFF}{}") }
  }

  @Test func aDraftThatIsNotKnownIsNoticed() throws {
    func warnings(_ metaschema: String, _ options: CompilationOptions = .validation) throws
      -> [GrammarError.Diagnostic]
    {
      try Grammar(jsonSchema: #"{"$schema":"\#(metaschema)","type":"string"}"#, options: options)
        .warnings
    }
    let warning = try #require(try warnings("https://json-schema.org/draft-7/schema").first)
    #expect(warning.location == "#/$schema")
    #expect(warning.message.contains("is no draft that is known"))
    #expect(try warnings("http://json-schema.org/draft-07/schema#").isEmpty)
    var options = CompilationOptions.validation
    options.documents["https://example.com/own"] = "{}"
    #expect(try warnings("https://example.com/own", options).isEmpty)
  }

  @Test func repeatedKeysAreNoticedAndTheLastOneCounts() throws {
    let schema = """
      {"type":"string","type":"number","allOf":[false],"allOf":[],
       "properties":{"a/b":true,"a/b":false},"$defs":{"x":{"const":{"k":1,"k":2}}}}
      """
    let grammar = try Grammar(jsonSchema: schema)
    #expect(
      grammar.warnings.map(\.location) == [
        "#/type", "#/allOf", "#/properties/a~1b", "#/$defs/x/const/k",
      ])
    #expect(grammar.warnings.allSatisfy { $0.message.contains("the last one counts") })
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: "12".utf8)
    let isComplete = matcher.canEnd()
    #expect(isComplete)
    #expect(try Grammar(jsonSchema: #"{"a":{"b":1},"c":{"b":1}}"#).warnings.isEmpty)
  }

  @Test func manyRepeatedKeys() throws {
    let keys = [String](repeating: #""a":{}"#, count: 20_000).joined(separator: ",")
    let grammar = try Grammar(jsonSchema: "{\"properties\":{\(keys)}}")
    #expect(grammar.warnings.count == 20)
  }

  @Test(arguments: [
    #"{"const":"\ud800"}"#, #"{"enum":["a","\udc00x"]}"#, #"{"const":{"a":["\ud800"]}}"#,
    #"{"const":{"\ud800":1}}"#, #"{"pattern":"\ud800"}"#, #"{"pattern":"\\ud800"}"#,
    #"{"pattern":"[\\ud800-\\udbff]"}"#, #"{"pattern":"\\u{dfff}"}"#, #"{"pattern":"\\udc00a"}"#,
    #"{"properties":{"\ud800":true}}"#, #"{"required":["\ud800"]}"#,
    #"{"patternProperties":{"\ud800":true}}"#, #"{"const":"\ud800\u0041"}"#,
  ])
  func loneSurrogatesAreErrors(schema: String) {
    let error = #expect(throws: GrammarError.self) { try Grammar(jsonSchema: schema) }
    #expect(error?.description.contains("lone surrogate") == true)
  }

  @Test(arguments: [
    (#"{"description":"\ud800","type":"null"}"#, "null"),
    (#"{"pattern":"^[^\\ud800-\\udfff]$"}"#, "\"a\""), (#"{"const":"\ud83d\ude00"}"#, "\"😀\""),
    (#"{"pattern":"^\\ud83d\\ude00$"}"#, "\"😀\""), (#"{"pattern":"^[\\ud83d\\ude00]$"}"#, "\"😀\""),
  ])
  func surrogatesThatAreNone(schema: String, text: String) throws {
    var validator = try StreamValidator(jsonSchema: schema)
    validator.append(text)
    #expect(validator.finish() == .complete)
  }

  @Test func referencesThatLeadNowhereAreWarningsUnderValidation() throws {
    let schema = ##"{"properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"b.json"}}}"##
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    #expect(
      Set(grammar.warnings.map(\.location)) == ["#/properties/a", "#/properties/b"])
    #expect(throws: GrammarError.self) { try Grammar(jsonSchema: schema) }
  }
}

/// Drafts, and the schemas of schemas.
@Suite(.computesForLong) struct DraftTests {
  private func accepts(
    _ text: String, _ schema: String, _ options: CompilationOptions = .validation
  ) throws -> Bool {
    var options = options
    options.toleratesUnresolvedReferences = false
    let grammar = try Grammar(jsonSchema: schema, options: options)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    guard (try? matcher.accept(bytes: text.utf8)) != nil else { return false }
    return matcher.canEnd()
  }

  @Test(arguments: [
    ("http://json-schema.org/draft-04/schema#", #"{"minimum":1,"exclusiveMinimum":true}"#, true),
    ("http://json-schema.org/draft-04/schema#", #"{"exclusiveMinimum":true}"#, false),
    ("http://json-schema.org/draft-04/schema", #"{"items":{"minLength":"x"}}"#, false),
    ("http://json-schema.org/draft-04/schema#", #"{"required":[]}"#, false),
    ("http://json-schema.org/draft-04/schema#", "true", false),
    ("http://json-schema.org/draft-06/schema#", #"{"exclusiveMinimum":1,"required":[]}"#, true),
    ("http://json-schema.org/draft-06/schema#", #"{"exclusiveMinimum":true}"#, false),
    ("http://json-schema.org/draft-06/schema#", #"{"if":1}"#, true),
    ("http://json-schema.org/draft-07/schema#", #"{"if":1}"#, false),
    ("https://json-schema.org/draft/2019-09/schema", #"{"$defs":{"a":{"minLength":-1}}}"#, false),
    ("https://json-schema.org/draft/2019-09/schema", #"{"$defs":{"a":{"minLength":1}}}"#, true),
    ("https://json-schema.org/draft/2019-09/schema", #"{"items":[{"type":"x"}]}"#, false),
    ("https://json-schema.org/draft/2019-09/meta/applicator", #"{"not":{"type":"x"}}"#, true),
    ("https://json-schema.org/draft/2019-09/meta/validation", #"{"type":"x"}"#, false),
    ("https://json-schema.org/draft/2020-12/schema", #"{"items":{"minLength":-1}}"#, false),
  ])
  func metaschemasAreKnown(uri: String, schema: String, isValid: Bool) throws {
    #expect(try accepts(schema, #"{"$ref":"\#(uri)"}"#) == isValid)
  }

  /// Schemas for other formats take their parts from the metaschemas by name.
  @Test(arguments: [
    ("http://json-schema.org/draft-04/schema#/definitions/positiveIntegerDefault0", "0", "-1"),
    ("http://json-schema.org/draft-04/schema#/definitions/stringArray", #"["a"]"#, "[]"),
    ("http://json-schema.org/draft-06/schema#/definitions/schemaArray", "[{}]", "[1]"),
    ("http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger", "1", "-1"),
    ("http://json-schema.org/draft-07/schema#/definitions/simpleTypes", #""null""#, #"["null"]"#),
    (
      "https://json-schema.org/draft/2019-09/meta/validation#/$defs/stringArray", "[]",
      #"["a","a"]"#
    ),
    ("https://json-schema.org/draft/2019-09/meta/applicator#/$defs/schemaArray", "[{}]", "[]"),
    ("https://json-schema.org/draft/2020-12/meta/core#/$defs/anchorString", #""a""#, ##""#a""##),
    ("https://json-schema.org/draft/2020-12/meta/applicator#/$defs/schemaArray", "[true]", "[1]"),
    (
      "https://json-schema.org/draft/2020-12/meta/validation#/$defs/nonNegativeIntegerDefault0",
      "2", #""2""#
    ),
  ])
  func partsOfMetaschemasAreKnown(reference: String, valid: String, invalid: String) throws {
    let schema = #"{"$ref":"\#(reference)"}"#
    #expect(try accepts(valid, schema))
    #expect(try !accepts(invalid, schema))
  }

  /// A copy of the metaschema refers to the vocabularies, which are not beside it.
  @Test func aCopyOfTheMetaschemaFindsTheVocabularies() throws {
    let schema = ##"""
      {"$schema":"https://json-schema.org/draft/2020-12/schema",
       "$id":"https://json-schema.org/draft/2020-12/schema","$dynamicAnchor":"meta",
       "allOf":[{"$ref":"meta/core"},{"$ref":"meta/applicator"}],"type":["object","boolean"],
       "properties":{"$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString"}}}
      """##
    #expect(try accepts(#"{"$recursiveAnchor":"a","items":{"$id":"b"}}"#, schema))
    #expect(try !accepts(#"{"$recursiveAnchor":1}"#, schema))
    #expect(try !accepts(#"{"items":{"$recursiveAnchor":1}}"#, schema))
  }

  @Test(arguments: [
    (CompilationOptions.Draft.draft4, false, true, true), (.draft6, true, true, true),
    (.draft7, true, false, true), (.draft2019, true, false, true),
    (.draft2020, true, false, false),
  ])
  func theDraftOfSchemasThatNameNone(
    draft: CompilationOptions.Draft, oneIsAnInteger: Bool, hasNoCondition: Bool,
    hasItemsInAList: Bool
  ) throws {
    var options = CompilationOptions.validation
    options.defaultDraft = draft
    #expect(try accepts("1.0", #"{"type":"integer"}"#, options) == oneIsAnInteger)
    #expect(try accepts("1", #"{"if":true,"then":false}"#, options) == hasNoCondition)
    #expect(
      try accepts("[2]", #"{"prefixItems":[{"const":1}]}"#, options) == hasItemsInAList)
  }

  @Test func vocabulariesOfDraft2019() throws {
    var options = CompilationOptions.validation
    options.documents["https://example.com/meta"] = """
      {"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"https://example.com/meta",
       "$vocabulary":{"https://json-schema.org/draft/2019-09/vocab/core":true,
       "https://json-schema.org/draft/2019-09/vocab/applicator":true,"https://example.com/v":false}}
      """
    let schema = """
      {"$schema":"https://example.com/meta","properties":{"a":{"type":"null"},"b":false},
       "unevaluatedProperties":false}
      """
    #expect(try accepts(#"{"a":1}"#, schema, options))
    #expect(try !accepts(#"{"b":1}"#, schema, options))
    #expect(try !accepts(#"{"c":1}"#, schema, options))
    options.documents["https://example.com/meta"]?.replace("v\":false", with: "v\":true")
    #expect(throws: GrammarError.self) { try accepts("{}", schema, options) }
  }
}
