// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// What a grammar says of a text.
enum Verdict: Equatable {
  case complete, possible
  case refused(at: Int)

  init(_ grammar: Grammar, _ text: some Collection<UInt8>) {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    do {
      try matcher.accept(bytes: text)
      self = matcher.canEnd() ? .complete : .possible
    } catch {
      self = .refused(at: error.offset)
    }
  }

  init(_ grammar: Grammar, _ text: String) { self.init(grammar, text.utf8) }
}

@Suite(.computesForLong) struct RuleGrammarTests {
  static let call = """
    {"type": "object", "properties": {"name": {"const": "weather"},
     "arguments": {"type": "object", "properties": {"days": {"type": "integer"}},
     "required": ["days"], "additionalProperties": false}},
     "required": ["name", "arguments"], "additionalProperties": false}
    """

  static func envelope() throws -> Grammar {
    try Grammar(startingAt: "answer") {
      Grammar.Rule("answer") {
        Grammar.Element.anyText(before: "<tool_call>")
        Grammar.Element.rule("call").repeated()
      }
      Grammar.Rule("call") {
        "<tool_call>\n"
        Grammar.Element.jsonValue(schema: call)
        "\n</tool_call>"
      }
    }
  }

  @Test func envelopesHoldJSON() throws {
    let grammar = try Self.envelope()
    let value = #"{"name":"weather","arguments":{"days":3}}"#
    #expect(Verdict(grammar, "Let me see.") == .complete)
    #expect(Verdict(grammar, "I <3 you <tool_cal") == .complete)
    #expect(Verdict(grammar, "Look: <tool_call>\n\(value)\n</tool_call>") == .complete)
    #expect(
      Verdict(grammar, "<tool_call>\n\(value)\n</tool_call><tool_call>\n\(value)\n</tool_call>")
        == .complete)
    #expect(Verdict(grammar, "<tool_call>\n\(value)") == .possible)
    #expect(Verdict(grammar, "<tool_call>\n{\"name\":\"time\"") == .refused(at: 21))
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: "Well: <tool_call>".utf8)
    let forced = matcher.forcedBytes()
    #expect(
      String(decoding: forced, as: UTF8.self) == "\n{\"name\":\"weather\",\"arguments\":{\"days\":")
    #expect(
      String(decoding: matcher.shortestCompletion(), as: UTF8.self)
        == "\n{\"name\":\"weather\",\"arguments\":{\"days\":0}}\n</tool_call>")
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func masksOfEnvelopesAreExact(seed: UInt64) throws {
    for text in ["", "<tool_call>\n", "a <tool", "<tool_call>\n{\"name\":\"weather\""] {
      let grammar = try Grammar(
        .sequence([
          .text(text), .oneOf(.jsonValue(schema: Self.call), .regularExpression("[a\"{ ]{0,3}b?")),
          .oneOf("\"", "12", "}}", " true"),
        ]))
      try checkMasks(grammar, MaskTests.vocabulary, seed: seed, steps: text.utf8.count + 12, text)
    }
  }

  @Test func aNumberInARuleMayBeFollowedByDigits() throws {
    let grammar = try Grammar(
      .sequence([.jsonValue(schema: #"{"type":"integer"}"#), "5", .text("").optional]))
    #expect(Verdict(grammar, "15") == .complete)
    #expect(Verdict(grammar, "1") == .possible)
    #expect(Verdict(grammar, "55555") == .complete)
    #expect(Verdict(grammar, "5") == .possible)
  }

  @Test func budgetsEndEnvelopes() throws {
    let grammar = try Self.envelope()
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: "<tool_call>".utf8)
    let needed = matcher.shortestCompletion().count
    var spent = 0
    while !matcher.mustEnd(), spent < 200 {
      let mask = matcher.allowedTokens(within: needed + 5 - spent)
      let token = try #require(mask.tokens.max())
      try matcher.accept(token)
      if token == 256 { break }
      spent += 1
    }
    let ends = matcher.mustEnd()
    #expect(ends)
    #expect(spent <= needed + 5)
  }

  @Test func rightRecursionNeedsNoStack() throws {
    let grammar = try Grammar(
      gbnf:
        "root ::= item rest\nrest ::= \",\" item rest | \"\"\nitem ::= \"(\" item \")\" | \"x\"\n")
    let text = Array((["x"] + [String](repeating: ",((x))", count: 20_000)).joined().utf8)
    #expect(Verdict(grammar, text) == .complete)
  }

  @Test func nestingOneHundredThousandDeep() throws {
    let grammar = try Grammar(gbnf: #"root ::= "(" root ")" | "x""#)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: [UInt8](repeating: 0x28, count: 100_000))
    #expect(matcher.allowedTokens().tokens == [0x28, 0x78])
    #expect(matcher.shortestCompletion().count == 100_001)
    try matcher.accept(bytes: matcher.shortestCompletion())
    let ends = matcher.mustEnd()
    #expect(ends)
  }

  @Test func countsOfABillion() throws {
    let many = try Grammar(gbnf: #"root ::= [a-z]{1000000000} "!""#)
    #expect(Verdict(many, [UInt8](repeating: 0x61, count: 10_000)) == .possible)
    #expect(Verdict(many, "ab!") == .refused(at: 2))
    let few = try Grammar(gbnf: #"root ::= ("a" | "b" root "c"){2,1000000000}"#)
    #expect(Verdict(few, "a") == .possible)
    #expect(Verdict(few, "abaac") == .complete)
    let empty = try Grammar(gbnf: #"root ::= ("a"? "b"?){1000000000} "!""#)
    #expect(Verdict(empty, "abbab!") == .complete)
    let error = #expect(throws: GrammarError.self) {
      try Grammar(gbnf: #"root ::= "a"{99999999999}"#)
    }
    #expect(error?.description == "line 1, column 14: a repetition has at most 4294967294 rounds")
  }

  @Test func ambiguityIsBounded() throws {
    // Every "a" may be closed by "b" or "c": without shared starts, 2^n stacks.
    let shared = try Grammar(gbnf: #"root ::= "a" root "b" | "a" root "c" | "x""#)
    let text = [UInt8](repeating: 0x61, count: 2_000) + [0x78]
    #expect(Verdict(shared, text + [UInt8](repeating: 0x62, count: 2_000)) == .complete)
    // Hidden behind two rules the starts are not shared; the limit is an error, not a trap.
    let hidden = try Grammar(
      gbnf: #"""
        root ::= l root "b" | r root "c" | "x"
        l ::= "a" | "(" l ")"
        r ::= "a" | "(" r ")"
        """#)
    var matcher = Matcher(grammar: hidden, vocabulary: .singleBytes)
    let error = #expect(throws: MatcherError.self) { try matcher.accept(bytes: text) }
    #expect(error?.message.contains("more than 4096 ways") == true)
  }

  @Test func tokensByTheirID() throws {
    let tokens = ["a", "b", "<think>", "</think>", ""].map { Array($0.utf8) }
    let vocabulary = try Vocabulary(tokens: tokens, specialTokens: [2, 3], endOfSequence: 4)
    let grammar = try Grammar(
      gbnf: "root ::= <think> !</think>* <[3]> \"b\"", vocabulary: vocabulary)
    var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    #expect(matcher.allowedTokens().tokens == [2])
    #expect(matcher.allowedTokens(within: 3).tokens == [2])
    #expect(throws: MatcherError.self) { try matcher.accept(0) }
    try matcher.accept(2)
    #expect(matcher.allowedTokens().tokens == [0, 1, 2, 3])
    try matcher.accept(0)
    try matcher.accept(3)
    #expect(matcher.allowedTokens().tokens == [1])
    try matcher.accept(1)
    #expect(matcher.allowedTokens().tokens == [4])
    #expect(throws: GrammarError.self) { try Grammar(gbnf: "root ::= <think>") }
    #expect(throws: GrammarError.self) {
      try Grammar(gbnf: "root ::= <none>", vocabulary: vocabulary)
    }
  }

  @Test func aTokenMayBeReadByItsIDOrItsText() throws {
    let vocabulary = try Vocabulary(
      tokens: ["a", "b", "c", ""].map { Array($0.utf8) }, endOfSequence: 3)
    let grammar = try Grammar(.oneOf(.sequence([.token(0), "b"]), "ac"))
    var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    try matcher.accept(0)
    #expect(matcher.allowedTokens().tokens == [1, 2])
  }

  @Test func patterns() throws {
    let grammar = try Grammar(regularExpression: "(\\d{3}-)?\\p{Lu}+(?!.*x)[a-z]*")
    #expect(Verdict(grammar, "123-ÄBab") == .complete)
    #expect(Verdict(grammar, "123") == .possible)
    #expect(Verdict(grammar, "Aax") == .refused(at: 2))
    for pattern in ["(", "(a*)\\1", "[z-a]", "a{3,2}", "[]"] {
      #expect(throws: GrammarError.self) { try Grammar(regularExpression: pattern) }
    }
    let large = try Grammar(regularExpression: "(a?){300}a{300}")
    #expect(Verdict(large, [UInt8](repeating: 0x61, count: 600)) == .complete)
    #expect(Verdict(large, [UInt8](repeating: 0x61, count: 601)) == .refused(at: 600))
  }

  @Test func faultyRulesAreAllReported() throws {
    let error = #expect(throws: GrammarError.self) {
      try Grammar(startingAt: "a") {
        Grammar.Rule("a") { Grammar.Element.rule("missing") }
        Grammar.Rule("b") { Grammar.Element.rule("absent") }
        Grammar.Rule("a") { "again" }
      }
    }
    #expect(error?.diagnostics.map(\.location) == ["rule `a`", "rule `b`", "rule `a`"])
    let pattern = #expect(throws: GrammarError.self) {
      try Grammar(.sequence([.regularExpression("("), .jsonValue(schema: "{")]))
    }
    #expect(pattern?.diagnostics.first?.message.contains("`(` is not closed") == true)
    let schema = #expect(throws: GrammarError.self) {
      try Grammar(.sequence([.jsonValue(schema: #"{"type": 3}"#)]))
    }
    #expect(schema?.diagnostics.first?.keyword == "type")
    let impossible = #expect(throws: GrammarError.self) {
      try Grammar(
        .sequence(["a", .jsonValue(schema: #"{"minimum": 3, "maximum": 2, "type": "number"}"#)]))
    }
    #expect(impossible?.description.contains("no text can complete") == true)
  }

  @Test func manyMatchersShareAGrammar() async throws {
    let grammar = try Self.envelope()
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<8 {
        group.addTask {
          let value = #"{"name":"weather","arguments":{"days":\#(index)}}"#
          for _ in 0..<50 {
            var matcher = Matcher(grammar: grammar, vocabulary: MaskTests.vocabulary)
            for byte in "Go <tool_call>\n\(value)\n</tool_call>".utf8 {
              guard matcher.allowedTokens().contains(Int(byte)),
                (try? matcher.accept(Int(byte))) != nil
              else { return false }
            }
            if !matcher.canEnd() { return false }
          }
          return true
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func negativeTokensAreRefused() {
    let error = #expect(throws: GrammarError.self) { try Grammar(.token(-1)) }
    #expect(
      error?.diagnostics.first?.message == "there is no token -1: the ids of tokens begin with 0")
  }

  @Test func embeddedSchemasAreNamedByTheirPlaceInTheRules() {
    let error = #expect(throws: GrammarError.self) {
      try Grammar(Grammar.Element.sequence([.jsonValue(schema: "true"), .jsonValue(schema: "{")]))
    }
    #expect(error?.diagnostics.map(\.location) == ["schema 2 of the rules, #"])
  }

  /// Any number of alternatives is read: as one trie, also where each goes on with a rule.
  @Test func thousandsOfAlternativesAreOne() throws {
    let words = (0..<10_000).map { "word\($0)" }
    let grammars = [
      try Grammar(.oneOf(words.map { .text($0) })),
      try Grammar(gbnf: "root ::= \(words.map { "\"\($0)\"" }.joined(separator: " | "))"),
      try Grammar(
        gbnf: "root ::= \(words.map { "\"\($0)\" end" }.joined(separator: " | "))\n"
          + "end ::= \"\" | \"(\" end \")\""),
      try Grammar(
        gbnf: "root ::= \(words.map { "\"\($0)\" [!?]" }.joined(separator: " | ")) | \"word77\""),
    ]
    for grammar in grammars.prefix(3) {
      let emitted = try grammar.emitted(as: .gbnf)
      #expect(emitted.losses.isEmpty)
      #expect(emitted.text.contains("word77"))
    }
    for grammar in grammars {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      try matcher.accept(bytes: "word77".utf8)
      let canEnd = matcher.canEnd()
      #expect(canEnd)
      let next = matcher.allowedTokens()
      #expect(next.contains(0x37))
      #expect(!next.contains(0x2F))
    }
  }
}
