// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@Suite(.computesForLong) struct StreamValidatorTests {
  /// Feeds a text byte by byte and gives the violation, if there is one.
  static func violation(_ schema: String, _ text: String) throws -> Violation? {
    var validator = try StreamValidator(jsonSchema: schema)
    for byte in text.utf8 { validator.append([byte]) }
    guard case .violated(let violation) = validator.finish() else { return nil }
    return violation
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var schema: String
    var text: String
    var offset: Int
    var instance: String
    var keyword: String
    var location: String
    var expected: String

    var testDescription: String { "\(text) under \(schema)" }

    init(
      _ schema: String, _ text: String, at offset: Int, _ instance: String, _ location: String,
      _ expected: String
    ) {
      self.schema = schema
      self.text = text
      self.offset = offset
      self.instance = instance
      self.location = location
      keyword = location.split(separator: "/").last.map(String.init) ?? ""
      self.expected = expected
    }
  }

  static let person = """
    {"type": "object", "properties": {"name": {"type": "string", "minLength": 2, "maxLength": 5},
     "age": {"type": "integer", "minimum": 3, "maximum": 120}, "tags": {"type": "array",
     "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 2, "uniqueItems": true}},
     "required": ["name"], "additionalProperties": false}
    """

  static let kinds = """
    {"oneOf": [{"properties": {"k": {"const": "cash"}}, "required": ["k"]},
     {"properties": {"k": {"const": "card"}}, "required": ["k"]},
     {"properties": {"k": {"const": "voucher"}}, "required": ["k"]}], "type": "object"}
    """

  static let cases: [Case] = [
    Case(#"{"type":"integer"}"#, #""x""#, at: 0, "", "#/type", "an integer"),
    Case(#"{"type":["string","null"]}"#, "4", at: 0, "", "#/type", "a string, or `null`"),
    Case(#"{"const":"abc"}"#, #""abd""#, at: 3, "", "#/const", "`\"abc\"`"),
    Case(#"{"enum":["ab",7]}"#, "[", at: 0, "", "#/enum", "one of `7`, `\"ab\"`"),
    Case(person, #"{"name":4}"#, at: 8, "/name", "#/properties/name/type", "a string"),
    Case(
      person, #"{"name":"Ada","age":200}"#, at: 23, "/age", "#/properties/age/maximum",
      "a number of at most 120"),
    Case(
      person, #"{"name":"Ada","age":2 }"#, at: 21, "/age", "#/properties/age/minimum",
      "a number of at least 3"),
    // Of subschemas that say the same, the one that the value is held to is named.
    Case(
      #"{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}"#, #"{"a":1,"b":true}"#,
      at: 11, "/b", "#/properties/b/type", "an integer"),
    Case(
      #"{"properties":{"a":{"items":{"maximum":2}},"b":{"items":{"maximum":2}}}}"#,
      #"{"b":[1,30]}"#, at: 10, "/b/1", "#/properties/b/items/maximum", "a number of at most 2"),
    Case(
      person, #"{"name":"Adelheid"}"#, at: 14, "/name", "#/properties/name/maxLength",
      "at most 5 characters"),
    Case(
      person, #"{"name":"A"}"#, at: 10, "/name", "#/properties/name/minLength",
      "at least 2 characters"),
    Case(
      person, #"{"nick"#, at: 3, "", "#/additionalProperties",
      "the key `name`"),
    Case(
      person, #"{"x"#, at: 2, "", "#/additionalProperties",
      "one of the keys `name`, `age`, `tags`"),
    Case(person, #"{"age":4}"#, at: 8, "", "#/required", "the required member `name`"),
    Case(
      person, #"{"tags":["c"]}"#, at: 10, "/tags/0", "#/properties/tags/items/enum",
      "one of `\"a\"`, `\"b\"`"),
    Case(
      person, #"{"tags":["a","a"]}"#, at: 14, "/tags", "#/properties/tags/uniqueItems",
      "an item unlike those before it"),
    Case(
      person, #"{"tags":[]}"#, at: 9, "/tags", "#/properties/tags/minItems", "at least 1 item"),
    Case(
      #"{"items":{"type":"object","properties":{"a/b":{"multipleOf":0.5}}}}"#,
      #"[{},{"a/b":1.25}]"#, at: 15, "/1/a~1b", "#/items/properties/a~1b/multipleOf",
      "a multiple of 0.5"),
    Case(
      #"{"type":"array","maxItems":1}"#, "[1,2]", at: 2, "", "#/maxItems", "at most 1 item"),
    Case(
      #"{"type":"string","pattern":"^[a-z]+$"}"#, #""ab1""#, at: 3, "", "#/pattern",
      "a string that matches `^[a-z]+$`"),
    Case(
      #"{"type":"string","format":"date"}"#, #""20x"#, at: 3, "", "#/format",
      "a string of the format `date`"),
    Case(
      ##"{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"exclusiveMaximum":0}]}}}"##, "1 ", at: 0, "",
      "#/$defs/n/allOf/0/exclusiveMaximum", "a number less than 0"),
    Case(
      #"{"anyOf":[{"type":"object","properties":{"k":{"const":1}},"required":["k"]},{"type":"array"}]}"#,
      #"{"k":true}"#, at: 5, "/k", "#/anyOf/0/properties/k/const", "`1`"),
    // Of a value that several branches speak of, those that came furthest say what was meant.
    Case(
      kinds, #"{"k":"x"}"#, at: 6, "/k", "#/oneOf/0/properties/k/const",
      "one of `\"cash\"`, `\"card\"`, `\"voucher\"`"),
    Case(
      kinds, #"{"k":"cary"}"#, at: 9, "/k", "#/oneOf/1/properties/k/const", "`\"card\"`"),
    Case(
      kinds, #"{"k":"caxx"}"#, at: 8, "/k", "#/oneOf/0/properties/k/const",
      "one of `\"cash\"`, `\"card\"`"),
    Case(
      #"{"type":"object","minProperties":2}"#, #"{"a":1}"#, at: 6, "", "#/minProperties",
      "at least 2 members"),
    Case(
      #"{"type":"array","contains":{"type":"null"}}"#, "[1]", at: 2, "", "#/contains",
      "at least 1 item that satisfies `contains`"),
    Case(#"{"properties":{"a":false}}"#, #"{"a":1}"#, at: 3, "", "#/properties", ""),
    Case(#"{"not":{"type":"string"}}"#, #""a""#, at: 0, "", "#/not", ""),
  ]

  @Test(arguments: [" 1", "\n1", " "])
  func whiteSpaceBeforeAValueIsRefusedWhereThereMayBeNone(text: String) throws {
    var validator = StreamValidator(grammar: try Grammar(jsonSchema: #"{"type":"integer"}"#))
    guard case .violated(let violation) = validator.append(text) else {
      Issue.record("not refused")
      return
    }
    #expect(violation.offset == 0)
  }

  @Test(arguments: cases)
  func violationsNameTheirReason(_ expected: Case) throws {
    let violation = try #require(try Self.violation(expected.schema, expected.text))
    #expect(violation.offset == expected.offset, "\(violation)")
    #expect(violation.instanceLocation == expected.instance, "\(violation)")
    #expect(violation.keyword == expected.keyword, "\(violation)")
    #expect(violation.schemaLocation == expected.location, "\(violation)")
    if !expected.expected.isEmpty {
      #expect(violation.expected == expected.expected, "\(violation)")
    }
    #expect(!violation.expected.isEmpty)
  }

  @Test(arguments: [
    (#"{"a" 1}"#, 5, "`:`"), (#"{"a":1,"a":2}"#, 9, "unlike those"), ("[1,]", 3, "an array"),
    ("[1}", 2, "`]`"), ("tru ", 3, "`e`, the rest of `true`"), ("01", 1, "the end of the text"),
    (#""a\q""#, 3, "the rest of an escape sequence"), ("{}x", 2, "the end of the text"),
  ])
  func textThatIsNotJSONBlamesNoKeyword(text: String, offset: Int, expected: String) throws {
    let violation = try #require(try Self.violation("{}", text))
    #expect(violation.offset == offset, "\(violation)")
    #expect(violation.keyword == "" && violation.schemaLocation == "", "\(violation)")
    #expect(violation.expected.contains(expected), "\(violation)")
  }

  @Test func whatEndsTooEarlyIsViolatedAtTheEnd() throws {
    let object = try #require(try Self.violation(Self.person, #"{"name":"Ada""#))
    #expect(object.offset == 13)
    #expect(object.found == "the end of the text")
    #expect(object.expected == "`,` or `}`", "\(object)")
    let number = try #require(try Self.violation(#"{"minimum":3}"#, "2"))
    #expect(number.keyword == "minimum" && number.offset == 1, "\(number)")
    #expect(try Self.violation(#"{"minimum":3}"#, "4") == nil)
  }

  @Test func verdictsFollowTheText() throws {
    var validator = try StreamValidator(jsonSchema: Self.person)
    #expect(validator.verdict == .possible)
    #expect(validator.append(#"  {"name":"#) == .possible)
    #expect(validator.append(#""Ada""#) == .possible)
    #expect(validator.append("}") == .complete)
    #expect(validator.append(" \n") == .complete)
    #expect(validator.finish() == .complete)
    guard case .violated(let violation) = validator.append("{") else {
      Issue.record("a second value is refused")
      return
    }
    #expect(violation.offset == 18)
  }

  /// A prefix is possible exactly if the matcher of the same grammar takes it: the offset is that of
  /// the first byte that the matcher refuses.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func violationsAreFoundAtTheFirstByteRefused(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var random = RandomJSON(seed: seed)
    let schema = MaskTests.schemas.randomElement(using: &generator) ?? "{}"
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    var bytes = Array(random.text().utf8)
    if !bytes.isEmpty, Bool.random(using: &generator) {
      bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
        in: 0x20...0x7E, using: &generator)
    }
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let refused = bytes.firstIndex { (try? matcher.accept(Int($0))) == nil }
    var validator = StreamValidator(grammar: grammar)
    var at = 0
    while at < bytes.count {
      let end = min(bytes.count, at + Int.random(in: 1...9, using: &generator))
      validator.append(bytes[at..<end])
      at = end
    }
    if case .violated(let violation) = validator.verdict {
      #expect(violation.offset == refused, "seed \(seed): \(violation)")
    } else {
      #expect(refused == nil, "seed \(seed)")
      let canEnd = matcher.canEnd()
      #expect((validator.verdict == .complete) == canEnd, "seed \(seed)")
    }
  }

  // MARK: Text around the value

  @Test(arguments: [
    "Here it is:\n```json\n{\"name\": \"Ada\"}\n```\nAnything else?",
    "Sure! {\"name\": \"Ada\"} is the answer.", "{\"name\": \"Ada\"}",
    "A set {x | x > 2} and then {\"name\": \"Ada\"}", "```\n{\"name\": \"Ada\"}\n```",
  ])
  func valuesAreFoundInProse(text: String) throws {
    for size in [1, 3, 1000] {
      var validator = StreamValidator(
        grammar: try Grammar(jsonSchema: Self.person, options: .validation),
        surroundings: .skipped)
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        validator.append(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(validator.finish() == .complete, "\(text) in pieces of \(size)")
      let range = try #require(validator.valueRange)
      #expect(String(decoding: bytes[range], as: UTF8.self) == "{\"name\": \"Ada\"}")
    }
  }

  @Test func whatIsWrongInAFenceIsViolated() throws {
    var validator = StreamValidator(
      grammar: try Grammar(jsonSchema: Self.person, options: .validation), surroundings: .skipped)
    validator.append("Of course:\n```json\n{\"name\": 3")
    guard case .violated(let violation) = validator.verdict else {
      Issue.record("expected a violation")
      return
    }
    #expect(violation.offset == 28)
    #expect(violation.instanceLocation == "/name")
    var empty = StreamValidator(
      grammar: try Grammar(jsonSchema: Self.person, options: .validation), surroundings: .skipped)
    empty.append("I would rather not.")
    guard case .violated(let none) = empty.finish() else {
      Issue.record("expected a violation")
      return
    }
    #expect(none.found == "none")
  }

  /// A number that no longer can be right is named with its bounds; where what follows is no number,
  /// the digits that may follow are.
  @Test func digitsThatMayFollow() throws {
    let schema = """
      {"properties": {"age": {"type": "integer", "minimum": 18, "maximum": 120}}}
      """
    func expected(_ age: String, _ schema: String = schema) throws -> String? {
      var validator = try StreamValidator(jsonSchema: schema)
      guard case .violated(let violation) = validator.append(#"{"age": "# + age) else { return nil }
      return violation.expected
    }
    #expect(try expected("17") == "an integer of at least 18 and at most 120")
    #expect(try expected("1x") == "`0`, `1`, `2`, `8`, `9`")
    #expect(try expected("2x") == "a digit")
    // What is asked for in several places is said together.
    let spread = """
      {
        "$defs": {"even": {"type": "integer", "multipleOf": 2, "exclusiveMinimum": 18}},
        "properties": {"age": {"$ref": "#/$defs/even", "allOf": [{"minimum": 7}, {"maximum": 99}]}}
      }
      """
    #expect(
      try expected("21", spread)
        == "an integer greater than 18 and at most 99 that is a multiple of 2")
  }

  // MARK: Matchers

  @Test func refusedTokensAreExplained() throws {
    let grammar = try Grammar(jsonSchema: Self.person)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: #"{""#.utf8)
    #expect(matcher.expectation() == "the key `name`")
    let refused = try #require(matcher.explanation(ofRefused: Int(UInt8(ascii: "x"))))
    #expect(refused.message == "expected the key `name`; found `x`")
    #expect(matcher.explanation(ofRefused: Int(UInt8(ascii: "n"))) == nil)
    // Whoever tries without asking first is told the same.
    for error in [
      #expect(throws: MatcherError.self) { try matcher.accept(Int(UInt8(ascii: "x"))) },
      #expect(throws: MatcherError.self) { try matcher.accept(bytes: "x".utf8) },
    ] {
      #expect(error?.offset == 0)
      #expect(error?.message == "expected the key `name`; found `x`")
    }
    let later = #expect(throws: MatcherError.self) { try matcher.accept(bytes: "nome".utf8) }
    #expect(later?.offset == 1)
    #expect(later?.message == "expected the key `name`; found `o`")
    try matcher.accept(bytes: #"name":"Ada","age":1"#.utf8)
    #expect(matcher.expectation() == "a digit")
    let end = try #require(matcher.explanation(ofRefused: 256))
    #expect(end.message.hasSuffix("found the end of the sequence"))
  }

  @Test func repeatedKeysAreToldAsSuch() throws {
    var validator = try StreamValidator(
      jsonSchema: #"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#,
      options: .generation)
    validator.append(#"{"a":"x","b":"y","a":"z"}"#)
    guard case .violated(let violation) = validator.finish() else {
      Issue.record("a key that came twice was taken")
      return
    }
    #expect(violation.expected == "a key unlike those before it")
    #expect(violation.found == "`a`")
  }

  /// Sentences as models write them about scalars.
  @Test(arguments: [
    ("boolean", "That is true.", "true"), ("boolean", "false", "false"),
    ("boolean", "true.", "true"),
    ("boolean", "Not false, but no.", "false"), ("integer", "The answer is 42.", "42"),
    ("number", "It is 42. That is all.", "42"), ("number", "About 4.5.", "4.5"),
    ("null", "There is nothing: null", "null"),
  ])
  func scalarsAreFoundInSentences(type: String, text: String, value: String) throws {
    for size in [1, 4, 1000] {
      var validator = try StreamValidator(
        jsonSchema: #"{"type":"\#(type)"}"#, surroundings: .skipped)
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        validator.append(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(validator.finish() == .complete, "\(text) in pieces of \(size)")
      let range = try #require(validator.valueRange)
      #expect(String(decoding: bytes[range], as: UTF8.self) == value)
    }
  }
}
