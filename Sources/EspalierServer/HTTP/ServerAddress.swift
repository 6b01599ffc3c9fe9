// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a server is, and where its routes are.
///
/// An app gives what people have at hand: `http://localhost:8080`, `https://api.openai.com/v1`, or
/// even the whole address of a route. All three mean the same routes.
struct ServerAddress: Sendable, Hashable {
  /// The address that versioned routes follow: it ends in `/v1`, or what the server has for that.
  private let base: URL
  /// The address that other routes follow (`/health`).
  private let root: URL
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
    parts.query = nil
    parts.fragment = nil
    var path = parts.path.split(separator: "/").map(String.init)
    for route in [["chat", "completions"], ["responses"], ["models"], ["api", "chat"]]
    where path.count >= route.count && Array(path.suffix(route.count)) == route {
      path.removeLast(route.count)
    }
    let isVersion = path.last.map { $0.first == "v" && $0.dropFirst().allSatisfy(\.isNumber) }
    let rootPath = isVersion == true ? Array(path.dropLast()) : path
    parts.path =
      "/"
      + (rootPath + [isVersion == true ? path[path.count - 1] : "v1"])
      .joined(separator: "/")
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
    route.hasPrefix("/")
      ? root.appending(path: String(route.dropFirst())) : base.appending(path: route)
  }
}
