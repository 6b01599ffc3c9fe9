// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// Masks of arrays, whose states are taken together where no token can tell them apart: each token is
/// allowed where it is accepted, at every place of texts that come to every bound.
@Suite(.computesForLong) struct ArrayMaskTests {
  /// Tokens with up to three commas, which begin and end everywhere between items.
  private static let vocabulary: Vocabulary = {
    var tokens = (0..<256).map { [UInt8($0)] }
    for text in [
      "1,", ",1", "1,2", "1,2,3", ",1,2,3", ",1,2,3,", "1,1,1", ",1,1", "1]", ",1]", ",2]", "[1",
      "[1,2", "],", "],[", "],[],[", ",[]", "[]", "1,2,3]", ",1,1,1]", ", 1", ",1 ,2", "]]",
    ] {
      tokens.append(Array(text.utf8))
    }
    tokens.append([])
    return try! Vocabulary(
      tokens: tokens, specialTokens: [tokens.count - 1], endOfSequence: tokens.count - 1)
  }()

  @Test(arguments: [
    #"{"minItems": 9}"#, #"{"maxItems": 9}"#, #"{"minItems": 4, "maxItems": 10}"#,
    #"{"minItems": 7, "maxItems": 7}"#, #"{"contains": {"const": 1}, "minContains": 7}"#,
    #"{"contains": {"const": 1}, "minContains": 6, "maxItems": 10}"#,
    #"{"contains": {"const": 1}, "minContains": 1, "maxContains": 8}"#,
    #"{"allOf": [{"contains": {"const": 1}, "minContains": 3},"#
      + #" {"contains": {"const": 2}, "minContains": 3}, {"contains": {"const": 3}}]}"#,
    #"{"allOf": [{"contains": {"type": "integer"}, "minContains": 7}, {"contains": {"const": 2}}]}"#,
    #"{"prefixItems": [{"const": 1}, {"const": 2}], "minItems": 8}"#,
    #"{"prefixItems": [{"const": 1}], "items": {"const": 2}, "contains": {"const": 1}}"#,
    #"{"prefixItems": [{}, {"const": 2}], "items": {"enum": [1, 2, []]}, "maxItems": 9,"#
      + #" "minItems": 5}"#,
    #"{"minItems": 8, "uniqueItems": false, "items": {"type": ["array", "integer"], "minItems": 1}}"#,
  ])
  func tokensAreAllowedWhereTheyAreAccepted(schema: String) throws {
    let vocabulary = Self.vocabulary
    let grammar = try Grammar(
      jsonSchema: #"{"type": "array", "allOf": [\#(schema)]}"#, options: .validation)
    for seed in UInt64(1)...4 {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      var text = ""
      for _ in 0..<60 {
        let mask = matcher.allowedTokens()
        let allowed = Set(mask.tokens)
        for token in 0..<vocabulary.count {
          var fork = matcher
          let isAccepted = (try? fork.accept(token)) != nil
          try #require(
            isAccepted == allowed.contains(token),
            "seed \(seed), after \(text): token \(token), accepted: \(isAccepted)")
        }
        // Items rather than spaces and long numbers.
        let likely = mask.tokens.filter { token in
          vocabulary.bytes(of: token).allSatisfy { "123,[]".utf8.contains($0) }
        }
        guard let token = likely.randomElement(using: &generator),
          token != vocabulary.endOfSequence
        else { break }
        try matcher.accept(token)
        text += String(decoding: vocabulary.bytes(of: token), as: UTF8.self)
      }
    }
  }
}
