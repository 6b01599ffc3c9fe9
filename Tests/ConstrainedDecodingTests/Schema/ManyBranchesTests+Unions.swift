// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

extension ManyBranchesTests {
  /// A member that all branches have is named by a place where it is declared, not by an equal
  /// subschema elsewhere, and at once.
  @Test func sharedMembersAreNamed() throws {
    let idiom = Self.defaultedDiscriminator(24, isClosed: false)
    var validator = try StreamValidator(jsonSchema: idiom.schema)
    validator.append(#"{"params":{"z1":""},"key":1}"#)
    guard case .violated(let violation) = validator.finish() else {
      Issue.record("not violated")
      return
    }
    #expect(violation.instanceLocation == "/key")
    #expect(violation.schemaLocation.hasSuffix("/properties/key/type"), "\(violation)")
  }

  /// A union as Pydantic writes it where the discriminator has a default: nothing requires it, and all
  /// branches have other members in common.
  static func defaultedDiscriminator(_ count: Int, isClosed: Bool) -> Idiom {
    let branches = (0..<count).map {
      """
      {"type": "object", "required": ["params"], "properties": {
         "type": {"const": "t\($0)", "default": "t\($0)", "enum": ["t\($0)"]}, "params": {"$ref": "#/$defs/p\($0)"},
         "key": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}
       \(isClosed ? #", "additionalProperties": false"# : "")}
      """
    }
    let definitions = (0..<count).map {
      """
      "p\($0)": {"type": "object", "properties": {"z\($0)": {"type": "string"}}, "required": ["z\($0)"]}
      """
    }
    return Idiom(
      name: "one of \(count) whose discriminator has a default\(isClosed ? ", closed" : "")",
      schema: """
        {"oneOf": [\(branches.joined(separator: ","))],
         "$defs": {\(definitions.joined(separator: ","))}}
        """,
      valid: [
        #"{"params":{"z1":""},"type":"t1"}"#, #"{"type":"t1","params":{"z1":"","z2":""}}"#,
        #"{"params":{"z1":"","z2":""},"tags":[],"type":"t2"}"#, #"{"params":{"z2":""}}"#,
        #"{"key":"","params":{"z0":""}}"#, #"{"tags":["a"],"params":{"z2":1,"z0":""}}"#,
      ],
      invalid: [
        #"{"params":{"z1":"","z2":""}}"#, #"{"params":{"z1":""},"type":"t2"}"#, "{}",
        #"{"params":{}}"#, #"{"params":{"z1":""},"key":1}"#, #"{"tags":[1],"params":{"z1":""}}"#,
        #"{"params":{"z1":""},"type":"other"}"#,
      ] + (isClosed ? [#"{"params":{"z1":""},"more":1}"#] : []))
  }

  /// Members that may come or not and decide nothing, before a choice that cannot be made: whether they
  /// come makes no difference to what is left. With a declared key that a pattern matches there is a way.
  static func undecidingMembers(_ count: Int, hasKey: Bool) -> Idiom {
    func members(_ schema: String) -> String {
      (0..<count).map { #""a\#($0)": \#(schema)"# }.joined(separator: ",")
    }
    let strings = #"{"properties": {\#(members(#"{"type": "string"}"#))}}"#
    return Idiom(
      name: "\(count) members that decide nothing\(hasKey ? ", and a key that does" : "")",
      schema: """
        {"type": ["object", "string"], "required": ["u"], "properties": {"u": {},
           \(hasKey ? #""x": {}, "# : "")\(members("{}"))},
         "additionalProperties": false, "allOf": [
           {"anyOf": [\(strings), {"properties": {"u": {"type": "array"}}}]},
           {"anyOf": [{"not": \(strings)}, {"not": {"patternProperties": {"^x": false}}}]}]}
        """,
      valid: [
        #"{"u":[],"a0":1}"#, #"{"a1":"","a0":1,"u":[]}"#, #"{"a\#(count - 1)":1,"u":[]}"#,
      ]
        + (hasKey
          ? [#"{"u":1,"x":1}"#, #"{"u":1,"a0":"","x":1}"#, #"{"x":1,"a1":"","u":1}"#] : []),
      invalid: [
        "{}", #"{"u":[]}"#, #"{"u":1,"a0":1}"#, #"{"u":[],"a0":""}"#, #"{"a0":1,"u":1}"#,
        #"{"u":[],"xy":1}"#, #"{"u":1,"x":1,"a0":1}"#,
      ])
  }

  /// Ranges of numbers and of sizes, none of which meets another.
  static func ranges(_ count: Int) -> Idiom {
    let branches = (0..<count).flatMap { place in
      let (low, high) = (place * 10, place * 10 + 9)
      return [
        #"{"type": "number", "minimum": \#(low), "exclusiveMaximum": \#(high + 1)}"#,
        #"{"type": "string", "minLength": \#(low), "maxLength": \#(high)}"#,
        #"{"type": "array", "minItems": \#(low), "maxItems": \#(high), "items": {"const": \#(place)}}"#,
        #"{"type": "object", "minProperties": \#(low), "maxProperties": \#(high), "required": ["n\#(place)"]}"#,
      ]
    }
    return Idiom(
      name: "one of \(count) ranges of each kind",
      schema: #"{"oneOf": [\#(branches.joined(separator: ","))]}"#,
      valid: ["5", "9.5", "10", "\"\"", "\"aaaaaaaaaaaaaa\"", "[0,0]", #"{"n0":1,"a":2}"#],
      invalid: ["-1", "\(count * 10)", "[1]", "[1,1,1,1,1,1,1,1,1]", #"{"n1":1}"#, "null"])
  }
}
