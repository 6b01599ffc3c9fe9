// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

/// What a model is told of a schema in words.
@Suite struct SchemaDescriptionsTests {
  private func text(_ schema: String) throws -> String {
    try SchemaDescriptions(GenerationSchema(jsonSchema: schema)).text
  }

  @Test func membersThatAreDescribedInTheOrderOfTheSchema() throws {
    let schema = #"""
      {"type":"object","properties":{
        "guest":{"type":"string","description":"name of the guest"},
        "nights":{"type":"integer"},
        "stay":{"type":"object","description":"When.","properties":{
          "arrival":{"type":"string","description":"first day of the stay"}},"required":["arrival"]},
        "rooms":{"type":"array","items":{"type":"object","properties":{
          "kind":{"enum":["single","suite"],"description":"Which kind?"}},"required":["kind"]}}},
        "required":["guest","nights","stay","rooms"]}
      """#
    #expect(
      try text(schema)
        == "guest: name of the guest. stay: When. arrival: first day of the stay. "
        + "kind: Which kind?")
  }

  @Test func definitionsAreDescribedOnce() throws {
    let schema = #"""
      {"type":"object","properties":{"first":{"$ref":"#/$defs/P"},"second":{"$ref":"#/$defs/P"}},
       "required":["first"],
       "$defs":{"P":{"type":"object","properties":{
         "name":{"type":"string","description":"who"},"friend":{"$ref":"#/$defs/P"}},
         "required":["name"]}}}
      """#
    #expect(try text(schema) == "name: who.")
  }

  @Test(arguments: [#"{"type":"integer"}"#, #"{"type":"object","properties":{"a":{}}}"#])
  func nothingIsSaidWhereNothingIsDescribed(schema: String) throws {
    #expect(try text(schema) == "")
  }
}
