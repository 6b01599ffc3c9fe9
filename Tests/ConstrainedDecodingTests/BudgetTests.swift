// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Masks narrowed to a budget, against brute force over languages that can be listed.
@Suite(.computesForLong) struct BudgetTests {
  static let schemas = [
    #"{"enum":["a","ab","abcabc",true,12,null]}"#, #"{"type":"string","pattern":"^a{0,4}b?$"}"#,
    #"{"type":"array","items":{"enum":[1,22,"abc"]},"maxItems":2}"#,
    #"{"type":"array","items":{"enum":["ab",true,3]},"minItems":1,"maxItems":3,"uniqueItems":true}"#,
    #"{"type":"object","properties":{"a":{"enum":[1,"abcabc"]},"ab":{"type":"boolean"}},"required":["ab"],"additionalProperties":false}"#,
    #"{"oneOf":[{"enum":["a","aaaa"]},{"type":"array","items":{"type":"null"},"minItems":1,"maxItems":2}]}"#,
    #"{"type":"integer","minimum":7,"maximum":120,"not":{"const":0}}"#,
    #"{"type":"object","patternProperties":{"^[ab]b?$":{"enum":[1,22]}},"additionalProperties":false,"minProperties":2,"maxProperties":2}"#,
  ]

  /// Without an end to their keys or values.
  static let endless = [
    #"{"type":"object","minProperties":3,"not":{"propertyNames":{"enum":["a","bc"]}}}"#,
    #"{"type":"object","propertyNames":{"pattern":"^a*b?$"},"additionalProperties":{"type":"null"},"minProperties":2}"#,
    recursive,
  ]

  /// What one member must and another must not be, on two levels: each level has its own classes of
  /// keys, whose minimal texts are found from those of the level below.
  static let recursive = """
    {"type":"object","oneOf":[
     {"allOf":[{"patternProperties":{"x":{"$ref":"#/$defs/p"}}},
      {"not":{"patternProperties":{"x":{"not":{"$ref":"#/$defs/p"}}}}}]},
     {"allOf":[{"patternProperties":{"y":{"$ref":"#/$defs/q"}}},
      {"not":{"patternProperties":{"y":{"not":{"$ref":"#/$defs/p"}}}}}]}],
     "$defs":{
      "p":{"type":"object","not":{"patternProperties":{"z":{"not":{"type":"string","pattern":"55"}}}}},
      "q":{"type":"object","patternProperties":{"z":{"type":"string","pattern":"66"}}}}}
    """

