// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// Where the reason stands that a schema has no value, and what it is.
@Suite struct ContradictionTests {
  private static func diagnostics(_ schema: String) throws -> [GrammarError.Diagnostic] {
    let error = #expect(throws: GrammarError.self, "\(schema)") {
      try Grammar(jsonSchema: schema)
    }
    return try #require(error).diagnostics
  }

  private static let closed = #"{"type":"object","additionalProperties":false,"#

  @Test(arguments: [
    (
      #"{"type":"object","required":["x"],"properties":{"x":"# + closed
        + #""properties":{"name":{}},"required":["b"]}}}"#,
      "#/properties/x", "required", "`b` must be there, but the object is closed"
    ),
    (
      closed + #""properties":{"name":{}},"required":["nane"]}"#, "#", "required",
      "was `name` meant?"
    ),
    (
      #"{"allOf":["# + closed + #""properties":{"a":{}},"required":["a"]},"# + closed
        + #""properties":{"b":{}},"required":["b"]}]}"#,
      "#/allOf/0", "required", "the closed object at `#/allOf/1` does not declare it"
    ),
    (#"{"type":"integer","enum":["1"]}"#, "#", "enum", "is of the `type` integer"),
    (#"{"type":"integer","enum":[1.5]}"#, "#", "enum", "is of the `type` integer"),
    (#"{"type":"string","const":5}"#, "#", "const", "is of the `type` string"),
    (#"{"enum":["a"],"const":"b"}"#, "#", "const", "none of the `enum`"),
    (#"{"enum":[]}"#, "#", "enum", "lists no value"),
    (#"{"enum":["a"],"pattern":"b"}"#, "#", "enum", "keywords beside it"),
    (
      #"{"type":"string","format":"date","pattern":"^x"}"#, "#", "pattern",
      "no string has the `format` date and matches the `pattern` `^x`"
    ),
    (
      #"{"type":"string","pattern":"^a{3}$","maxLength":2}"#, "#", "maxLength",
      "no string that matches the `pattern` `^a{3}$` has at most 2 characters"
    ),
    (
      #"{"type":"string","pattern":"^a{3}$","minLength":4}"#, "#", "minLength",
      "has at least 4 characters"
    ),
    (
      #"{"allOf":[{"type":"string"},{"type":["number","null"]}]}"#, "#/allOf/1", "type",
      "at `#/allOf/0` `type` leaves string"
    ),
    (
      #"{"type":"number","allOf":[{"minimum":5},{"maximum":3}]}"#, "#", "minimum",
      "leave no number"
    ),
    (
      #"{"type":"array","minItems":3,"prefixItems":[{},{}],"items":false}"#, "#", "minItems",
      "none may come after the first 2"
    ),
    (
      closed + #""properties":{"a":{}},"minProperties":2}"#, "#", "minProperties",
      "declares only 1"
    ),
    (
      #"{"type":"object","required":["a","b"],"maxProperties":1}"#, "#", "maxProperties",
      "at least 2"
    ),
  ])
  func theKeywordsThatClashAreNamed(
    schema: String, location: String, keyword: String, words: String
  ) throws {
    let found = try Self.diagnostics(schema)
    #expect(found.count == 1)
    #expect(found.first?.location == location, "\(found)")
    #expect(found.first?.keyword == keyword, "\(found)")
    #expect(found.first?.message.contains(words) == true, "\(found)")
  }

  @Test(arguments: [
    (#"{"type":"array","minItems":1,"items":{"type":"string","const":5}}"#, "#/items"),
    (#"{"type":"array","minItems":2,"prefixItems":[{},{"type":[]}]}"#, "#/prefixItems/1"),
    (#"{"type":"array","contains":{"type":"string","const":5}}"#, "#/contains"),
    (
      ##"{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"type":"null","const":5}]}}}"##,
      "#/$defs/a/allOf/0"
    ),
    (
      #"{"type":"object","required":["a"],"properties":{"a":{"type":"string","not":{}}}}"#,
      "#/properties/a"
    ),
    (#"{"type":"object","required":["a"],"properties":{"a":false}}"#, "#/properties/a"),
    (
      #"{"type":"object","required":["a"],"properties":{"a":{"type":"string"}},"allOf":["#
        + #"{"properties":{"a":{"type":"null"}}}]}"#,
      "#/allOf/0/properties/a"
    ),
    (
      ##"{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}"##, "#"
    ),
  ])
  func theDeepestPlaceIsNamed(schema: String, location: String) throws {
    #expect(try Self.diagnostics(schema).map(\.location) == [location])
  }

  @Test func everyBranchHasAReason() throws {
    let found = try Self.diagnostics(
      #"{"anyOf":[{"type":"string","const":5},{"type":"null","const":5}]}"#)
    #expect(found.map(\.location) == ["#/anyOf/0", "#/anyOf/1"])
    let beside = try Self.diagnostics(
      #"{"type":"object","anyOf":[{"type":"string"},{"type":"null"}]}"#)
    #expect(beside.allSatisfy { $0.keyword == "type" }, "\(beside)")
    let same = try Self.diagnostics(#"{"oneOf":[{"type":"string"},{"type":"string"}]}"#)
    #expect(same.map(\.keyword) == ["oneOf"], "\(same)")
  }

  @Test func whatHoldsItselfHasNoEnd() throws {
    let found = try Self.diagnostics(
      ##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","required":["next"],"##
        + ##""properties":{"next":{"$ref":"#/$defs/n"}}}}}"##)
    #expect(found.map(\.location) == ["#/$defs/n"])
    #expect(found.first?.message.contains("without end") == true, "\(found)")
  }
}
