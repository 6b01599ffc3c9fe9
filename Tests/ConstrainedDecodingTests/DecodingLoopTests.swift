// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// What a loop of one's own asks of the engine: ends, drafts, logits, rows of a batch.
@Suite(.computesForLong) struct DecodingLoopTests {
  /// The 256 bytes, three ends, another special token, and one id without text.
  static func vocabulary() throws -> Vocabulary {
    try Vocabulary(
      tokens: (0..<256).map { [UInt8($0)] }
        + ["<eos>", "<eot>", "<eom>", "<tag>", ""].map { Array($0.utf8) },
      specialTokens: [259], endOfSequence: 257, otherEnds: [258, 256])
  }

  // MARK: Ends

  @Test func allEndsAreAllowedOrNone() throws {
    let vocabulary = try Self.vocabulary()
    #expect(vocabulary.endOfSequence == 257)
    #expect(vocabulary.endTokens == [256, 257, 258])
    #expect(vocabulary.isEnd(258) && !vocabulary.isEnd(259) && !vocabulary.isEnd(-1))
    #expect(vocabulary.isSpecial(256) && vocabulary.bytes(of: 258).isEmpty)
    let grammars = [
      try Grammar(jsonSchema: #"{"const": 1}"#), try Grammar(gbnf: #"root ::= "1" ".0"?"#),
      try Grammar(jsonSchema: #"{"type": "integer", "maximum": 1000}"#),
    ]
    for grammar in grammars {
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      #expect(matcher.allowedTokens().tokens.allSatisfy { $0 < 256 })
      #expect(throws: MatcherError.self) { try matcher.accept(258) }
      #expect(matcher.explanation(ofRefused: 258)?.kind == .incomplete)
      try matcher.accept(0x31)
      #expect(matcher.allowedTokens().tokens.filter { $0 >= 256 } == [256, 257, 258])
      #expect(matcher.allowedTokens(within: 1).tokens.filter { $0 >= 256 } == [256, 257, 258])
      for end in [256, 257, 258] {
        var fork = matcher
        #expect(fork.allows(end) == true)
        try fork.accept(end)
        #expect(fork.mustEnd() == true)
        fork.rollback(1)
        #expect(fork.allows(0x2E) == matcher.allows(0x2E))
      }
    }
  }

  @Test func whatMustEndHasOnlyEnds() throws {
    var matcher = Matcher(
      grammar: try Grammar(jsonSchema: #"{"const": true}"#), vocabulary: try Self.vocabulary())
    try matcher.accept(bytes: Array("true".utf8))
    #expect(matcher.mustEnd() == true)
    #expect(matcher.allowedTokens().tokens == [256, 257, 258])
  }

  @Test func endsOutOfRangeAreErrors() {
    let error = #expect(throws: VocabularyError.self) {
      _ = try Vocabulary(tokens: [[0x61], []], endOfSequence: 1, otherEnds: [0, 7])
    }
    #expect(error?.kind == .endOfSequenceOutOfRange(7))
  }

  @Test func otherEndsOfAFile() throws {
    let file = """
      {"added_tokens": [{"id": 1, "content": "<|end|>", "special": true},
      {"id": 2, "content": "<|turn|>", "special": true}],
      "decoder": {"type": "ByteLevel"}, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}
      """
    let vocabulary = try Vocabulary(
      tokenizerJSON: file.utf8, endOfSequence: "<|end|>", otherEnds: ["<|turn|>"], count: 8)
    #expect(vocabulary.endTokens == [1, 2])
    let error = #expect(throws: VocabularyError.self) {
      _ = try Vocabulary(tokenizerJSON: file.utf8, endOfSequence: "<|end|>", otherEnds: ["</s>"])
    }
    #expect(error?.kind == .unknownEndOfSequence("</s>"))
  }

  /// After the end, a mask, `allows` and `accept` say the same: more ends, nothing else.
  @Test func afterTheEndOnlyTheEndMayCome() throws {
    let vocabulary = try Self.vocabulary()
    for (schema, rest) in [(#"{"const": 1}"#, ".0"), (#"{"type": "integer"}"#, "23")] {
      var matcher = Matcher(grammar: try Grammar(jsonSchema: schema), vocabulary: vocabulary)
      try matcher.accept(0x31)
      try matcher.accept(257)
      #expect(matcher.allowedTokens().tokens == [256, 257, 258])
      #expect(matcher.allowedTokens(within: 5).tokens == [256, 257, 258])
      var bitmask = TokenBitmask(vocabulary: vocabulary)
      matcher.fill(&bitmask)
      for token in 0..<vocabulary.count {
        #expect(matcher.allows(token) == vocabulary.isEnd(token))
        #expect(bitmask[token] == vocabulary.isEnd(token))
      }
      #expect(matcher.expectation() == "the end of the text")
      #expect(matcher.explanation(ofRefused: 0x30)?.kind == .ended)
      let error = #expect(throws: MatcherError.self) { try matcher.accept(bytes: [0x30]) }
      #expect(error?.kind == .ended)
      try matcher.accept(258)
      matcher.rollback(2)
      try matcher.accept(bytes: Array(rest.utf8))
    }
  }

  /// A rule that asks for a token by its id gets it, though it is an end elsewhere.
  @Test func ruleMayAskForAnEnd() throws {
    let vocabulary = try Self.vocabulary()
    let grammar = try Grammar(startingAt: "answer") {
      Grammar.Rule("answer") {
        "a"
        Grammar.Element.token(258)
        "b"
      }
    }
    var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    try matcher.accept(0x61)
    #expect(matcher.allowedTokens().tokens == [258])
    #expect(matcher.allows(258) && !matcher.allows(257))
    #expect(matcher.mustEnd() == false)
    #expect(matcher.expectation() == "the token 258")
    try matcher.accept(258)
    try matcher.accept(0x62)
    #expect(matcher.mustEnd() == true)
    try matcher.accept(258)
    #expect(matcher.allowedTokens().tokens == [256, 257, 258])
  }

  // MARK: Drafts

  @Test func draftsAreAcceptedAsFarAsTheyHold() throws {
    var matcher = Matcher(
      grammar: try Grammar(jsonSchema: #"{"type": "integer", "minimum": 10, "maximum": 99}"#),
      vocabulary: try Self.vocabulary())
    #expect(matcher.acceptPrefix(of: []) == 0)
    #expect(matcher.acceptPrefix(of: [0x34, 0x32, 0x35, 0x36]) == 2)
    #expect(matcher.mustEnd() == true)
    matcher.rollback(2)
    #expect(matcher.canEnd() == false)
    #expect(matcher.acceptPrefix(of: [0x34, 256]) == 1)
    #expect(matcher.acceptPrefix(of: [0x32, 256, 258, 0x30]) == 3)
    matcher.rollback(4)
    #expect(matcher.acceptPrefix(of: [-1]) == 0)
    #expect(matcher.acceptPrefix(of: [259]) == 0)
    #expect(matcher.acceptPrefix(of: [1 << 40]) == 0)
  }

  // MARK: Logits, and memory of the caller's

  @Test(arguments: [0, 1, 31, 32, 200, 261, 300, 512])
  func logitsOfOtherTokensAreMinusInfinity(count: Int) throws {
    let vocabulary = try Self.vocabulary()
    for (schema, start) in [(#"{"const": 1}"#, ""), (#"{"type": "string"}"#, "\""), ("true", "1")] {
      var matcher = Matcher(grammar: try Grammar(jsonSchema: schema), vocabulary: vocabulary)
      try matcher.accept(bytes: Array(start.utf8))
      var bitmask = TokenBitmask(vocabulary: vocabulary)
      matcher.fill(&bitmask)
      var logits = [Float](repeating: 2, count: count)
      bitmask.apply(to: &logits)
      #expect(logits == (0..<count).map { bitmask[$0] ? 2 : -.infinity }, "\(schema)")
    }
  }

  @Test func masksGoToRowsOfABatch() throws {
    let vocabulary = try Self.vocabulary()
    let words = (vocabulary.count + 31) / 32 + 1
    let schema = #"{"type": "string", "pattern": "^[^a-f]*$"}"#
    var matcher = Matcher(grammar: try Grammar(jsonSchema: schema), vocabulary: vocabulary)
    try matcher.accept(0x22)
    // A mask that is asked for again may be kept in another way.
    for _ in 0..<4 {
      var batch = [UInt32](repeating: .max, count: 3 * words)
      let mask = matcher.allowedTokens()
      batch.withUnsafeMutableBufferPointer {
        var row = UnsafeMutableBufferPointer(rebasing: $0[words..<2 * words]).mutableSpan
        mask.copy(to: &row)
      }
      #expect((batch[..<words] + batch[(2 * words)...]).allSatisfy { $0 == .max })
      let bits = Array(batch[words..<2 * words])
      #expect(bits.last == 0)
      for token in 0..<vocabulary.count {
        #expect((bits[token >> 5] >> UInt32(token & 31) & 1 == 1) == mask.contains(token))
      }
      try matcher.accept(0x78)
    }
  }

  // MARK: Words

  @Test func charactersThatAreNotWholeAreSaidSo() throws {
    for (schema, start) in [
      (#"{"type": "string", "maxLength": 1}"#, [0x22, 0xF0, 0x9F] as [UInt8]),
      (#"{"type": "string", "pattern": "^é"}"#, [0x22, 0xC3]),
      (#"{"type": "object", "patternProperties": {"^é": {}}}"#, [0x7B, 0x22, 0xC3]),
    ] {
      var matcher = Matcher(
        grammar: try Grammar(jsonSchema: schema), vocabulary: try Self.vocabulary())
      try matcher.accept(bytes: start)
      #expect(matcher.expectation() == "the rest of a character that is allowed", "\(schema)")
    }
    var matcher = Matcher(
      grammar: try Grammar(jsonSchema: #"{"type": "string", "maxLength": 1}"#),
      vocabulary: try Self.vocabulary())
    try matcher.accept(bytes: Array("\"é".utf8))
    #expect(matcher.expectation() == "the closing quote: the string may be no longer")
  }

  @Test func tokensByTheirIdAreNamed() throws {
    let vocabulary = try Self.vocabulary()
    let grammar = try Grammar(startingAt: "answer") {
      Grammar.Rule("answer") {
        Grammar.Element.oneOf("a", .token(259))
        Grammar.Element.anyToken(except: 259)
      }
    }
    var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    #expect(matcher.expectation() == "`a` or the token 259")
    try matcher.accept(259)
    #expect(matcher.expectation() == "any token but 259")
    #expect(matcher.allowedTokens().tokens == (0..<256).map(\.self) + [260])
  }
}
