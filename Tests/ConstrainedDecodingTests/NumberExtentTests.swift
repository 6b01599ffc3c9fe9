// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Numbers that nothing bounds: written, they stay within what a `Double` holds; read, they are of
/// any size.
@Suite(.computesForLong) struct NumberExtentTests {
  static let unbounded = [
    #"{"type":"number"}"#, #"{"type":"integer"}"#, #"{"type":["number","string"]}"#,
    #"{"type":"number","minimum":0.5}"#, #"{"type":"number","exclusiveMaximum":-3}"#,
    #"{"type":"integer","minimum":1000}"#, #"{"multipleOf":7,"type":"integer"}"#,
    #"{"type":"number","multipleOf":0.01}"#, #"{"type":"number","multipleOf":0.3,"minimum":2}"#,
    #"{"type":"integer","multipleOf":1000}"#, #"{"type":"number","not":{"multipleOf":5}}"#,
    #"{"type":"number","not":{"enum":[5,1e40]}}"#, #"{"type":"number","not":{"type":"integer"}}"#,
    #"{"type":"integer","multipleOf":2,"not":{"multipleOf":3}}"#,
  ]

  /// Digits and signs alone and several at once, so that tokens come across every limit.
  static let vocabulary: Vocabulary = {
    let texts =
      [
        "", "-", ".", "e", "E", "+", "e+", ".0", "0000", "99999", "123456789012", "e9", "e99",
        "7E-",
      ]
      + (0..<10).map(String.init) + (0..<100).map { $0 < 10 ? "0\($0)" : "\($0)" }
    return try! Vocabulary(
      tokens: texts.map { Array($0.utf8) }, specialTokens: [0], endOfSequence: 0)
  }()

  /// Walks that prefer what makes a number large, to the end of what is left.
  @Test(arguments: unbounded)
  func writtenNumbersAreWithinDouble(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    for seed in UInt64(0)..<12 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: Self.vocabulary)
      var text = ""
      for _ in 0..<400 {
        let mask = matcher.allowedTokens()
        for token in 0..<Self.vocabulary.count where !text.isEmpty || token > 0 {
          // Hundreds of thousands of times: `#expect` takes longer than what it looks at.
          guard mask.contains(token) != matcher.allows(token) else { continue }
          Issue.record("token \(token) after \(text), seed \(seed)")
        }
        if matcher.canEnd() {
          let value = try #require(Double(text), "\(text), seed \(seed)")
          #expect(value.isFinite, "\(text), seed \(seed)")
        }
        // Digits of the integer part are tried as long as they are let; then all that is allowed.
        let digits = mask.tokens.filter { token in
          Self.vocabulary.bytes(of: token).allSatisfy { (0x30...0x39).contains($0) }
            && !Self.vocabulary.bytes(of: token).isEmpty
        }
        let isWhole = !text.contains { ".eE".contains($0) } && seed % 3 != 2
        let tokens = isWhole && !digits.isEmpty ? digits : mask.tokens.filter { $0 != 0 }
        guard let token = tokens.randomElement(using: &generator) else { break }
        try matcher.accept(token)
        text += String(decoding: Self.vocabulary.bytes(of: token), as: UTF8.self)
        if text.contains("."), text.utf8.count > 300 { break }
      }
      try matcher.accept(bytes: matcher.shortestCompletion())
      let canEnd = matcher.canEnd()
      #expect(canEnd, "no end after \(text), seed \(seed)")
    }
  }

  /// What the schema says goes further than that.
  /// A model that writes a third does not end by itself.
  @Test(arguments: [
    (#"{"type":"number"}"#, 20), (#"{"type":"number","minimum":0,"maximum":1}"#, 20),
    // Digits that are held to the bound, and twenty that decide nothing.
    (#"{"type":"number","exclusiveMinimum":0}"#, 21),
    (#"{"type":"number","minimum":0.333333333}"#, 29),
  ])
  func fractionsEnd(schema: String, digits: Int) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: Self.vocabulary)
    try matcher.accept(bytes: Array("0.".utf8))
    var count = 0
    while count < 400, (try? matcher.accept(bytes: [0x33])) != nil { count += 1 }
    #expect(count == digits)
    let canEnd = matcher.canEnd()
    #expect(canEnd)
  }

  @Test(arguments: [
    (#"{"type":"number","minimum":1e250}"#, "1" + String(repeating: "0", count: 250)),
    (#"{"type":"integer","maximum":1e300}"#, String(repeating: "9", count: 290)),
    (#"{"const":1e210}"#, "1" + String(repeating: "0", count: 210)),
    (#"{"type":"number"}"#, "1.5e-99"), (#"{"type":"number"}"#, "1E+08"),
    (#"{"type":"number"}"#, String(repeating: "9", count: 200) + "e99"),
  ])
  func boundsHoldAsTheyAre(schema: String, text: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: text.utf8)
    let canEnd = matcher.canEnd()
    #expect(canEnd, "\(text) under \(schema)")
  }

  @Test(arguments: [
    "20.08E+0846", "1e999", "-1E-999", "7" + String(repeating: "0", count: 400), "1e-0000100",
  ])
  func numbersOfAnySizeAreRead(text: String) throws {
    let schema = #"{"type":"number"}"#
    for (options, isAllowed) in [(CompilationOptions.validation, true), (.generation, false)] {
      let grammar = try Grammar(jsonSchema: schema, options: options)
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      let isAccepted = (try? matcher.accept(bytes: text.utf8)) != nil && matcher.canEnd()
      #expect(isAccepted == isAllowed, "\(text)")
    }
  }
}
