// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Duration {
  /// As long as anything waits: a hundred years. Beyond some centuries the system's clocks, which
  /// count nanoseconds in 64 bits, overflow.
  static let longestWait = Duration.seconds(100 * 365 * 86_400)

  /// The duration that can be waited: none below zero, ``longestWait`` at most.
  var clampedWait: Duration { Swift.min(Swift.max(self, .zero), .longestWait) }

  /// A duration that can be waited, of a number of seconds that may be anything.
  static func wait(ofSeconds seconds: Double) -> Duration {
    guard seconds > 0 else { return .zero }
    return seconds < 100 * 365 * 86_400 ? .seconds(seconds) : .longestWait
  }

  /// The duration in seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
