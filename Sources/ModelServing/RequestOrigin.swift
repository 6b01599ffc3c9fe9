// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Who lets a request be sent, as its head says.
///
/// A server without a key listens on this machine alone, but so does every browser on it. A page of
/// another site may send requests here, and a name of its own may lead here (DNS rebinding), so that it
/// could read the answers too. Programs send no `Origin`, and name this machine in `Host`.
struct RequestOrigin {
  /// What the request calls the server: a name or an address, with a port or without.
  var host: String?
  /// The page that a browser sends it for (RFC 6454): `https://example.org`.
  var origin: String?

  /// Whether the request comes from this machine, and from no page of another site.
  var isLocal: Bool {
    if let host, !Self.isLoopback(host) { return false }
    guard let origin else { return true }
    guard let scheme = origin.firstRange(of: "://") else { return false }
    return Self.isLoopback(String(origin[scheme.upperBound...]))
  }

  private static func isLoopback(_ authority: String) -> Bool {
    let name =
      authority.hasPrefix("[")
      ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
    return ["localhost", "127.0.0.1", "::1"].contains(name.lowercased())
  }
}
