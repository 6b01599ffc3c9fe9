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
struct IdleConnections: ~Copyable {
  /// How long servers keep a connection without a request: five seconds are common.
  private static let lifetime = Duration.seconds(3)
  private let ends = Mutex<[String: [ContinuousClock.Instant]]>([:])

  /// An answer has ended; its connection is free unless the server closes it.
  func put(_ task: URLSessionTask) {
    guard let server = Self.server(task.originalRequest?.url),
      let head = task.response as? HTTPURLResponse,
      head.value(forHTTPHeaderField: "Connection")?.lowercased() != "close"
    else { return }
    ends.withLock { $0[server, default: []].append(.now) }
  }

  /// Takes a connection to the server, if there is one.
  func take(_ url: URL?) -> Bool {
    guard let server = Self.server(url) else { return false }
    return ends.withLock { ends in
      let oldest = ContinuousClock.now - Self.lifetime
      var free = (ends[server] ?? []).filter { $0 > oldest }
      let wasThere = free.popLast() != nil
      ends[server] = free.isEmpty ? nil : free
      return wasThere
    }
  }

  private static func server(_ url: URL?) -> String? {
    url.flatMap { url in url.host.map { "\($0):\(url.port ?? 0)" } }
  }
}

extension HTTPClient {
  /// Whether a request would have to open a connection, and Foundation would keep a core busy then.
  ///
  /// - Parameter trustsLast: Whether the server keeps the connection of an answer that has ended.
  func lacksConnection(for request: URLRequest, trustsLast: Bool) -> Bool {
    #if canImport(FoundationNetworking)
      !(takeIdleConnection(request.url) && trustsLast)
    #else
      false
    #endif
  }

  /// Opens a connection for the next request.
  ///
  /// - Parameter request: What the server is asked for meanwhile, whatever it answers. Some servers
  ///   send a body after the head where only that is asked for (`HEAD`), and what follows is lost.
  func openConnection(with request: URLRequest) async {
    var request = request
    request.timeoutInterval = 2
    guard (try? await collect(request)) != nil else { return }
    _ = takeIdleConnection(request.url)
  }
}
