// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import FlyingSocks
import Foundation

/// A socket whose reads and writes wait for the other side, but not for ever.
struct WaitingSocket: Sendable {
  let socket: Socket
  let pool: any AsyncSocketPool
  /// How long a client may read nothing of what it is sent.
  static let writePatience = Duration.seconds(60)

  init(_ socket: Socket, pool: any AsyncSocketPool) throws {
    self.socket = socket
    self.pool = pool
    try socket.setFlags(.nonBlocking)
  }

  /// Some bytes; nil at the end.
  ///
  /// - Throws: `SocketError.timeout`, or what the system says.
  func read(until deadline: ContinuousClock.Instant? = nil) async throws -> [UInt8]? {
    while true {
      try Task.checkCancellation()
      do {
        return try socket.read(atMost: 1 << 16)
      } catch SocketError.blocked {
        try await wait(for: .read, until: deadline)
      } catch SocketError.disconnected {
        return nil
      }
    }
  }

  /// Sends all bytes.
  func write(_ bytes: [UInt8]) async throws {
    let data = Data(bytes)
    var sent = data.startIndex
    while sent < data.endIndex {
      do {
        sent = try socket.write(data, from: sent)
      } catch SocketError.blocked {
        try await wait(for: .write, until: .now + Self.writePatience)
      }
    }
  }

  private func wait(
    for events: Socket.Events, until deadline: ContinuousClock.Instant?
  ) async throws {
    guard let deadline else { return try await suspend(until: events) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await suspend(until: events) }
      group.addTask {
        try await Task.sleep(until: deadline, clock: .continuous)
        throw SocketError.timeout(message: "")
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func suspend(until events: Socket.Events) async throws {
    do {
      try await pool.suspendSocket(socket, untilReadyFor: events)
    } catch SocketError.disconnected {
      // There may be bytes before the end; reading tells.
    }
  }

  /// The next connection to a socket that listens, and who it comes from.
  func accept() async throws -> (socket: WaitingSocket, client: String) {
    while true {
      try Task.checkCancellation()
      do {
        let accepted = try socket.accept()
        let connection = Socket(file: accepted.file)
        do {
          // A token is not to wait until the client has confirmed the one before.
          try connection.setValue(
            true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
          return (
            try WaitingSocket(connection, pool: pool),
            Self.name(of: try? Socket.makeAddress(from: accepted.addr))
          )
        } catch {
          try? connection.close()
          throw error
        }
      } catch SocketError.blocked {
        try await suspend(until: .connection)
      }
    }
  }

  private static func name(of address: Socket.Address?) -> String {
    switch address {
    case .ip4(let address, _)?, .ip6(let address, _)?: address
    case .unix?, nil: "-"
    }
  }

  /// Tells the client that nothing follows; it may still send.
  func finish() {
    #if canImport(WinSDK)
      _ = shutdown(socket.file.rawValue, SD_SEND)
    #else
      _ = shutdown(socket.file.rawValue, Int32(SHUT_WR))
    #endif
  }

  /// Closes the socket, after which its number may be another one's.
  func close() async {
    // The pool wakes a task before it forgets the socket that the task waited for.
    if let actor = pool as? any Actor { await Self.pass(actor) }
    try? socket.close()
  }

  /// Returns when an actor has finished what it does.
  private static func pass(_ actor: isolated any Actor) async {}
}
