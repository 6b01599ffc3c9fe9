// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation
import Synchronization
import Testing

@testable import EspalierLocal

/// What the rest of the app gets of the processors while models compute.
@Suite struct BusyModelTests {
  /// What the sequences of a model do, for tests to see and to steer.
  final class Steering: Sendable {
    private struct State {
      var computing = 0
      var mostComputing = 0
      var underWay: Set<Int> = []
      var mostUnderWay = 0
      var order: [Int] = []
      var isElsewhere = false
      var isHeld = true
    }
    private let state = Mutex(State())

    var computing: Int { state.withLock { $0.computing } }
    var mostComputing: Int { state.withLock { $0.mostComputing } }
    var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }
    var order: [Int] { state.withLock { $0.order } }
    /// Whether a step was taken on another thread than those of the models.
    var wasElsewhere: Bool { state.withLock { $0.isElsewhere } }
    func letGo() { state.withLock { $0.isHeld = false } }

    /// A step of a sequence: it computes until it is let go, without giving way.
    func compute(_ sequence: Int, isLast: Bool) {
      state.withLock { state in
        state.computing += 1
        state.mostComputing = max(state.mostComputing, state.computing)
        state.underWay.insert(sequence)
        state.mostUnderWay = max(state.mostUnderWay, state.underWay.count)
        state.order.append(sequence)
        if !ComputeThreads.isCurrent { state.isElsewhere = true }
      }
      while state.withLock({ $0.isHeld }) {}
      state.withLock { state in
        state.computing -= 1
        if isLast { state.underWay.remove(sequence) }
      }
    }
  }

  /// Writes some tokens, and computes for each as long as the test wants. The first byte of the
  /// prompt says which sequence it is.
  struct SpinningModel: TokenModel {
    let vocabulary = Vocabulary.singleBytes
    let contextSize = 4096
    let chatTemplate = ChatTemplate(family: .plain)
    let length: Int
    let steering = Steering()

    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
    func makeContext() -> Context { Context(length: length, steering: steering) }

    struct Context: TokenModelContext {
      let length: Int
      let steering: Steering
      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) { self.tokens += tokens }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) {
        // A context may have been another request's before: its tokens say how far it has come.
        let written = tokens.reversed().prefix { $0 == 97 }.count
        let digits = tokens.filter { (48...57).contains($0) }
        steering.compute(digits.first ?? -1, isLast: written == length)
        logits = Array(repeating: 0, count: 257)
        logits[written == length ? 256 : 97] = 9
      }
    }
  }

  private func ask(_ model: some LanguageModel, _ prompt: String) async throws -> String {
    try await LanguageModelSession(model: model).respond(to: prompt).content
  }

  /// A model computes for more requests than there are processors; tasks of the app go on.
  @Test(.timeLimit(.minutes(30))) func theAppGoesOn() async throws {
    let base = SpinningModel(length: 3)
    let model = GuidedLanguageModel(base, sampling: .greedy)
    let processors = ProcessInfo.processInfo.activeProcessorCount
    try await withThrowingTaskGroup(of: String?.self) { group in
      for index in 0..<processors + 2 {
        group.addTask { try await ask(model, "\(index % 10)") }
      }
      group.addTask {
        while base.steering.computing < processors { try await Task.sleep(for: .milliseconds(1)) }
        base.steering.letGo()
        return nil
      }
      for try await answer in group { #expect(answer == nil || answer == "aaa") }
    }
    #expect(!base.steering.wasElsewhere)
  }

  /// One thread, three requests under way, others wait; those under way take turns.
  @Test(.timeLimit(.minutes(30))) func limitsAndTurns() async throws {
    let base = SpinningModel(length: 5)
    let model = GuidedLanguageModel(
      base, sampling: .greedy, concurrency: .init(threads: 1, sequences: 3))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<6 {
        group.addTask {
          let answer = try await ask(model, "\(index)")
          #expect(answer == "aaaaa")
        }
      }
      // The first holds the thread until two more wait for it.
      while model.runtime.threads.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
      base.steering.letGo()
      try await group.waitForAll()
    }
    #expect(base.steering.mostComputing == 1)
    #expect(base.steering.mostUnderWay <= 3)
    // Of the first nine steps each of the three has some, however they came in.
    let order = base.steering.order.prefix(9)
    #expect(Set(order).count == 3, "\(order)")
    for sequence in Set(order) { #expect(order.count { $0 == sequence } >= 2, "\(order)") }
  }

  /// A request that waits for its turn, and one that computes: each ends with the next step.
  @Test(.timeLimit(.minutes(30))) func cancellation() async throws {
    let base = SpinningModel(length: 1000)
    let model = GuidedLanguageModel(
      base, sampling: .greedy, concurrency: .init(threads: 1, sequences: 1))
    let running = Task { try await ask(model, "1") }
    while base.steering.computing == 0 { try await Task.sleep(for: .milliseconds(1)) }
    let waiting = Task { try await ask(model, "2") }
    let next = Task { try await ask(model, "3") }
    try await Task.sleep(for: .milliseconds(5))
    waiting.cancel()
    // It need not wait for the one that computes.
    await #expect(throws: (any Error).self) { try await waiting.value }
    #expect(base.steering.computing == 1)
    running.cancel()
    next.cancel()
    base.steering.letGo()
    await #expect(throws: (any Error).self) { try await running.value }
    await #expect(throws: (any Error).self) { try await next.value }
    #expect(base.steering.order.count { $0 == 49 } == 1)
    #expect(base.steering.order.count { $0 == 50 } == 0)
  }

  /// A channel that asks the same model while it takes a response in: it is answered beside.
  @Test(.timeLimit(.minutes(30))) func aRequestWithinARequest() async throws {
    let base = SpinningModel(length: 1)
    base.steering.letGo()
    let model = GuidedLanguageModel(
      base, sampling: .greedy, concurrency: .init(threads: 1, sequences: 1))
    let outer = Asking(base: model) { try await ask(model, "2") }
    #expect(try await ask(outer, "1") == "a")
    #expect(outer.answers.withLock { $0 }.allSatisfy { $0 == "a" })
    #expect(!outer.answers.withLock { $0 }.isEmpty)
  }

  /// Asks something for each part of an answer that has text.
  final class Asking<Base: LanguageModel>: WrappingLanguageModel {
    typealias Executor = WrappingExecutor<Asking<Base>>
    let base: Base
    let question: @Sendable () async throws -> String
    let answers = Mutex<[String]>([])

    init(base: Base, question: @escaping @Sendable () async throws -> String) {
      self.base = base
      self.question = question
    }

    func respond(
      to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await next.respond(
        to: request,
        streamingInto: LanguageModelExecutorGenerationChannel { event in
          let answer = (try? await self.question()) ?? "failed"
          self.answers.withLock { $0.append(answer) }
          await channel.send(event)
        })
    }
  }
}
