// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a server is, and where its routes are.
///
/// An app gives what people have at hand: `http://localhost:8080`, `https://api.openai.com/v1`, or
/// even the whole address of a route. `/v1` is added where neither a version nor a route is named. A
/// query (`?api-version=…`) goes with every request.
struct ServerAddress: Sendable, Hashable {
  /// The address that versioned routes follow: it ends in `/v1`, or in what the server has for that.
  private let base: URL
  /// The address that other routes follow (`/health`).
  private let root: URL
  /// What follows the path of every route, percent-encoded.
  private let query: String?
  /// The host and the port, for people to read.
  let name: String
  let host: String
  let port: Int?

  /// - Throws: ``ServerError`` where the address is not one of HTTP.
  init(_ url: URL) throws {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host(), !host.isEmpty,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else {
      throw ServerError(
        .badRequest, server: "",
        problem: "Expected an address that begins with http:// or "
          + "https:// and names a host.",
        suggestion: "Write it as http://localhost:8080.")
    }
    guard (0...65_535).contains(url.port ?? 0) else {
      throw ServerError(
        .badRequest, server: "",
        problem: "Expected a port of at most 65535, found \(url.port ?? 0).",
        suggestion: "Write it as http://localhost:8080.")
    }
    query = parts.percentEncodedQuery.flatMap { $0.isEmpty ? nil : $0 }
    parts.query = nil
    parts.fragment = nil
    var path = parts.path.split(separator: "/").map(String.init)
    // Whoever writes the whole address of a route has said where the routes are.
    var namesRoute = false
    for route in [["chat", "completions"], ["responses"], ["models"], ["api", "chat"]]
    where path.count >= route.count && Array(path.suffix(route.count)) == route {
      path.removeLast(route.count)
      namesRoute = route != ["api", "chat"]
      break
    }
    // `/v1`, and what hosts have in its place: `/v1beta/openai`.
    let version = path.firstIndex { $0.wholeMatch(of: #/v\d+(?:(?:alpha|beta)\d*)?/#) != nil }
    let rootPath = version.map { Array(path[..<$0]) } ?? path
    parts.path = "/" + (version != nil || namesRoute ? path : path + ["v1"]).joined(separator: "/")
    guard let base = parts.url else { throw CocoaError(.coderInvalidValue) }
    parts.path = rootPath.isEmpty ? "" : "/" + rootPath.joined(separator: "/")
    guard let root = parts.url else { throw CocoaError(.coderInvalidValue) }
    self.base = base
    self.root = root
    self.host = host
    port = url.port
    name = host + (url.port.map { ":\($0)" } ?? "")
  }

  /// The address of a route, from the root (`/health`) or below the version (`chat/completions`).
  func url(_ route: String) -> URL {
    let url =
      route.hasPrefix("/")
      ? root.appending(path: String(route.dropFirst())) : base.appending(path: route)
    guard let query, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      return url
    }
    parts.percentEncodedQuery = query
    return parts.url ?? url
  }
}