  /// Where members come in their order, one that a condition asks for waits for required ones before it.
  @Test(arguments: [
    (
      #"{"properties":{"o":{"type":"null"},"p":{"type":"null"},"q":{"type":"null"}},"#
        + #""required":["o"],"anyOf":[{"required":["p"]},{"required":["q"]}]}"#,
      #"{"o":null,"p":null}"#
    ),
    (
      #"{"properties":{"p":{"type":"null"},"o":{"type":"null"},"q":{"type":"null"}},"#
        + #""required":["o","q"],"anyOf":[{"required":["p"]},{"required":["x"]}]}"#,
      #"{"p":null,"o":null,"q":null}"#
    ),
    (
      #"{"properties":{"o":{"const":1},"p":{"type":"null"}},"required":["o"],"#
        + #""if":{"properties":{"o":{"const":1}}},"then":{"required":["p"]}}"#,
      #"{"o":1,"p":null}"#
    ),
    (
      #"{"properties":{"o":{"type":"null"}},"required":["o"],"patternProperties":{"^x":{"type":"null"}},"#
        + #""not":{"additionalProperties":false,"properties":{"o":true}},"additionalProperties":false}"#,
      #"{"o":null,"x":null}"#
    ),
  ])
  func completionsKeepTheOrder(schema: String, expected: String) throws {
    let object = #"{"type":"object","# + schema.dropFirst()
    let grammar = try Grammar(jsonSchema: object, options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    let text = matcher.shortestCompletion()
    #expect(String(decoding: text, as: UTF8.self) == expected)
    // Also from the middle of the first key on.
    try matcher.accept(bytes: Array(expected.utf8.prefix(3)))
    #expect(matcher.shortestCompletion().elementsEqual(expected.utf8.dropFirst(3)))
  }

  /// What follows one key is no key that was begun before: rests of keys are kept, and shared.
  @Test(arguments: [CompilationOptions.generation, .validation])
  func completionsRepeatNoKey(options: CompilationOptions) throws {
    let schema = #"{"type":"object","minProperties":3,"additionalProperties":{"type":"null"}}"#
    let grammar = try Grammar(jsonSchema: schema, options: options)
    let keys = ["b", "", "a", "c", "0", "!", "#", "aa"]
    for first in keys {
      for second in keys where second != first {
        let begun = "{\"\(first)\":null,\"\(second)"
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        try matcher.accept(bytes: Array(begun.utf8))
        let completion = matcher.shortestCompletion()
        let text = begun + String(decoding: completion, as: UTF8.self)
        let names = text.split(separator: "\"", omittingEmptySubsequences: false)
          .enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(names.count == 3 && Set(names).count == 3, "\(text)")
        try matcher.accept(bytes: completion)
        let isComplete = matcher.canEnd()
        #expect(isComplete, "\(text)")
      }
    }
  }

  /// The mask within a budget holds the tokens after which the shortest completion fits.
  @Test(arguments: schemas + endless, [CompilationOptions.generation, .validation])
  func budgetsAskForTheShortestCompletion(schema: String, options: CompilationOptions) throws {
    let grammar = try Grammar(jsonSchema: schema, options: options)
    for seed in UInt64(0)..<4 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: Self.words)
      for step in 0..<12 {
        let all = matcher.allowedTokens().tokens
        let least = matcher.completionTokenCount()
        for budget in [least - 1, least, least + 2] {
          var expected: [Int] = []
          for token in all {
            var fork = matcher
            try fork.accept(token)
            if token == Self.words.endOfSequence || fork.completionTokenCount() < budget {
              expected.append(token)
            }
          }
          let found = matcher.allowedTokens(within: budget).tokens
          let shown = "budget \(budget) at step \(step), seed \(seed)"
          if expected.isEmpty {
            #expect(found.count == 1, "\(shown)")
          } else {
            #expect(found == expected, "\(shown)")
          }
        }
        guard let token = all.randomElement(using: &generator),
          token != Self.words.endOfSequence
        else { break }
        try matcher.accept(token)
      }
    }
  }

  static let words = try! Vocabulary(
    tokens: (0..<128).map { [UInt8($0)] }
      + ["\"a", "\"ab", "bc", "ca", "ull", "true", "[\"", "\",\"", "\"]", "{\"", "\":", "22", "1]"]
      .map {
        Array($0.utf8)
      } + [[]], endOfSequence: 141)

  /// The texts of a finite language.
  static func texts(_ grammar: Grammar) throws -> [[UInt8]] {
    var result: [[UInt8]] = []
    var pending: [([UInt8], Matcher)] = [([], Matcher(grammar: grammar, vocabulary: .singleBytes))]
    while let (text, reached) = pending.popLast() {
      var matcher = reached
      for token in matcher.allowedTokens().tokens {
        if token == 256 {
          result.append(text)
          continue
        }
        var fork = matcher
        try fork.accept(token)
        pending.append((text + [UInt8(token)], fork))
      }
    }
    return result
  }

  /// The fewest tokens that spell a text.
  static func fewest(_ text: ArraySlice<UInt8>, _ tokens: Set<[UInt8]>) -> Int {
    var counts = [Int](repeating: .max, count: text.count + 1)
    counts[0] = 0
    let text = Array(text)
    for start in text.indices where counts[start] < .max {
      for end in start + 1...min(text.count, start + 8)
      where tokens.contains(Array(text[start..<end])) {
        counts[end] = min(counts[end], counts[start] + 1)
      }
    }
    return counts[text.count]
  }

  /// Where every token is a byte, exactly the tokens after which some text fits are allowed.
  @Test(arguments: schemas)
  func budgetsAreExactOverBytes(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema)
    let texts = try Self.texts(grammar)
    try compare(grammar, .singleBytes) { budget, prefix in
      var expected: Set<Int> = []
      for text in texts where text.starts(with: prefix) && text.count - prefix.count <= budget {
        expected.insert(text.count == prefix.count ? 256 : Int(text[prefix.count]))
      }
      return expected
    } check: { found, expected, all, shown in
      // Where nothing fits, the shortest way to the end is left.
      if expected.isEmpty {
        #expect(found.count == 1 && found.isSubset(of: all), "\(shown)")
      } else {
        #expect(found == expected, "\(shown)")
      }
    }
  }

  /// Where tokens hold several bytes, none is allowed after which no text fits, and none is refused
  /// after which the shortest text fits, cut into the longest tokens.
  @Test(arguments: schemas)
  func budgetsAreKeptOverTokens(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema)
    let texts = try Self.texts(grammar)
    let tokens = Set((0..<141).map { Self.words.bytes(of: $0) })
    let tokensByFirstByte = Dictionary(grouping: 0..<141) { Self.words.bytes(of: $0).first }
    try compare(grammar, Self.words) { budget, prefix in
      var expected: Set<Int> = []
      for text in texts where text.count > prefix.count && text.starts(with: prefix) {
        let rest = text[prefix.count...]
        for token in tokensByFirstByte[rest.first] ?? [] where !expected.contains(token) {
          let bytes = Self.words.bytes(of: token)
          if rest.starts(with: bytes), Self.fewest(rest.dropFirst(bytes.count), tokens) < budget {
            expected.insert(token)
          }
        }
      }
      if texts.contains(prefix) { expected.insert(141) }
      return expected
    } check: { found, expected, all, shown in
      if !expected.isEmpty, found.count > 1 || expected.isSuperset(of: found) {
        #expect(found.isSubset(of: expected), "\(shown)")
      }
      #expect(!found.isEmpty, "\(shown)")
    }
  }

  private func compare(
    _ grammar: Grammar, _ vocabulary: Vocabulary,
    expected: (_ budget: Int, _ prefix: [UInt8]) -> Set<Int>,
    check: (_ found: Set<Int>, _ expected: Set<Int>, _ all: Set<Int>, _ shown: String) -> Void
  ) throws {
    for seed in UInt64(0)..<2 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      var text: [UInt8] = []
      while true {
        let all = Set(matcher.allowedTokens().tokens)
        for budget in [0, 1, 2, 3, 5, 8, 12, 18] {
          let shown =
            "budget \(budget) after \(String(decoding: text, as: UTF8.self)), seed \(seed)"
          let found = Set(matcher.allowedTokens(within: budget).tokens)
          #expect(found.isSubset(of: all), "\(shown)")
          check(found, expected(budget, text), all, shown)
        }
        #expect(matcher.allowedTokens(within: 10_000).count == all.count, "seed \(seed)")
        guard let token = all.sorted().randomElement(using: &generator),
          token != vocabulary.endOfSequence
        else { break }
        try matcher.accept(token)
        text += vocabulary.bytes(of: token)
      }
    }
  }

  /// Who starts with enough tokens for the shortest text and draws from the masks alone ends in time.
  @Test(arguments: schemas)
  func drawingWithinABudgetEndsInTime(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema)
    for seed in UInt64(0)..<20 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: Self.words)
      var budget = matcher.shortestCompletionTokens().count + Int(seed % 4)
      while true {
        let mask = matcher.allowedTokens(within: budget)
        let token = try #require(mask.tokens.randomElement(using: &generator), "seed \(seed)")
        try matcher.accept(token)
        if token == Self.words.endOfSequence { break }
        budget -= 1
        #expect(budget >= 0, "seed \(seed)")
        if budget < 0 { break }
      }
    }
    expectInvariants(of: grammar, schema)
  }

  // MARK: Why a token is refused

  @Test(arguments: [
    (#"{"type":"integer","maximum":20}"#, "2", "\"", 0, "number"),
    (#"{"enum":["red","green"]}"#, "\"r", "u", 0, "e"),
    (#"{"type":"boolean"}"#, "", "n", 0, "true"),
    (#"{"type":"object","properties":{"a":{"type":"null"}},"required":["a"]}"#, "{", "}", 0, "a"),
    (#"{"type":"string","maxLength":2}"#, "\"ab", "a", 0, "closing quote"),
  ])
  func refusedTokensAreExplained(
    schema: String, text: String, refused: String, offset: Int, named: String
  ) throws {
    let grammar = try Grammar(jsonSchema: schema)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: text.utf8)
    let byte = try #require(refused.utf8.first)
    let error = try #require(matcher.explanation(ofRefused: Int(byte)))
    #expect(error.offset == offset)
    #expect(error.message.contains("expected"), "\(error)")
    #expect(error.message.contains(named), "\(error)")
    #expect(error.message.contains("`\(refused)`"), "\(error)")
    // What may come has no such error.
    let allowed = try #require(matcher.allowedTokens().tokens.first)
    #expect(matcher.explanation(ofRefused: allowed) == nil)
  }

  /// Each byte of the shortest completion leads to one that is a byte shorter: otherwise a budget that
  /// is as long as the completion would be overrun.
  @Test(
    arguments: MaskTests.schemas + [
      #"{"type":"object","properties":{"ab":{"minimum":1},"b":{},"é":{}},"oneOf":[{"required":["ab"]},{"required":["b","é"]}]}"#,
      #"{"type":"object","properties":{"a\"b":{"const":1}},"required":["a\"b"]}"#,
    ], [CompilationOptions.generation, .validation])
  func completionsAreFollowed(schema: String, options: CompilationOptions) throws {
    let grammar = try Grammar(jsonSchema: schema, options: options)
    for seed in UInt64(0)..<6 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<24, using: &generator) {
        guard let token = matcher.allowedTokens().tokens.randomElement(using: &generator),
          token < 256
        else { break }
        try matcher.accept(token)
        text.append(UInt8(token))
      }
      var completion = matcher.shortestCompletion()
      while let byte = completion.first {
        try matcher.accept(Int(byte))
        text.append(byte)
        let next = matcher.shortestCompletion()
        #expect(
          next.count == completion.count - 1,
          "\(String(decoding: completion, as: UTF8.self)) after \(text), seed \(seed)")
        completion = next
      }
    }
  }

  /// After each token of a narrowed mask the value still fits; so does the value that takes one by one.
  @Test(arguments: [
    #"{"type":"array","items":{"type":"string"},"minItems":9,"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":"integer"},"minItems":9,"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":"object","properties":{"a":{"type":"string","minLength":2}},"required":["a"],"additionalProperties":false},"minItems":6,"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":"array","items":{"type":"string"},"minItems":3,"uniqueItems":true},"minItems":4,"uniqueItems":true}"#,
  ])
  func manyItemsThatDifferFitIntoTheBudget(schema: String) throws {
    let vocabulary = try Vocabulary(
      tokens: (0..<128).map { [UInt8($0)] }
        + ["\",\"", "\"]", "[\"", "11", "a\"", "{\"a\":\""].map { Array($0.utf8) },
      endOfSequence: 0)
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    var generator = SeededGenerator(seed: 77)
    for slack in [0, 7] {
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      var budget = matcher.shortestCompletionTokens().count + slack
      while !matcher.canEnd() {
        let fitting = matcher.allowedTokens(within: budget).tokens.filter { $0 != 0 }
        // One alone may be the first of a completion that no longer fits.
        for token in fitting.shuffled(using: &generator).prefix(fitting.count == 1 ? 0 : 6) {
          var after = matcher
          try after.accept(token)
          let needed = after.shortestCompletionTokens().count
          #expect(needed < budget, "slack \(slack), token \(token), \(needed) of \(budget)")
        }
        try matcher.accept(try #require(fitting.randomElement(using: &generator)))
        budget -= 1
      }
      #expect(budget >= 0, "slack \(slack)")
    }
  }
}
