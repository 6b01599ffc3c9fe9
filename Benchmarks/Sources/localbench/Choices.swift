// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import EspalierLocal
import Foundation
import Synchronization

/// Counts what the probabilities of enumerations cost.
struct Choices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "What the probability of each case of an enumeration costs.",
    discussion: """
      For enumerations of two to a hundred cases: how many passes the model makes for the \
      probabilities, over how many tokens (the most of all rounds), and how long a choice takes with \
      and without them (medians).
      """)

  @OptionGroup var options: ModelOptions
  @Option(help: "How often each choice is made.") var rounds = 5

  func run() async throws {
    let counter = PassCounter()
    let base = CountingModel(base: try options.open(), counter: counter)
    for count in [2, 5, 20, 50, 100] {
      let texts = Array(Self.words.prefix(count))
      let schema = try GenerationSchema(
        root: DynamicGenerationSchema(name: "Choice", anyOf: texts), dependencies: [])
      var times = (with: [Double](), without: [Double]())
      var passes: [[Int]] = []
      for round in 0..<max(1, rounds) {
        for measures in [true, false] {
          let session = LanguageModelSession(model: GuidedLanguageModel(base, sampling: .greedy))
          let prompt = "Which of these comes to mind when you think of the number \(round)?"
          var options = GenerationOptions()
          options.measuresProbabilities = measures
          let clock = ContinuousClock()
          let start = clock.now
          _ = try await session.respond(to: prompt, schema: schema, options: options)
          let time = (clock.now - start) / .milliseconds(1)
          if measures {
            times.with.append(time)
            passes.append(counter.take())
          } else {
            times.without.append(time)
          }
        }
      }
      print(
        "\(count) cases: passes \(passes.map(\.count).max() ?? 0), "
          + "tokens \(passes.map { $0.reduce(0, +) }.max() ?? 0); "
          + String(
            format: "%.0f ms; without probabilities %.0f ms", median(times.with),
            median(times.without)))
    }
  }

  /// Words that begin alike, as names of one subject do.
  private static let words: [String] = {
    let stems = ["north", "south", "new", "port", "sand", "stone", "wood", "white", "long", "mill"]
    let ends = ["bridge", "bury", "field", "ford", "ham", "land", "mouth", "port", "ton", "wick"]
    return (0..<100).map { stems[$0 % 10] + ends[($0 / 10 + $0) % 10] }
  }()
}

/// How many tokens each pass over branches has read.
final class PassCounter: Sendable {
  private let counts = Mutex<[Int]>([])
  func add(_ count: Int) { counts.withLock { $0.append(count) } }
  /// Takes what was counted so far.
  func take() -> [Int] {
    counts.withLock { counts in
      defer { counts = [] }
      return counts
    }
  }
}

/// A model whose passes over branches are counted.
struct CountingModel: TokenModel {
  let base: GGUFTokenModel
  let counter: PassCounter

  var vocabulary: Vocabulary { base.vocabulary }
  var contextSize: Int { base.contextSize }
  var beginningOfSequence: Int? { base.beginningOfSequence }
  var endTokens: Set<Int> { base.endTokens }
  var chatTemplate: ChatTemplate { base.chatTemplate }
  var schemaPrompt: SchemaPrompt { base.schemaPrompt }

  func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] {
    base.encode(text, parsesSpecialTokens: parsesSpecialTokens)
  }
  func encode(continuing text: String) -> [Int] { base.encode(continuing: text) }
  func encode(_ pieces: [ChatTemplate.Piece]) -> [Int] { base.encode(pieces) }
  func makeContext() -> Context { Context(base: base.makeContext(), counter: counter) }

  struct Context: TokenModelContext {
    var base: GGUFTokenModel.Context
    let counter: PassCounter

    static var readsTogether: Bool { GGUFTokenModel.Context.readsTogether }
    static var readsAhead: Bool { GGUFTokenModel.Context.readsAhead }
    var tokens: [Int] { base.tokens }

    mutating func append(_ tokens: [Int]) throws { try base.append(tokens) }
    mutating func append(_ tokens: [Int], expecting expected: [Int]) throws -> Bool {
      try base.append(tokens, expecting: expected)
    }
    mutating func rollback(to count: Int) { base.rollback(to: count) }
    mutating func nextLogits(into logits: inout [Float]) { base.nextLogits(into: &logits) }
    mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
      base.nextLogits(of: tokens, into: &logits)
    }

    func logits(of tokens: [[Int]], after branches: [TokenBranch]) throws -> [[Float]] {
      counter.add(branches.count)
      return try base.logits(of: tokens, after: branches)
    }
  }
}
