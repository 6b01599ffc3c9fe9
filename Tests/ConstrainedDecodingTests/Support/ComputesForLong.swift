// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

/// Tests that compute for minutes, on threads of their own: on those of Swift's tasks they keep tests
/// waiting that speak with a server, until the connections give up.
struct ComputesForLong: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ComputingThreads.all) { try await function() }
  }
}

extension Trait where Self == ComputesForLong {
  static var computesForLong: Self { ComputesForLong() }
}

/// The threads of such tests: as many as there are processors.
private final class ComputingThreads: TaskExecutor {
  static let all = ComputingThreads()
  private let queue = DispatchQueue(label: "tests that compute", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
