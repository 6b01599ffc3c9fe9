// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Idioms of large schemas: as many branches, patterns and conditions as they have in the field. None
/// of them may be multiplied out, and none may make valid values be refused.
@Suite(.computesForLong) struct ManyBranchesTests {
  struct Idiom: Sendable, CustomTestStringConvertible {
    var name: String
    var schema: String
    var valid: [String]
    var invalid: [String]

    var testDescription: String { name }
  }

  static let idioms: [Idiom] =
    [13, 200].flatMap { count in [false, true].map { conditions(count, listsValues: $0) } }
    + [13, 200].map { itemsWithConditions($0) }
    + [independentClauses(500), contains(60)]
    + [40, 2000].flatMap { count in [false, true].map { patterns(count, isClosed: $0) } }
    + [40, 200].map { overlappingPatterns($0) }
    + [false, true].map { discriminatorsWithin(9, areRequired: $0) }
    + [false, true].map { openObjects(60, isOneOf: $0) }
    + [3, 60].flatMap { count in [false, true].map { leftOver(count, isClosed: $0) } }
    + [3, 60].map { leftOverOfAny($0) } + [listedKeys(300), unionsWithin(20)]
    + [3, 24].map { optionalDiscriminator($0) } + [3, 24].map { requiredDiscriminator($0) }
    + [3, 24].map { unanchoredPatterns($0) }
    + [3, 60].map { ranges($0) }
    + exclusions
    + [3, 20].flatMap { count in [false, true].map { undecidingMembers(count, hasKey: $0) } }
    + [3, 24, 60].flatMap { count in
      [false, true].map { defaultedDiscriminator(count, isClosed: $0) }
    }

  /// A condition on a discriminator for each of its values, which name a member that must come and a
  /// member that all have.
  static func condition(_ number: Int, listsTwo: Bool) -> String {
    let values =
      listsTwo
      ? #"{"enum": ["t\#(number)", "u\#(number)"]}"# : #"{"const": "t\#(number)"}"#
    return """
      {"if": {"properties": {"type": \(values)}, "required": ["type"]},
       "then": {"required": ["k\(number)"],
        "properties": {"k\(number)": {"type": "integer"},
         "spec": {"properties": {"v\(number)": {"type": "integer"}}, "additionalProperties": false}}}}
      """
  }

  static func conditions(_ count: Int, listsValues: Bool) -> Idiom {
    let branches = (0..<count).map { condition($0, listsTwo: listsValues) }
    let last = count - 1
    return Idiom(
      name: "\(count) conditions on a discriminator\(listsValues ? ", each for two values" : "")",
      schema: #"{"type": "object", "allOf": [\#(branches.joined(separator: ","))]}"#,
      valid: [
        "{}", #"{"type":"t0","k0":1}"#, #"{"k3":1,"type":"t3"}"#,
        #"{"type":"other","spec":{"w":1}}"#,
        #"{"type":"t\#(last)","spec":{"v\#(last)":1},"k\#(last)":2}"#,
        #"{"spec":{"v5":1},"type":"t5","k5":2}"#,
      ],
      invalid: [
        #"{"type":"t0","k1":1}"#, #"{"type":"t\#(last)","k\#(last)":"1"}"#,
        #"{"spec":{"v5":1},"type":"t4","k4":2}"#, #"{"type":"t2","k2":1,"spec":{"v3":1}}"#,
      ])
  }

  static func itemsWithConditions(_ count: Int) -> Idiom {
    let one = conditions(count, listsValues: false)
    return Idiom(
      name: "items with \(count) conditions", schema: #"{"items": \#(one.schema)}"#,
      valid: ["[\(one.valid.joined(separator: ","))]", "[]"],
      invalid: one.invalid.map { "[{},\($0)]" })
  }

