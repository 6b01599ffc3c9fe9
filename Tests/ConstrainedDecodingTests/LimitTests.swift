// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// The limits of `CompilationOptions.Limits`: reaching one is an error that names it, or makes room.
@Suite(.computesForLong, .timeLimit(.minutes(30))) struct LimitTests {
  static func options(
    _ base: CompilationOptions = .generation, _ change: (inout CompilationOptions.Limits) -> Void
  ) -> CompilationOptions {
    var options = base
    change(&options.limits)
    return options
  }

  static let vocabulary = MaskTests.vocabulary

  static let growing = [
    #"{"type":["object","array"]}"#,
    #"{"type":"array","items":{"type":"string"},"uniqueItems":true}"#,
    #"{"type":"object","additionalProperties":{"type":"string","pattern":"^(a|b)*a(a|b){6}$"}}"#,
    #"{"type":"object","patternProperties":{"^a":{"type":"integer","minimum":-3,"maximum":70000}}}"#,
  ]

  /// Who wants no limit writes the greatest number there is.
  @Test func limitsMayBeAsLargeAsNumbersAre() throws {
    let options = Self.options(.validation) {
      $0.depth = .max
      $0.alternatives = .max
      $0.states = .max
      $0.memory = .max
      $0.compileTime = .seconds(Int64.max)
    }
    let branches = (0..<8).map { #"{"properties":{"a\#($0)":{"type":"string"}}}"# }
    let grammar = try Grammar(
      jsonSchema: """
        {"oneOf": [\(branches.joined(separator: ",")), {"required": ["b"]}],
         "properties": {"b": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}}
        """, options: options)
    var validator = StreamValidator(grammar: grammar)
    #expect(validator.append(#"{"a1":"x","a2":1,"b":{"a0":1}}"#) != .complete)
    validator = StreamValidator(grammar: grammar)
    #expect(validator.append(#"{"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1}"#) == .complete)
    let rules = try Grammar(gbnf: #"root ::= "a" | "b""#, options: options)
    var matcher = Matcher(grammar: rules, vocabulary: Self.vocabulary)
    #expect(matcher.allowedTokens().count > 0)
    let deep =
      String(repeating: #"{"items":"#, count: 33_000) + String(repeating: "}", count: 33_000)
    #expect(throws: GrammarError.self) { try Grammar(jsonSchema: deep, options: options) }
  }

  /// A limit below zero is one of zero: an error, and no trap.
  @Test func limitsMayBeNegative() throws {
    let options = Self.options(.validation) { $0.alternatives = -5 }
    let grammar = try Grammar(
      jsonSchema: #"{"enum":[{"a":1},{"a":2},[1,2],"s",null]}"#, options: options)
    var validator = StreamValidator(grammar: grammar)
    guard case .undecided(let limit) = validator.append(#"{"a":2}"#) else {
      Issue.record("found \(validator.verdict)")
      return
    }
    #expect(limit.description.contains("`alternatives`"))
  }

  /// What is kept grows with the text, and not with its square, where items are counted.
  @Test(arguments: [
    #"{"contains":{"type":"integer"},"minContains":5000}"#,
    #"{"contains":{"type":"integer"},"minContains":1000,"maxContains":5000}"#,
  ])
  func countedItemsTakeAsMuchAsTheirText(schema: String) throws {
    func memory(after count: Int) throws -> Int {
      let grammar = try Grammar(jsonSchema: schema, options: Self.options { $0.memory = .max })
      let before = grammar.cachedByteCount
      var validator = StreamValidator(grammar: grammar)
      validator.append("[1" + String(repeating: ",1", count: count))
      #expect(validator.verdict == .possible)
      return grammar.cachedByteCount - before
    }
    let few = try memory(after: 150)
    let many = try memory(after: 600)
    #expect(many < 6 * max(few, 10_000), "\(few) and \(many) bytes")
  }

  // MARK: Memory

  /// A grammar that has to drop what it worked out again and again gives the masks of one that never does,
  /// also to forks and after going back.
  @Test(arguments: growing)
  func masksStayExactPastTheMemoryLimit(schema: String) throws {
    let large = try Grammar(jsonSchema: schema)
    let small = try Grammar(
      jsonSchema: schema, options: Self.options { $0.memory = 2_000 })
    for seed in UInt64(0)..<6 {
      var generator = SeededGenerator(seed: seed)
      var expected = Matcher(grammar: large, vocabulary: Self.vocabulary)
      var found = Matcher(grammar: small, vocabulary: Self.vocabulary)
      var fork: (Matcher, Matcher)?
      for step in 0..<120 {
        let mask = expected.allowedTokens().tokens
        #expect(found.allowedTokens().tokens == mask, "seed \(seed), step \(step)")
        #expect(found.forcedBytes() == expected.forcedBytes(), "seed \(seed), step \(step)")
        guard let token = mask.randomElement(using: &generator) else { break }
        try expected.accept(token)
        try found.accept(token)
        if token == Self.vocabulary.endOfSequence { break }
        if step == 60 { fork = (expected, found) }
        // Also right after the tables were dropped and what stood on them was carried over.
        if step % 10 == 0 { expectInvariants(of: small, "seed \(seed), step \(step)") }
        if step % 40 == 39 {
          expected.rollback(7)
          found.rollback(7)
        }
      }
      if var (expected, found) = fork {
        #expect(found.allowedTokens().tokens == expected.allowedTokens().tokens, "seed \(seed)")
        expected.rollback(30)
        found.rollback(30)
        #expect(found.allowedTokens().tokens == expected.allowedTokens().tokens, "seed \(seed)")
        #expect(found.shortestCompletion() == expected.shortestCompletion(), "seed \(seed)")
      }
    }
    #expect(small.dropCount > 3, "the limit was not reached often")
    #expect(large.dropCount == 0)
  }

  @Test func aServerOfManyTextsStaysBounded() throws {
    let limit = 400_000
    let grammar = try Grammar(
      jsonSchema: "{}", options: Self.options(.validation) { $0.memory = limit })
    let before = grammar.cachedByteCount
    var most = 0
    for index in 0..<400 {
      var validator = StreamValidator(grammar: grammar)
      let members = (0..<20).map { "\"key\(index)-\($0)\": [\($0), {\"x\(index)\": null}]" }
      validator.append("{" + members.joined(separator: ", "))
      #expect(validator.verdict == .possible)
      #expect(validator.append("}") == .complete)
      most = max(most, grammar.cachedByteCount)
    }
    #expect(grammar.dropCount > 3)
    #expect(most < before + 2 * limit, "\(most) bytes")
  }

  /// A text that alone needs more than the limit is read all the same, in a number of rounds that
  /// does not grow with it.
  @Test func aTextLargerThanTheLimitIsRead() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"uniqueItems":true}"#,
      options: Self.options(.validation) { $0.memory = 10_000 })
    var validator = StreamValidator(grammar: grammar)
    let items = (0..<4_000).map { "\"item \($0)\"" }.joined(separator: ",")
    for piece in ["[", items] { validator.append(piece) }
    #expect(validator.verdict == .possible)
    #expect(grammar.dropCount < 40)
    // Not its keyword: the search for one ends after a time, where the machine is busy.
    guard case .violated = validator.append(#","item 7""#) else {
      Issue.record("a repeated item is refused")
      return
    }
  }

  /// Long strings are told apart at their end, at the cost of their text.
  @Test func longStringsThatDifferTakeLittle() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"items":{"type":"string"},"uniqueItems":true}"#, options: .validation)
    let before = grammar.cachedByteCount
    let strings = (0..<4).map { "\"" + String(repeating: "ab\($0)", count: 5_000) + "\"" }
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: "[\(strings.joined(separator: ","))".utf8)
    #expect(grammar.cachedByteCount - before < 16 << 20)
    try matcher.accept(bytes: ",\(strings[2].dropLast())".utf8)
    let mask = matcher.allowedTokens()
    #expect(!mask.contains(0x22) && mask.contains(0x61))
    #expect(throws: MatcherError.self) { try matcher.accept(bytes: "\"".utf8) }
    try matcher.accept(bytes: "a\"]".utf8)
    let canEnd = matcher.canEnd()
    #expect(canEnd)
  }

  @Test func matchersOnSeveralThreadsShareASmallGrammar() async throws {
    let grammar = try Grammar(
      jsonSchema: Self.growing[2], options: Self.options { $0.memory = 2_000 })
    let texts = await withTaskGroup(of: [UInt8].self) { group in
      for seed in UInt64(0)..<8 {
        group.addTask {
          var generator = SeededGenerator(seed: seed)
          var matcher = Matcher(grammar: grammar, vocabulary: Self.vocabulary)
          var text: [UInt8] = []
          for step in 0..<160 {
            let mask = step < 80 ? matcher.allowedTokens() : matcher.allowedTokens(within: 80)
            guard let token = mask.tokens.randomElement(using: &generator),
              token != Self.vocabulary.endOfSequence, (try? matcher.accept(token)) != nil
            else { break }
            text += Self.vocabulary.bytes(of: token)
          }
          return text + matcher.shortestCompletion()
        }
      }
      var texts: [[UInt8]] = []
      for await text in group { texts.append(text) }
      return texts
    }
    let judge = try Grammar(jsonSchema: Self.growing[2], options: .validation)
    for text in texts {
      var validator = StreamValidator(grammar: judge)
      #expect(validator.append(text) == .complete, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  // MARK: States

  /// This pattern has 2^13 states; the text visits many more of them than are kept at a time.
  @Test func statesAreMadeAnewPastTheirLimit() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"type":"string","pattern":"^(a|b)*a(a|b){12}$"}"#,
      options: Self.options(.validation) { $0.states = 400 })
    var generator = SeededGenerator(seed: 3)
    let text = (0..<20_000).map { _ in Bool.random(using: &generator) ? "a" : "b" }.joined()
    var validator = StreamValidator(grammar: grammar)
    for index in 0..<20 {
      validator.append((index == 0 ? "\"" : "") + text.dropFirst(index * 1000).prefix(1000))
    }
    #expect(validator.verdict == .possible)
    validator.append("a" + text.prefix(12) + "\"")
    #expect(validator.verdict == .complete)
  }

  @Test func tooManyStatesAreAnErrorThatNamesTheLimit() throws {
    // No text is in both, which takes all pairs of states to see.
    let schema = #"""
      {"type": "string", "allOf": [{"pattern": "^(a|b)*a(a|b){9}$"}, {"pattern": "^(a|b)*b(a|b){9}$"}]}
      """#
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: schema, options: Self.options { $0.states = 500 })
    }
    #expect(error?.description.contains("`states`") == true, "\(String(describing: error))")
    let contradiction = #expect(throws: GrammarError.self) { try Grammar(jsonSchema: schema) }
    #expect(contradiction?.description.contains("`states`") == false)
  }

  /// Where one step alone needs more states than there may be, the refusal says so.
  @Test func aStepThatNeedsTooManyStatesIsRefusedWithTheLimit() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"type":"string","pattern":"^(a|b)*a(a|b){12}$"}"#,
      options: Self.options { $0.states = 60 })
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var generator = SeededGenerator(seed: 1)
    let text = (0..<200).map { _ in Bool.random(using: &generator) ? "a" : "b" }.joined()
    #expect(matcher.reachedLimit == nil)
    let error = #expect(throws: MatcherError.self) { try matcher.accept(bytes: ("\"" + text).utf8) }
    #expect(error?.description.contains("`states`") == true, "\(String(describing: error))")
    #expect(matcher.reachedLimit?.message.contains("`states`") == true)
  }

  // MARK: Every limit is an error

  static let bound: [(schema: String, texts: [String])] = [
    (
      ManyBranchesTests.conditions(6, listsValues: false).schema,
      [
        #"{"type":"t0","k0":1}"#, #"{"type":"t0","k1":1}"#,
        #"{"spec":{"v5":1},"type":"t5","k5":2}"#,
      ]
    ),
    (
      """
      {"oneOf":[{"required":["a"]},{"properties":{"b":{"items":{"type":"null"}}}},
       {"minProperties":3}]}
      """,
      ["{}", #"{"a":1,"b":[1]}"#, #"{"a":1}"#, #"{"a":1,"b":[1],"c":2}"#]
    ),
    (
      #"{"items":{"anyOf":[{"minLength":3},{"pattern":"^a"},{"enum":["b","cd"]}]}}"#,
      [#"["abc","a","b"]"#, #"["cd"]"#, #"["c"]"#]
    ),
    (
      """
      {"allOf":[{"contains":{"minimum":1}},{"contains":{"maximum":5}},
       {"contains":{"multipleOf":2}}]}
      """,
      ["[1,2,9]", "[7]", "[3,9,8]"]
    ),
    (
      """
      {"patternProperties":{"a.*b":{"type":"integer"},"b.*c":{"minimum":2},"^x":{}},
       "additionalProperties":false}
      """,
      [#"{"ab":1,"xbc":3}"#, #"{"bc":1}"#, #"{"a":1}"#]
    ),
  ]

  /// With limits too small for a schema every verdict is the right one, or an error that names what to
  /// raise: while compiling, or in the middle of a text. No branch is dropped.
  @Test(arguments: bound.indices, [1, 2, 3, 5, 8])
  func aLimitIsNoVerdict(place: Int, limit: Int) throws {
    let (schema, texts) = Self.bound[place]
    let large = try Grammar(jsonSchema: schema, options: .validation)
    let options = Self.options(.validation) { $0.alternatives = limit }
    let small: Grammar
    do {
      small = try Grammar(jsonSchema: schema, options: options)
    } catch {
      #expect(error.description.contains("`alternatives`"), "\(error)")
      return
    }
    for text in texts {
      var expected = StreamValidator(grammar: large)
      var found = StreamValidator(grammar: small)
      expected.append(text)
      found.append(text)
      let isValid = expected.finish() == .complete
      let verdict = found.finish()
      var matcher = Matcher(grammar: small, vocabulary: .singleBytes)
      do {
        try matcher.accept(bytes: text.utf8)
        let canEnd = matcher.canEnd()
        if matcher.reachedLimit == nil {
          #expect(canEnd == isValid, "\(text) is accepted")
        }
      } catch {
        #expect(error.limit != nil || !isValid, "\(text): \(error)")
      }
      if case .undecided(let limit) = verdict {
        #expect(limit.description.contains("`alternatives`"), "\(limit)")
      } else {
        #expect((verdict == .complete) == isValid, "\(text)")
      }
    }
  }

  // MARK: Time and depth

  @Test func compilingThatTakesTooLongIsAnErrorThatNamesTheLimit() throws {
    let error = #expect(throws: GrammarError.self) {
      try Grammar(
        jsonSchema: #"{"type":"object","properties":{"a":{"type":"integer"}}}"#,
        options: Self.options { $0.compileTime = .zero })
    }
    #expect(error?.description.contains("`compileTime`") == true, "\(String(describing: error))")
  }

  @Test func requiredMembersThatNestTooDeeplyAreAnErrorThatNamesTheLimit() throws {
    let definitions = (0..<60).map {
      ##""d\##($0)":{"type":"object","properties":{"a":{"$ref":"#/$defs/d\##($0 + 1)"}},"required":["a"]}"##
    }
    let schema =
      ##"{"$ref":"#/$defs/d0","$defs":{"## + definitions.joined(separator: ",")
      + #","d60":{"type":"null"}}}"#
    _ = try Grammar(jsonSchema: schema)
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: schema, options: Self.options { $0.depth = 40 })
    }
    #expect(error?.description.contains("`depth`") == true, "\(String(describing: error))")
  }

  @Test func textsThatNestTooDeeplyAreAnErrorThatNamesTheLimit() throws {
    let schema =
      String(repeating: #"{"items":"#, count: 50) + "true" + String(repeating: "}", count: 50)
    _ = try Grammar(jsonSchema: schema)
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: schema, options: Self.options { $0.depth = 40 })
    }
    #expect(error?.description.contains("at most 40 levels of nesting (the limit `depth`)") == true)
    #expect(error?.description.contains("not a JSON text") == false)
  }

  @Test func tooManyAlternativesAreAnErrorThatNamesTheLimit() throws {
    let part = { (name: String) in
      let branches = (0..<4).map { "{\"contains\":{\"const\":\"\(name)\($0)\"}}" }
      return "{\"anyOf\":[" + branches.joined(separator: ",") + "]}"
    }
    let parts = ["a", "b", "c", "d"].map(part).joined(separator: ",")
    let schema = "{\"type\":\"array\",\"allOf\":[" + parts + "]}"
    _ = try Grammar(jsonSchema: schema)
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: schema, options: Self.options { $0.alternatives = 100 })
    }
    #expect(error?.description.contains("alternatives") == true, "\(String(describing: error))")
  }

  // MARK: Patterns without characters

  /// A part that matches the empty text, or nothing, has no positions to count; repeated in repetitions
  /// it takes as many steps as all of them together.
  @Test(arguments: [
    "(?:(?:(?:){60000}){60000}){60000}", "(?:(?:(?:[]){60000}){60000}){60000}",
    "(?:(?:(?:(?:a{0}){60000}){60000}){60000})", "(?:(?=(?:(?=(?:(?=a)){5000})){5000})){5000}",
  ])
  func emptyRepetitionsAreLimited(pattern: String) throws {
    let error = #expect(throws: GrammarError.self) {
      try Grammar(
        jsonSchema: "{\"pattern\":\"\(pattern)\"}",
        options: Self.options(.validation) { $0.compileTime = .seconds(600) })
    }
    #expect(error?.description.contains("positions") == true, "\(String(describing: error))")
  }

  /// The texts of a group that is referred to are found once for each part of it.
  @Test func emptyRepetitionsHaveOneText() throws {
    let group = String(repeating: "(?:", count: 40) + String(repeating: "){64}", count: 40)
    _ = try Grammar(jsonSchema: #"{"pattern":"(\#(group))\\1"}"#, options: .validation)
    let grammar = try Grammar(
      jsonSchema: #"{"type":"string","pattern":"^((?:a|b){1,2})\\1$"}"#, options: .validation)
    for (text, expected) in [("abab", true), ("bb", true), ("ab", false), ("abba", false)] {
      var validator = StreamValidator(grammar: grammar)
      #expect((validator.append("\"\(text)\"") == .complete) == expected)
    }
  }

  /// Past the limit of states no pair of patterns is compared any more.
  @Test func pairsOfPatternsEndAtTheLimit() {
    let parts = (0..<2000).map { "{\"pattern\":\"^a{\($0)}$\"}" }.joined(separator: ",")
    let error = #expect(throws: GrammarError.self) {
      try Grammar(
        jsonSchema: "{\"type\":\"string\",\"oneOf\":[\(parts)]}",
        options: Self.options { $0.compileTime = .seconds(600) })
    }
    #expect(error?.description.contains("states") == true, "\(String(describing: error))")
  }

  /// A few characters of a pattern are many positions.
  @Test func positionsOfAllPatternsAreLimited() {
    let parts = (0..<100).map { "{\"pattern\":\"^a{\(50_000 + $0)}$\"}" }.joined(separator: ",")
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: "{\"allOf\":[\(parts)]}", options: .validation)
    }
    #expect(error?.description.contains("4000000 positions") == true)
  }

  // MARK: Identifiers

  /// Subschemas with identifiers are found in the order of their places, within each other or not.
  @Test func manyIdentifiersTakeLinearTime() throws {
    let count = 10_000
    let parts = (0..<count).map {
      ##""d\##($0)":{"$id":"i/\##($0)","$defs":{"x":{"const":\##($0)}}}"##
    }
    let references = (0..<count).map { ##"{"$ref":"i/\##($0)#/$defs/x"}"## }
    let grammar = try Grammar(
      jsonSchema: ##"{"$id":"http://a/","$defs":{\##(parts.joined(separator: ","))},"##
        + ##""properties":{"p":{"anyOf":[\##(references.prefix(50).joined(separator: ","))]}},"##
        + ##""if":false,"then":{"items":[\##(references.joined(separator: ","))]}}"##,
      options: .validation)
    for (value, expected) in [("7", true), ("77", false)] {
      var validator = StreamValidator(grammar: grammar)
      #expect((validator.append("{\"p\":\(value)}") == .complete) == expected)
    }
  }

  /// An identifier is resolved at the one around it: a long one is not kept for each of many.
  @Test func longIdentifiersAreLimited() {
    let base = "http://a/" + String(repeating: "b", count: 1 << 16) + "/"
    let parts = (0..<2000).map { ##""d\##($0)":{"$id":"\##($0)"}"## }.joined(separator: ",")
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: ##"{"$id":"\##(base)","$defs":{\##(parts)}}"##)
    }
    #expect(error?.diagnostics.first?.keyword == "$id", "\(String(describing: error))")
  }

  // MARK: Long names

  /// Where a subschema stands is kept once, however long the names above it are.
  @Test func longNamesTakeTheirMemoryOnce() throws {
    let name = String(repeating: "n", count: 1 << 20)
    let parts = Array(repeating: "{}", count: 20_000).joined(separator: ",")
    _ = try Grammar(jsonSchema: "{\"properties\":{\"\(name)\":{\"allOf\":[\(parts)]}}}")
    let wrong = parts.replacing("{}", with: "1")
    let error = #expect(throws: GrammarError.self) {
      try Grammar(jsonSchema: "{\"properties\":{\"\(name)\":{\"allOf\":[\(wrong)]}}}")
    }
    #expect(error?.diagnostics.count == 1000)
    #expect(error?.diagnostics.first?.location == "…/allOf/19000")
  }

  // MARK: Counts

  /// Lengths beyond what is kept as bits: `(ab)*` has even lengths alone.
  @Test(arguments: [
    ("^(ab)*$", 5001, 5001, false), ("^(ab)*$", 5000, 5000, true), ("^(ab)*$", 5001, 5002, true),
    ("^(ab)*$", 999_999_999, 999_999_999, false), ("^(a{7}|b{11})*$", 100_001, 100_001, true),
    ("^(a{700})*$", 70_001, 70_699, false), ("^(a{700})*$", 70_001, 70_700, true),
    ("^(é|ab){3}(xyz)*$", 5_000, 5_000, true), ("^(aa|bbbb)*$", 4_097, 4_097, false),
    ("^(a{6}|b{10})*c$", 6_000, 6_000, false), ("^(a{6}|b{10})*c$", 6_001, 6_001, true),
  ])
  func longLengthsAreExact(pattern: String, minimum: Int, maximum: Int, isPossible: Bool) throws {
    let grammar = try? Grammar(
      jsonSchema: """
        {"type": "string", "pattern": "\(pattern)", "minLength": \(minimum), "maxLength": \(maximum)}
        """)
    #expect((grammar != nil) == isPossible)
  }

  @Test func aStringOfALongExactLengthCanBeWritten() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"type":"string","pattern":"^(ab|c{5})*$","minLength":5001,"maxLength":5001}"#)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<5003 {
      let token = try #require(matcher.allowedTokens().tokens.randomElement(using: &generator))
      try matcher.accept(token)
    }
    let ends = matcher.mustEnd()
    #expect(ends)
  }
}
