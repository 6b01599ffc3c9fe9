// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@Suite(.computesForLong) struct MatcherTests {
  /// Samples a value uniformly over the allowed bytes, ending where the budget says so.
  func sample(
    _ schema: String, seed: UInt64, budget: Int, options: CompilationOptions = .generation
  ) throws -> String {
    let grammar = try Grammar(jsonSchema: schema, options: options)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    while true {
      let tokens = matcher.allowedTokens(within: budget - bytes.count).tokens
      let token = try #require(
        tokens.randomElement(using: &generator), "dead end after \(bytes), seed \(seed)")
      try matcher.accept(token)
      if token == 256 { break }
      bytes.append(UInt8(token))
      #expect(bytes.count <= budget, "seed \(seed)")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (#"{"type":"string","format":"email"}"#, #""\"a b"#, #"\"@0""#),
    (#"{"type":"array","contains":{"type":"string"},"minContains":2}"#, "[", #""",""]"#),
    (
      #"{"additionalProperties":{"type":"array","contains":{"type":"string"},"minItems":2}}"#,
      #"{"a"#, #"":["",0]}"#
    ),
    (#"{"properties":{"h":{}},"required":["h"]}"#, #"{"\u0"#, #"068":0}"#),
    (#"{"const":"~😀"}"#, #""\"#, #"u007E😀""#),
    (#"{"const":"~😀"}"#, #""\u007e\u"#, #"D83D\uDE00""#),
  ])
  func completionsOfWhatIsHardToEnd(schema: String, start: String, rest: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: Array(start.utf8))
    #expect(String(decoding: matcher.shortestCompletion(), as: UTF8.self) == rest)
  }

  /// Of escapes that may become a surrogate pair there are a million.
  @Test(arguments: [
    (#"{"type":"string","minLength":50}"#, #""B\"#),
    (#"{"type":"string","minLength":50,"maxLength":60}"#, #""ả\"#),
    (#"{"type":"string","pattern":"\\d{4}-\\d{2}-\\d{2}T\\d{2}"}"#, #""rec\"#),
    (#"{"type":"string","pattern":"^\\w{40}$"}"#, #""a\u"#),
    (#"{"type":"string","pattern":"^[😀-😂]\\w{20}$"}"#, #""\u"#),
    (#"{"type":"object","propertyNames":{"minLength":50}}"#, #"{"B\"#),
  ])
  func longTextsAreCompletedFromAnEscape(schema: String, start: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: Array(start.utf8))
    let rest = matcher.shortestCompletion()
    try matcher.accept(bytes: rest)
    let isComplete = matcher.canEnd()
    #expect(isComplete, "\(String(decoding: rest, as: UTF8.self))")
  }

  /// A key that could only be repeated is refused where that becomes clear, however many came before.
  @Test func keysThatCouldOnlyBeRepeatedAreRefused() throws {
    let schema = """
      {"patternProperties": {"^[0-9]{3}$": true}, "properties": {"777": true},
       "additionalProperties": false}
      """
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let keys = (0..<700).map { ("00\($0)").suffix(3) } + ["777"] + (770..<780).map { "\($0)" }
    let text = "{" + Set(keys).sorted().map { "\"\($0)\":1" }.joined(separator: ",")
    try matcher.accept(bytes: Array(text.utf8))
    for (key, offset) in [("\\u0036", 7), ("6", 2), ("77", 3), ("123", 2), ("779", 3)] {
      let error = #expect(throws: MatcherError.self) {
        try matcher.accept(bytes: Array(",\"\(key)".utf8))
      }
      #expect(error?.offset == offset, "\(key)")
    }
    for key in ["7", "700", "78", "999", "\\u0037\\u0038"] {
      var fork = matcher
      try fork.accept(bytes: Array(",\"\(key)".utf8))
      try fork.accept(bytes: fork.shortestCompletion())
      let canEnd = fork.canEnd()
      #expect(canEnd)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func budgetIsKept(seed: UInt64) throws {
    let schema = """
      {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer",
       "minimum": 3, "maximum": 120}, "tags": {"type": "array", "items": {"type": "string",
       "minLength": 2}, "minItems": 1}}, "required": ["name", "age", "tags"],
       "additionalProperties": false}
      """
    let text = try sample(schema, seed: seed, budget: 60)
    #expect(text.utf8.starts(with: "{\"name\":\"".utf8))
    let validation = try Grammar(jsonSchema: schema, options: .validation)
    var matcher = Matcher(grammar: validation, vocabulary: .singleBytes)
    try matcher.accept(bytes: text.utf8)
    let isComplete = matcher.canEnd()
    #expect(isComplete, "\(text)")
  }

  @Test func forcedBytesRunToTheFirstChoice() throws {
    let grammar = try Grammar(
      jsonSchema: """
        {"type": "object", "properties": {"kind": {"const": "car"}, "wheels": {"type": "integer"}},
         "required": ["kind", "wheels"], "additionalProperties": false}
        """)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let forced = matcher.forcedBytes()
    #expect(String(decoding: forced, as: UTF8.self) == #"{"kind":"car","wheels":"#)
    #expect(
      String(decoding: matcher.shortestCompletion(), as: UTF8.self)
        == #"{"kind":"car","wheels":0}"#)
  }

  @Test func keysAreCompletedInsideAnEscape() throws {
    let grammar = try Grammar(jsonSchema: "{}")
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: #"{"a\#u{5C}"#.utf8)
    let rest = matcher.shortestCompletion()
    try matcher.accept(bytes: rest)
    let isComplete = matcher.canEnd()
    #expect(isComplete, "\(String(decoding: rest, as: UTF8.self))")
  }

  @Test func rollbackForgets() throws {
    let grammar = try Grammar(jsonSchema: #"{"enum": ["ab", "ac"]}"#)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    for byte in "\"ab".utf8 { try matcher.accept(Int(byte)) }
    matcher.rollback(1)
    try matcher.accept(Int(UInt8(ascii: "c")))
    #expect(throws: MatcherError.self) { try matcher.accept(Int(UInt8(ascii: "x"))) }
    try matcher.accept(Int(UInt8(ascii: "\"")))
    let ends = matcher.mustEnd()
    #expect(ends)
  }

  /// Found by fuzzing: keys were tried by the hundred thousand before their values were known.
  @Test(.timeLimit(.minutes(30))) func completionOfNegatedObjectsIsFound() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"oneOf":[{"properties":{"a":{"const":1}}},{"minLength":0}]}"#,
      options: .validation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: "{".utf8)
    try matcher.accept(bytes: matcher.shortestCompletion())
    let isComplete = matcher.canEnd()
    #expect(isComplete)
  }

  /// Found by fuzzing: how far tokens reach was remembered from the first vocabulary.
  @Test func vocabulariesOfDifferentReachShareAGrammar() throws {
    let grammar = try Grammar(jsonSchema: #"{"type":"string","maxLength":3}"#)
    let letters = try Vocabulary(
      tokens: ["\"", "a", ""].map { Array($0.utf8) }, endOfSequence: 2)
    let pairs = try Vocabulary(
      tokens: ["\"", "a", "ab", "abc", ""].map { Array($0.utf8) }, endOfSequence: 4)
    for vocabulary in [letters, pairs] {
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      for token in [0, 1, 1] {
        let isAllowed = matcher.allowedTokens().contains(token)
        #expect(isAllowed)
        try matcher.accept(token)
      }
      #expect(matcher.allowedTokens().tokens == [0, 1])
    }
  }

  /// Digits that lead to half of a pair without the other half (found by the fuzzer: a dead end).
  @Test func halvesOfPairsAreRefusedAtOnce() throws {
    let grammar = try Grammar(jsonSchema: #"{"type":["string","object"]}"#, options: .validation)
    for start in ["\"", "{\""] {
      for text in [#"\uDD"#, #"\udc"#, #"\uD83D\uA"#, #"\uD83D\uD8"#, #"\ud800\u0"#] {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        try matcher.accept(bytes: (start + text.dropLast()).utf8)
        #expect(throws: MatcherError.self, "\(start + text)") {
          try matcher.accept(bytes: text.suffix(1).utf8)
        }
      }
      for text in [#"\uD83D\uDE00"#, #"\uDbff\udfff"#, #"\uE000"#, #"\ud7FF"#, #"\u0041"#] {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        try matcher.accept(bytes: (start + text + "\"").utf8)
      }
    }
  }

  @Test(arguments: [
    (
      #"{"patternProperties":{"^[0-9]{3}$":{}},"additionalProperties":false}"#, #"{"123":1,"12"#,
      "45"
    ),
    (
      #"{"patternProperties":{"^[0-9]{3,4}$":{}},"additionalProperties":false}"#, #"{"123":1,"12"#,
      "345"
    ),
    (
      #"{"patternProperties":{"^[0-9]{3,4}$":{}},"additionalProperties":false}"#,
      #"{"1234":1,"123"#, "\"35"
    ),
    (#"{"propertyNames":{"maxLength":1},"properties":{"a":{}}}"#, #"{"5":1,""#, "\"34"),
    (#"{"propertyNames":{"maxLength":1},"properties":{"a":{}}}"#, #"{"a":1,""#, "\"345"),
    (#"{"propertyNames":{"pattern":"^[0-9]+$"}}"#, #"{"3":1,""#, "345"),
  ])
  func aKeyThatCanOnlyBeRepeatedIsNotBegun(
    schema: String, prefix: String, following: String
  ) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    for byte in prefix.utf8 { try matcher.accept(Int(byte)) }
    let allowed = matcher.allowedTokens()
    for byte in "345a\"".utf8 {
      #expect(
        allowed.contains(Int(byte)) == following.utf8.contains(byte), "\(UnicodeScalar(byte))")
    }
  }
}
