// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ConstrainedDecoding

/// Draws texts of a grammar that is no schema: first a kind of character or word among those that may
/// come, then one of that kind. Beyond a length, what ends the text grows more likely, and at last the
/// shortest way to the end is taken.
package struct TextSampler: Sendable {
  private enum Kind: Int, CaseIterable {
    case word, letter, digit, space, line, mark, closing, end, other
  }

  private var matcher: Matcher
  private var byteCount = 0
  private var tokenCount = 0
  private var closing: ArraySlice<Int>?
  private let typicalLength: Int
  private let tokenLimit: Int?

  /// - Parameters:
  ///   - typicalLength: About how many bytes a text has that may have any number.
  ///   - tokenLimit: How many words, marks and letters a text has at most; it ends before.
  package init(grammar: Grammar, typicalLength: Int = 120, tokenLimit: Int? = nil) {
    self.tokenLimit = tokenLimit
    matcher = Matcher(grammar: grammar, vocabulary: SamplingVocabulary.vocabulary)
    self.typicalLength = max(1, typicalLength)
  }

  /// The next bytes, whole characters; nil where the text has ended.
  ///
  /// - Throws: `GrammarError` where a limit was reached, where no text completes the grammar (one
  ///   that asks for tokens by their id), or where none is as short as asked for.
  package mutating func next(
    using generator: inout some RandomNumberGenerator
  ) throws -> [UInt8]? {
    var result: [UInt8] = []
    while let bytes = try nextToken(using: &generator) {
      result += bytes
      if String(validating: result, as: UTF8.self) != nil { return result }
    }
    return result.isEmpty ? nil : result
  }

  private mutating func nextToken(
    using generator: inout some RandomNumberGenerator
  ) throws -> [UInt8]? {
    if closing == nil, byteCount >= 2 * typicalLength {
      closing = matcher.shortestCompletionTokens()[...]
    }
    let vocabulary = SamplingVocabulary.vocabulary
    if closing != nil { return closing?.popFirst().map(vocabulary.bytes) }
    let mask = try allowedTokens()
    if let limit = matcher.reachedLimit { throw GrammarError(diagnostics: [limit]) }
    var kinds: [Kind: [Int]] = [:]
    for token in mask.tokens { kinds[Self.kind(of: token), default: []].append(token) }
    // Nobody wants to see half of Unicode where letters would do.
    if kinds.count > 1 { kinds[.other] = nil }
    if kinds[.word] != nil { kinds[.letter] = nil }
    let hurry = 1 + 8 * byteCount / typicalLength
    let weights = Kind.allCases.map { kind in
      kinds[kind] == nil ? 0 : [.closing, .end, .line].contains(kind) ? hurry : 8
    }
    let total = weights.reduce(0, +)
    guard total > 0 else {
      throw GrammarError(diagnostics: [
        .init(
          keyword: "", location: "grammar",
          message: "no text can come next: the grammar asks for a token by its id, which needs "
            + "the vocabulary of a model")
      ])
    }
    var target = Int.random(in: 0..<total, using: &generator)
    for kind in Kind.allCases {
      target -= weights[kind.rawValue]
      guard target < 0, let token = kinds[kind]?.randomElement(using: &generator) else { continue }
      if token == vocabulary.endOfSequence { return nil }
      try matcher.accept(token)
      let bytes = vocabulary.bytes(of: token)
      byteCount += bytes.count
      tokenCount += 1
      return bytes
    }
    return nil
  }

  /// The tokens that may come next, such that the text ends within the limit.
  private mutating func allowedTokens() throws -> TokenMask {
    guard let tokenLimit else { return matcher.allowedTokens() }
    let rest = tokenLimit - tokenCount
    let needed = tokenCount == 0 ? matcher.completionTokenCount(within: rest) : 0
    guard needed <= rest else {
      throw GrammarError(diagnostics: [
        .init(
          keyword: "", location: "",
          message: needed == .max
            ? "no way to the end of a text is known, so that none can be held to a number of tokens"
            : "the shortest text has \(needed) tokens, and it may have \(tokenLimit); allow more")
      ])
    }
    return matcher.allowedTokens(within: rest)
  }

  private static func kind(of token: Int) -> Kind {
    if token == SamplingVocabulary.vocabulary.endOfSequence { return .end }
    guard let byte = SamplingVocabulary.byte(of: token) else { return .word }
    return switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): .letter
    case UInt8(ascii: " "): .space
    case UInt8(ascii: "\n"): .line
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "\""): .closing
    case 0x21...0x7E: .mark
    default: .other
    }
  }
}
