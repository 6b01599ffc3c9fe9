// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

@testable import EspalierLocal

@Suite struct ReadAheadTests {
  private func guess(_ prompt: String, after text: String) -> String {
    String(
      decoding: PromptLookup(Array(prompt.utf8)).guess(after: Array(text.utf8)), as: UTF8.self)
  }

  @Test func guessesGoOnToTheEndOfTheClause() {
    let prompt = "Send 11 mirrors to Raj Petrov, 64 Mill Road, on 2025-03-12.\nPhone 555-7252"
    #expect(guess(prompt, after: #"{"name":"Ra"#) == "j Petrov")
    #expect(guess(prompt, after: #"{"name":"R"#) == "oad")
    #expect(guess(prompt, after: #"{"street":"64 Mill R"#) == "oad")
    #expect(guess(prompt, after: #"{"phone":"5"#) == "55-7252")
    #expect(guess(prompt, after: #"{"date":"2"#) == "025-03-12")
    #expect(guess(prompt, after: #"{"quantity":11"#) == " mirrors to Raj Petrov")
    #expect(guess(prompt, after: #"{"name":"X"#).isEmpty)
    #expect(guess(prompt, after: #"{"name":""#).isEmpty)
    #expect(guess("", after: "a").isEmpty)
    #expect(guess(prompt, after: "").isEmpty)
  }

  /// The same model, which reads nothing ahead.
  private struct StepByStep: TokenModelContext {
    var base: GGUFTokenModel.Context
    var tokens: [Int] { base.tokens }
    mutating func append(_ tokens: [Int]) throws { try base.append(tokens) }
    mutating func rollback(to count: Int) { base.rollback(to: count) }
    mutating func nextLogits(into logits: inout [Float]) { base.nextLogits(into: &logits) }
    mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
      base.nextLogits(of: tokens, into: &logits)
    }
  }

  private static let schema = """
    {"type":"object","properties":{"name":{"type":"string","maxLength":12},\
    "count":{"type":"integer"},"kind":{"enum":["new","now","old"]}},\
    "required":["name","count","kind"],"additionalProperties":false}
    """

  private func value<Context: TokenModelContext>(
    _ model: GGUFTokenModel, _ context: Context, seed: UInt64
  ) throws -> [Int] {
    var generation = GuidedGeneration(
      context: context, prompt: model.encode("abc bcd 10 23", parsesSpecialTokens: false),
      vocabulary: model.vocabulary, endTokens: model.endTokens,
      grammar: try Grammar(jsonSchema: Self.schema),
      sampling: TokenSampling(temperature: 1, seed: seed), budget: 60,
      encode: { model.encode(continuing: $0) })
    var tokens: [Int] = []
    while let step = try generation.next() { tokens += step.tokens }
    return tokens
  }

  /// A random model copies nothing, so that all that is read ahead is wrong.
  @Test(arguments: ["llama", "qwen2", "gemma3"])
  func wrongGuessesChangeNothing(architecture: String) throws {
    let model = try GuidedGenerationTests.model(architecture)
    for seed in UInt64(0)..<20 {
      let ahead = try value(model, model.makeContext(), seed: seed)
      let alone = try value(model, StepByStep(base: model.makeContext()), seed: seed)
      #expect(ahead == alone, "seed \(seed)")
    }
  }

  /// A model that writes one text, whatever it has read.
  private struct OneAnswer: TokenModelContext {
    var answer: [Int]
    var promptCount: Int
    var tokens: [Int] = []
    var ahead: ArraySlice<Int> = []

    static var readsAhead: Bool { true }
    mutating func append(_ tokens: [Int]) { _ = append(tokens, expecting: []) }
    mutating func append(_ newTokens: [Int], expecting expected: [Int]) -> Bool {
      tokens += newTokens
      if ahead.starts(with: newTokens) {
        ahead.removeFirst(newTokens.count)
        return false
      }
      ahead = expected[...]
      return true
    }
    mutating func rollback(to count: Int) {
      tokens.removeSubrange(count...)
      ahead = []
    }
    func nextLogits(into logits: inout [Float]) {
      logits = Array(repeating: 0, count: Vocabulary.singleBytes.count)
      let place = tokens.count - promptCount
      if answer.indices.contains(place) { logits[answer[place]] = 100 }
    }
  }

  @Test func whatIsCopiedFromThePromptSavesCalls() throws {
    let prompt = Array("Eleven (11) new ones for Raj Petrov, please".utf8).map(Int.init)
    let answer = #"{"name":"Raj Petrov","count":11,"kind":"new"}"#
    var generation = GuidedGeneration(
      context: OneAnswer(answer: answer.utf8.map(Int.init), promptCount: prompt.count),
      prompt: prompt, vocabulary: .singleBytes, endTokens: [Vocabulary.singleBytes.endOfSequence],
      grammar: try Grammar(jsonSchema: Self.schema), sampling: TokenSampling(temperature: 0),
      budget: 60, encode: { $0.utf8.map(Int.init) })
    var bytes: [UInt8] = []
    while let step = try generation.next() { bytes += step.bytes }
    #expect(String(decoding: bytes, as: UTF8.self) == answer)
    // `R`; `aj Petr`; `ov` and the quote; `1`; the second `1` and the comma; `n`; `e`.
    #expect(generation.modelCalls == 7)
  }

  @Test func whatWasReadAheadIsForgottenWhereSomethingElseFollows() throws {
    let model = try GuidedGenerationTests.model()
    var context = model.makeContext()
    var needed = try context.append([1, 2, 3], expecting: [4, 5, 6])
    #expect(needed)
    #expect(context.tokens == [1, 2, 3])
    needed = try context.append([4], expecting: [])
    #expect(!needed)
    #expect(context.tokens == [1, 2, 3, 4])
    needed = try context.append([5, 9], expecting: [10])
    #expect(needed)
    context.rollback(to: 5)
    try context.append([9, 10])
    var plain = model.makeContext()
    try plain.append([1, 2, 3, 4, 5, 9, 10])
    var (a, b): ([Float], [Float]) = ([], [])
    context.nextLogits(into: &a)
    plain.nextLogits(into: &b)
    #expect(a == b)
    #expect(context.tokens == plain.tokens)
  }
}
