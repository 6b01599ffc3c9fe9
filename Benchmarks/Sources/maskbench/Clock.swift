// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// What time is measured with.
enum BenchClock: String, CaseIterable, Sendable {
  /// The monotonic clock: for a machine that does nothing else.
  case wall
  /// The CPU time of this thread: what other processes do does not count, but reading it is a
  /// system call that costs more than a mask.
  case cpu

  /// The time, in nanoseconds.
  @inline(__always)
  func now() -> Int {
    var time = timespec()
    clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// What reading the clock twice measures when nothing happens in between: the median, in
  /// nanoseconds. It is part of every figure.
  var floor: Int {
    (0..<10_001).map { _ in -now() + now() }.sorted()[5000]
  }
}

/// The most memory that this process has had, in megabytes.
func peakResidentMegabytes() -> Double {
  var usage = rusage()
  #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_maxrss) / 1024
  #else
    getrusage(RUSAGE_SELF, &usage)
    return Double(usage.ru_maxrss) / 1_048_576
  #endif
}
