// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// Lets so many requests generate at once; the others wait in the order in which they came.
///
/// Each sequence that is under way has memory of its own in the model, which is why there is a limit
/// at all. Those under way take turns step by step (`ComputeThreads`).
final class SequenceSlots: Sendable {
  /// Whether the current task's request already has a slot: a request that is made while another is
  /// answered (by a channel that asks the model itself, say) would wait for its own end.
  @TaskLocal private static var isHeld = false

  private let gate: ConcurrencyGate

  /// - Parameter limit: How many requests generate at once; at least one.
  init(limit: Int) { gate = ConcurrencyGate(limit: limit) }

  /// Does some work once there is a slot for it.
  ///
  /// - Throws: `CancellationError` where the task is cancelled while it waits, and what the work throws.
  func withSlot<Result: Sendable>(
    _ work: @concurrent @Sendable () async throws -> Result
  ) async throws -> Result {
    if Self.isHeld { return try await work() }
    try await gate.enter()
    defer { gate.leave() }
    return try await Self.$isHeld.withValue(true) { try await work() }
  }
}
