// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Clients that carry one request at a time, so that nobody else takes the connection that was opened
/// for it (``IdleConnections``).
///
/// A client has a pool of connections, and a request takes any of them that is free. Where several
/// requests share a client and each opens a connection ahead, one takes that of another now and then. Its
/// owner then needs a new connection, which keeps a core busy until the answer is there.
final class ClientLanes: Sendable {
  /// How many clients there are at most. Each takes three file descriptors; a process often has 1,024.
  private static let limit = 128
  /// How many are kept for later requests.
  private static let keptCount = 32

  private struct State {
    var free: [HTTPClient] = []
    var busy: [ObjectIdentifier: HTTPClient] = [:]
  }

  private let template: HTTPClient
  private let state = Mutex(State())

  /// - Parameter template: What the clients are like.
  init(like template: HTTPClient) { self.template = template }

  /// The number of answers that are under way.
  var openCount: Int {
    state.withLock { state in (state.free + state.busy.values).reduce(0) { $0 + $1.openCount } }
  }

  /// Takes the client that was used last, whose connection is the likeliest to be open, or a new one.
  ///
  /// - Returns: The client, to be put back; nil where there are too many.
  func take() -> HTTPClient? {
    state.withLock { state in
      guard state.busy.count < Self.limit else { return nil }
      let lane = state.free.popLast() ?? HTTPClient(like: template)
      state.busy[ObjectIdentifier(lane)] = lane
      return lane
    }
  }

  func putBack(_ lane: HTTPClient) {
    state.withLock { state in
      state.busy[ObjectIdentifier(lane)] = nil
      if state.free.count < Self.keptCount { state.free.append(lane) }
    }
  }
}
