// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// A prefix is possible exactly where some valid text starts with it, by brute force over a world of
/// values that can be listed.
@Suite(.computesForLong) struct EarliestViolationTests {
  /// One spelling of each value, so that the texts can be listed too; members in any order.
  static let options: CompilationOptions = {
    var options = CompilationOptions.generation
    options.propertyOrder = .any
    options.toleratesUnsatisfiableSchemas = true
    return options
  }()

  static let texts = SmallValue.all.map { ($0, Array($0.text.utf8)) }

  @Test(arguments: 0..<16 as Range<UInt64>)
  func violationsAreKnownAtTheEarliestByte(block: UInt64) throws {
    for seed in block * 20..<block * 20 + 20 {
      var generator = SeededGenerator(seed: seed)
      let schema = SmallSchema.random(&generator)
      let grammar = try Grammar(jsonSchema: schema.document, options: Self.options)
      var valid: Set<[UInt8]> = []
      var viable: Set<[UInt8]> = []
      for (value, text) in Self.texts where schema.admits(value) {
        valid.insert(text)
        for end in 0...text.count { viable.insert(Array(text[..<end])) }
      }
      for (_, text) in Self.texts where Int.random(in: 0..<4, using: &generator) == 0 {
        var validator = StreamValidator(grammar: grammar)
        for (offset, byte) in text.enumerated() {
          let prefix = Array(text[...offset])
          let verdict = validator.append([byte])
          func shown() -> String {
            "\(String(decoding: prefix, as: UTF8.self)) under \(schema.text), seed \(seed)"
          }
          if !viable.contains(prefix) {
            guard case .violated(let violation) = verdict else {
              Issue.record("no valid text starts with \(shown())")
              break
            }
            #expect(violation.offset == offset, "\(shown())")
            #expect(!violation.expected.isEmpty, "\(shown())")
            break
          }
          // Hundreds of thousands of times: `#expect` takes longer than what it looks at.
          guard verdict == (valid.contains(prefix) ? .complete : .possible) else {
            Issue.record("\(verdict) for \(shown())")
            continue
          }
        }
      }
    }
  }

  /// The same of masks over single bytes, which must offer no byte more either.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func masksAreThePrefixesOfValidTexts(block: UInt64) throws {
    for seed in 1000 + block * 10..<1010 + block * 10 {
      var generator = SeededGenerator(seed: seed)
      let schema = SmallSchema.random(&generator)
      let grammar = try Grammar(jsonSchema: schema.document, options: Self.options)
      var next: [[UInt8]: Set<Int>] = [:]
      for (value, text) in Self.texts where schema.admits(value) {
        for end in 0..<text.count { next[Array(text[..<end]), default: []].insert(Int(text[end])) }
        next[text, default: []].insert(256)
      }
      var pending: [([UInt8], Matcher)] = [
        ([], Matcher(grammar: grammar, vocabulary: .singleBytes))
      ]
      while case (let text, var matcher)? = pending.popLast() {
        let found = Set(matcher.allowedTokens().tokens)
        let expected = next[text] ?? []
        #expect(
          found == expected,
          "after \(String(decoding: text, as: UTF8.self)) under \(schema.text), seed \(seed)")
        for token in expected.intersection(found) where token < 256 {
          var fork = matcher
          try fork.accept(token)
          pending.append((text + [UInt8(token)], fork))
        }
      }
    }
  }
}
