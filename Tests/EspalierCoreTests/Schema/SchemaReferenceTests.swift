// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Testing

/// References of schemas that are read from JSON Schema.
@Suite struct SchemaReferenceTests {
  private func imported(_ text: String, _ documents: [String: String] = [:]) throws -> String {
    try GenerationSchema(jsonSchema: text, documents: documents).jsonSchema()
  }

  private func accepts(
    _ value: String, _ text: String, _ documents: [String: String] = [:]
  ) throws -> Bool {
    let grammar = try Grammar(jsonSchema: imported(text, documents), options: .validation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    guard (try? matcher.accept(bytes: value.utf8)) != nil else { return false }
    return matcher.canEnd()
  }

  @Test func identifiersWithinIdentifiers() throws {
    let schema = """
      {"$id":"https://e.com/a/root.json","$defs":{
        "one":{"$id":"b/one.json","$defs":{"t":{"$id":"two.json","type":"null"},
               "s":{"$anchor":"here","type":"string"}},
               "properties":{"x":{"$ref":"two.json"},"y":{"$ref":"#here"}}},
        "two":{"$id":"two.json","type":"integer"},"s":{"$anchor":"here","type":"boolean"}},
       "properties":{"i":{"$ref":"b/one.json"},"j":{"$ref":"two.json"},"k":{"$ref":"#here"},
                     "l":{"$ref":"/a/b/two.json"},"m":{"$ref":"b/one.json#here"}}}
      """
    #expect(
      try accepts(
        #"{"i":{"x":null,"y":"s"},"j":1,"k":true,"l":null,"m":"s"}"#, schema))
    for wrong in [
      #"{"i":{"x":1}}"#, #"{"i":{"y":true}}"#, #"{"j":null}"#, #"{"k":"s"}"#, #"{"l":1}"#,
      #"{"m":true}"#,
    ] {
      #expect(try !accepts(wrong, schema), "\(wrong)")
    }
  }

  @Test func documentsThatAreGiven() throws {
    let shop = """
      {"openapi":"3.0.0","components":{"schemas":{
        "Order":{"type":"object","properties":{"of":{"$ref":"#/components/schemas/Item"}},
                 "required":["of"]},
        "Item":{"type":"string","enum":["tea","milk"]}}}}
      """
    let text = ##"{"$ref":"shop.json#/components/schemas/Order"}"##
    #expect(
      try imported(text, ["shop.json": shop]) == """
        {"$ref":"#/$defs/Order","$defs":{"Order":{"type":"object","properties":{"of":{"$ref":\
        "#/$defs/Item"}},"required":["of"]},"Item":{"type":"string","enum":["tea","milk"]}}}
        """)
    #expect(throws: SchemaImportError.self) { try imported(text) }
    let other = #"{"items":{"$ref":"https://e.com/whole.json"}}"#
    #expect(
      try imported(other, ["https://e.com/whole.json": ##"{"items":{"$ref":"#"}}"##]) == """
        {"items":{"$ref":"#/$defs/whole"},"$defs":{"whole":{"items":{"$ref":"#/$defs/whole"}}}}
        """)
  }

  @Test(arguments: [
    "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ])
  func metaschemas(uri: String) throws {
    let schema = #"{"properties":{"schema":{"$ref":"\#(uri)"}}}"#
    #expect(
      try accepts(#"{"schema":{"properties":{"a":{"minLength":1}}}}"#, schema))
    #expect(
      try !accepts(#"{"schema":{"properties":{"a":{"minLength":"x"}}}}"#, schema))
  }

  @Test func dynamicReferencesMeanWhatTheWayToThemSays() throws {
    let documents = [
      "https://e.com/list": """
      {"$id":"https://e.com/list","$defs":{"item":{"$dynamicAnchor":"item"}},
       "type":"array","items":{"$dynamicRef":"#item"}}
      """
    ]
    let numbers = """
      {"$id":"https://e.com/numbers","$ref":"list",
       "$defs":{"item":{"$dynamicAnchor":"item","type":"number"}}}
      """
    #expect(try accepts("[1]", numbers, documents))
    #expect(try !accepts(#"["a"]"#, numbers, documents))
    #expect(try accepts(#"["a"]"#, #"{"$ref":"https://e.com/list"}"#, documents))
  }

  @Test func aReferenceHidesItsSiblingsUpToDraft7() throws {
    let schema = """
      {"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},
       "properties":{"x":{"$ref":"#/definitions/a","description":"An x","maxLength":1}}}
      """
    #expect(try accepts(#"{"x":"long"}"#, schema))
    #expect(try imported(schema).contains(#""description":"An x""#))
    let later = schema.replacing("http://json-schema.org/draft-07/schema#", with: "")
    #expect(try !accepts(#"{"x":"long"}"#, later))
  }

  @Test func aLongChainOfReferences() throws {
    let links = (0..<20_000).map { ##""d\##($0)":{"items":{"$ref":"#/$defs/d\##($0 + 1)"}}"## }
    let schema = """
      {"$ref":"#/$defs/d0","$defs":{\(links.joined(separator: ",")),"d20000":{"type":"null"}}}
      """
    #expect(try GenerationSchema(jsonSchema: schema).jsonSchema().contains("d19999"))
  }

  @Test func aByteOrderMarkAndRepeatedKeys() throws {
    let text = "\u{FEFF}" + #"{"properties":{"a":{"type":"null"},"a":{"type":"string"}}}"#
    #expect(try imported(text) == #"{"properties":{"a":{"type":"string"}}}"#)
  }
}
