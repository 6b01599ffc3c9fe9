// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@Suite(.computesForLong) struct EmitterTests {
  static func isAccepted(_ text: [UInt8], _ grammar: Grammar) -> Bool {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    return (try? matcher.accept(bytes: text)) != nil && matcher.canEnd()
  }

  /// A text of a grammar, drawn at random.
  static func sample(_ grammar: Grammar, seed: UInt64) throws -> [UInt8] {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    while bytes.count < 400 {
      let tokens = matcher.allowedTokens(within: max(1, 60 - bytes.count)).tokens
      let token = try #require(tokens.randomElement(using: &generator), "dead end, seed \(seed)")
      if token == 256 { break }
      try matcher.accept(token)
      bytes.append(UInt8(token))
    }
    return bytes
  }

  static let schemas =
    MaskTests.schemas + [
      StreamValidatorTests.person,
      ##"{"type":"array","items":{"$ref":"#"},"maxItems":2}"##,
      #"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"null"},"c":{"const":"x"}},"required":["b"],"additionalProperties":false}"#,
      #"{"type":"array","prefixItems":[{"type":"integer"},{"type":"string","maxLength":1}],"items":{"type":"null"},"minItems":1,"maxItems":4}"#,
      #"{"type":"string","pattern":"^[a-c]{2,4}(x|yz)?$"}"#,
      #"{"type":"string","format":"date"}"#, #"{"type":"string","format":"date-time"}"#,
      #"{"type":"string","format":"email"}"#, #"{"type":"string","format":"uri-reference"}"#,
      #"{"type":"string","format":"ipv6"}"#, #"{"type":"string","format":"regex"}"#,
      #"{"type":"integer","minimum":0,"multipleOf":7}"#,
      #"{"type":"number","minimum":1.5,"multipleOf":0.25}"#,
      #"{"type":"integer","minimum":-20,"maximum":1000,"multipleOf":13}"#,
      #"{"enum":["a/b","\"\\","\u0001\n","🙂",3.5,false]}"#,
    ]

  /// What is written in llama.cpp's notation is read again here, and takes the same texts; where a
  /// loss is reported, it takes them and more.
  @Test(arguments: schemas)
  func emittedGBNFMeansTheSame(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema)
    let emitted = try grammar.emitted(as: .gbnf)
    let read = try Grammar(gbnf: emitted.text)
    try Self.compare(grammar, read, isExact: emitted.losses.isEmpty, emitted.text)
  }

  @Test(arguments: schemas)
  func emittedRegularExpressionsMeanTheSame(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema)
    guard let emitted = try? grammar.emitted(as: .regularExpression) else { return }
    let read = try Grammar(regularExpression: emitted.text)
    try Self.compare(grammar, read, isExact: emitted.losses.isEmpty, emitted.text)
  }

  /// The `{1,4}?` of an address with nothing before its `::` would be lazy in a regular expression, and
  /// is an error in the grammars of xgrammar.
  @Test(arguments: EmittedGrammar.Dialect.allCases)
  func whatIsRepeatedMayBeLeftOut(dialect: EmittedGrammar.Dialect) throws {
    let grammar = try Grammar(jsonSchema: #"{"type":"string","format":"ipv6"}"#)
    let text = try grammar.emitted(as: dialect).text
    #expect(!text.contains(/}[*+?{]/), "\(text)")
    guard dialect == .gbnf || dialect == .regularExpression else { return }
    let read = dialect == .gbnf ? try Grammar(gbnf: text) : try Grammar(regularExpression: text)
    for address in ["::1:2:3:4:5:6", "1::2:3:4:5:6", "::", "1::", "::1:2:3:4:5:6:7:8"] {
      let bytes = Array("\"\(address)\"".utf8)
      #expect(Self.isAccepted(bytes, read) == Self.isAccepted(bytes, grammar), "\(address)")
    }
  }

  /// What had been too large to write out.
  @Test(
    arguments: [
      #"{"format":"date-time"}"#, #"{"format":"time"}"#, #"{"format":"email"}"#,
      #"{"format":"idn-email"}"#, #"{"format":"uri"}"#, #"{"format":"iri-reference"}"#,
      #"{"format":"ipv6"}"#, #"{"format":"regex"}"#, #"{"format":"uri-template"}"#,
      #"{"type":"integer","minimum":0,"multipleOf":7}"#,
      #"{"type":"number","minimum":1.5,"multipleOf":0.25}"#,
      #"{"type":"number","exclusiveMinimum":0.1,"multipleOf":0.1}"#,
      #"{"type":"number","multipleOf":0.5}"#,
      #"{"type":"integer","minimum":-20,"maximum":1000,"multipleOf":13}"#,
    ], [EmittedGrammar.Dialect.gbnf, .lark, .ebnf])
  func formatsAndMultiplesAreSaid(schema: String, dialect: EmittedGrammar.Dialect) throws {
    let emitted = try Grammar(jsonSchema: schema).emitted(as: dialect)
    let lost = emitted.losses.filter { $0.keyword != "additionalProperties" }
    #expect(lost.isEmpty, "\(lost)")
  }

  /// Bounds and multiples together, against arithmetic.
  @Test(arguments: [
    ("minimum", 0, "maximum", 1000, 7), ("exclusiveMinimum", -20, "maximum", 105, 15),
    ("minimum", -1000, "exclusiveMaximum", -100, 100), ("minimum", 95, "maximum", 100_000, 12),
  ])
  func multiplesBetweenBounds(
    low: String, least: Int, high: String, most: Int, multiple: Int
  ) throws {
    let schema = """
      {"type":"integer","\(low)":\(least),"\(high)":\(most),"multipleOf":\(multiple)}
      """
    let read = try Grammar(gbnf: Grammar(jsonSchema: schema).emitted(as: .gbnf).text)
    for value in -1100...1100 {
      let isValid =
        value % multiple == 0 && (low == "minimum" ? value >= least : value > least)
        && (high == "maximum" ? value <= most : value < most)
      #expect(Self.isAccepted(Array("\(value)".utf8), read) == isValid, "\(value)")
    }
  }

  private static func hasLongFraction(_ text: [UInt8]) -> Bool {
    String(decoding: text, as: UTF8.self).contains(/\.[0-9]{21}/)
  }

  static func compare(
    _ grammar: Grammar, _ read: Grammar, isExact: Bool, _ text: String
  ) throws {
    for seed in UInt64(0)..<40 {
      let ours = try Self.sample(grammar, seed: seed)
      if Self.isAccepted(ours, grammar) {
        #expect(
          Self.isAccepted(ours, read),
          "\(String(decoding: ours, as: UTF8.self)), seed \(seed), under\n\(text)")
      }
      guard isExact else { continue }
      let theirs = try Self.sample(read, seed: seed)
      // Where a schema bounds numbers, what is emitted does not say that fractions end.
      if isAccepted(theirs, read), !hasLongFraction(theirs) {
        #expect(
          Self.isAccepted(theirs, grammar),
          "\(String(decoding: theirs, as: UTF8.self)), seed \(seed), from\n\(text)")
      }
    }
  }

  @Test(arguments: [
    "root ::= \"(\" root \")\" | [a-z]+", "root ::= item{2,3}\nitem ::= \"- \" [^\\n]* \"\\n\"",
    "root ::= \"a\"? (\"b\" | [0-9] root)",
  ])
  func grammarsByHandAreEmitted(text: String) throws {
    let grammar = try Grammar(gbnf: text)
    let emitted = try grammar.emitted(as: .gbnf)
    #expect(emitted.losses.isEmpty)
    try Self.compare(grammar, Grammar(gbnf: emitted.text), isExact: true, emitted.text)
  }

  @Test func lossesNameKeywordAndPlace() throws {
    let grammar = try Grammar(
      jsonSchema: """
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"},
         "uniqueItems": true, "maxItems": 3}, "b": {"type": "number", "multipleOf": 0.7, "not": {"const": 1.4}}},
         "additionalProperties": false}
        """)
    for dialect in EmittedGrammar.Dialect.allCases {
      let emitted = try grammar.emitted(as: dialect)
      #expect(
        emitted.losses.map { "\($0.location) \($0.keyword)" }.sorted()
          == [
            "#/properties/a/uniqueItems uniqueItems", "#/properties/b/multipleOf multipleOf",
          ], "\(emitted.losses)")
    }
  }

  @Test func mergedKeywordsAreEmittedMerged() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"allOf":[{"type":"integer","minimum":2},{"maximum":5},{"not":{"const":3}}]}"#)
    let emitted = try grammar.emitted(as: .regularExpression)
    #expect(emitted.losses.isEmpty)
    let read = try Grammar(regularExpression: emitted.text)
    for number in -1...9 {
      let text = Array("\(number)".utf8)
      #expect(Self.isAccepted(text, read) == [2, 4, 5].contains(number), "\(number)")
    }
  }

  @Test func whatIsNotRegularIsNoRegularExpression() throws {
    let grammar = try Grammar(jsonSchema: ##"{"type":"array","items":{"$ref":"#"}}"##)
    #expect(throws: GrammarError.self) { try grammar.emitted(as: .regularExpression) }
  }

  @Test func setsAreTheSameInAnyOrder() throws {
    // Undeclared keys in any order lead to the same state: the masks of both matchers are shared.
    let grammar = try Grammar(jsonSchema: "{}")
    var first = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var second = first
    try first.accept(bytes: #"{"a":1,"b":1,"c":1"#.utf8)
    try second.accept(bytes: #"{"c":1,"a":1,"b":1"#.utf8)
    for key in ["a", "b", "c", "d"] {
      var one = first
      var other = second
      let text = Array(",\"\(key)\":".utf8)
      let isTaken = (try? one.accept(bytes: text)) != nil
      #expect(isTaken == (key == "d"))
      #expect(isTaken == ((try? other.accept(bytes: text)) != nil))
    }
  }

  /// A count is written as one, so that readers of the notation need not nest as many groups.
  @Test func countsAreWrittenAsCounts() throws {
    let grammar = try Grammar(jsonSchema: #"{"type":"string","pattern":"^[a-z]{1,255}$"}"#)
    let emitted = try grammar.emitted(as: .gbnf).text
    #expect(emitted.contains("[a-z]{0,254}"), "\(emitted)")
    let read = try Grammar(gbnf: emitted)
    #expect(Verdict(read, "\"\(String(repeating: "k", count: 255))\"") == .complete)
    #expect(Verdict(read, "\"\(String(repeating: "k", count: 256))\"") == .refused(at: 256))
  }

  @Test func tokensAreWrittenWhereTheNotationHasThem() throws {
    let grammar = try Grammar(gbnf: #"root ::= "a" <[7]> !<[8]>* "b" | "c""#)
    let texts: [(EmittedGrammar.Dialect, String)] = [
      (.gbnf, "root ::= [c] | [a] <[7]> !<[8]>* [b]\n"),
      (.lark, "start: /c/ | /a/ <[7]> <[^8]>* /b/\n"),
      (.ebnf, "root ::= [c] | [a] Token(7) ExcludeToken(8)* [b]\n"),
    ]
    for (dialect, text) in texts {
      let emitted = try grammar.emitted(as: dialect)
      #expect(emitted.text == text)
      #expect(emitted.losses.isEmpty)
    }
    let pattern = try grammar.emitted(as: .regularExpression)
    #expect(pattern.text == "c")
    #expect(pattern.losses.count == 1)
  }

  /// llama.cpp multiplies the count of a repetition by the rules that its body makes.
  @Test func largeBodiesAreRepeatedAsRules() throws {
    let grammar = try Grammar(gbnf: #"root ::= ("x" [a-c]{0,100} "," ("(" root ")")?){30}"#)
    let emitted = try grammar.emitted(as: .gbnf)
    #expect(emitted.text.contains("part-1{30}"), "\(emitted.text)")
    let read = try Grammar(gbnf: emitted.text)
    for text in [
      String(repeating: "xab,", count: 30), String(repeating: "x,", count: 31),
      String(repeating: "x,", count: 29) + "x,(" + String(repeating: "xc,", count: 30) + ")",
    ] {
      #expect(
        Self.isAccepted(Array(text.utf8), read) == Self.isAccepted(Array(text.utf8), grammar))
    }
  }

  /// A lexer of Lark would read `x1` as one identifier.
  @Test func larkIsWrittenByCharacterWhereTerminalsOverlap() throws {
    let rules = try Grammar(
      gbnf: "root ::= name \"12\" (\"(\" root \")\")?\nname ::= [a-z] [a-z0-9]*")
    let text = try rules.emitted(as: .lark).text
    #expect(text.contains("/[a-z]/") && !text.contains("*/"), "\(text)")
    let regular = try Grammar(regularExpression: "[a-z][a-z0-9]*12")
    #expect(try regular.emitted(as: .lark).text.hasPrefix("start: /"))
  }

  /// What follows an optional part is written once.
  @Test func optionalPartsDoNotMultiply() throws {
    let grammar = try Grammar(
      gbnf: "root ::= \(String(repeating: "x? ", count: 60))\nx ::= \"(\" x? \")\"")
    let text = try grammar.emitted(as: .gbnf).text
    #expect(text.utf8.count < 500, "\(text)")
    let read = try Grammar(gbnf: text)
    #expect(Self.isAccepted(Array("(())()".utf8), read))
  }
}
