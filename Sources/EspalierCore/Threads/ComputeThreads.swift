// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

// Swift runs all tasks of a process on as many threads as there are processors. A task that computes
// for seconds keeps one of them, and with a few such tasks nothing else in the app goes on: no timer,
// no health check, no time limit. So whatever computes for long (evaluating a model, compiling a
// schema, reading a long response under one) runs on threads of its own (`ThreadPool`).
//
// Platforms without threads (WASI) have none of it: there the work runs on Swift's own executor, as
// `count: 0` has it run anywhere, and a turn is a `Task.yield()`. The condition
// `ESPALIER_WITHOUT_THREADS` compiles that for any platform.

/// Where work runs that computes for long.
package struct ComputeThreads: Sendable {
  /// The threads for schemas and responses: those of all sessions.
  package static let shared = ComputeThreads()

  /// The greatest number of threads; 0 for none.
  package let count: Int

  #if os(WASI) || ESPALIER_WITHOUT_THREADS
    /// How many threads there are unless something else is asked for: none.
    package static var defaultCount: Int { 0 }

    /// There are none, however many are asked for.
    package init(count: Int = 0) { self.count = 0 }

    /// The executor for tasks that are made to run on the threads; nil where there are none.
    package var preference: (any TaskExecutor)? { nil }
    /// Whether the caller is on such a thread.
    package static var isCurrent: Bool { false }
    /// How many jobs wait for a thread.
    package var waitingCount: Int { 0 }

    /// Lets other tasks run; called between two steps of some work.
    package func turn() async { await Task.yield() }
  #else
    /// How many threads there are unless something else is asked for: one for each processor.
    package static var defaultCount: Int {
      max(1, ProcessInfo.processInfo.activeProcessorCount)
    }

    private let pool: ThreadPool?

    /// Creates threads, of which none is started yet.
    ///
    /// - Parameter count: The greatest number of threads. With 0 the work runs on Swift's own executor.
    package init(count: Int = ComputeThreads.defaultCount) {
      self.count = max(0, count)
      pool = count > 0 ? ThreadPool(count: count) : nil
    }

    /// The executor for tasks that are made to run on the threads; nil where there are none.
    package var preference: (any TaskExecutor)? { pool }
    /// Whether the caller is on such a thread.
    package static var isCurrent: Bool { ThreadPool.isCurrent }
    /// How many jobs wait for a thread.
    package var waitingCount: Int { pool?.waitingCount ?? 0 }

    /// Lets everyone who waits for a thread go first; called between two steps of some work.
    package func turn() async {
      if let pool { await pool.turn() } else { await Task.yield() }
    }
  #endif

  /// Runs some work of the current task on the threads.
  ///
  /// The work keeps the task's values, its priority and its cancellation; child tasks that it starts
  /// run on the threads too.
  package func run<Result: Sendable, Failure: Error>(
    _ work: @concurrent @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard let preference else { return try await work() }
    return try await withTaskExecutorPreference(preference, operation: work)
  }
}
