// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
package import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// Answers requests over HTTP: the routes, the key, and streams.
package struct ModelServer: Sendable {
  let model: ServedModel
  /// What requests must bring; nothing where nil.
  var key: String?

  /// The greatest number of bytes of a request.
  static let requestSizeLimit = 16 << 20

  package init(model: ServedModel, key: String?) {
    self.model = model
    self.key = key
  }

  /// A server that is ready to run.
  ///
  /// - Throws: An error of the system where the address is none.
  package func server(host: String, port: UInt16) throws -> HTTPServer {
    let handler = ClosureHTTPHandler { request in
      let body = ReadBody()
      let response = await self.response(to: request, body)
      return body.isRead(of: request) ? response : try await Self.closing(response)
    }
    // A handler ends when the head of an answer is there, or the whole of one that is not streamed.
    let timeout: TimeInterval = 86_400
    return host.contains(":")
      ? HTTPServer(
        address: try sockaddr_in6.inet6(ip6: host, port: port), timeout: timeout,
        logger: .disabled, handler: handler)
      : HTTPServer(
        address: try sockaddr_in.inet(ip4: host == "localhost" ? "127.0.0.1" : host, port: port),
        timeout: timeout, logger: .disabled, handler: handler)
  }

  private func response(to request: HTTPRequest, _ body: ReadBody) async -> HTTPResponse {
    // The library would send a body, which the client takes for the next answer.
    guard request.method != .HEAD else { return Self.refusalOfHead(request.path) }
    do {
      let origin = RequestOrigin(
        host: request.headers[.host], origin: request.headers[HTTPHeader("Origin")])
      guard key != nil || origin.isLocal else {
        throw ServeProblem(
          403,
          "Without a key, requests are taken from programs and pages of this machine alone. "
            + "Start the server with --key-variable, and send the key.")
      }
      guard request.path == "/health" || isAuthorized(request) else {
        throw ServeProblem(401, "Incorrect API key provided, or none.", code: "invalid_api_key")
      }
      switch (request.method, request.path) {
      case (.GET, "/health"): return Self.json(.members(["status": "ok"]))
      case (.GET, "/"):
        return HTTPResponse(
          statusCode: .ok, headers: [.contentType: "text/html; charset=utf-8"],
          body: Data(FormPage.html.utf8))
      case (.GET, "/v1/models"): return Self.json(models)
      case (.GET, let path) where path.hasPrefix("/v1/models/"):
        let name = String(path.dropFirst("/v1/models/".count))
        try requireName(name.removingPercentEncoding ?? name)
        return Self.json(modelCard)
      case (.POST, "/v1/chat/completions"): return try await answer(.chat, request, body)
      case (.POST, "/v1/responses"): return try await answer(.responses, request, body)
      case (.POST, "/v1/chat/completions/input_tokens"):
        return try await count(.chat, request, body)
      case (.POST, "/v1/responses/input_tokens"):
        return try await count(.responses, request, body)
      default:
        guard let method = Self.method(of: request.path) else {
          throw ServeProblem(404, "There is no \(request.method.rawValue) \(request.path) here.")
        }
        var response = Self.json(
          ServeProblem(
            405,
            "\(request.path) is asked with \(method.rawValue), not with \(request.method.rawValue)."
          ).content, status: 405)
        response.headers[Self.allow] = method.rawValue
        return response
      }
    } catch {
      let problem = ServeProblem(error)
      return Self.json(problem.content, status: problem.status)
    }
  }

  /// A response after which the connection is closed: what is left of the request's body would be
  /// taken for the next request.
  private static func closing(_ response: HTTPResponse) async throws -> HTTPResponse {
    var response = response
    let data = try await response.bodyData
    response.payload = .httpBody(
      HTTPBodySequence(from: LastBody(bytes: Array(data)), count: data.count))
    response.headers[.connection] = "close"
    return response
  }

  private static let allow = HTTPHeader("Allow")

  /// The method that a route is asked with; nil where there is no such route.
  private static func method(of path: String) -> HTTPMethod? {
    switch path {
    case "/", "/health", "/v1/models": .GET
    case "/v1/chat/completions", "/v1/responses", "/v1/chat/completions/input_tokens",
      "/v1/responses/input_tokens":
      .POST
    default: path.hasPrefix("/v1/models/") ? .GET : nil
    }
  }

  private static func refusalOfHead(_ path: String) -> HTTPResponse {
    guard let method = method(of: path) else { return HTTPResponse(statusCode: .notFound) }
    var response = HTTPResponse(statusCode: .methodNotAllowed)
    response.headers[allow] = method.rawValue
    return response
  }

  /// Compares all bytes of a key, however early they differ.
  private func isAuthorized(_ request: HTTPRequest) -> Bool {
    guard let key else { return true }
    let given = Array((request.headers[.authorization] ?? "").utf8)
    let wanted = Array("Bearer \(key)".utf8)
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private var models: GeneratedContent {
    .members(["object": "list", "data": GeneratedContent.items([modelCard])])
  }

  private var modelCard: GeneratedContent {
    .members([
      "id": model.name, "object": "model", "created": 0, "owned_by": "espalier",
      "max_model_len": model.contextSize == .max ? nil : model.contextSize,
    ])
  }

  private func requireName(_ name: String) throws {
    guard name == model.name else {
      throw ServeProblem(
        404, "The model '\(name)' is not here; '\(model.name)' is.", at: "model",
        code: "model_not_found")
    }
  }

  private func read(
    _ route: ServedRequest.Route, _ request: HTTPRequest, _ readBody: ReadBody
  ) async throws -> ServedRequest {
    if let length = request.bodySequence.count, length > Self.requestSizeLimit {
      throw ServeProblem(413, "A request may have \(Self.requestSizeLimit) bytes at most.")
    }
    var body = Data()
    for try await piece in request.bodySequence {
      body += piece
      guard body.count <= Self.requestSizeLimit else {
        throw ServeProblem(413, "A request may have \(Self.requestSizeLimit) bytes at most.")
      }
    }
    readBody.finish()
    let served = try ServedRequest(route, body: body)
    try requireName(served.model ?? model.name)
    guard served.options.tokenRivalCount == nil || model.givesProbabilities else {
      throw ServeProblem(
        400, "The model '\(model.name)' gives no probabilities.",
        at: route == .chat ? "logprobs" : "include",
        code: "unsupported_parameter")
    }
    if let guide = served.guide, !model.takesGrammars {
      throw ServeProblem(
        400, "The model '\(model.name)' is held to JSON Schemas alone.", at: guide.place,
        code: "unsupported_parameter")
    }
    return served
  }

  private func count(
    _ route: ServedRequest.Route, _ request: HTTPRequest, _ body: ReadBody
  ) async throws -> HTTPResponse {
    let served = try await read(route, request, body)
    guard let count = try await model.tokenCount(of: served) else {
      throw ServeProblem(501, "The model does not count tokens.")
    }
    return Self.json(.members(["object": "response.input_tokens", "input_tokens": count]))
  }

  private func answer(
    _ route: ServedRequest.Route, _ request: HTTPRequest, _ body: ReadBody
  ) async throws -> HTTPResponse {
    let served = try await read(route, request, body)
    let id = UUID().uuidString.lowercased()
    let created = Int(Date().timeIntervalSince1970)
    var writer: any AnswerWriter =
      switch route {
      case .chat: ChatWriter(id: id, model: model.name, created: created, request: served)
      case .responses: ResponsesWriter(id: id, model: model.name, created: created)
      }
    // Until the first part is there, what goes wrong is an error with a status of its own.
    let parts = PartSource(ServedAnswer.parts(of: served, model: model))
    let first: ServedPart?
    do {
      first = try await parts.next()
    } catch { throw ServeProblem(error, answering: served) }
    if served.streams {
      return HTTPResponse(
        statusCode: .ok,
        headers: [
          .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-cache",
        ],
        body: HTTPBodySequence(
          from: EventBody(source: EventSource(first: first, rest: parts, writer: writer)),
          suggestedBufferSize: 1 << 20))
    }
    var end = ServedEnd()
    var next = first
    while let part = next {
      _ = writer.write(part)
      if case .end(let stated) = part { end = stated }
      next = try await parts.next()
    }
    return Self.json(writer.whole(end))
  }

  private static func json(_ content: GeneratedContent, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      statusCode: HTTPStatusCode(status, phrase: phrases[status] ?? "Status"),
      headers: [.contentType: "application/json"], body: Data(content.jsonString.utf8))
  }

  private static let phrases = [
    200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 413: "Content Too Large", 500: "Internal Server Error",
    501: "Not Implemented",
  ]
}

