// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The time that a closure takes, in seconds.
///
/// With one thread that is the time of the processor, so that what else the machine does counts
/// little; with more it is that of the clock on the wall.
func seconds(threads: Int = 1, _ body: () throws -> Void) rethrows -> Double {
  if threads > 1 {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
  }
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  try body()
  return now() - start
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
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

/// The memory that this process has now, in megabytes; 0 where the system does not say.
func residentMegabytes() -> Double {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
    let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
  else { return 0 }
  return pages * 4096 / 1_048_576
}
