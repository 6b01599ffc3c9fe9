// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@Suite struct SchemaImportTests {
  /// That there are no further members is what the strict subset asks for.
  @Test func closedObjectsAreStrict() throws {
    let text = """
      {"title":"P","type":"object","properties":{"a":{"type":"string"}},"required":["a"],\
      "additionalProperties":false}
      """
    #expect(try GenerationSchema(jsonSchema: text).jsonSchema(dialect: .strict) == text)
    let open = text.replacing("false", with: "true")
    #expect(throws: SchemaConversionError.self) {
      try GenerationSchema(jsonSchema: open).jsonSchema(dialect: .strict)
    }
  }

  private func imported(_ text: String) throws -> String {
    try GenerationSchema(jsonSchema: text).jsonSchema()
  }

  @Test(arguments: [
    #"{"type":"object","properties":{"b":{"type":"string"},"a":{}},"required":["b"]}"#,
    #"{"allOf":[{"type":"object"}],"not":{"const":1},"if":true,"then":{"minProperties":1}}"#,
    #"{"prefixItems":[{"type":"integer"}],"items":false,"contains":{"const":3},"minContains":1}"#,
    #"{"patternProperties":{"^x-":{"type":["string","null"]}},"propertyNames":{"maxLength":9}}"#,
    #"{"unevaluatedProperties":false,"dependentRequired":{"a":["b"]},"x-unknown":[{"deep":1}]}"#,
    ##"{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}"##, "true", "false",
  ])
  func everythingIsKept(text: String) throws {
    #expect(try imported(text) == text)
  }

  @Test(arguments: [
    // Draft-04 and draft-07.
    (
      #"{"items":[{"type":"null"}],"additionalItems":{"type":"string"}}"#,
      #"{"prefixItems":[{"type":"null"}],"items":{"type":"string"}}"#
    ),
    (#"{"minimum":3,"exclusiveMinimum":true}"#, #"{"exclusiveMinimum":3}"#),
    (#"{"maximum":3,"exclusiveMaximum":false}"#, #"{"maximum":3}"#),
    (
      #"{"dependencies":{"a":["b"],"c":{"type":"object"}}}"#,
      #"{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"type":"object"}}}"#
    ),
    (
      ##"{"definitions":{"a b/c":{"type":"null"}},"items":{"$ref":"#/definitions/a%20b~1c"}}"##,
      ##"{"items":{"$ref":"#/$defs/a b~1c"},"$defs":{"a b/c":{"type":"null"}}}"##
    ),
    (
      #"{"dependencies":{"a":"b"}}"#, #"{"dependentRequired":{"a":["b"]}}"#
    ),
    (
      #"{"$schema":"http://json-schema.org/draft-03/schema#","divisibleBy":2}"#,
      #"{"multipleOf":2}"#
    ),
    // What a draft does not have says nothing.
    (
      #"{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{}],"items":false,"unevaluatedProperties":false,"const":1}"#,
      #"{"items":false,"const":1}"#
    ),
    (
      #"{"$schema":"http://json-schema.org/draft-04/schema#","contains":{},"if":true,"then":false,"type":"any"}"#,
      "{}"
    ),
    (
      #"{"$schema":"http://json-schema.org/draft-04/schema#","const":1}"#, #"{"const":1}"#
    ),
    (
      ##"{"$schema":"https://json-schema.org/draft/2020-12/schema","items":{"$recursiveRef":"#"}}"##,
      #"{"items":{}}"#
    ),
    // OpenAPI 3.0.
    (#"{"type":"string","nullable":true}"#, #"{"type":["string","null"]}"#),
    (
      #"{"type":"string","enum":["a"],"nullable":true}"#,
      #"{"type":["string","null"],"enum":["a"]}"#
    ),
    (
      ##"{"$ref":"#/components/schemas/Pet","components":{"schemas":{"Pet":{"type":"null"}}}}"##,
      ##"{"$ref":"#/$defs/Pet","components":{"schemas":{"Pet":{"type":"null"}}},"$defs":{"Pet":{"type":"null"}}}"##
    ),
    // References to anywhere.
    (
      ##"{"properties":{"a":{"type":"null"},"b":{"$ref":"#/properties/a"}}}"##,
      ##"{"properties":{"a":{"type":"null"},"b":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"null"}}}"##
    ),
    (
      ##"{"$defs":{"x":{"$anchor":"here","type":"null"}},"items":{"$ref":"#here"}}"##,
      ##"{"items":{"$ref":"#/$defs/x"},"$defs":{"x":{"type":"null"}}}"##
    ),
    (
      ##"{"$id":"https://e.com/s","$defs":{"x":{"$id":"item","type":"null"}},"items":{"$ref":"item"}}"##,
      ##"{"items":{"$ref":"#/$defs/x"},"$defs":{"x":{"type":"null"}}}"##
    ),
    // Two definitions of one name, from different places.
    (
      ##"{"items":{"$ref":"#/$defs/a"},"contains":{"$ref":"#/properties/a"},"$defs":{"a":{"type":"null"}},"properties":{"a":{"type":"string"}}}"##,
      ##"{"items":{"$ref":"#/$defs/a"},"contains":{"$ref":"#/$defs/a_2"},"properties":{"a":{"type":"string"}},"$defs":{"a":{"type":"null"},"a_2":{"type":"string"}}}"##
    ),
  ])
  func otherSpellings(text: String, expected: String) throws {
    #expect(try imported(text) == expected)
  }

  @Test func keyOrderComesFromTheTextOrFromXOrder() throws {
    let text = #"{"title":"T","type":"object","properties":{"a":{},"b":{}},"x-order":["b","a"]}"#
    let schema = try GenerationSchema(jsonSchema: text)
    #expect(schema.name == "T")
    #expect(try schema.jsonSchema().contains(#""properties":{"b":{},"a":{}}"#))
    #expect(try GenerationSchema(jsonSchema: text, name: "N").name == "N")
  }

  @Test func whatCannotBeRepresentedIsNamed() throws {
    let text = """
      {"properties":{"a/b":{"$ref":"#/$defs/missing"},"c":{"$dynamicRef":"#x"},"d":3,
      "e":{"type":"text"},"f":{"$ref":"https://example.com/other.json"},"g":{"anyOf":{}}}}
      """
    let error = #expect(throws: SchemaImportError.self) {
      try GenerationSchema(jsonSchema: text)
    }
    #expect(
      error?.problems.map(\.location) == [
        "/properties/a~1b/$ref", "/properties/c/$dynamicRef", "/properties/d",
        "/properties/e/type", "/properties/f/$ref", "/properties/g/anyOf",
      ])
    #expect(error?.description.contains("'#/$defs/missing' leads nowhere.") == true)
    #expect(throws: GeneratedContent.ParsingError.self) { try GenerationSchema(jsonSchema: "{") }
  }

  @Test func draft7HasNoUnevaluatedProperties() throws {
    let schema = try GenerationSchema(jsonSchema: #"{"items":{"unevaluatedProperties":false}}"#)
    let error = #expect(throws: SchemaConversionError.self) {
      try schema.jsonSchema(dialect: .draft7)
    }
    #expect(error?.location == "/items/unevaluatedProperties")
  }

  /// The schemas of MaskBench, where they lie beside the project.
  @Test func schemasOfTheRealWorld() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../shared/data/maskbench/sample-llama3.jsonl")
    guard let lines = try? String(contentsOf: file, encoding: .utf8) else {
      print("Skipped: \(file.lastPathComponent) is not beside the project.")
      return
    }
    struct Line: Decodable {
      let id: String
      let schema: String
    }
    var count = 0
    for line in lines.split(separator: "\n") {
      let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      do {
        let text = try imported(line.schema)
        #expect(try imported(text) == text, "\(line.id)")
        count += 1
      } catch let error as SchemaImportError {
        // A reference to another document, or a type that does not exist.
        #expect(error.problems.allSatisfy { $0.location.hasPrefix("/") }, "\(line.id)")
        print(line.id, error.problemDescription)
      }
    }
    #expect(count > 300)
  }
}
