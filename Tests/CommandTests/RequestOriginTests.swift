// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@testable import ModelServing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Whose requests a server takes that asks for no key.
@Suite struct RequestOriginTests {
  @Test(arguments: [
    ("localhost:8080", nil), ("127.0.0.1:8080", nil), ("[::1]:8080", nil), ("LOCALHOST", nil),
    (nil, nil), ("localhost:8080", "http://localhost:3000"), ("localhost", "http://[::1]"),
  ])
  func local(host: String?, origin: String?) {
    #expect(RequestOrigin(host: host, origin: origin).isLocal)
  }

  @Test(arguments: [
    ("evil.example:8080", nil), ("localhost.evil.example", nil), ("127.0.0.1.evil.example:80", nil),
    ("localhost:8080", "https://evil.example"), ("localhost", "null"), ("localhost", ""),
    ("localhost", "http://localhost.evil.example"), ("", nil),
    ("localhost", "http://localhost@evil.example"),
  ])
  func foreign(host: String?, origin: String?) {
    #expect(!RequestOrigin(host: host, origin: origin).isLocal)
  }

  @Test(arguments: [(nil, 403), ("secret", 200)])
  func aPageOfAnotherSiteNeedsTheKey(key: String?, status: Int) async throws {
    let model = try ServedModel(SamplingLanguageModel(seed: 1), name: "sampling")
    let server = try ModelServer(model: model, key: key).listener(host: "127.0.0.1", port: 0)
    let task = Task { try await server.run() }
    defer { task.cancel() }
    let port = try #require(await server.port())
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/v1/models")))
    request.setValue("https://example.org", forHTTPHeaderField: "Origin")
    if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
    let (data, response) = try await URLSession.shared.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == status)
    #expect(String(decoding: data, as: UTF8.self).contains("key") == (status == 403))
  }
}
