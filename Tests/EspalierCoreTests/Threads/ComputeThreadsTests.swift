// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Synchronization
import Testing

private final class Notes: Sendable {
  private let state = Mutex<[String]>([])
  var all: [String] { state.withLock { $0 } }
  func add(_ note: String) { state.withLock { $0.append(note) } }
}

@Suite struct ComputeThreadsTests {
  @Test func workRunsOnThreadsOfItsOwn() async throws {
    let threads = ComputeThreads(count: 2)
    #expect(await threads.run { ComputeThreads.isCurrent })
    #expect(!ComputeThreads.isCurrent)
    // Child tasks of the work too; errors come back.
    await threads.run {
      async let child = ComputeThreads.isCurrent
      #expect(await child)
    }
    await #expect(throws: CocoaError.self) {
      try await threads.run { () throws -> Int in throw CocoaError(.fileNoSuchFile) }
    }
  }

  @MainActor @Test func theMainActorIsLeft() async {
    #expect(await ComputeThreads(count: 1).run { ComputeThreads.isCurrent })
  }

  /// As many tasks spin as there are processors and more; a task of the app still gets its turn.
  /// On the threads of Swift's own executor this would never end.
  @Test(.timeLimit(.minutes(30))) func busyThreadsKeepNobodyElseWaiting() async {
    let threads = ComputeThreads()
    let count = threads.count + 2
    let started = Notes()
    let isOver = Flag()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          await threads.run {
            started.add("")
            while !isOver.isRaised {}
          }
        }
      }
      group.addTask {
        while started.all.count < threads.count { await Task.yield() }
        isOver.raise()
      }
    }
    #expect(started.all.count == count)
  }

  /// One thread: tasks that take turns go step by step.
  @Test func turnsAreTakenInOrder() async {
    let threads = ComputeThreads(count: 1)
    let notes = Notes()
    let (isHeld, isReady) = (Flag(), Flag())
    await withTaskGroup(of: Void.self) { group in
      // Holds the thread until all others wait.
      group.addTask {
        await threads.run {
          isHeld.raise()
          while !isReady.isRaised {}
        }
      }
      while !isHeld.isRaised { await Task.yield() }
      for name in ["a", "b", "c"] {
        group.addTask {
          await threads.run {
            for _ in 0..<4 {
              notes.add(name)
              await threads.turn()
            }
          }
        }
      }
      while threads.waitingCount < 3 { await Task.yield() }
      isReady.raise()
    }
    let rounds = stride(from: 0, to: 12, by: 3).map { Set(notes.all[$0..<$0 + 3]) }
    #expect(rounds == Array(repeating: ["a", "b", "c"], count: 4), "\(notes.all)")
  }

  @Test func cancellationIsSeenInside() async {
    let threads = ComputeThreads(count: 1)
    let hasStarted = Flag()
    let task = Task {
      await threads.run {
        hasStarted.raise()
        while !Task.isCancelled { await threads.turn() }
      }
    }
    while !hasStarted.isRaised { await Task.yield() }
    task.cancel()
    await task.value
  }

  /// Where there are no threads the work runs on Swift's own, and a turn lets other tasks run.
  @Test func withoutThreads() async {
    let threads = ComputeThreads(count: 0)
    #expect(await !threads.run { ComputeThreads.isCurrent })
    #expect(threads.preference == nil)
    let isRaised = Flag()
    async let raising: Void = isRaised.raise()
    await threads.run { while !isRaised.isRaised { await threads.turn() } }
    await raising
  }
}
