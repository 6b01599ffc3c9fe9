// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import EspalierLocal
import Foundation

/// What is left for the app while everything computes: a task that sleeps for 10 ms again and again
/// counts how often it woke, and the longest time between two times.
struct Heartbeat: AsyncParsableCommand {
  enum Work: String, ExpressibleByArgument, CaseIterable {
    /// Nothing: what the machine gives at best.
    case idle
    /// A model whose every token takes 20 ms of a processor, or the model of `--model`.
    case tokens
    /// A schema of 2,000 properties, compiled for one session after the other.
    case schemas
    /// The same 20 ms in tasks of Swift's own executor: what happens without threads of one's own.
    case tasks
  }

  static let configuration = CommandConfiguration(
    abstract:
      "A heartbeat of 10 ms while as many requests compute as the machine has processors, twice.")

  @Option(help: "idle, tokens, schemas or tasks; all in turn where left out.") var work: Work?
  @Option(help: "A model file in the form GGUF, in place of the model that only computes.")
  var model: String?
  @Option(help: "How many threads share the products of that model.") var threads = 1
  @Option(help: "How many beats.") var beats = 970
  @Option(help: "How many times to measure.") var rounds = 3

  func run() async throws {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    print("\(processors) processors, \(2 * processors) requests at once")
    for _ in 0..<rounds {
      for work in work.map({ [$0] }) ?? Work.allCases {
        let (ticks, longest) = try await measure(work, requests: 2 * processors)
        print(
          work.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0),
          String(format: "%4d of %d beats, longest gap %.0f ms", ticks, beats, longest * 1000))
      }
    }
  }

  private func measure(_ work: Work, requests: Int) async throws -> (Int, Double) {
    let model = try chosenModel()
    let schema = try Self.schema()
    let busy = (0..<requests).map { _ in task(of: work, model, schema) }
    try await Task.sleep(for: .milliseconds(300))
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + .milliseconds(10 * beats)
    var (ticks, longest, last) = (0, Duration.zero, start)
    var next = start
    while clock.now < end {
      // A beat that is late is missed: the next is where the clock is.
      next = max(next + .milliseconds(10), clock.now)
      try await Task.sleep(until: min(next, end), clock: clock)
      ticks += 1
      longest = max(longest, clock.now - last)
      last = clock.now
    }
    for task in busy { task.cancel() }
    for task in busy { _ = await task.result }
    return (ticks, longest / .seconds(1))
  }

  /// One model for all requests: its threads are what they share.
  private func chosenModel() throws -> any LanguageModel {
    guard let model else { return GuidedLanguageModel(ComputingModel()) }
    return GuidedLanguageModel(try GGUFTokenModel(path: model, options: .init(threads: threads)))
  }

  private func task(
    of work: Work, _ model: any LanguageModel, _ schema: GenerationSchema
  ) -> Task<Void, any Error> {
    switch work {
    case .idle: return Task {}
    case .tasks:
      return Task {
        while !Task.isCancelled {
          Self.compute()
          await Task.yield()
        }
      }
    case .schemas:
      return Task {
        while true {
          try Task.checkCancellation()
          let session = LanguageModelSession(model: SamplingLanguageModel(seed: 1))
          _ = try await session.respond(to: "Go", schema: schema)
        }
      }
    case .tokens: return Self.asking(model)
    }
  }

  private static func asking(_ model: some LanguageModel) -> Task<Void, any Error> {
    Task {
      while true {
        try Task.checkCancellation()
        let session = LanguageModelSession(model: model)
        _ = try await session.respond(
          to: "Tell a long story of a lighthouse.",
          options: GenerationOptions(maximumResponseTokens: 400))
      }
    }
  }

  /// 20 ms of a processor, without a break.
  static func compute() {
    let end = ContinuousClock.now + .milliseconds(20)
    while ContinuousClock.now < end {}
  }

  private static func schema() throws -> GenerationSchema {
    let properties = (0..<2_000).map {
      #""p\#($0)":{"type":"string","pattern":"^[a-z]{1,\#($0 % 9 + 1)}$"}"#
    }
    return try GenerationSchema(
      jsonSchema: #"{"type":"object","properties":{\#(properties.joined(separator: ","))}}"#)
  }
}

/// A model that computes for each token, and writes `a`.
struct ComputingModel: TokenModel {
  let vocabulary = Vocabulary.singleBytes
  let contextSize = 4096
  let chatTemplate = ChatTemplate(family: .plain)

  func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
  func makeContext() -> Context { Context() }

  struct Context: TokenModelContext {
    var tokens: [Int] = []
    mutating func append(_ tokens: [Int]) { self.tokens += tokens }
    mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
    mutating func nextLogits(into logits: inout [Float]) {
      Heartbeat.compute()
      logits = Array(repeating: 0, count: 257)
      logits[97] = 9
    }
  }
}
