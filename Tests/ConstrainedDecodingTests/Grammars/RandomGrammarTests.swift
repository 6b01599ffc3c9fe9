// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Random grammars against a recogniser written for the tests, and their masks against brute force.
@Suite(.computesForLong) struct RandomGrammarTests {
  /// The grammar of a seed, or `nil` where it is left-recursive or empty.
  private func grammar(_ seed: UInt64) throws -> (RandomGrammar, Grammar)? {
    let random = RandomGrammar(seed: seed)
    do {
      return (random, try Grammar(gbnf: random.description))
    } catch {
      let isRefused = error.diagnostics.allSatisfy {
        $0.message.contains("left recursion") || $0.message.contains("no text can complete")
      }
      try #require(isRefused, "\(error)\n\(random)")
      return nil
    }
  }

  static let texts: [[Character]] = {
    var all: [[Character]] = [[]]
    var last = all
    for _ in 0..<4 {
      last = last.flatMap { text in RandomGrammar.alphabet.map { text + [$0] } }
      all += last
    }
    return all
  }()

  @Test func verdictsAreThoseOfTheRecogniser() throws {
    var compared = 0
    for seed in UInt64(0)..<400 {
      guard let (random, grammar) = try grammar(seed) else { continue }
      compared += 1
      var refused: Set<[Character]> = []
      for text in Self.texts {
        if !text.isEmpty, refused.contains(Array(text.dropLast())) {
          refused.insert(text)
          #expect(!random.matches(text), "seed \(seed), \(String(text)), \n\(random)")
          continue
        }
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        let isPossible = (try? matcher.accept(bytes: String(text).utf8)) != nil
        let isComplete = isPossible && matcher.canEnd()
        #expect(
          isComplete == random.matches(text), "seed \(seed), \(String(text)), \n\(random)")
        guard isPossible else {
          refused.insert(text)
          continue
        }
        // What is possible can be completed, and by as short a text as there is.
        let rest = String(decoding: matcher.shortestCompletion(), as: UTF8.self)
        if rest.count + text.count <= 12 {
          #expect(
            random.matches(text + Array(rest)),
            "seed \(seed), \(String(text)) and \(rest), \n\(random)")
        }
        #expect(!rest.isEmpty || isComplete, "seed \(seed), \(String(text)), \n\(random)")
      }
    }
    #expect(compared > 100)
  }

  static let vocabulary: Vocabulary = {
    var tokens = (0..<256).map { [UInt8($0)] }
    let pieces = ["a", "b", "é", "ab", "ba", "aa", "éa", "x"]
    for first in pieces {
      for second in pieces { tokens.append(Array((first + second).utf8)) }
    }
    tokens.append([0x61, 0xC3])
    tokens.append([0xA9, 0x62])
    tokens.append([])
    return try! Vocabulary(
      tokens: tokens, specialTokens: [tokens.count - 1], endOfSequence: tokens.count - 1)
  }()

  @Test func masksAreExact() throws {
    for seed in UInt64(0)..<150 {
      guard let (random, grammar) = try grammar(seed) else { continue }
      try checkMasks(grammar, Self.vocabulary, seed: seed, steps: 8, "\(random)")
    }
  }
}

/// Walks at random and compares every mask on the way with what accepting each token says.
func checkMasks(
  _ grammar: Grammar, _ vocabulary: Vocabulary, seed: UInt64, steps: Int, _ context: String
) throws {
  var generator = SeededGenerator(seed: seed)
  var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
  var text: [UInt8] = []
  for _ in 0..<steps {
    let mask = matcher.allowedTokens()
    let wrong = (0..<vocabulary.count).filter { mask.contains($0) != matcher.allows($0) }
    #expect(
      wrong.isEmpty,
      "\(wrong.map { vocabulary.bytes(of: $0) }) after \(text), seed \(seed), \(context)")
    let token = try #require(
      mask.tokens.randomElement(using: &generator),
      "dead end after \(text), seed \(seed), \(context)")
    if token == vocabulary.endOfSequence { break }
    try matcher.accept(token)
    text += vocabulary.bytes(of: token)
  }
  expectInvariants(of: grammar, "seed \(seed), \(context)")
}
