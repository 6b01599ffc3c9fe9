// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// One space after each colon and comma, and none elsewhere.
@Suite(.computesForLong) struct SpacingTests {
  private static var spaced: CompilationOptions {
    var options = CompilationOptions.generation
    options.whitespace = .spaced
    return options
  }

  private static let schema = """
    {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"enum":[1,\
    {"c":[true,null]}]}}},"required":["a","b"],"additionalProperties":{"type":"string"}}
    """

  @Test(arguments: [
    (#"{"a": 1, "b": []}"#, true),
    (#"{"a": 1, "b": [1, {"c": [true, null]}], "d": "x,y:z"}"#, true),
    (#"{"a":1, "b": []}"#, false), (#"{"a": 1,"b": []}"#, false), (#"{"a":  1, "b": []}"#, false),
    (#"{"a": 1,  "b": []}"#, false), (#"{ "a": 1, "b": []}"#, false),
    (#"{"a" : 1, "b": []}"#, false), (#"{"a": 1 , "b": []}"#, false),
    (#"{"a": 1, "b": [ ]}"#, false), (#"{"a": 1, "b": [1,1]}"#, false),
    (#"{"a": 1, "b": [1, 1 ]}"#, false), (#"{"a": 1, "b": []} "#, false),
    (#" {"a": 1, "b": []}"#, false), ("{\"a\":\t1, \"b\": []}", false),
    ("{\"a\": 1,\n\"b\": []}", false),
  ])
  func spacesAreWhereJSONWritersPutThem(text: String, isValid: Bool) throws {
    let grammar = try Grammar(jsonSchema: Self.schema, options: Self.spaced)
    #expect(EmitterTests.isAccepted(Array(text.utf8), grammar) == isValid)
    var validator = StreamValidator(grammar: grammar)
    _ = validator.append(text)
    #expect((validator.finish() == .complete) == isValid)
  }

  @Test func spacesAreForcedAndBelongToCompletions() throws {
    let grammar = try Grammar(jsonSchema: Self.schema, options: Self.spaced)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    #expect(String(decoding: matcher.forcedBytes(), as: UTF8.self) == #"{"a": "#)
    #expect(
      String(decoding: matcher.shortestCompletion(), as: UTF8.self) == #"{"a": 0, "b": []}"#)
    try matcher.accept(bytes: #"{"a": 12,"#.utf8)
    #expect(String(decoding: matcher.forcedBytes(), as: UTF8.self) == #" "b": ["#)
    try matcher.accept(bytes: #" "b": [1,"#.utf8)
    #expect(matcher.allowedTokens().tokens == [0x20])
    #expect(String(decoding: matcher.shortestCompletion(), as: UTF8.self) == " 1]}")
    #expect(matcher.completionTokenCount() == 4)
  }

  /// Without the spaces, the values are those of the compact policy.
  @Test(arguments: EmitterTests.schemas)
  func spacesAreAllThatDiffers(schema: String) throws {
    let spaced = try Grammar(jsonSchema: schema, options: Self.spaced)
    let compact = try Grammar(jsonSchema: schema)
    for seed in UInt64(0)..<20 {
      let text = try EmitterTests.sample(spaced, seed: seed)
      guard EmitterTests.isAccepted(text, spaced) else { continue }
      let dense = Self.withoutSpaces(text)
      let shown = String(decoding: text, as: UTF8.self)
      #expect(EmitterTests.isAccepted(dense, compact), "\(shown), seed \(seed)")
      #expect(Self.withSpaces(dense) == text, "\(shown), seed \(seed)")
      let other = try EmitterTests.sample(compact, seed: seed)
      guard EmitterTests.isAccepted(other, compact) else { continue }
      #expect(
        EmitterTests.isAccepted(Self.withSpaces(other), spaced),
        "\(String(decoding: other, as: UTF8.self)), seed \(seed)")
    }
  }

  @Test(arguments: EmitterTests.schemas)
  func emittedGrammarsHaveTheSpaces(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: Self.spaced)
    let emitted = try grammar.emitted(as: .gbnf)
    guard emitted.losses.isEmpty else { return }
    try EmitterTests.compare(
      grammar, Grammar(gbnf: emitted.text), isExact: true, emitted.text)
  }

  private static func withSpaces(_ json: [UInt8]) -> [UInt8] {
    outsideStrings(json) { $0 == 0x2C || $0 == 0x3A ? [$0, 0x20] : [$0] }
  }

  private static func withoutSpaces(_ json: [UInt8]) -> [UInt8] {
    outsideStrings(json) { $0 == 0x20 ? [] : [$0] }
  }

  private static func outsideStrings(
    _ json: [UInt8], _ change: (UInt8) -> [UInt8]
  ) -> [UInt8] {
    var result: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in json {
      result += isInString ? [byte] : change(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = isInString
      } else if byte == 0x22 {
        isInString.toggle()
      }
    }
    return result
  }
}
