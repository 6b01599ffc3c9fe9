// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// How many requests a local model answers at once, and on how many threads it computes.
///
/// The model never computes on the threads of Swift's tasks: timers, time limits and the app's own
/// tasks go on while it is busy. Where more requests are under way than there are threads, they take
/// turns token by token. Where more requests come than may be under way, they wait in the order in
/// which they came.
///
/// Platforms without threads (WASI) have one thread for everything. There the model gives way to
/// other tasks after each token, and `threads` has no effect.
public struct GenerationConcurrency: Sendable, Hashable {
  /// The greatest number of threads that compute at once; one for each request that is under way.
  /// A model that shares its products between threads (`GGUFTokenModel.Options.threads`) uses more.
  public var threads: Int
  /// The greatest number of requests that are under way at once. Each has memory of its own in the
  /// model.
  public var sequences: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - threads: The greatest number of threads; one for each processor where nil.
  ///   - sequences: The greatest number of requests under way; twice as many as threads where nil.
  public init(threads: Int? = nil, sequences: Int? = nil) {
    self.threads = max(1, threads ?? ComputeThreads.defaultCount)
    self.sequences = max(1, sequences ?? 2 * min(self.threads, 1 << 20))
  }
}
