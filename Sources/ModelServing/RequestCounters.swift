// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What was answered since the server was started, as Prometheus reads it.
final class RequestCounters: Sendable {
  private struct Counts {
    var requests: [Int: Int] = [:]
    var underWay = 0
    var seconds = 0.0
    var input = 0
    var cachedInput = 0
    var output = 0
  }

  private let counts = Mutex(Counts())

  func begin() { counts.withLock { $0.underWay += 1 } }

  func end() { counts.withLock { $0.underWay -= 1 } }

  func add(_ line: RequestLine) {
    counts.withLock { counts in
      counts.requests[line.status, default: 0] += 1
      counts.seconds += line.duration / .seconds(1)
      counts.input += line.end?.input ?? 0
      counts.cachedInput += line.end?.cachedInput ?? 0
      counts.output += line.end?.output ?? 0
    }
  }

  /// The text format of Prometheus, version 0.0.4.
  var text: String {
    let counts = counts.withLock(\.self)
    let requests = counts.requests.sorted { $0.key < $1.key }
      .map { "espalier_requests_total{status=\"\($0.key)\"} \($0.value)\n" }
    let others: [(name: String, kind: String, value: any CustomStringConvertible)] = [
      ("requests_under_way", "gauge", counts.underWay),
      ("request_seconds_total", "counter", counts.seconds),
      ("input_tokens_total", "counter", counts.input),
      ("cached_input_tokens_total", "counter", counts.cachedInput),
      ("output_tokens_total", "counter", counts.output),
    ]
    return "# TYPE espalier_requests_total counter\n" + requests.joined()
      + others.map { name, kind, value in
        "# TYPE espalier_\(name) \(kind)\nespalier_\(name) \(value)\n"
      }.joined()
  }
}
