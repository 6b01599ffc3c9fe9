// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Synchronization

/// Reads the tokens of several sequences in one pass of the model, so that its weights are read once
/// for all of them.
///
/// A sequence that needs the model hands its tokens in and waits. As many tasks as there are threads take
/// what is there, each its share, read it together, hand the sequences back and look again: sequences join
/// and leave between two passes. A task waits a little for those that are between two steps, or they would
/// take turns in two halves.
///
/// Fewer than four sequences a thread are read one by one, each on the thread that it is on: without
/// AVX-512 a pass over two takes longer than two passes, and over three about as long as three.
///
/// Example, three sequences, of which C still reads its prompt:
///
///     pass 1    A  B       pass 2    A  B  C       pass 3    A  C       (B has ended)
final class PassQueue<Context: TokenModelContext>: Sendable {
  private struct Answer: Sendable {
    var context: Context
    var error: (any Error)?
  }

  private struct Waiting: Sendable {
    var context: Context
    var tokens: [Int]
    var wantsLogits: Bool
    var continuation: UnsafeContinuation<Answer, Never>
  }

  private struct State: Sendable {
    var waiting: [Waiting] = []
    /// How many requests are under way.
    var active = 0
    /// How many tasks read.
    var running = 0
    var lastPass = Duration.zero
  }

  private let threads: ComputeThreads
  private let state = Mutex(State())

  /// More tokens are not read together.
  private static var tokenLimit: Int { 256 }
  /// Fewer sequences a thread are not read together.
  private static var leastShare: Int { 4 }
  /// How long a pass waits for sequences at most, and as a share of the pass before.
  private static var patience: Duration { .milliseconds(2) }
  private static var patienceShare: Int { 4 }

  init(threads: ComputeThreads) { self.threads = threads }

  /// Counts a request while it is under way.
  func enter() { state.withLock { $0.active += 1 } }
  func leave() { state.withLock { $0.active -= 1 } }

  /// Reads the tokens that wait in a response, together with those of others.
  ///
  /// Where there are no others, or the model reads each sequence by itself, nothing is done: the
  /// response reads them when it asks for logits.
  ///
  /// - Throws: What the model throws.
  func read(_ generation: inout GuidedGeneration<Context>) async throws {
    guard Context.readsTogether, threads.preference != nil,
      1...Self.tokenLimit ~= generation.pendingTokens.count,
      state.withLock({ $0.active >= Self.leastShare * threads.count })
    else { return }
    let (context, tokens) = (generation.context, generation.pendingTokens)
    let wantsLogits = generation.wantsAllLogits
    let answer = await withUnsafeContinuation { continuation in
      let starts = state.withLock { state in
        state.waiting.append(
          Waiting(
            context: context, tokens: tokens, wantsLogits: wantsLogits, continuation: continuation))
        guard state.running < threads.count else { return false }
        state.running += 1
        return true
      }
      if starts {
        Task.detached(executorPreference: threads.preference, priority: .userInitiated) {
          await self.run()
        }
      }
    }
    generation.context = answer.context
    if let error = answer.error { throw error }
    generation.pendingTokensAreRead()
  }

  private func run() async {
    while true {
      await gather()
      let batch = state.withLock { state -> [Waiting] in
        var (count, tokens) = (0, 0)
        while count < min(share(state), state.waiting.count),
          count == 0 || tokens + state.waiting[count].tokens.count <= Self.tokenLimit
        {
          tokens += state.waiting[count].tokens.count
          count += 1
        }
        defer { state.waiting.removeFirst(count) }
        if count == 0 { state.running -= 1 }
        return Array(state.waiting.prefix(count))
      }
      if batch.isEmpty { return }
      var contexts = batch.map(\.context)
      var errors: [(any Error)?] = []
      let time = ContinuousClock().measure {
        errors = Context.append(
          batch.map(\.tokens), to: &contexts, preparingLogits: batch.map(\.wantsLogits))
      }
      state.withLock { $0.lastPass = time }
      for (index, waiting) in batch.enumerated() {
        waiting.continuation.resume(
          returning: Answer(context: contexts[index], error: errors[index]))
      }
    }
  }

  /// How many sequences one task takes.
  private func share(_ state: borrowing State) -> Int {
    max(1, (state.active + threads.count - 1) / max(1, threads.count))
  }

  /// Lets the sequences that were handed back come again.
  private func gather() async {
    let start = ContinuousClock.now
    let patience = min(
      Self.patience, state.withLock { $0.lastPass } / Self.patienceShare)
    repeat {
      await threads.turn()
      if state.withLock({ $0.waiting.count >= share($0) }) { return }
    } while ContinuousClock.now - start < patience
  }
}