/// Whether the body of a request was read to its end.
private final class ReadBody: Sendable {
  private let isFinished = Mutex(false)

  /// The library reads the rest of bodies that say their length, up to this one.
  private static let libraryLimit = 2_097_152

  func finish() { isFinished.withLock { $0 = true } }

  func isRead(of request: HTTPRequest) -> Bool {
    isFinished.withLock { $0 }
      || request.bodySequence.count.map { $0 <= Self.libraryLimit } ?? false
  }
}

/// The body of a response after which nothing more is read: the library closes a connection whose
/// response ends with an error.
private struct LastBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let bytes: [UInt8]

  func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var bytes: [UInt8]

    mutating func next() async throws -> UInt8? { nil }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      guard !bytes.isEmpty else { throw SocketError.disconnected }
      defer { bytes = [] }
      return bytes
    }
  }
}

/// The parts of an answer, taken one after the other.
private actor PartSource {
  private var iterator: AsyncThrowingStream<ServedPart, any Error>.Iterator

  init(_ parts: AsyncThrowingStream<ServedPart, any Error>) {
    iterator = parts.makeAsyncIterator()
  }

  func next() async throws -> ServedPart? {
    var iterator = iterator
    return try await iterator.next(isolation: self)
  }
}

/// The events of an answer, made as they are sent, so that a client that has gone away ends the
/// model's work.
private actor EventSource {
  private var first: ServedPart?
  private var rest: PartSource?
  private var writer: any AnswerWriter

  init(first: ServedPart?, rest: PartSource, writer: any AnswerWriter) {
    self.first = first
    self.rest = rest
    self.writer = writer
  }

  func next() async -> [UInt8]? {
    guard let rest else { return nil }
    do {
      let part = if let first { first } else { try await rest.next() }
      first = nil
      if let part { return writer.write(part).flatMap(\.bytes) }
      self.rest = nil
      return nil
    } catch {
      self.rest = nil
      return writer.failure(ServeProblem(error)).bytes
    }
  }
}

/// Events as the body of a response, which is read once.
private struct EventBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let source: EventSource

  func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let source: EventSource

    mutating func next() async throws -> UInt8? { nil }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      await source.next()
    }
  }
}

extension HTTPServer {
  /// The port that is listened at; nil before.
  package var listeningPort: UInt16? {
    switch listeningAddress {
    case .ip4(_, let port)?, .ip6(_, let port)?: port
    default: nil
    }
  }
}
