// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The connections that ended an answer a moment ago and wait for the next request, as far as that
/// can be seen from outside.
///
/// They matter beyond Apple's systems. Foundation waits there for a new connection to take more
/// bytes, which it always can, and does not stop when the request is sent: a core is busy until the
/// answer is there, be it a minute. A request on a connection that was there is sent at once. So one
/// without a body opens the connection, and the request with the prompt follows on it.
final class IdleConnections: Sendable {
  /// How long servers keep a connection without a request: five seconds are common.
  private static let lifetime = Duration.seconds(3)

  private struct Free {
    var since: ContinuousClock.Instant
    var isAfterStream: Bool
  }

  /// For each server the connection of the last answer: a client carries one request at a time
  /// (``ClientLanes``).
  private let free = Mutex<[String: Free]>([:])

  /// An answer has ended; its connection is free unless the server closes it.
  func put(_ task: URLSessionTask) {
    guard let server = Self.server(task.originalRequest?.url),
      let head = task.response as? HTTPURLResponse,
      head.value(forHTTPHeaderField: "Connection")?.lowercased() != "close"
    else { return }
    let isStream = head.mimeType == "text/event-stream"
    free.withLock { $0[server] = Free(since: .now, isAfterStream: isStream) }
  }

  /// Takes the connection to the server.
  ///
  /// - Parameter afterStreams: Whether the server keeps the connection of a stream that has ended.
  /// - Returns: Whether there was one.
  func take(_ url: URL?, afterStreams: Bool) -> Bool {
    guard let server = Self.server(url),
      let last = free.withLock({ $0.removeValue(forKey: server) })
    else { return false }
    return last.since > ContinuousClock.now - Self.lifetime
      && (afterStreams || !last.isAfterStream)
  }

  private static func server(_ url: URL?) -> String? {
    url.flatMap { url in url.host.map { "\($0):\(url.port ?? 0)" } }
  }
}

extension HTTPClient {
  /// Opens a connection for the next request.
  ///
  /// - Parameter request: What the server is asked for meanwhile, whatever it answers. Some servers
  ///   send a body after the head where only that is asked for (`HEAD`), and what follows is lost.
  func openConnection(with request: URLRequest) async {
    var request = request
    request.timeoutInterval = 2
    _ = try? await collect(request)
  }
}
