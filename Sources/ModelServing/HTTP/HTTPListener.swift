// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierServer
import FlyingFox
import FlyingSocks
import Foundation

/// Listens at an address, and answers the requests of each connection in turn.
package actor HTTPListener {
  /// How a listener ends where it does not begin.
  package struct ListeningError: Error, CustomStringConvertible {
    package let description: String
  }

  private struct Open {
    var task: Task<Void, Never>
    var isAnswering = false
  }

  private let address: any SocketAddress
  private let server: ModelServer
  private let pool: any AsyncSocketPool = HTTPServer.defaultPool()
  private var accepting: Task<Void, any Error>?
  private var connections: [Int: Open] = [:]
  private var count = 0
  private var isStopping = false
  private var grace = Duration.zero
  private var portNumber: UInt16?
  private var waiting: [CheckedContinuation<UInt16?, Never>] = []

  init(address: any SocketAddress, server: ModelServer) {
    self.address = address
    self.server = server
  }

  /// The port, once it is listened at; nil where that fails.
  package func port() async -> UInt16? {
    if portNumber != nil || isStopping { return portNumber }
    return await withCheckedContinuation { waiting.append($0) }
  }

  private func announce(_ port: UInt16?) {
    portNumber = port
    for continuation in waiting { continuation.resume(returning: port) }
    waiting = []
  }

  /// How many requests are being answered.
  package var answering: Int { connections.values.count { $0.isAnswering } }

  /// Answers requests until it is stopped, or its task is cancelled.
  ///
  /// - Throws: ``ListeningError`` where the address is not to be had.
  package func run() async throws {
    let listening: WaitingSocket
    do {
      try await pool.prepare()
      listening = try WaitingSocket(makeSocket(address), pool: pool)
    } catch {
      isStopping = true
      announce(nil)
      if case SocketError.failed(_, _, let message) = error {
        throw ListeningError(description: message)
      }
      throw ListeningError(description: "\(error)")
    }
    let polling = Task { [pool] in try await pool.run() }
    let accepting = Task { try await self.accept(on: listening) }
    self.accepting = accepting
    if isStopping { accepting.cancel() }
    announce(Self.port(of: listening.socket))
    await withTaskCancellationHandler {
      _ = await accepting.result
    } onCancel: {
      accepting.cancel()
    }
    isStopping = true
    await listening.close()
    await end()
    polling.cancel()
    _ = await polling.result
  }

  /// Takes no further requests, and lets answers under way come to their end.
  ///
  /// - Parameter grace: How long they may take; what is left then is cut off.
  package func stop(grace: Duration = .zero) {
    self.grace = grace
    isStopping = true
    accepting?.cancel()
    for connection in connections.values where !connection.isAnswering { connection.task.cancel() }
  }

  private func end() async {
    let deadline = ContinuousClock.now + grace
    while connections.values.contains(where: \.isAnswering), ContinuousClock.now < deadline,
      !Task.isCancelled
    {
      try? await Task.sleep(for: .milliseconds(20))
    }
    let left = connections.values.map(\.task)
    for task in left { task.cancel() }
    for task in left { await task.value }
  }

  private func makeSocket<Address: SocketAddress>(_ address: Address) throws -> Socket {
    let socket = try Socket(domain: Int32(address.family))
    do {
      #if canImport(WinSDK)
        try socket.setValue(true, for: .exclusiveLocalAddressReuse)
      #else
        try socket.setValue(true, for: .localAddressReuse)
      #endif
      #if canImport(Darwin)
        try socket.setValue(true, for: .noSIGPIPE)
      #endif
      try socket.bind(to: address)
      try socket.listen()
    } catch {
      try? socket.close()
      throw error
    }
    return socket
  }

  private static func port(of socket: Socket) -> UInt16? {
    switch try? socket.sockname() {
    case .ip4(_, let port)?, .ip6(_, let port)?: port
    default: nil
    }
  }

  private func accept(on listening: WaitingSocket) async throws {
    var isFull = false
    // The first timer of a process opens files, and the process ends where it cannot. So it is made while
    // there are some left.
    try await Task.sleep(for: .milliseconds(1))
    while true {
      do {
        let accepted = try await listening.accept()
        isFull = false
        open(accepted.socket, client: accepted.client)
      } catch let SocketError.failed(_, number, message) {
        // A client that has gone again, or one too many: that is no reason to leave the others. A
        // connection waits in the system's queue until another one ends.
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) {
          if !isFull { server.log("connections wait: \(message)") }
          isFull = true
          try await Task.sleep(for: .milliseconds(100))
        } else {
          try Task.checkCancellation()
          try await Task.sleep(for: .milliseconds(1))
        }
      }
    }
  }

  private func open(_ socket: WaitingSocket, client: String) {
    count += 1
    let id = count
    connections[id] = Open(
      task: Task {
        let connection = HTTPConnection(socket, client: client, server: server)
        await connection.run(
          begin: { self.begin(id) }, isLast: { self.finish(id) })
        await socket.close()
        self.remove(id)
      })
  }

  /// Whether a request may be answered.
  private func begin(_ id: Int) -> Bool {
    guard !isStopping else { return false }
    connections[id]?.isAnswering = true
    return true
  }

  /// Notes that an answer is there, and says whether no further one will be.
  private func finish(_ id: Int) -> Bool {
    connections[id]?.isAnswering = false
    return isStopping
  }

  private func remove(_ id: Int) { connections[id] = nil }
}
