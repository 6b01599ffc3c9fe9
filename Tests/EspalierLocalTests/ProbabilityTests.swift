// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EspalierLocal

/// How sure a model is, against brute force over all ways to write a value.
@Suite struct ProbabilityTests {
  /// A model of letters and pairs of letters whose logits follow from the last tokens.
  struct PairModel: TokenModel {
    let vocabulary: Vocabulary
    let contextSize = 4096
    let seed: UInt64

    init(seed: UInt64, pieces: [String] = []) throws {
      self.seed = seed
      let bytes = (0..<256).map { [UInt8($0)] }
      vocabulary = try Vocabulary(
        tokens: bytes + [[]] + pieces.map { Array($0.utf8) }, specialTokens: [256],
        endOfSequence: 256)
    }

    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
    func makeContext() -> Context { Context(seed: seed, count: vocabulary.count, batches: batches) }

    /// How many branches each pass had.
    final class Batches: Sendable {
      private let counts = Mutex<[Int]>([])
      var all: [Int] { counts.withLock { $0 } }
      func add(_ count: Int) { counts.withLock { $0.append(count) } }
    }

    let batches = Batches()

    struct Context: TokenModelContext {
      let seed: UInt64
      let count: Int
      let batches: Batches

      func logits(of tokens: [[Int]], after branches: [TokenBranch]) throws -> [[Float]] {
        batches.add(branches.count)
        return try logitsByLevels(of: tokens, after: branches)
      }

      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) { self.tokens += tokens }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) {
        logits = (0..<count).map { token in
          var generator = SeededGenerator(
            seed: seed
              ^ UInt64(truncatingIfNeeded: tokens.suffix(6).reduce(token) { $0 &* 31 &+ $1 }))
          return Float.random(in: -6...6, using: &generator)
        }
      }
    }
  }

  private static let pieces = [
    "ab", "ba", "aa", "bb", "abc", "\"a", "\"b", "c\"", "tr", "true", "fal",
  ]

  /// The probability of each text that the grammar allows, over all sequences of tokens.
  private func bruteForce(
    _ model: PairModel, _ grammar: Grammar
  ) throws -> [String: Double] {
    var result: [String: Double] = [:]
    func visit(_ matcher: Matcher, _ tokens: [Int], _ bytes: [UInt8], _ probability: Double) throws
    {
      var matcher = matcher
      let allowed = matcher.allowedTokens().tokens
      var logits: [Float] = []
      var context = model.makeContext()
      context.append([1, 2] + tokens)
      context.nextLogits(into: &logits)
      let greatest = allowed.map { logits[$0] }.max() ?? 0
      let sum = allowed.reduce(0) { $0 + exp(Double(logits[$1] - greatest)) }
      for token in allowed {
        let share = probability * exp(Double(logits[token] - greatest)) / sum
        if token == 256 {
          result[String(decoding: bytes, as: UTF8.self), default: 0] += share
          continue
        }
        var after = matcher
        try after.accept(token)
        try visit(
          after, tokens + [token], bytes + model.vocabulary.bytes(of: token), share)
      }
    }
    try visit(Matcher(grammar: grammar, vocabulary: model.vocabulary), [], [], 1)
    return result
  }

  private func words(_ count: Int, _ generator: inout SeededGenerator) -> [String] {
    var words: Set<String> = []
    while words.count < count {
      let length = Int.random(in: 1...4, using: &generator)
      words.insert(String((0..<length).map { _ in "abc".randomElement(using: &generator) ?? "a" }))
    }
    return words.sorted()
  }

  @Test(arguments: [(2, 1), (5, 2), (20, 3), (60, 4), (100, 5)] as [(Int, UInt64)])
  func casesAreThoseOfBruteForce(count: Int, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let model = try PairModel(seed: seed, pieces: Self.pieces)
    let cases = words(count, &generator).map { "\"\($0)\"" }
    let grammar = try Grammar(jsonSchema: "{\"enum\":[\(cases.joined(separator: ","))]}")
    let expected = try bruteForce(model, grammar)
    var context = model.makeContext()
    context.append([1, 2])
    var probe = try CaseProbe(
      context: context, matcher: Matcher(grammar: grammar, vocabulary: model.vocabulary),
      vocabulary: model.vocabulary, endTokens: [256], texts: cases.map { Array($0.utf8) })
    let found = try probe.probabilities()
    for (text, probability) in zip(cases, found) {
      #expect(abs(probability - (expected[text] ?? 0)) < 1e-4, "seed \(seed): \(text)")
    }
    #expect(abs(found.reduce(0, +) - 1) < 1e-9)
    #expect(model.batches.all.count <= 1, "seed \(seed): \(model.batches.all)")
  }

  /// One number may begin another.
  @Test(arguments: [7, 8] as [UInt64])
  func numbersAreToldApartByWhatFollows(seed: UInt64) throws {
    let model = try PairModel(seed: seed)
    let grammar = try Grammar(jsonSchema: #"{"enum":[1,10,105,2]}"#)
    // 1.0 is a way to write 1.
    let expected = try bruteForce(model, grammar).reduce(into: [String: Double]()) { sums, one in
      sums[one.key.replacing(/\.0*$/, with: ""), default: 0] += one.value
    }
    let cases = ["1", "10", "105", "2"]
    var context = model.makeContext()
    context.append([1, 2])
    var probe = try CaseProbe(
      context: context, matcher: Matcher(grammar: grammar, vocabulary: model.vocabulary),
      vocabulary: model.vocabulary, endTokens: [256], texts: cases.map { Array($0.utf8) })
    let found = try probe.probabilities()
    for (text, probability) in zip(cases, found) {
      #expect(abs(probability - (expected[text] ?? 0)) < 1e-4, "seed \(seed): \(text)")
    }
  }

  @Test func responsesSayHowSureTheModelIs() async throws {
    let model = GuidedLanguageModel(
      try PairModel(seed: 3, pieces: Self.pieces), sampling: .greedy)
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Stay",
        properties: [
          .init(name: "room", schema: .init(name: "Room", anyOf: ["ab", "abc", "ba"])),
          .init(name: "isPaid", schema: .init(type: Bool.self)),
          .init(name: "nights", schema: .init(type: Int.self, guides: [.range(1...9)])),
          .init(
            name: "tags",
            schema: .init(
              arrayOf: .init(name: "Tag", anyOf: ["a", "b"]), minimumElements: 2,
              maximumElements: 2)),
        ]),
      dependencies: [])
    var options = GenerationOptions(samplingMode: .greedy)
    options.measuresProbabilities = true
    let response = try await LanguageModelSession(model: model).respond(
      to: "x", schema: schema, options: options)
    let measures = response.probabilities
    #expect(measures.map(\.path) == ["/room", "/isPaid", "/nights", "/tags/0", "/tags/1"])
    #expect(measures.map(\.cases.count) == [3, 2, 0, 2, 2])
    for measure in measures {
      #expect(measure.probability > 0 && measure.probability <= 1)
      #expect(measure.entropy >= 0 && measure.entropy < 8)
      guard !measure.cases.isEmpty else { continue }
      #expect(abs(measure.cases.reduce(0) { $0 + $1.probability } - 1) < 1e-9)
      #expect(measure.cases.contains { $0.value.jsonString == measure.value.jsonString })
    }
    // The last snapshot of a stream has them too.
    var last: [ValueProbability] = []
    for try await snapshot in LanguageModelSession(model: model).streamResponse(
      to: "x", schema: schema, options: options)
    {
      #expect(last.isEmpty)
      last = snapshot.probabilities
    }
    #expect(last == measures)
    // The same bytes as without, and nothing is said where nothing was asked.
    let plain = try await LanguageModelSession(model: model).respond(
      to: "x", schema: schema, options: GenerationOptions(samplingMode: .greedy))
    #expect(plain.content.jsonString == response.content.jsonString)
    #expect(plain.probabilities.isEmpty)
  }

  @Test func oneOfSeveralTextsIsChosen() async throws {
    let model = GuidedLanguageModel(try PairModel(seed: 4, pieces: Self.pieces))
    let session = LanguageModelSession(model: model)
    let choice = try await session.choose("x", from: ["ab", "abc", "b c"])
    #expect(choice.probabilities.count == 3)
    #expect(choice.probabilities.first?.value == choice.value)
    #expect(choice.probability == choice.probabilities.map(\.probability).max())
    // A model that cannot say chooses all the same.
    let sampled = try await LanguageModelSession(model: SamplingLanguageModel(seed: 1))
      .choose("x", from: ["ab", "b c"])
    #expect(["ab", "b c"].contains(sampled.value) && sampled.probability == nil)
  }

  @Test(arguments: [GenerationOptions.SamplingMode?.none, .random(top: 40)])
  func seedsGiveTheSameResponses(mode: GenerationOptions.SamplingMode?) async throws {
    func texts(seed: UInt64?) async throws -> [String] {
      let model = GuidedLanguageModel(
        try PairModel(seed: 5, pieces: Self.pieces),
        sampling: TokenSampling(temperature: 1, seed: seed))
      var texts: [String] = []
      for _ in 0..<2 {
        let options = GenerationOptions(samplingMode: mode, maximumResponseTokens: 30)
        texts.append(
          try await LanguageModelSession(model: model).respond(to: "x", options: options).content)
      }
      return texts
    }
    let first = try await texts(seed: 1)
    #expect(first[0] == first[1])
    #expect(try await texts(seed: 1) == first)
    #expect(try await texts(seed: 2) != first)
    let unseeded = try await texts(seed: nil)
    #expect(unseeded[0] != unseeded[1])
  }
}
