// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import FlyingSocks
import Foundation

/// Answers requests: the routes, the key, and streams.
package struct ModelServer: Sendable {
  let model: ServedModel
  /// What requests must bring; nothing where nil.
  var key: String?
  /// Takes a line for each request that was answered.
  let log: @Sendable (String) -> Void
  let counters = RequestCounters()

  /// The greatest number of bytes of a request's body.
  static let requestSizeLimit = 16 << 20

  package init(
    model: ServedModel, key: String?, log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.model = model
    self.key = key
    self.log = log
  }

  /// A listener that is ready to run.
  ///
  /// - Throws: An error of the system where the address is none.
  package func listener(host: String, port: UInt16) throws -> HTTPListener {
    let name =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    return HTTPListener(
      address: name.contains(":")
        ? try sockaddr_in6.inet6(ip6: name, port: port)
        : try sockaddr_in.inet(ip4: name == "localhost" ? "127.0.0.1" : name, port: port),
      server: self)
  }

  /// Writes a line about a request to the log.
  ///
  /// - Parameters:
  ///   - isGone: Whether the client left, perhaps after its answer.
  ///   - isCut: Whether the answer could not be sent to its end.
  func record(
    _ reply: HTTPReply, of head: RequestHead?, client: String,
    since start: ContinuousClock.Instant, isGone: Bool = false, isCut: Bool = false
  ) {
    // Who watches over the server asks often, and only a failure is news.
    if ["/health", "/metrics"].contains(head?.path), reply.status == 200 { return }
    var line = RequestLine(
      client: client, head: head, status: reply.status, duration: .now - start,
      problem: reply.problem ?? reply.record.problem, end: reply.record.end)
    if isCut || (isGone && line.problem?.code == ServeProblem.stopped) {
      // The number that nginx gave it.
      line.status = 499
      line.problem = nil
    }
    counters.add(line)
    log(line.description)
  }

  /// Why a request is refused before its body is read; nil where it is not.
  func refusal(of head: RequestHead) -> ServeProblem? {
    let origin = RequestOrigin(host: head["host"], origin: head["origin"])
    guard key != nil || origin.isLocal else {
      return ServeProblem(
        403,
        "Without a key, requests are taken from programs and pages of this machine alone. "
          + "Start the server with --key-variable, and send the key.")
    }
    guard head.path == "/health" || isAuthorized(head) else {
      return ServeProblem(401, "Incorrect API key provided, or none.", code: "invalid_api_key")
    }
    guard let method = Self.method(of: head.path) else {
      return ServeProblem(404, "There is no \(head.method) \(head.path) here.")
    }
    guard head.method == method || (head.method == "HEAD" && method == "GET") else {
      var problem = ServeProblem(
        405, "\(head.path) is asked with \(method), not with \(head.method).")
      problem.allowedMethod = method
      return problem
    }
    return nil
  }

  /// The answer to a request that was read whole.
  func reply(to head: RequestHead, body: Data) async -> HTTPReply {
    do {
      switch head.path {
      case "/health": return HTTPReply(.members(["status": "ok"]))
      case "/metrics":
        return HTTPReply(type: "text/plain; version=0.0.4", Array(counters.text.utf8))
      case "/": return HTTPReply(type: "text/html; charset=utf-8", Array(FormPage.html.utf8))
      case "/v1/models": return HTTPReply(models)
      case "/v1/chat/completions": return try await answer(read(.chat, body))
      case "/v1/responses": return try await answer(read(.responses, body))
      case "/v1/chat/completions/input_tokens": return try await count(read(.chat, body))
      case "/v1/responses/input_tokens": return try await count(read(.responses, body))
      default:
        let name = String(head.path.dropFirst(Self.modelPath.count))
        try requireName(name.removingPercentEncoding ?? name)
        return HTTPReply(modelCard)
      }
    } catch {
      return HTTPReply(ServeProblem(error))
    }
  }

  private static let modelPath = "/v1/models/"

  /// The method that a route is asked with; nil where there is no such route.
  private static func method(of path: String) -> String? {
    switch path {
    case "/", "/health", "/metrics", "/v1/models": "GET"
    case "/v1/chat/completions", "/v1/responses", "/v1/chat/completions/input_tokens",
      "/v1/responses/input_tokens":
      "POST"
    default: path.hasPrefix(modelPath) ? "GET" : nil
    }
  }

  /// Compares all bytes of a key, however early they differ.
  private func isAuthorized(_ head: RequestHead) -> Bool {
    guard let key else { return true }
    let given = Array((head["authorization"] ?? "").utf8)
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

  private func read(_ route: ServedRequest.Route, _ body: Data) throws -> ServedRequest {
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

  private func count(_ served: ServedRequest) async throws -> HTTPReply {
    guard let count = try await model.tokenCount(of: served) else {
      throw ServeProblem(501, "The model does not count tokens.")
    }
    return HTTPReply(.members(["object": "response.input_tokens", "input_tokens": count]))
  }

  private func answer(_ served: ServedRequest) async throws -> HTTPReply {
    let id = UUID().uuidString.lowercased()
    let created = Int(Date().timeIntervalSince1970)
    var writer: any AnswerWriter =
      switch served.route {
      case .chat: ChatWriter(id: id, model: model.name, created: created, request: served)
      case .responses: ResponsesWriter(id: id, model: model.name, created: created)
      }
    // Until the first part is there, what goes wrong is an error with a status of its own.
    let parts = PartSource(ServedAnswer.parts(of: served, model: model))
    let first: ServedPart?
    do {
      first = try await parts.next()
    } catch { throw ServeProblem(error, answering: served) }
    if first == nil { try Task.checkCancellation() }
    if served.streams { return HTTPReply(EventSource(first: first, rest: parts, writer: writer)) }
    var end = ServedEnd()
    var next = first
    while let part = next {
      _ = writer.write(part)
      if case .end(let stated) = part { end = stated }
      do {
        next = try await parts.next()
      } catch { throw ServeProblem(error, answering: served) }
    }
    // A task that ends early reads the end of the parts.
    try Task.checkCancellation()
    let reply = HTTPReply(writer.whole(end))
    reply.record.end = end
    return reply
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
actor EventSource {
  private var first: ServedPart?
  private var rest: PartSource?
  private var writer: any AnswerWriter
  nonisolated let record = AnswerRecord()

  fileprivate init(first: ServedPart?, rest: PartSource, writer: any AnswerWriter) {
    self.first = first
    self.rest = rest
    self.writer = writer
  }

  func next() async -> [UInt8]? {
    guard let rest else { return nil }
    do {
      let part = if let first { first } else { try await rest.next() }
      first = nil
      // A task that ends early reads the end of the parts.
      if part == nil { try Task.checkCancellation() }
      guard let part else {
        self.rest = nil
        return nil
      }
      if case .end(let end) = part { record.end = end }
      return writer.write(part).flatMap(\.bytes)
    } catch {
      self.rest = nil
      let problem = ServeProblem(error)
      record.problem = problem
      return writer.failure(problem).bytes
    }
  }
}
