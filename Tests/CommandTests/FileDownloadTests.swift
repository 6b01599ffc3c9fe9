// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Checksums
import FlyingFox
import FlyingSocks
import Foundation
import ModelServing
import Synchronization
import Testing

@testable import CommandSupport

/// Model files from an address; the server is in this process.
@Suite struct FileDownloadTests {
  /// A file of 300,000 bytes, and how it is handed out.
  private struct Host: Sendable {
    static let bytes = Array("GGUF".utf8) + (0..<299_996).map { UInt8($0 * 7 % 251) }
    static var digest: String {
      var hash = SHA256()
      bytes.withUnsafeBytes { hash.update($0) }
      return hash.digest()
    }

    /// The first bytes that were asked for, in order.
    let starts = Starts()
    /// The `ETag` of the n-th answer.
    var tag: @Sendable (Int) -> String = { _ in "\"one\"" }
    /// Whether the first answer stops after two thirds, for as long as somebody waits.
    var stalls = false
    /// Whether the first answer ends after two thirds.
    var breaks = false

    func answer(_ request: HTTPRequest) -> HTTPResponse {
      guard request.path.hasSuffix(".gguf") else {
        return HTTPResponse(
          statusCode: request.path == "/page" ? .ok : .notFound,
          headers: [.contentType: "text/html"], body: Data("<html></html>".utf8))
      }
      if request.path == "/huge.gguf" {
        return HTTPResponse(
          statusCode: .ok,
          body: HTTPBodySequence(
            from: Pieces(pieces: [Self.bytes], waits: true), count: 1 << 60,
            suggestedBufferSize: 1 << 16))
      }
      let tag = tag(starts.count)
      var start = 0
      if request.headers[HTTPHeader("If-Range")] == tag, let range = request.headers[.range] {
        start = Int(range.filter(\.isNumber)) ?? 0
      }
      starts.add(start)
      let rest = Array(Self.bytes[start...])
      var headers: HTTPHeaders = [HTTPHeader("ETag"): tag]
      if start > 0 {
        headers[HTTPHeader("Content-Range")] = "bytes \(start)-299999/300000"
      }
      let isStalled = stalls && starts.count == 1
      let isShort = isStalled || breaks && starts.count == 1
      return HTTPResponse(
        statusCode: start > 0 ? .partialContent : .ok, headers: headers,
        body: HTTPBodySequence(
          from: Pieces(
            pieces: isShort ? [Array(rest.prefix(200_000))] : [rest], waits: isStalled),
          count: rest.count, suggestedBufferSize: 1 << 16))
    }

    /// Runs the server beside a folder of its own.
    func run(_ body: (_ address: String, ModelFolder) async throws -> Void) async throws {
      let root = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
      defer { try? FileManager.default.removeItem(at: root) }
      let server = HTTPServer(
        address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 600, logger: .disabled,
        handler: ClosureHTTPHandler { answer($0) })
      let task = Task { try await server.run() }
      defer { task.cancel() }
      try await server.waitUntilListening(timeout: 600)
      let port = try #require(await server.listeningPort)
      // Other tests may keep the server waiting for a thread.
      try await body("http://127.0.0.1:\(port)", ModelFolder(url: root, silenceLimit: 1000))
    }
  }

  /// Fetches again where nothing came: beside hundreds of other tests the client may wait for a thread
  /// for longer than it waits for a connection.
  private static func patiently<Result>(
    _ fetch: () async throws -> Result
  ) async throws -> Result {
    for _ in 1..<10 {
      do { return try await fetch() } catch FileFetchError.interrupted(_, _, 0) {}
    }
    return try await fetch()
  }

  private final class Starts: Sendable {
    private let values = Mutex<[Int]>([])
    func add(_ value: Int) { values.withLock { $0.append(value) } }
    var all: [Int] { values.withLock { $0 } }
    var count: Int { all.count }
  }

  private struct Pieces: AsyncBufferedSequence, AsyncBufferedIteratorProtocol {
    typealias Element = UInt8
    var pieces: [[UInt8]]
    var waits: Bool

