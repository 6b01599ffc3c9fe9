// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import EspalierServer

/// One attempt for all who ask while it runs.
@Suite struct SharedAttemptTests {
  private struct Broken: Error {}

  /// Attempts that end when the test says so.
  private final class Attempts: Sendable {
    private let state = Mutex((count: 0, cancelled: 0))
    private let (opened, opens) = AsyncStream.makeStream(of: Void.self)
    var count: Int { state.withLock { $0.count } }
    var cancelledCount: Int { state.withLock { $0.cancelled } }

    func run() async throws -> Int {
      let number = state.withLock { state in
        state.count += 1
        return state.count
      }
      for await _ in opened { break }
      if Task.isCancelled {
        state.withLock { $0.cancelled += 1 }
        throw CancellationError()
      }
      if number == 2 { throw Broken() }
      return number
    }

    func end() { opens.yield() }
  }

  @Test func allWhoAskMeanwhileGetTheSame() async throws {
    let shared = SharedAttempt<Int>()
    let attempts = Attempts()
    func ask() -> [Task<Int, any Error>] {
      (0..<20).map { _ in Task { try await shared.value { try await attempts.run() } } }
    }
    let first = ask()
    try await eventually { shared.waiterCount == 20 }
    attempts.end()
    for task in first { #expect(try await task.value == 1) }
    let second = ask()
    try await eventually { shared.waiterCount == 20 }
    attempts.end()
    for task in second { await #expect(throws: Broken.self) { try await task.value } }
    #expect(attempts.count == 2 && shared.waiterCount == 0)
  }

  @Test func whoIsCancelledLeavesAndTheLastEndsTheAttempt() async throws {
    let shared = SharedAttempt<Int>()
    let attempts = Attempts()
    let tasks = (0..<3).map { _ in Task { try await shared.value { try await attempts.run() } } }
    try await eventually { shared.waiterCount == 3 && attempts.count == 1 }
    for (index, task) in tasks.enumerated() {
      #expect(attempts.cancelledCount == 0)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(shared.waiterCount == 2 - index)
    }
    try await eventually { attempts.cancelledCount == 1 }
  }
}
