import EspalierCore
import Synchronization

/// Reads the tokens of several sequences in one pass of the model, so that its weights are read once
/// for all of them.
///
/// A sequence that needs the model hands its tokens in and waits. One task takes what is there, reads it
/// together, hands the sequences back and looks again: sequences join and leave between two passes. It
/// waits a little for those that are between two steps, or they would take turns in two halves.
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
    var isRunning = false
    var lastPass = Duration.zero
  }

  private let threads: ComputeThreads
  private let state = Mutex(State())

  /// More tokens are not read together.
  private static var tokenLimit: Int { 256 }
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
      state.withLock({ $0.active > 1 })
    else { return }
    let (context, tokens) = (generation.context, generation.pendingTokens)
    let wantsLogits = generation.wantsAllLogits
    let answer = await withUnsafeContinuation { continuation in
      let starts = state.withLock { state in
        state.waiting.append(
          Waiting(
            context: context, tokens: tokens, wantsLogits: wantsLogits, continuation: continuation))
        defer { state.isRunning = true }
        return !state.isRunning
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
        while count < state.waiting.count,
          count == 0 || tokens + state.waiting[count].tokens.count <= Self.tokenLimit
        {
          tokens += state.waiting[count].tokens.count
          count += 1
        }
        defer { state.waiting.removeFirst(count) }
        if count == 0 { state.isRunning = false }
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

  /// Lets the sequences that were handed back come again.
  private func gather() async {
    let start = ContinuousClock.now
    let patience = min(
      Self.patience, state.withLock { $0.lastPass } / Self.patienceShare)
    repeat {
      await threads.turn()
      if state.withLock({ $0.waiting.count >= $0.active }) { return }
    } while ContinuousClock.now - start < patience
  }
}
