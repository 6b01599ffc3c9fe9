// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Schemas whose keywords bear on each other, with values on both sides of the line.
struct BooleanCase: Sendable, CustomTestStringConvertible {
  var name: String
  var schema: String
  var valid: [String]
  var invalid: [String]

  var testDescription: String { name }

  static let all: [BooleanCase] = [
    BooleanCase(
      name: "many dependencies",
      schema: """
        {"type": "object", "properties": {"a": {}, "b": {}, "c": {}, "d": {}}, "dependencies": {
         "a": {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, "b": ["a"], "c": ["a"],
         "d": {"anyOf": [{"required": ["a", "b"]}, {"required": ["a", "c"]}]}}}
        """,
      valid: ["{}", #"{"a":1,"b":1}"#, #"{"a":1,"c":1,"d":1}"#, #"{"e":1}"#],
      invalid: [#"{"a":1}"#, #"{"b":1}"#, #"{"d":1}"#, #"{"a":1,"d":1}"#]),
    BooleanCase(
      name: "const beside enum",
      schema: """
        {"properties": {"a": {"const": "x", "enum": ["y", "x", 1]}, "b": {"enum": [1.0, true], "const": 1},
         "c": {"const": {"k": 1}, "enum": [{"k": 1}, 2]}}}
        """,
      valid: [#"{"a":"x"}"#, #"{"b":1,"c":{"k":1}}"#, "{}"],
      invalid: [#"{"a":"y"}"#, #"{"a":1}"#, #"{"b":true}"#, #"{"c":2}"#]),
    BooleanCase(
      name: "absence decides between names",
      schema: """
        {"properties": {"w": {}, "a": {}}, "additionalProperties": false,
         "oneOf": [{"required": ["w"]}, {"required": ["a"]}]}
        """,
      valid: [#"{"w":1}"#, #"{"a":1}"#],
      invalid: ["3", "{}", #"{"w":1,"a":1}"#]),
    BooleanCase(
      name: "many branches told apart by lists and patterns",
      schema: """
        {"oneOf": [
         {"properties": {"t": {"const": "a"}, "x": {"type": "integer"}}, "required": ["t", "x"]},
         {"properties": {"t": {"enum": ["b", "c"]}}, "required": ["t"]},
         {"properties": {"t": {"type": "string", "pattern": "^[de]$"}}, "required": ["t"]}]}
        """,
      valid: [#"{"t":"a","x":1}"#, #"{"t":"c"}"#, #"{"t":"e"}"#],
      invalid: [#"{"t":"a"}"#, #"{"t":"f"}"#, #"{"t":"a","x":true}"#, "{}"]),
    BooleanCase(
      name: "lists that share a value tell nothing apart",
      schema: """
        {"oneOf": [
         {"properties": {"t": {"enum": ["a", "b"]}}, "required": ["t"]},
         {"properties": {"t": {"enum": ["b", "c"]}}, "required": ["t"]},
         {"properties": {"t": {"enum": ["d", 1]}}, "required": ["t"]},
         {"properties": {"t": {"enum": ["e", 1]}}}]}
        """,
      valid: [#"{"t":"a"}"#, #"{"t":"c"}"#, #"{"t":"d"}"#, #"{"t":"e"}"#, "{}"],
      invalid: [#"{"t":"b"}"#, #"{"t":1}"#, #"{"t":"f"}"#]),
    BooleanCase(
      name: "branches told apart by patterns",
      schema: """
        {"oneOf": [
         {"properties": {"t": {"type": "string", "pattern": "^X$"}, "x": {"type": "integer"}},
          "required": ["t"], "additionalProperties": false},
         {"properties": {"t": {"type": "string", "pattern": "^Y$"}, "y": {"type": "integer"}},
          "allOf": [{"required": ["t"]}, {"anyOf": [{"not": {"required": ["y"]}},
          {"not": {"required": ["z"]}}]}]}]}
        """,
      valid: [#"{"t":"X","x":1}"#, #"{"t":"Y","y":1}"#, #"{"t":"Y","z":1}"#],
      invalid: [#"{"t":"Z"}"#, #"{"t":"X","y":1}"#, #"{"t":"Y","y":1,"z":1}"#]),
    BooleanCase(
      name: "a bound on the members and several conditions",
      schema: """
        {"type": "object", "maxProperties": 1, "not": {"required": ["a"]},
         "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}
        """,
      valid: [#"{"b":1}"#, #"{"c":1}"#], invalid: ["{}", #"{"a":1}"#, #"{"b":1,"c":1}"#]),
    BooleanCase(
      name: "a few keys and how many of them",
      schema: """
        {"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "minProperties": 2}
        """,
      valid: [#"{"a":1,"b":2}"#, #"{"c":1,"a":2}"#, #"{"a":1,"b":1,"c":1}"#],
      invalid: [#"{"a":1}"#, #"{"a":1,"d":1}"#, #"{"a":1,"b":1,"a":1}"#]),
    BooleanCase(
      name: "a pattern that matches one key",
      schema: """
        {"type": "object", "patternProperties": {"^a$": {"type": "integer"}},
         "additionalProperties": false}
        """,
      valid: ["{}", #"{"a":1}"#], invalid: [#"{"a":"x"}"#, #"{"a":1,"a":2}"#, #"{"b":1}"#]),
    BooleanCase(
      name: "one value against two negations",
      schema: """
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
         "additionalProperties": false,
         "allOf": [{"not": {"properties": {"a": {"minimum": 5}, "b": {"minimum": 5}}}},
                   {"not": {"properties": {"a": {"maximum": 4}, "b": {"maximum": 9}}}}]}
        """,
      valid: [#"{"a":1,"b":10}"#, #"{"a":7,"b":1}"#],
      invalid: ["{}", #"{"a":1}"#, #"{"a":7}"#, #"{"a":1,"b":2}"#]),
    BooleanCase(
      name: "unevaluated properties beside their own declarations",
      schema: """
        {"type": "object", "properties": {"a": {}}, "patternProperties": {"^p": {}},
         "unevaluatedProperties": false, "anyOf": [{"properties": {"b": {"const": 1}},
         "required": ["b"]}, {"required": ["a"]}]}
        """,
      valid: [#"{"a":1}"#, #"{"b":1}"#, #"{"a":1,"b":1,"p1":0}"#],
      invalid: ["{}", #"{"a":1,"c":1}"#, #"{"a":1,"b":2}"#]),
    BooleanCase(
      name: "unevaluated items beside a tuple, and negated",
      schema: """
        {"allOf": [{"type": "array", "prefixItems": [{"type": "string"}],
          "unevaluatedItems": {"type": "integer"}},
         {"not": {"prefixItems": [true], "contains": {"const": 1},
          "unevaluatedItems": {"const": 2}}}]}
        """,
      valid: [#"["a"]"#, #"["a",2]"#, #"["a",1,3]"#, "[]"],
      invalid: [#"["a",1]"#, #"["a",1,2]"#, #"["a","b"]"#]),
    BooleanCase(
      name: "other keys than the declared ones, or many",
      schema: """
        {"type": "object", "not": {"properties": {"a": {}, "b": {"type": "null"}},
         "additionalProperties": false, "maxProperties": 2}}
        """,
      valid: [#"{"c":1}"#, #"{"a":1,"c":1}"#, #"{"b":1}"#, #"{"a":1,"b":null,"c":1}"#],
      invalid: ["{}", #"{"a":1}"#, #"{"b":null}"#, #"{"a":1,"b":null}"#]),
    BooleanCase(
      name: "other keys than the declared and matched ones, or few",
      schema: """
        {"type": "object", "not": {"properties": {"a": {}}, "patternProperties": {"^p": {}},
         "additionalProperties": {"type": "string"}, "minProperties": 1}}
        """,
      valid: ["{}", #"{"c":1}"#, #"{"a":1,"p":1,"c":1}"#],
      invalid: [#"{"a":1}"#, #"{"p":1}"#, #"{"a":1,"p":1,"c":"x"}"#]),
    BooleanCase(
      name: "a name that depends on one that cannot come",
      schema: """
        {"type": "object", "dependentRequired": {"c": ["ab"]}, "not": {"required": ["ab"]}}
        """,
      valid: ["{}", #"{"b":1}"#],
      invalid: [#"{"c":1}"#, #"{"ab":1}"#, #"{"c":1,"ab":1}"#]),
    BooleanCase(
      name: "listed containers evaluate nothing",
      schema: """
        {"enum": [[1], [], {"a": 1}, {}, "x"], "unevaluatedItems": false,
         "unevaluatedProperties": {"type": "string"}}
        """,
      valid: ["[]", "{}", #""x""#],
      invalid: ["[1]", #"{"a":1}"#]),
    BooleanCase(
      name: "items that are not unique",
      schema:
        #"{"type": "array", "items": {"type": ["integer", "array"]}, "not": {"uniqueItems": true}}"#,
      valid: ["[1,1]", "[1,2,1]", "[[1],2,[1]]", "[1,1.0]"],
      invalid: ["[]", "[1]", "[1,2]", "[[1],[2]]"]),
    BooleanCase(
      name: "two kinds of items and room for three",
      schema: """
        {"type": "array", "maxItems": 3, "allOf": [
         {"contains": {"type": "integer"}, "minContains": 2, "maxContains": 2},
         {"contains": {"type": "string"}}]}
        """,
      valid: [#"[1,2,"a"]"#, #"["a",1,2]"#],
      invalid: [#"[1,2]"#, #"["a","b",1]"#, "[1,2,3]", #"[1,2,"a","b"]"#]),
    BooleanCase(
      name: "a list that is used up",
      schema: """
        {"type": "array", "prefixItems": [{"enum": ["a"]}], "items": {"enum": ["a", "b", "c"]},
         "uniqueItems": true}
        """,
      valid: [#"["a","b","c"]"#, #"["a"]"#],
      invalid: [#"["a","a"]"#, #"["a","b","b"]"#, #"["a","b","c","a"]"#]),
    BooleanCase(
      name: "two keys of one pattern",
      schema: """
        {"type": "object", "patternProperties": {"^[0-9a-z]+$": {"type": "integer"}},
         "additionalProperties": false, "minProperties": 3}
        """,
      valid: [#"{"a":1,"b":1,"aa":1}"#], invalid: [#"{"a":1,"b":1}"#, #"{"a":1,"b":1,"A":1}"#]),
    BooleanCase(
      name: "objects that differ",
      schema: """
        {"type": "array", "minItems": 3, "uniqueItems": true, "items": {"type": "object",
         "properties": {"n": {"type": "string"}}, "required": ["n"],
         "additionalProperties": false}}
        """,
      valid: [#"[{"n":""},{"n":"a"},{"n":"b"}]"#],
      invalid: [#"[{"n":""},{"n":"a"}]"#, #"[{"n":""},{"n":"a"},{"n":""}]"#]),
    BooleanCase(
      name: "conditions in a row",
      schema: """
        {"type": "object", "properties": {"k": {"enum": ["x", "y", "z"]}}, "required": ["k"],
         "allOf": [
          {"if": {"properties": {"k": {"const": "x"}}}, "then": {"required": ["a"]}},
          {"if": {"properties": {"k": {"const": "y"}}}, "then": {"required": ["b"]},
           "else": {"not": {"required": ["b"]}}}]}
        """,
      valid: [#"{"k":"x","a":1}"#, #"{"b":1,"k":"y"}"#, #"{"k":"z"}"#],
      invalid: [#"{"k":"x"}"#, #"{"k":"y"}"#, #"{"k":"z","b":1}"#]),
  ]
}

@Suite(.computesForLong) struct BooleanStructureTests {
  @Test(arguments: BooleanCase.all)
  func verdicts(_ sample: BooleanCase) throws {
    let grammar = try Grammar(jsonSchema: sample.schema, options: .validation)
    for (texts, isValid) in [(sample.valid, true), (sample.invalid, false)] {
      for text in texts {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        let isRead = (try? matcher.accept(bytes: text.utf8)) != nil
        let isTaken = isRead && matcher.canEnd()
        #expect(isTaken == isValid, "\(text)")
      }
    }
  }

  /// From wherever random allowed bytes lead, the value can be completed, by a shortest text that is
  /// itself allowed; and validation takes what generation wrote.
  @Test(arguments: BooleanCase.all)
  func noDeadEnds(_ sample: BooleanCase) throws {
    let validation = try Grammar(jsonSchema: sample.schema, options: .validation)
    let generation = try Grammar(jsonSchema: sample.schema, options: .generation)
    for seed in 0..<6 as Range<UInt64> {
      for grammar in [generation, validation] {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        var generator = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<40, using: &generator) {
          let tokens = matcher.allowedTokens().tokens
          let token = try #require(
            tokens.randomElement(using: &generator), "dead end after \(bytes), seed \(seed)")
          if token == 256 { break }
          try matcher.accept(token)
          bytes.append(UInt8(token))
        }
        let rest = matcher.shortestCompletion()
        try matcher.accept(bytes: rest)
        let text = String(decoding: bytes + rest, as: UTF8.self)
        let canEnd = matcher.canEnd()
        #expect(canEnd, "\(text), seed \(seed)")
        var check = Matcher(grammar: validation, vocabulary: .singleBytes)
        #expect(throws: Never.self, "\(text), seed \(seed)") {
          try check.accept(bytes: (bytes + rest))
        }
        let isComplete = check.canEnd()
        #expect(isComplete, "\(text), seed \(seed)")
      }
    }
  }

  @Test func contradictionsAreFound() {
    let schemas = [
      #"{"type": "object", "propertyNames": {"enum": ["a", "b"]}, "minProperties": 3}"#,
      #"{"type": "array", "items": {"const": 1}, "contains": true, "maxContains": 1, "minItems": 2}"#,
      #"{"type": "array", "uniqueItems": true, "not": {"uniqueItems": true}}"#,
      """
      {"type": "object", "maxProperties": 1, "allOf": [{"required": ["a"]},
       {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}]}
      """,
    ]
    for schema in schemas {
      #expect(throws: GrammarError.self, "\(schema)") { try Grammar(jsonSchema: schema) }
    }
  }

  @Test(arguments: [
    (#"["a","b","c","d"#, #"["a","b","c","b"]"#),
    (#"[1,2,3.5,4"#, #"[1,2,3.5,3.50]"#),
    (#"[{"x":1,"y":[]},{"z":0},{},{"y":[],"x":2"#, #"[{"x":1,"y":0},{},null,{"y":0,"x":1.0}]"#),
    ("[[],[[]],[[],[]],[[],[],", "[[],[[]],[[],[]],[[],[]]]"),
  ])
  func theLastItemIsOneBeforeWhereTwoMustBeEqual(violated: String, valid: String) throws {
    let schema = #"{"type": "array", "maxItems": 4, "not": {"uniqueItems": true}}"#
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    var validator = StreamValidator(grammar: grammar)
    guard case .violated(let violation) = validator.append(violated) else {
      Issue.record("\(violated) was not refused")
      return
    }
    #expect(violation.offset == violated.utf8.count - 1)
    var other = StreamValidator(grammar: grammar)
    #expect(other.append(valid) == .complete)
  }
}
