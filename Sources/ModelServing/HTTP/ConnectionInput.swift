// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierServer
import FlyingSocks
import Foundation

/// What a client sends over a connection: requests, one after the other, each read whole.
///
/// Everything has a limit. A head has at most ``headLimit`` bytes and must be there
/// ``headPatience`` after the connection began to wait for it; a body must go on within
/// ``bodyPatience``.
actor ConnectionInput {
  /// The greatest number of bytes of a head, as of a line between chunks.
  static let headLimit = 32 << 10
  /// How long a connection without a request stays open.
  static let headPatience = Duration.seconds(60)
  static let bodyPatience = Duration.seconds(30)

  private let socket: WaitingSocket
  private var buffer: [UInt8] = []
  /// Whether the client has closed the connection.
  private(set) var hasEnded = false

  init(_ socket: WaitingSocket) { self.socket = socket }

  /// Whether bytes of a further request are there.
  var isEmpty: Bool { buffer.isEmpty }

  /// The next head; nil where the client sends no further request.
  ///
  /// - Throws: ``ServeProblem`` where it is none, too long, or too late.
  func head() async throws -> RequestHead? {
    let deadline = ContinuousClock.now + Self.headPatience
    var searched = 0
    while true {
      // Empty lines before a request are skipped (RFC 9112, 2.2).
      let blank = buffer.prefix { $0 == 0x0D || $0 == 0x0A }.count
      if blank > 0 { buffer.removeFirst(blank) }
      if let end = Self.endOfHead(buffer, from: searched) {
        guard end.lowerBound <= Self.headLimit else { throw Self.headIsTooLong }
        let head = buffer[..<end.lowerBound]
        defer { buffer.removeFirst(end.upperBound) }
        return try RequestHead(head)
      }
      guard buffer.count <= Self.headLimit else { throw Self.headIsTooLong }
      searched = max(0, buffer.count - 3)
      do {
        guard try await receive(until: deadline) else { return nil }
      } catch SocketError.timeout where !buffer.isEmpty {
        throw ServeProblem(
          408,
          "The head of the request did not come within \(Self.headPatience.components.seconds) "
            + "seconds.")
      }
    }
  }

  private static let headIsTooLong = ServeProblem(
    431, "The head of a request may have \(headLimit) bytes at most.")

  /// Where the empty line is that ends a head.
  private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
    var index = start
    while let end = bytes[index...].firstIndex(of: 0x0A) {
      let next = end + 1
      let feed = next < bytes.count && bytes[next] == 0x0D ? next + 1 : next
      if feed < bytes.count, bytes[feed] == 0x0A {
        return (end > 0 && bytes[end - 1] == 0x0D ? end - 1 : end)..<(feed + 1)
      }
      index = next
    }
    return nil
  }

  /// The body of a request, whole.
  ///
  /// - Throws: ``ServeProblem`` where it is longer than the limit, in wrong chunks, or too late.
  func body(of head: RequestHead, limit: Int) async throws -> Data {
    do {
      switch head.body {
      case .none: return Data()
      case .length(let count):
        guard count <= limit else { throw Self.isTooLong(limit) }
        return try await take(count)
      case .chunked: return try await chunks(limit: limit)
      }
    } catch SocketError.timeout {
      throw ServeProblem(
        408, "Nothing came of the body for \(Self.bodyPatience.components.seconds) seconds.")
    }
  }

  private static func isTooLong(_ limit: Int) -> ServeProblem {
    ServeProblem(413, "A request may have \(limit) bytes at most.")
  }

  private func chunks(limit: Int) async throws -> Data {
    var body = Data()
    while true {
      let size = try await line().prefix { $0 != UInt8(ascii: ";") }
      let digits = String(decoding: size, as: UTF8.self).trimmingCharacters(in: .whitespaces)
      guard !digits.isEmpty, digits.utf8.count <= 8, digits.allSatisfy(\.isHexDigit),
        let count = Int(digits, radix: 16)
      else {
        throw ServeProblem(400, "Expected the length of a chunk in hexadecimal digits.")
      }
      guard count > 0 else { break }
      guard body.count + count <= limit else { throw Self.isTooLong(limit) }
      body += try await take(count)
      guard try await line().isEmpty else {
        throw ServeProblem(400, "Expected the end of a chunk after the bytes that it announced.")
      }
    }
    var trailer = 0
    while case let line = try await line(), !line.isEmpty {
      trailer += line.count
      guard trailer <= Self.headLimit else { throw Self.headIsTooLong }
    }
    return body
  }

  /// The bytes before the next line feed, without the carriage return.
  private func line() async throws -> [UInt8] {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { buffer.removeFirst(end + 1) }
        return Array(buffer[..<end].last == 0x0D ? buffer[..<(end - 1)] : buffer[..<end])
      }
      guard buffer.count <= Self.headLimit else { throw Self.headIsTooLong }
      searched = buffer.count
      try await receiveMore()
    }
  }

  private func take(_ count: Int) async throws -> Data {
    var body = Data()
    while true {
      let piece = buffer.prefix(count - body.count)
      body += piece
      buffer.removeFirst(piece.count)
      guard body.count < count else { return body }
      try await receiveMore()
    }
  }

  private func receiveMore() async throws {
    guard try await receive(until: .now + Self.bodyPatience) else {
      throw SocketError.disconnected
    }
  }

  /// Waits for bytes; whether some came, and not the end.
  private func receive(until deadline: ContinuousClock.Instant? = nil) async throws -> Bool {
    guard let bytes = try await socket.read(until: deadline) else {
      hasEnded = true
      return false
    }
    buffer += bytes
    return true
  }

  /// Returns when the client has gone away; or never, until the task is cancelled.
  ///
  /// Clients that send further requests in advance are waited for no longer: their bytes are kept for
  /// later, up to the length of a head.
  func waitUntilGone() async throws {
    while buffer.count <= Self.headLimit {
      guard try await receive() else { return }
    }
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  /// Reads what is left of a request that was refused, for a moment: a connection that is closed
  /// before may take the answer with it.
  func drain() async {
    socket.finish()
    let deadline = ContinuousClock.now + .seconds(2)
    while !Task.isCancelled, (try? await socket.read(until: deadline)).flatMap(\.self) != nil,
      ContinuousClock.now < deadline
    {}
  }
}
