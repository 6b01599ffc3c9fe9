// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// What a person, or a model that is asked again, reads where a value breaks a rule.
struct ViolationWordsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var schema: String
    var text: String
    var message: String

    var testDescription: String { "\(text) under \(schema)" }

    init(_ schema: String, _ text: String, _ message: String) {
      self.schema = schema
      self.text = text
      self.message = message
    }
  }

  private static func message(_ schema: String, _ text: some Sequence<UInt8>) throws -> String {
    var validator = try StreamValidator(jsonSchema: schema)
    validator.append(text)
    guard case .violated(let violation) = validator.finish() else { return "no violation" }
    return violation.description
  }

  static let closed = #"{"properties":{"a":{}},"additionalProperties":false}"#
  static let thirds = #"{"type":"integer","oneOf":[{"multipleOf":3},{"multipleOf":5}]}"#

  static let acrossValues: [Case] = [
    Case(
      #"{"items":{"type":"integer"},"contains":{"const":1},"maxContains":1}"#, "[1,2,1]",
      "byte 6, at /2: expected an item that does not satisfy `contains`; found `1` (#/contains)"),
    Case(
      #"{"contains":{"const":5},"minContains":2}"#, "[5,2,1]",
      "byte 6: expected at least 2 items that satisfy `contains`; found `]` (#/contains)"),
    Case(
      thirds, "15",
      "byte 2: expected a number that meets only one branch of `oneOf`; found `15` (#/oneOf)"),
    Case(
      thirds, "7",
      "byte 1: expected an integer that is a multiple of 3, or an integer that is a multiple of 5; "
        + "found `7` (#/oneOf)"),
    Case(
      #"{"properties":{"n":\#(thirds)}}"#, #"{"n":15}"#,
      "byte 7, at /n: expected a number that meets only one branch of `oneOf`; found `15` "
        + "(#/properties/n/oneOf)"),
    Case(
      #"{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}"#, #"{"a":1,"b":2}"#,
      "byte 9: expected a key with which only one branch of `oneOf` is met; found `b` (#/oneOf)"),
    Case(
      #"{"type":"integer","not":{"multipleOf":2}}"#, "4",
      "byte 1: expected a number that `not` does not forbid; found `4` (#/not)"),
    Case(
      #"{"not":{"required":["a"]}}"#, #"{"a":1}"#,
      "byte 3: expected a key with which the object is not one that `not` forbids; "
        + "found `a` (#/not)"),
    Case(
      #"{"uniqueItems":true}"#, #"["x","y","x"]"#,
      #"byte 11: expected an item unlike those before it; found `"x"` (#/uniqueItems)"#),
    Case(
      #"{"uniqueItems":true}"#, "[1,2,1.0]",
      "byte 8: expected an item unlike those before it; found `1.0` (#/uniqueItems)"),
  ]

  static let members: [Case] = [
    Case(
      closed, #"{"a":1, "b":2}"#,
      "byte 6: expected no further member; found `b` (#/additionalProperties)"),
    Case(closed, #"{"a":1,"a":2}"#, "byte 6: expected a key unlike those before it; found `a`"),
    Case(
      closed, #"{"a":1,}"#, "byte 6: expected no further member; found `,` (#/additionalProperties)"
    ),
    Case(
      #"{"properties":{"a":{}},"unevaluatedProperties":false}"#, #"{"a":1,"b":2}"#,
      "byte 6: expected no further member; found `b` (#/unevaluatedProperties)"),
    Case(
      #"{"dependentRequired":{"a":["b","c"]}}"#, #"{"a":1,"b":2}"#,
      "byte 12: expected the member `c`, which `a` requires; found `}` (#/dependentRequired)"),
    Case(
      #"{"dependentSchemas":{"a":{"required":["b"]}}}"#, #"{"a":1}"#,
      "byte 6: expected the required member `b`; found `}` (#/dependentSchemas/a/required)"),
    Case(
      #"{"propertyNames":{"pattern":"^[a-z]+$"}}"#, #"{"Ab":1}"#,
      "byte 2: expected a key that matches `^[a-z]+$`; found `Ab` (#/propertyNames)"),
    Case(
      #"{"propertyNames":{"maxLength":1}}"#, #"{"ab":1}"#,
      "byte 3: expected a key that `propertyNames` allows; found `ab` (#/propertyNames)"),
    Case(
      #"{"properties":{"a":false}}"#, #"{"a":1}"#,
      "byte 3: expected another key: no value is allowed for this one; found `a` (#/properties)"),
    Case(
      #"{"properties":{"a":{"minLength":5,"maxLength":3,"type":"string"}}}"#, #"{"a":1}"#,
      "byte 3: expected another key: no value is allowed for this one; found `a` (#/properties)"),
  ]

  static let items: [Case] = [
    Case(
      #"{"prefixItems":[{"type":"integer"}],"items":false}"#, "[1,2]",
      "byte 2: expected no further item; found `,` (#/items)"),
    Case(
      #"{"prefixItems":[{},{}],"unevaluatedItems":false}"#, #"["a",2,"x"]"#,
      "byte 6: expected no further item; found `,` (#/unevaluatedItems)"),
  ]

  static let syntax: [Case] = [
    Case(
      "{}", "[1, ]",
      "byte 4: expected an object, an array, a string, a number, `true`, `false` or `null`; found `]` after a comma, which JSON does not have"
    ),
    Case(
      "{}", "{'a':1}", "byte 1: expected a key or `}`; found `'`; the quotes of JSON are double"),
    Case(
      "{}", "{\"a\":\"x\ny\"}",
      "byte 7, at /a: expected a character or the closing quote; found a line break, which is written `\\n` in a string"
    ),
    Case(
      "{}", "\"\u{1}\"",
      "byte 1: expected a character or the closing quote; found the control character U+0001, which is written `\\u0001` in a string"
    ),
    Case(
      "{}", "[01]",
      "byte 2, at /0: expected more of the number, `,` or `]`; found `1` after a leading zero, which JSON does not have"
    ),
    Case(
      "{}", "{“a”:1}", "byte 1: expected a key or `}`; found `“`; JSON writes `\"`"),
    Case(#"{"type":"integer"}"#, "３", "byte 0: expected an integer; found `３`; JSON writes `3`"),
    Case(
      "{}", "[1、2]",
      "byte 2, at /0: expected more of the number, `,` or `]`; found `、`; JSON writes `,`"),
    Case(
      "{}", #"{"a":1,5}"#,
      "byte 7: expected a key; found `5` after a decimal comma; JSON has a point there"
    ),
    Case("{}", "[1 // x", "byte 3: expected `,` or `]`; found a comment, which JSON does not have"),
    Case(
      "{}", "\u{FEFF}1",
      "byte 0: expected an object, an array, a string, a number, `true`, `false` or `null`; found a byte order mark, which JSON text does not start with"
    ),
  ]

  /// Texts that look the same and are written with other code points.
  static let forms: [Case] = [
    Case(
      #"{"properties":{"citt\u00e0":{}},"additionalProperties":false}"#, "{\"citta\u{300}\":1}",
      "byte 6: expected the key `città`; found `citta\u{300}`, where `a\u{300}` is U+0061 U+0300, not U+00E0 (#/additionalProperties)"
    ),
    Case(
      #"{"const":"\u00e9"}"#, "\"e\u{301}\"",
      "byte 1: expected `\"é\"`; found `e\u{301}` (U+0065 U+0301) (#/const)"),
    Case(
      #"{"const":"e\u0301"}"#, "\"\u{E9}\"",
      "byte 1: expected `\"e\u{301}\"`; found `\u{E9}`, where `\u{E9}` is U+00E9, not U+0065 U+0301 (#/const)"
    ),
    Case(
      #"{"maxLength":1}"#, "\"e\u{301}\"",
      "byte 2: expected at most 1 character; found the character U+0301 (#/maxLength)"),
  ]

  @Test(arguments: acrossValues + members + items + syntax + forms)
  func messagesNameTheRuleAndWhatBreaksIt(_ expected: Case) throws {
    #expect(try Self.message(expected.schema, expected.text.utf8) == expected.message)
  }

  @Test func bytesThatAreNoTextAreCalledThat() throws {
    #expect(
      try Self.message("{}", [0x22, 0x61, 0xFF])
        == "byte 2: expected a character or the closing quote; "
        + "found the byte 0xFF, which is not UTF-8 here")
  }
}
