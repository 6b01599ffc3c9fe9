// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

/// Schemas of others with their objects closed.
@Suite struct ClosedSchemaTests {
  @Test(arguments: [
    (
      #"{"type":"object","properties":{"a":{"properties":{"b":{}}}}}"#,
      #"{"type":"object","properties":{"a":{"properties":{"b":{}},"additionalProperties":false}},"additionalProperties":false}"#
    ),
    (
      ##"{"$defs":{"n":{"properties":{"x":{}}}},"items":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}"##,
      ##"{"$defs":{"n":{"properties":{"x":{}},"additionalProperties":false}},"items":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}"##
    ),
    (
      #"{"additionalProperties":{"properties":{"x":{}}}}"#,
      #"{"additionalProperties":{"properties":{"x":{}},"additionalProperties":false}}"#
    ),
    (
      #"{"properties":{"x":{"not":{"properties":{"y":{}}}}}}"#,
      #"{"properties":{"x":{"not":{"properties":{"y":{}}}}},"additionalProperties":false}"#
    ),
  ])
  func objectsAreClosed(schema: String, closed: String) throws {
    let written = try GenerationSchema(jsonSchema: schema).closed.jsonSchema()
    #expect(try written == GenerationSchema(jsonSchema: closed).jsonSchema())
  }

  /// Free objects, and members that are declared in several places or nowhere.
  @Test(arguments: [
    #"{"type":"object"}"#, #"{"properties":{"a":{}},"additionalProperties":{"type":"string"}}"#,
    #"{"properties":{"a":{}},"patternProperties":{"^x-":{}}}"#,
    #"{"properties":{"a":{}},"required":["b"]}"#,
    #"{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}"#,
    #"{"properties":{"a":{}},"anyOf":[{"required":["a"]},{"properties":{"b":{}}}]}"#,
    #"{"properties":{"a":{}},"if":{"required":["a"]},"then":{"required":["b"]}}"#,
    #"{"items":{"properties":{"a":{}}},"contains":{"required":["b"]}}"#,
  ])
  func othersStayAsTheyAre(schema: String) throws {
    let open = try GenerationSchema(jsonSchema: schema)
    #expect(try open.closed.jsonSchema() == open.jsonSchema())
  }

  /// Of an object of another document, too.
  @Test func referencesLeadToClosedObjects() throws {
    let schema = try GenerationSchema(
      jsonSchema: ##"{"$ref":"shop.json#/components/schemas/Order"}"##,
      documents: [
        "shop.json": #"{"components":{"schemas":{"Order":{"properties":{"id":{}}}}}}"#
      ])
    #expect(try !schema.jsonSchema().contains(#""additionalProperties":false"#))
    #expect(try schema.closed.jsonSchema().contains(#""additionalProperties":false"#))
  }
}
