import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// What passed on the clock and what this process computed, in seconds.
struct Stopwatch {
  private let wallStart = Self.now(CLOCK_MONOTONIC)
  private let cpuStart = Self.now(CLOCK_PROCESS_CPUTIME_ID)

  var wall: Double { Self.now(CLOCK_MONOTONIC) - wallStart }
  var cpu: Double { Self.now(CLOCK_PROCESS_CPUTIME_ID) - cpuStart }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
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

func show(_ name: String, _ value: String) {
  print(name.padding(toLength: 42, withPad: " ", startingAt: 0), value)
}

func show(_ name: String, _ value: Double, _ unit: String) {
  show(name, String(format: "%8.2f \(unit)", value))
}
