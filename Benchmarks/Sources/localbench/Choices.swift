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
      For enumerations of two to a hundred cases: how many batches of sequences the model reads for \
      the probabilities, and how long a choice takes with and without them (medians).
      """)

  @OptionGroup var options: ModelOptions
  @Option(help: "How often each choice is made.") var rounds = 5

  func run() async throws {
    let counter = BatchCounter()
    let base = CountingModel(base: try options.open(), counter: counter)
    for count in [2, 5, 20, 50, 100] {
      let texts = Array(Self.words.prefix(count))
      let schema = try GenerationSchema(
        root: DynamicGenerationSchema(name: "Choice", anyOf: texts), dependencies: [])
      var times = (with: [Double](), without: [Double]())
      var batches: [Int] = []
      for round in 0..<max(1, rounds) {
        for measures in [true, false] {
          let session = LanguageModelSession(model: GuidedLanguageModel(base, sampling: .greedy))
          let prompt = "Which of these comes to mind when you think of the number \(round)?"
          var options = GenerationOptions()
          options.measuresProbabilities = measures
          let before = counter.count
          let clock = ContinuousClock()
          let start = clock.now
          _ = try await session.respond(to: prompt, schema: schema, options: options)
          let time = (clock.now - start) / .milliseconds(1)
          if measures {
            times.with.append(time)
            batches.append(counter.count - before)
          } else {
            times.without.append(time)
          }
        }
      }
      print(
        "\(count) cases: \(batches.max() ?? 0) batches at most, "
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

/// How often a model has read several sequences together.
final class BatchCounter: Sendable {
  private let batches = Mutex(0)
  var count: Int { batches.withLock { $0 } }
  func add() { batches.withLock { $0 += 1 } }
}

/// A model whose batches are counted.
struct CountingModel: TokenModel {
  let base: GGUFTokenModel
  let counter: BatchCounter

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
    let counter: BatchCounter

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

    static func append(
      _ tokens: [[Int]], to contexts: inout [Context], preparingLogits preparesLogits: [Bool]
    ) -> [(any Error)?] {
      contexts.first?.counter.add()
      var bases = contexts.map(\.base)
      let errors = GGUFTokenModel.Context.append(
        tokens, to: &bases, preparingLogits: preparesLogits)
      for index in contexts.indices { contexts[index].base = bases[index] }
      return errors
    }
  }
}