  /// Conditions on a member of another member, which comes after what they decide.
  static func discriminatorsWithin(_ count: Int, areRequired: Bool) -> Idiom {
    let here = areRequired ? "" : #", "required": ["meta"]"#
    let branches = (0..<count).map { number in
      """
      {"if": {"properties": {"meta": {"properties": {"degree": {"const": \(number)}},
         "required": ["degree"]}}\(here)},
       "then": {"properties": {"data": {"type": "object",
        "properties": {"terms": {"propertyNames": {"pattern": "^k\(number)_"}}}}}}}
      """
    }
    let required = areRequired ? #", "required": ["meta"]"# : ""
    let schema = #"{"type": "object"\#(required), "allOf": [\#(branches.joined(separator: ","))]}"#
    return Idiom(
      name: "\(count) conditions on a member of \(areRequired ? "a required" : "another") member",
      schema: schema,
      valid: [
        #"{"data":{"terms":{"k3_a":1}},"meta":{"degree":3}}"#,
        #"{"meta":{"degree":3},"data":{"terms":{"k3_a":1}}}"#,
        #"{"data":{"terms":{"k1_":1,"k2_":1}},"meta":{"degree":77}}"#,
        #"{"data":{"terms":{"other":1}},"meta":{"x":1}}"#,
        #"{"data":{"terms":{}},"meta":{"degree":0}}"#, #"{"data":{},"meta":{"degree":4}}"#,
        #"{"data":[],"meta":{"degree":-1}}"#, #"{"meta":{"degree":2}}"#,
      ] + (areRequired ? [] : ["{}", #"{"data":{"terms":{"k1_":1,"k2_":1}}}"#]),
      invalid: [
        #"{"data":{"terms":{"k3_a":1}},"meta":{"degree":4}}"#,
        #"{"meta":{"degree":4},"data":{"terms":{"k3_a":1}}}"#,
        #"{"data":{"terms":{"k1_":1,"k2_":1}},"meta":{"degree":1}}"#,
        #"{"data":[],"meta":{"degree":0}}"#,
      ] + (areRequired ? ["{}", #"{"data":{}}"#] : []))
  }

  /// Members that conditions on a discriminator look at, and no others, unless they are numbers.
  static func leftOver(_ count: Int, isClosed: Bool) -> Idiom {
    let branches = (0..<count).map {
      """
      {"if": {"properties": {"kind": {"const": "t\($0)"}, "if\($0)": true}, "required": ["kind"]},
       "then": {"properties": {"v\($0)": {"type": "string"}, "id": true}},
       "else": {"properties": {"else\($0)": {"type": "null"}}}}
      """
    }
    let numbers = [#"{"kind":"t1","w":1}"#, #"{"v0":2,"kind":"t1"}"#]
    return Idiom(
      name: "\(count) conditions beside unevaluatedProperties\(isClosed ? "" : " that allow some")",
      schema: """
        {"properties": {"kind": true}, "patternProperties": {"^x": true}, "$ref": "#/$defs/base",
         "$defs": {"base": {"properties": {"name": {"type": "string"}}}},
         "dependentSchemas": {"name": {"properties": {"title": true}}},
         "allOf": [\(branches.joined(separator: ","))],
         "unevaluatedProperties": \(isClosed ? "false" : #"{"type": "number"}"#)}
        """,
      valid: [
        "{}", "[]", #"{"kind":"t0","v0":"","id":1}"#, #"{"v2":"","id":[],"kind":"t2","x":1}"#,
        #"{"title":"","kind":"t1","name":""}"#, #"{"else0":null,"kind":"t2","else1":null}"#,
        #"{"kind":"other","else0":null,"x2":{}}"#, #"{"if1":[],"kind":"t1"}"#,
      ] + (isClosed ? [] : numbers),
      invalid: [
        #"{"kind":"t0","v1":""}"#, #"{"v1":"","kind":"t2"}"#, #"{"kind":"other","id":""}"#,
        #"{"kind":"t1","v1":1}"#, #"{"kind":"t1","else1":null}"#, #"{"title":"","kind":"t1"}"#,
        #"{"if0":"","kind":"t1"}"#, #"{"w":""}"#,
      ] + (isClosed ? numbers : []))
  }

  /// Members that one of some branches looks at, which is then to hold.
  static func leftOverOfAny(_ count: Int) -> Idiom {
    let branches = (0..<count).map {
      #"{"properties": {"k\#($0)": true, "v\#($0)": {"type": "string"}}, "required": ["k\#($0)"]}"#
    }
    return Idiom(
      name: "any of \(count) branches beside unevaluatedProperties",
      schema: """
        {"items": {"anyOf": [\(branches.joined(separator: ","))], "unevaluatedProperties": false}}
        """,
      valid: [
        "[]", #"[{"k0":1},{"v1":"","k1":null}]"#, #"[{"k1":1,"k2":2,"v2":"","v1":""}]"#, "[1]",
      ],
      invalid: [
        "[{}]", #"[{"v1":""}]"#, #"[{"k1":1,"v2":""}]"#, #"[{"k1":1},{"k1":1,"v1":1}]"#,
        #"[{"k2":1,"x":1}]"#,
      ])
  }

  /// A union of which one branch is a union itself, as form editors have them for their fields.
  static func unionsWithin(_ count: Int) -> Idiom {
    func branch(_ type: String, _ member: String) -> String {
      """
      {"properties": {"name": {"type": "string"}, "type": {"const": "\(type)"}, "\(member)": true},
       "required": ["type", "name"], "additionalProperties": false}
      """
    }
    let fields = (0..<count).map { branch("t\($0)", "v\($0)") }.joined(separator: ",")
    return Idiom(
      name: "a union of \(count) within another",
      schema: """
        {"$defs": {
           "field": {"oneOf": [\(fields)]},
           "fragment": {
             "type": "object",
             "properties": {
               "include": {"type": "string"}, "name": {"type": "string"}, "type": {"const": "Fragment"}},
             "oneOf": [
               {"required": ["include"],
                "not": {"anyOf": [{"required": ["name"]}, {"required": ["type"]}]}},
               {"required": ["type", "name"], "not": {"required": ["include"]}}],
             "unevaluatedProperties": false}},
         "items": {
           "oneOf": [{"$ref": "#/$defs/field"}, \(branch("Set", "items")), {"$ref": "#/$defs/fragment"}]}}
        """,
      valid: [
        "[1]",
        #"[{"type":"t3","name":"","v3":1},{"name":"","type":"Set","items":[]}]"#,
        #"[{"include":""},{"name":"","type":"Fragment"}]"#, #"[{"name":"","type":"t0"}]"#,
      ],
      invalid: [
        #"[{"type":"t3","name":"","v4":1}]"#, #"[{"include":"","name":""}]"#,
        #"[{"type":"Fragment"}]"#, #"[{"include":"","type":"t1","name":""}]"#,
        #"[{"type":"Set","name":"","v1":1}]"#, #"[{"type":"t\#(count)","name":""}]"#,
      ])
  }

  /// A union whose discriminator was forgotten under `required`, and may come last.
  static func optionalDiscriminator(_ count: Int) -> Idiom {
    let branches = (0..<count).map {
      """
      {"properties": {"mode": {"const": "m\($0)"}, "o": {
         "type": "object", "properties": {"z\($0)": {"type": "string"}}, "required": ["z\($0)"]}}}
      """
    }
    return Idiom(
      name: "one of \(count) with a discriminator that may be absent",
      schema: #"{"type": "object", "oneOf": [\#(branches.joined(separator: ","))]}"#,
      valid: [
        #"{"o":{"z1":""},"mode":"m1"}"#, #"{"mode":"m2","o":{"z2":"","z1":""}}"#,
        #"{"o":{"z2":""}}"#, #"{"mode":"m0"}"#,
      ],
      invalid: [
        "{}", #"{"o":{"z1":""},"mode":"m2"}"#, #"{"mode":"other"}"#,
        #"{"mode":"m1","o":{"z1":1}}"#, #"{"o":{"z1":"","z2":""}}"#, #"{"o":{}}"#,
      ])
  }

  /// Conditions on a discriminator that must come, and may come last.
  static func requiredDiscriminator(_ count: Int) -> Idiom {
    let branches = (0..<count).map {
      """
      {"if": {"properties": {"mode": {"const": "m\($0)"}}, "required": ["mode"]},
       "then": {"properties": {"o": {
         "type": "object", "properties": {"z\($0)": {"type": "string"}}, "required": ["z\($0)"]}}}}
      """
    }
    return Idiom(
      name: "\(count) conditions on a discriminator that must come",
      schema: """
        {"type": "object", "required": ["mode"], "properties": {"mode": {"type": "string"}},
         "allOf": [\(branches.joined(separator: ","))]}
        """,
      valid: [
        #"{"o":{"z1":""},"mode":"m1"}"#, #"{"o":{},"mode":"other"}"#, #"{"o":1,"mode":""}"#,
        #"{"o":{"z1":"","z2":""},"mode":"m2"}"#, #"{"mode":"m0"}"#,
      ],
      invalid: [
        #"{"o":{"z1":""},"mode":"m2"}"#, #"{"o":{},"mode":"m2"}"#, #"{"o":{}}"#,
        #"{"mode":"m2","o":{"z1":""}}"#, #"{"o":1,"mode":"m0"}"#,
      ])
  }

  /// Patterns that are found anywhere in a key: any text can still become one that has them.
  static func unanchoredPatterns(_ count: Int) -> Idiom {
    let patterns = (0..<count).map {
      #""part\#($0)end": {"type": "object", "required": ["r\#($0)"]}"#
    }
    return Idiom(
      name: "\(count) patterns that are found anywhere in a key",
      schema: """
        {"type": "object", "patternProperties": {\(patterns.joined(separator: ","))},
         "additionalProperties": false}
        """,
      valid: [
        "{}", #"{"part1end":{"r1":1}}"#, #"{"xpart1end.part0endx":{"r0":1,"r1":1}}"#,
        #"{"part0end":{"r0":1},"part0end2":{"r0":[]}}"#,
      ],
      invalid: [
        #"{"part1end":{"r0":1}}"#, #"{"part1":{}}"#, #"{"part0end-part1end":{"r0":1}}"#,
        #"{"part0end":{"r0":1},"x":{"r0":1}}"#,
      ])
  }

  /// Keys of a list, each of which may come once.
  static func listedKeys(_ count: Int) -> Idiom {
    let names = (0..<count).map { #""k\#($0)""# }
    let all = names.map { "\($0):1" }.joined(separator: ",")
    return Idiom(
      name: "keys out of \(count)",
      schema: """
        {"type": "object", "propertyNames": {"enum": [\(names.joined(separator: ","))]},
         "minProperties": 2, "additionalProperties": {"type": "integer"}}
        """,
      valid: ["{\(all)}", #"{"k7":1,"k77":2}"#, #"{"k0":1,"k1":1,"k\#(count - 1)":1}"#],
      invalid: [
        "{}", #"{"k1":1}"#, #"{"k1":1,"k1000":1}"#, #"{"k1":1,"k":1}"#, #"{"k1":1,"k2":""}"#,
      ])
  }

  /// Branches of objects that may have any other members too: each requires a member of its own, and
  /// a member that all have may say which it is.
  static func openObjects(_ count: Int, isOneOf: Bool) -> Idiom {
    let branches = (0..<count).map {
      """
      {"properties": {"kind": {"const": "t\($0)"}, "v\($0)": {"type": "string"}},
       "required": ["v\($0)"]}
      """
    }
    let both = [#"{"v3":"","v5":""}"#, #"{"v5":"a","x":1,"v3":"b"}"#, "[]"]
    return Idiom(
      name: "\(isOneOf ? "one" : "any") of \(count) open objects",
      schema: #"{"\#(isOneOf ? "oneOf" : "anyOf")": [\#(branches.joined(separator: ","))]}"#,
      valid: [
        #"{"v3":""}"#, #"{"v3":"a","kind":"t3"}"#,
        #"{"kind":"t\#(count - 1)","v\#(count - 1)":""}"#,
        #"{"v3":"a","v5":"b","kind":"t5"}"#, #"{"v3":1,"v5":"b","x":[]}"#,
      ] + (isOneOf ? [] : both),
      invalid: [
        "{}", #"{"v3":1}"#, #"{"kind":"t3","v5":""}"#, #"{"v3":"","v5":"","kind":"t4"}"#,
        #"{"v3":"","kind":null}"#,
      ] + (isOneOf ? both : []))
  }

  static func independentClauses(_ count: Int) -> Idiom {
    let clauses = (0..<count).map {
      """
      {"anyOf": [{"required": ["a\($0)"]},
       {"properties": {"b\($0)": {"type": "null"}}, "required": ["b\($0)"]}]}
      """
    }
    func object(_ count: Int) -> String {
      let members = (0..<count).map { $0 % 3 == 0 ? #""b\#($0)":null"# : #""a\#($0)":1"# }
      return "{\(members.joined(separator: ","))}"
    }
    return Idiom(
      name: "\(count) independent clauses",
      schema: #"{"allOf": [\#(clauses.joined(separator: ","))]}"#,
      valid: [object(count)], invalid: [object(count - 1), "{}"])
  }

  static func contains(_ count: Int) -> Idiom {
    let clauses = (0..<count).map { #"{"contains": {"const": \#($0)}}"# }
    func array(_ count: Int) -> String {
      "[\((0..<count).reversed().map { "\($0)" }.joined(separator: ","))]"
    }
    return Idiom(
      name: "\(count) times contains",
      schema: #"{"type": "array", "allOf": [\#(clauses.joined(separator: ","))]}"#,
      valid: [array(count), array(count + 3)], invalid: [array(count - 1), "[]"])
  }

  static func patterns(_ count: Int, isClosed: Bool) -> Idiom {
    let patterns = (0..<count).map { #""^k\#($0)_": {"type": "integer"}"# }
    let closing = isClosed ? #", "additionalProperties": false"# : ""
    return Idiom(
      name: "\(count) patterns of keys\(isClosed ? ", and no other keys" : "")",
      schema: #"{"patternProperties": {\#(patterns.joined(separator: ","))}\#(closing)}"#,
      valid: ["{}", #"{"k0_a":1,"k\#(count - 1)_b":2}"#] + (isClosed ? [] : [#"{"z":null}"#]),
      invalid: [#"{"k1_":null}"#] + (isClosed ? [#"{"z":1}"#, #"{"k1":1}"#] : []))
  }

  static func overlappingPatterns(_ count: Int) -> Idiom {
    let patterns = (0..<count).map { #""x\#($0).*y": {"minimum": \#($0)}"# }
    return Idiom(
      name: "\(count) patterns that overlap",
      schema: """
        {"patternProperties": {\(patterns.joined(separator: ","))}, "additionalProperties": false}
        """,
      valid: ["{}", #"{"x1y":5,"x3ax5y":7}"#], invalid: [#"{"x3ax5y":4}"#, #"{"x1":1}"#])
  }

  @Test(arguments: idioms)
  func verdictsAreRight(idiom: Idiom) throws {
    let grammar = try Grammar(jsonSchema: idiom.schema, options: .validation)
    for text in idiom.valid {
      var validator = StreamValidator(grammar: grammar)
      let verdict = validator.append(text)
      #expect(verdict == .complete, "\(text.prefix(80))")
    }
    for text in idiom.invalid {
      var validator = StreamValidator(grammar: grammar)
      validator.append(text)
      let verdict = validator.finish()
      guard case .violated = verdict else {
        Issue.record("\(text.prefix(80)) gives \(verdict)")
        continue
      }
    }
  }

  /// What 60 branches make of 60 members, and no more than that, is kept.
  @Test func openObjectsAreReadWithLittleMemory() throws {
    let count = 60
    let idiom = Self.openObjects(count, isOneOf: true)
    let grammar = try Grammar(jsonSchema: #"{"items": \#(idiom.schema)}"#, options: .validation)
    let before = grammar.cachedByteCount
    var validator = StreamValidator(grammar: grammar)
    let items = (0..<count).map { #"{"v\#($0)":"","kind":"t\#($0)"}"# }
    let verdict = validator.append("[\(items.joined(separator: ","))]")
    #expect(verdict == .complete)
    #expect(grammar.cachedByteCount - before < 20 << 20)
  }

  /// Every mask on the way of a valid text has its next byte, and random walks end.
  @Test(arguments: idioms)
  func masksLeadOn(idiom: Idiom) throws {
    let grammar = try Grammar(jsonSchema: idiom.schema, options: .validation)
    for text in idiom.valid where text.count < 200 {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      for (place, byte) in text.utf8.enumerated() {
        let mask = matcher.allowedTokens()
        #expect(mask.contains(Int(byte)), "\(text) at \(place)")
        try matcher.accept(Int(byte))
      }
      let canEnd = matcher.canEnd()
      #expect(canEnd, "\(text)")
    }
    for seed in UInt64(1)...3 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: MaskTests.vocabulary)
      for step in 0..<40 {
        let mask = matcher.allowedTokens()
        guard let token = mask.tokens.randomElement(using: &generator) else {
          Issue.record("a dead end, seed \(seed), step \(step)")
          break
        }
        if token == MaskTests.vocabulary.endOfSequence { break }
        try matcher.accept(token)
      }
    }
  }
}
