// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server on loopback that answers as a test tells it to, byte by byte where it matters.
///
/// Sockets of the system and a thread for each connection: a library for HTTP would not let a test
/// send what no server should.
final class StubServer: Sendable {
  /// A request as it came.
  struct Request: Sendable {
    var method: String
    var path: String
    var headers: [String: String]
    var body: String
    /// How many requests came before on the same connection.
    var precedingCount = 0
  }

  /// What is done, in order.
  enum Action: Sendable {
    /// Sends bytes, in one piece.
    case send(String)
    /// Sends bytes, each in a piece of its own.
    case sendBytewise(String)
    /// Waits.
    case pause(Duration)
    /// Sends the same again and again, until the client goes away.
    case repeatForever(String)
    /// Closes the connection.
    case close
  }

  typealias Handler = @Sendable (Request) -> [Action]

  private struct State {
    var requests: [Request] = []
    var openConnections = 0
    var abandoned = 0
    var isStopped = false
  }

  let port: Int
  private let listener: Int32
  private let state = Mutex(State())
  private let handler: Handler

  init(_ handler: @escaping Handler) throws {
    self.handler = handler
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in accept() }
  }

  var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/") }
  /// The first thousand requests.
  var requests: [Request] { state.withLock { $0.requests } }
  var openConnections: Int { state.withLock { $0.openConnections } }
  /// How many answers the client did not wait for the end of.
  var abandoned: Int { state.withLock { $0.abandoned } }

  func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func accept() {
    while !state.withLock({ $0.isStopped }) {
      #if canImport(Glibc)
        let connection = Glibc.accept(listener, nil, nil)
      #else
        let connection = Darwin.accept(listener, nil, nil)
      #endif
      guard connection >= 0 else { return }
      var one: Int32 = 1
      setsockopt(
        connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      state.withLock { $0.openConnections += 1 }
      Thread.detachNewThread { [self] in
        serve(connection)
        close(connection)
        state.withLock { $0.openConnections -= 1 }
      }
    }
  }

  private func serve(_ connection: Int32) {
    var buffer: [UInt8] = []
    var count = 0
    while var request = read(connection, &buffer) {
      request.precedingCount = count
      count += 1
      let request = request
      state.withLock { if $0.requests.count < 1000 { $0.requests.append(request) } }
      for action in handler(request) {
        guard perform(action, on: connection) else {
          state.withLock { $0.abandoned += 1 }
          return
        }
        if case .close = action { return }
      }
    }
  }

  private func perform(_ action: Action, on connection: Int32) -> Bool {
    switch action {
    case .send(let text): return write(Array(text.utf8), to: connection)
    case .sendBytewise(let text):
      return text.utf8.allSatisfy { write([$0], to: connection) }
    case .pause(let duration):
      usleep(UInt32(duration / .microseconds(1)))
      return true
    case .repeatForever(let text):
      while write(Array(text.utf8), to: connection) { usleep(200) }
      return false
    case .close:
      shutdown(connection, Int32(SHUT_RDWR))
      return true
    }
  }

  private func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
      #else
        let flags: Int32 = 0
      #endif
      let count = bytes[sent...].withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private func read(_ connection: Int32, _ buffer: inout [UInt8]) -> Request? {
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let range = buffer.firstRange(of: separator) {
        let head = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1).map {
            $0.trimmingCharacters(in: .whitespaces)
          }
          if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        if headers["expect"] != nil {
          guard write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection) else {
            return nil
          }
        }
        while buffer.count < range.upperBound + length {
          guard receive(connection, &buffer) else { return nil }
        }
        let body = String(
          decoding: buffer[range.upperBound..<range.upperBound + length], as: UTF8.self)
        buffer.removeFirst(range.upperBound + length)
        return Request(method: words[0], path: words[1], headers: headers, body: body)
      }
      guard receive(connection, &buffer) else { return nil }
    }
  }

  private func receive(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    let count = recv(connection, &piece, piece.count, 0)
    guard count > 0 else { return false }
    buffer += piece[..<count]
    return true
  }
}

extension StubServer.Action {
  /// The head of an answer that ends with its connection.
  static func head(
    _ status: Int = 200, type: String = "text/event-stream", _ more: [String: String] = [:]
  ) -> StubServer.Action {
    let fields = more.map { "\($0.key): \($0.value)\r\n" }.joined()
    return .send(
      "HTTP/1.1 \(status) Status\r\nContent-Type: \(type)\r\nConnection: close\r\n\(fields)\r\n")
  }

  /// A whole answer that is no stream.
  static func whole(
    _ status: Int, _ body: String, _ more: [String: String] = [:]
  ) -> StubServer.Action {
    let fields = more.map { "\($0.key): \($0.value)\r\n" }.joined()
    return .send(
      "HTTP/1.1 \(status) Status\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
  }
}
