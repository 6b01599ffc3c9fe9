// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an answer that is no success means, in the errors that policies and wrappers act on.
///
/// Servers agree on the status and on little else: the body is `{"error": {"message": …}}`,
/// `{"error": "…"}`, `{"message": …}`, `{"detail": …}` or text. A context that is full has a type of its
/// own at llama-server and OpenAI, and is told by its words elsewhere.
struct ServerFailure {
  var server: String
  var status: Int
  var head: HTTPHead?
  /// The model that was asked for.
  var model: String?
  /// The greatest number of tokens that the model is known to read.
  var contextSize: Int?
  /// The number of bytes that were sent.
  var requestSize = 0
  /// What must not be seen.
  var secret: String?

  /// The error for the body of an answer.
  func error(body: [UInt8]) -> any Error {
    let text = String(decoding: body.prefix(1 << 16), as: UTF8.self)
    return error(body: try? GeneratedContent(json: text), text: text)
  }

  /// The error for an event within a stream.
  func error(event: GeneratedContent) -> any Error { error(body: event, text: event.jsonString) }

  private func error(body: GeneratedContent?, text: String) -> any Error {
    var inner = body?["error"] ?? body
    // Some put an object into a text: `{"error": "{\"error\": {\"message\": …"}`.
    if let nested = inner?["message"]?.asText ?? inner?.asText, nested.hasPrefix("{"),
      let content = try? GeneratedContent(json: nested)
    {
      inner = content["error"] ?? content
    }
    let detail = inner?["detail"] ?? body?["detail"]
    let said =
      inner?.asText ?? inner?["message"]?.asText ?? detail?.asText
      ?? detail?.asList?.first?["msg"]?.asText ?? text
    let message = Self.line(said, without: secret) + requestMark
    let code = [inner?["code"]?.asText, inner?["type"]?.asText].compactMap(\.self).joined(
      separator: " ")
    var status = status
    if status == 200 || status == 0 { status = inner?["code"]?.asInteger ?? 500 }
    if let overflow = overflow(said, code: code, details: inner) {
      return LanguageModelError.contextSizeExceeded(overflow)
    }
    // `{"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]}`
    let place = detail?.asList?.first?["loc"]?.asList?.compactMap(\.asText).dropFirst()
    let refused = RefusedField(
      message: said, code: code, parameter: inner?["param"]?.asText ?? place?.joined(separator: ".")
    )
    switch status {
    case 300..<400: return redirection()
    // Some answer so to a field that the model does not take.
    case 403 where refused != nil: return notTaken(message, status, refused)
    case 401, 403:
      return ServerError(
        .unauthorized, server: server, status: status, problem: "The server said: \(message)",
        suggestion: "Give the model a key that the server takes ('apiKey:').")
    case 404:
      return ServerError(
        .notFound, server: server, status: status, problem: "The server said: \(message)",
        suggestion: model.map { "Check the address and the name of the model ('\($0)')." }
          ?? "Check the address.")
    case 408, 504:
      return LanguageModelError.timeout(
        .init(debugDescription: "\(server) gave up waiting (\(status)): \(message)"))
    case 429 where code.contains("insufficient_quota"):
      return ServerError(
        .unauthorized, server: server, status: status, problem: "The server said: \(message)",
        suggestion: "Look at the credit of the key's account: waiting does not help.")
    case 429: return rateLimited(message)
    case 503 where head?["Retry-After"] != nil: return rateLimited(message)
    case 500...:
      return ServerError(
        .serverFailure, server: server, status: status,
        problem: "The server failed (\(status)): \(message)",
        suggestion: "Try again; the server's log says more.")
    default: return notTaken(message, status, refused)
    }
  }

  /// By what those who run the server find the request; empty where it has no such field.
  private var requestMark: String {
    guard let id = head?["x-request-id"], !id.isEmpty else { return "" }
    return " (request \(Self.line(id, without: secret).prefix(100)))"
  }

  private func notTaken(_ message: String, _ status: Int, _ field: RefusedField?) -> ServerError {
    var error = ServerError(
      .badRequest, server: server, status: status,
      problem: "The server does not take the request (\(status)): \(message)",
      suggestion: "The message says what to change, or a profile of the server that leaves it out.")
    error.refusedField = field
    return error
  }

  private func redirection() -> ServerError {
    let target = head?["Location"].map { Self.line($0, without: secret) }
    return ServerError(
      .badRequest, server: server, status: status,
      problem: "The server sends requests on to \(target ?? "elsewhere") (\(status)), and "
        + "redirections are not followed: the prompt and the key are for this server alone.",
      suggestion: "Give the model the address that answers, where you trust it.")
  }

