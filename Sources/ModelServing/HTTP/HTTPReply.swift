// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation

/// What a request is answered with.
struct HTTPReply: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case events(EventSource)
  }

  var status: Int
  var fields: [(name: String, value: String)]
  var body: Body
  /// Why there is no answer.
  var problem: ServeProblem?
  /// How an answer ended.
  var record = AnswerRecord()

  init(status: Int = 200, type: String, _ bytes: [UInt8]) {
    self.status = status
    fields = [("Content-Type", type)]
    body = .bytes(bytes)
  }

  init(_ content: GeneratedContent, status: Int = 200) {
    self.init(status: status, type: "application/json", Array(content.jsonString.utf8))
  }

  init(_ problem: ServeProblem) {
    self.init(problem.content, status: problem.status)
    self.problem = problem
    if let method = problem.allowedMethod { fields.append(("Allow", method)) }
  }

  init(_ events: EventSource) {
    status = 200
    fields = [("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-cache")]
    body = .events(events)
    record = events.record
  }

  /// The first line and the fields, with what says where the body ends.
  ///
  /// - Parameter isLast: Whether the connection is closed afterwards.
  func head(isChunked: Bool, isLast: Bool) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status) \(Self.phrases[status] ?? "Status")"]
    lines += fields.map { "\($0.name): \($0.value)" }
    switch body {
    case .bytes(let bytes): lines.append("Content-Length: \(bytes.count)")
    case .events: if isChunked { lines.append("Transfer-Encoding: chunked") }
    }
    lines.append("Connection: \(isLast ? "close" : "keep-alive")")
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  private static let phrases = [
    200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 413: "Content Too Large",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]
}
