// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierServer

/// The head of a request, as RFC 9112 has it: its first line and its fields.
///
/// What could be read in two ways is refused, because a proxy before this server may read it the other
/// way (request smuggling): two lengths, a length beside chunks, a space before a colon.
struct RequestHead: Sendable {
  /// What follows the head.
  enum Body: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
  }

  let method: String
  /// The path, without the query.
  let path: String
  /// Whether the client speaks HTTP/1.0, which knows no chunks.
  let isOld: Bool
  let body: Body
  private let fields: [(name: String, value: String)]

  /// Reads the bytes before the empty line.
  ///
  /// - Throws: ``ServeProblem`` where they are no head.
  init(_ bytes: some Collection<UInt8>) throws {
    // Field values may have other bytes than those of UTF-8.
    var lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.last == "\r" ? $0.dropLast() : $0 }
    let first = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard first.count == 3, !first[0].isEmpty, first[0].allSatisfy(Self.isTokenPart),
      !first[1].isEmpty
    else {
      throw ServeProblem(400, "Expected a request line such as 'GET /health HTTP/1.1'.")
    }
    method = String(first[0])
    path = Self.path(of: String(first[1]))
    switch String(first[2]) {
    case "HTTP/1.1": isOld = false
    case "HTTP/1.0": isOld = true
    default: throw ServeProblem(505, "Expected HTTP/1.1.")
    }
    fields = try lines.map { line in
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
        line[..<colon].allSatisfy(Self.isTokenPart)
      else {
        throw ServeProblem(400, "Expected a field such as 'Host: localhost' in each line.")
      }
      let value = Self.trimmed(Substring(line[line.index(after: colon)...]))
      return (String(line[..<colon]).lowercased(), String(value))
    }
    body = try Self.body(fields)
  }

  /// The value of a field, by its name in small letters; the values of several are a list.
  subscript(name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Whether a field that is a list of words has one of them, in whatever case.
  func has(_ word: String, in name: String) -> Bool {
    self[name]?.split(separator: ",").contains { Self.trimmed($0).lowercased() == word } ?? false
  }

  /// Whether the client sends further requests over the connection.
  var keepsConnection: Bool {
    isOld ? has("keep-alive", in: "connection") : !has("close", in: "connection")
  }

  private static func body(_ fields: [(name: String, value: String)]) throws -> Body {
    let codings = fields.filter { $0.name == "transfer-encoding" }.map(\.value)
    let lengths = fields.filter { $0.name == "content-length" }.map(\.value)
    guard codings.isEmpty else {
      guard lengths.isEmpty else {
        throw ServeProblem(400, "Expected Content-Length or Transfer-Encoding, found both.")
      }
      guard codings.count == 1, trimmed(codings[0][...]).lowercased() == "chunked" else {
        throw ServeProblem(501, "The only Transfer-Encoding taken is 'chunked'.")
      }
      return .chunked
    }
    guard let text = lengths.first else { return .none }
    guard lengths.allSatisfy({ $0 == text }), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let length = Int(text)
    else {
      throw ServeProblem(400, "Expected a number of bytes as Content-Length.")
    }
    return length == 0 ? .none : .length(length)
  }

  private static func path(of target: String) -> String {
    var target = target[...]
    // A client that takes this server for a proxy names it.
    if let scheme = target.firstRange(of: "://"), !target.hasPrefix("/") {
      target = target[scheme.upperBound...]
      target = target.firstIndex(of: "/").map { target[$0...] } ?? "/"
    }
    return String(target.prefix { $0 != "?" && $0 != "#" })
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let text = text.drop { $0 == " " || $0 == "\t" }
    guard let end = text.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return text[...end]
  }

  private static func isTokenPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^",
      "_", "`", "|", "~":
      true
    default: false
    }
  }
}