  private func rateLimited(_ message: String) -> any Error {
    LanguageModelError.rateLimited(
      .init(resetDate: head.flatMap(Self.resetDate), debugDescription: "\(server): \(message)"))
  }

  /// When requests are taken again: `retry-after-ms`, or `Retry-After` in seconds or as a date.
  private static func resetDate(_ head: HTTPHead) -> Date? {
    if let text = head["retry-after-ms"], let milliseconds = Double(text), milliseconds >= 0,
      milliseconds < 1e12
    {
      return Date(timeIntervalSinceNow: milliseconds / 1000)
    }
    guard let text = head["Retry-After"]?.trimmingCharacters(in: .whitespaces) else { return nil }
    if let seconds = Double(text) {
      return seconds >= 0 && seconds < 1e9 ? Date(timeIntervalSinceNow: seconds) : nil
    }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return formatter.date(from: text)
  }

  /// What a full context is called: by its type, or in words.
  private func overflow(
    _ message: String, code: String, details: GeneratedContent?
  ) -> LanguageModelError.ContextSizeExceeded? {
    let lowercased = message.lowercased()
    // "maximum context length is 2048 tokens", "exceeds the available context size", "Trying to keep
    // the first 900 tokens when context the overflows", "the input length exceeds the context length"
    let isOverflow =
      code.contains("exceed_context_size") || code.contains("context_length_exceeded")
      || lowercased.contains("context")
        && ["token", "length", "size", "window"].contains { lowercased.contains($0) }
        && ["maximum", "exceed", "too long", "longer than", "greater than", "overflow"]
          .contains { lowercased.contains($0) }
    guard isOverflow else { return nil }
    let numbers = message.split { !$0.isNumber }.compactMap { Int($0) }.filter { $0 > 1 }
    let size =
      details?["n_ctx"]?.asInteger ?? Self.statedSize(lowercased) ?? contextSize ?? numbers.first
    let others = numbers.filter { $0 != size }
    // About four bytes are a token. A server that says nothing reads less than it was sent.
    let sent = max(2, requestSize / 4)
    let count = details?["n_prompt_tokens"]?.asInteger ?? others.max() ?? sent
    // No context is larger; a server may say anything.
    let known = min(max(size ?? sent - 1, 1), 1 << 28)
    return .init(
      contextSize: known,
      tokenCount: count > known ? count : known + 1,
      debugDescription: "\(server): \(Self.line(message, without: secret))")
  }

  /// The number after the words for the size of the context.
  private static func statedSize(_ message: String) -> Int? {
    let pattern = #/context (?:length|size|window)\D{0,40}?(\d+)/#
    return message.firstMatch(of: pattern).flatMap { Int($0.1) }.flatMap { $0 > 1 ? $0 : nil }
  }

  /// The first line of what a server says, without the key, and of a length that a log can take.
  static func line(_ text: String, without secret: String?) -> String {
    var text = text
    if let secret, secret.count >= 4 {
      text = text.replacingOccurrences(of: secret, with: "(key)")
      // "Incorrect API key provided: sk-abc***xyz": a part of the key is the key's too.
      let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
        word.contains(secret.prefix(3)) && word.contains("*") ? "(key)" : String(word)
      }
      text = words.joined(separator: " ").replacing(#/sk-[A-Za-z0-9_*.\-]{4,}/#, with: "(key)")
    }
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "nothing"
    return line.count > 400 ? line.prefix(400) + "…" : line
  }

  /// The error for a connection that failed.
  static func error(_ error: any Error, server: String) -> any Error {
    guard let error = error as? URLError else { return error }
    switch error.code {
    case .cancelled: return CancellationError()
    case .timedOut:
      return LanguageModelError.timeout(
        .init(debugDescription: "\(server) sent nothing for too long."))
    case .networkConnectionLost:
      return ServerError(
        .endedEarly, server: server, problem: "The connection was lost before the answer ended.",
        suggestion: "Try again.")
    case .badURL, .unsupportedURL:
      return ServerError(
        .unreachable, server: server,
        problem: "Foundation on this system cannot ask such an address.",
        suggestion: "In place of an IPv6 address in brackets write a name, such as localhost.")
    default:
      return ServerError(
        .unreachable, server: server,
        problem: "Nobody answers (\(error.localizedDescription)).",
        suggestion: "Start the server, or check the address.")
    }
  }
}