    func makeAsyncIterator() -> Pieces { self }
    mutating func next() async throws -> UInt8? { nil }
    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      if pieces.isEmpty, waits { try await Task.sleep(for: .seconds(3600)) }
      return pieces.isEmpty ? nil : pieces.removeFirst()
    }
  }

  @Test func aFileIsDownloadedOnce() async throws {
    let host = Host()
    try await host.run { address, folder in
      let file = try PublishedFile(url: "\(address)/models/tiny.gguf?download=true")
      let stages = Collected()
      let (path, digest) = try await Self.patiently {
        try await folder.fetch(file) { stages.add($0) }
      }
      let starts = host.starts.count
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(Host.bytes))
      #expect(digest == Host.digest)
      #expect(stages.all.contains { $0.stage == .downloading && $0.total == 300_000 })
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["tiny.gguf"])
      #expect(folder.entries.map(\.byteCount) == [300_000])
      #expect(folder.path(named: "tiny.gguf") == path)
      #expect(folder.path(named: "other.gguf") == "other.gguf")
      #expect(try await folder.fetch(file).path == path)
      #expect(host.starts.count == starts)
    }
  }

  @Test(arguments: [true, false])
  func whatWasStoppedGoesOnWhereTheFileIsTheSame(isSame: Bool) async throws {
    var host = Host(stalls: true)
    if !isSame { host.tag = { "\"\($0)\"" } }
    try await host.run { address, folder in
      let file = try PublishedFile(url: "\(address)/tiny.gguf", sha256: Host.digest)
      let stages = Collected()
      let hasEnded = Mutex(false)
      let first = Task {
        defer { hasEnded.withLock { $0 = true } }
        return try await Self.patiently { try await folder.fetch(file) { stages.add($0) } }
      }
      while !stages.all.contains(where: { $0.completed >= 200_000 }), !hasEnded.withLock({ $0 }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      let path = try await Self.patiently { try await folder.fetch(file).path }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(Host.bytes))
      #expect(host.starts.all.first == 0 && host.starts.all.last == (isSame ? 200_000 : 0))
    }
  }

  /// What the person reads where the connection ends is no number of an error.
  @Test func whatBreaksIsSaidInWords() async throws {
    try await Host(breaks: true).run { address, folder in
      let file = try PublishedFile(url: "\(address)/tiny.gguf", sha256: Host.digest)
      let error = await #expect(throws: FileFetchError.self) {
        try await Self.patiently { try await folder.fetch(file) }
      }
      #expect("\(error.map { "\($0)" } ?? "")".contains("the connection ended"))
      let path = try await Self.patiently { try await folder.fetch(file).path }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(Host.bytes))
    }
  }

  @Test func whatIsNoModel() async throws {
    try await Host().run { address, folder in
      func failure(_ path: String, sha256: String? = nil) async throws -> FileFetchError? {
        let file = try PublishedFile(url: address + path, fileName: "a.gguf", sha256: sha256)
        return await #expect(throws: FileFetchError.self) {
          try await Self.patiently { try await folder.fetch(file) }
        }
      }
      #expect(
        try await failure("/page") == .notAModel(url: "\(address)/page", kind: "text/html"))
      #expect(
        try await failure("/gone")
          == .refused(
            url: "\(address)/gone", status: 404, file: folder.url.appending(path: "a.gguf").path))
      let wrong = String(repeating: "0", count: 64)
      #expect(
        try await failure("/tiny.gguf", sha256: wrong)
          == .wrongDigest(expected: wrong, found: Host.digest))
      #expect(folder.entries.isEmpty)
      // A file of the same name is left alone.
      let right = try PublishedFile(url: "\(address)/tiny.gguf", fileName: "a.gguf")
      let path = try await Self.patiently { try await folder.fetch(right).path }
      #expect(
        try await failure("/tiny.gguf", sha256: wrong)
          == .otherFile(path: path, expected: wrong, found: Host.digest))
      #expect(folder.entries.map(\.path) == [path])
    }
  }

  /// Nothing is written where the disk cannot hold all of it.
  @Test func whatHasNoRoomIsNotBegun() async throws {
    try await Host().run { address, folder in
      let file = try PublishedFile(url: "\(address)/huge.gguf")
      let stages = Collected()
      let error = await #expect(throws: FileFetchError.self) {
        try await Self.patiently { try await folder.fetch(file) { stages.add($0) } }
      }
      guard case .noSpace(let path, 1 << 60, let available) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(path == folder.url.appending(path: "huge.gguf").path)
      #expect(0 < available && available < 1 << 60)
      #expect(stages.all.isEmpty)
      #expect(folder.entries.isEmpty)
    }
  }

  @Test(arguments: [
    "tiny.gguf", "ftp://host/tiny.gguf", "https:///tiny.gguf", "https://host/tiny.bin",
    "https://host/.gguf", "https://host/a%2F..%2Fb.gguf", "https://host/",
  ])
  func addressesThatAreNone(text: String) {
    #expect(throws: FileFetchError.self) { try PublishedFile(url: text) }
  }

  @Test func digestsThatAreNone() {
    #expect(throws: FileFetchError.notADigest("abc")) {
      try PublishedFile(url: "https://host/a.gguf", sha256: "abc")
    }
  }

  @Test func partsOfAModel() throws {
    let file = try PublishedFile(url: "https://host/x/big-00002-of-00003.gguf?a=b")
    #expect(
      file.parts.map(\.url.absoluteString)
        == (1...3).map {
          "https://host/x/big-0000\($0)-of-00003.gguf?a=b"
        })
    #expect(file.parts.map(\.fileName) == (1...3).map { "big-0000\($0)-of-00003.gguf" })
    let whole = try PublishedFile(url: "https://host/x/big.gguf")
    #expect(whole.parts == [whole])
  }
}
