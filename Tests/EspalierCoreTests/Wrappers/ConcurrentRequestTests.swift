// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Synchronization
import Testing

/// No more requests at once than the app allows.
@Suite struct ConcurrentRequestTests {
  /// Counts the requests that run, and lets each go on when the test says so.
  private final class Turnstile: Sendable {
    let running = Mutex((now: 0, most: 0))
    let begun: AsyncStream<Void>
    private let begins: AsyncStream<Void>.Continuation
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    init() { (begun, begins) = AsyncStream.makeStream() }

    func pass() async {
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      await withCheckedContinuation { continuation in
        waiting.withLock { $0.append(continuation) }
        begins.yield()
      }
      running.withLock { $0.now -= 1 }
    }

    /// Lets the first go on of those that have begun.
    func letPass() { waiting.withLock { $0.removeFirst() }.resume() }
  }

  private func model(_ turnstile: Turnstile, limit: Int) -> some LanguageModel {
    let script = ScriptedLanguageModel { _, _ in
      .init([.wait { await turnstile.pass() }, .text("done")])
    }
    return RateLimitedLanguageModel(script, concurrentRequests: limit)
  }

  @Test func noMoreRunAtOnceThanAreAllowed() async throws {
    let turnstile = Turnstile()
    let model = model(turnstile, limit: 3)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 {
        group.addTask { try await LanguageModelSession(model: model).respond(to: "Hi").content }
      }
      var begun = 0
      for await _ in turnstile.begun {
        begun += 1
        if begun >= 3 { turnstile.letPass() }
        if begun == 20 { break }
      }
      for _ in 0..<2 { turnstile.letPass() }
      for try await answer in group { #expect(answer == "done") }
    }
    #expect(turnstile.running.withLock { $0.most } == 3)
    #expect(turnstile.running.withLock { $0.now } == 0)
  }

  @Test func whoIsCancelledLeavesTheQueue() async throws {
    let turnstile = Turnstile()
    let model = model(turnstile, limit: 1)
    let first = Task { try await LanguageModelSession(model: model).respond(to: "1").content }
    for await _ in turnstile.begun { break }
    let waiting = (0..<5).map { _ in
      Task { try await LanguageModelSession(model: model).respond(to: "2").content }
    }
    for task in waiting { task.cancel() }
    for task in waiting {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    turnstile.letPass()
    #expect(try await first.value == "done")
    let last = Task { try await LanguageModelSession(model: model).respond(to: "3").content }
    for await _ in turnstile.begun { break }
    turnstile.letPass()
    #expect(try await last.value == "done")
  }

  @Test func failuresGiveTheirPlaceBack() async throws {
    let failing = FailingLanguageModel(
      ScriptedLanguageModel([.text("done")]), failingFirst: 2,
      with: LanguageModelError.timeout(.init(debugDescription: "slow")))
    let model = RateLimitedLanguageModel(failing, concurrentRequests: 1)
    for _ in 0..<2 {
      await #expect(throws: LanguageModelError.self) {
        try await LanguageModelSession(model: model).respond(to: "Hi")
      }
    }
    #expect(try await LanguageModelSession(model: model).respond(to: "Hi").content == "done")
  }
}
