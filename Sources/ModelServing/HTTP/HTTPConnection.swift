// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierServer
import FlyingSocks
import Foundation

/// The requests of one connection, and their answers.
struct HTTPConnection: Sendable {
  private let socket: WaitingSocket
  private let input: ConnectionInput
  private let client: String
  private let server: ModelServer

  init(_ socket: WaitingSocket, client: String, server: ModelServer) {
    self.socket = socket
    self.client = client
    self.server = server
    input = ConnectionInput(socket)
  }

  /// Answers until the client has no further request.
  ///
  /// - Parameters:
  ///   - begin: Asked before a request is answered, whether it may be.
  ///   - isLast: Asked after each answer, whether no further one may follow.
  func run(begin: () async -> Bool, isLast: () async -> Bool) async {
    while true {
      let head: RequestHead?
      do {
        head = try await input.head()
      } catch let problem as ServeProblem {
        // Where the next request begins is not known.
        let start = ContinuousClock.now
        let reply = HTTPReply(problem)
        _ = try? await send(reply, to: nil, isLast: true)
        server.record(reply, of: nil, client: client, since: start)
        await input.drain()
        return
      } catch { return }
      guard let head, await begin() else { return }
      let goesOn = await answer(head)
      let isEnd = await isLast()
      guard goesOn, !isEnd else { return }
    }
  }

  /// Answers a request; whether another one may follow.
  private func answer(_ head: RequestHead) async -> Bool {
    let start = ContinuousClock.now
    if let problem = server.refusal(of: head) {
      return await refuse(problem, head, since: start)
    }
    let body: Data
    do {
      if head.body != .none, head.has("100-continue", in: "expect"), await input.isEmpty {
        try await socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
      }
      body = try await input.body(of: head, limit: ModelServer.requestSizeLimit)
    } catch let problem as ServeProblem {
      return await refuse(problem, head, since: start)
    } catch { return false }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { await answer(head, body, since: start) }
      group.addTask {
        // A model that writes for nobody keeps others waiting.
        try? await input.waitUntilGone()
        return false
      }
      let goesOn = await group.next() ?? false
      group.cancelAll()
      await group.waitForAll()
      return goesOn
    }
  }

  private func answer(
    _ head: RequestHead, _ body: Data, since start: ContinuousClock.Instant
  ) async -> Bool {
    server.counters.begin()
    defer { server.counters.end() }
    let reply = await server.reply(to: head, body: body)
    do {
      let goesOn = try await send(reply, to: head, isLast: !head.keepsConnection)
      server.record(reply, of: head, client: client, since: start, isGone: await input.hasEnded)
      return goesOn
    } catch {
      server.record(reply, of: head, client: client, since: start, isCut: true)
      return false
    }
  }

  /// Answers a request whose body was not read: what follows would be taken for the next request.
  private func refuse(
    _ problem: ServeProblem, _ head: RequestHead, since start: ContinuousClock.Instant
  ) async -> Bool {
    let reply = HTTPReply(problem)
    let isLast = head.body != .none || !head.keepsConnection
    server.record(reply, of: head, client: client, since: start)
    guard (try? await send(reply, to: head, isLast: isLast)) != nil else { return false }
    if isLast, head.body != .none { await input.drain() }
    return !isLast
  }

  /// Sends an answer; whether another one may follow.
  private func send(_ reply: HTTPReply, to head: RequestHead?, isLast: Bool) async throws -> Bool {
    guard case .events(let source) = reply.body else {
      let start = reply.head(isChunked: false, isLast: isLast)
      guard head?.method != "HEAD", case .bytes(let bytes) = reply.body else {
        try await socket.write(start)
        return !isLast
      }
      try await socket.write(start + bytes)
      return !isLast
    }
    // HTTP/1.0 knows no chunks: the end of the connection is that of the answer.
    let isChunked = head?.isOld == false
    try await socket.write(reply.head(isChunked: isChunked, isLast: isLast || !isChunked))
    while let piece = await source.next() {
      // An empty chunk would be the last one.
      guard !piece.isEmpty else { continue }
      let length = isChunked ? Array("\(String(piece.count, radix: 16))\r\n".utf8) : []
      try await socket.write(length + piece + (isChunked ? [0x0D, 0x0A] : []))
    }
    if isChunked { try await socket.write(Array("0\r\n\r\n".utf8)) }
    return isChunked && !isLast
  }
}
