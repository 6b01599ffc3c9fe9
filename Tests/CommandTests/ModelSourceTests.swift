// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import CommandSupport
import EspalierLocal
import Foundation
import Testing

/// What `--model` means. Nothing is downloaded: the folder's Python is not there.
@Suite struct ModelSourceTests {
  private func folder() -> ModelFolder {
    ModelFolder(
      url: FileManager.default.temporaryDirectory.appending(path: UUID().uuidString),
      python: "/no/such/python")
  }

  @Test func names() {
    #expect(ModelSource(nil) == .any)
    #expect(ModelSource("sampling") == .sampling)
    #expect(ModelSource("smollm2") == .smolLM2)
    #expect(ModelSource("./sampling") == .file("./sampling"))
    #expect(ModelSource("http://") == .file("http://"))
    guard case .server(let server) = ModelSource("http://localhost:11434#qwen3:0.6b") else {
      Issue.record("no server")
      return
    }
    #expect(server.url.absoluteString == "http://localhost:11434")
    #expect(server.model == "qwen3:0.6b")
    #expect(ModelSource("localhost:11434#qwen3:0.6b") == .server(server))
    #expect(ModelSource("gpu-host:8000") == .file("gpu-host:8000"))
  }

  @Test func aScriptDownloadsNothing() async throws {
    let folder = folder()
    let choice = try await ModelSource.any.choice(folder: folder, isInteractive: false)
    #expect(choice.path == nil && choice.remark == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
  }

  @Test func whatCannotBeFetched() async throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(at: folder.url) }
    let choice = try await ModelSource.any.choice(folder: folder, isInteractive: true)
    #expect(choice.path == nil)
    #expect(choice.remark?.contains("/no/such/python") == true)
    await #expect(throws: ModelFetchError.self) {
      try await ModelSource.smolLM2.choice(folder: folder, isInteractive: false)
    }
  }

  @Test func aFetchedModelIsTaken() async throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(at: folder.url) }
    let path = folder.path(of: .smolLM2)
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    // As long as the model, and empty: a file with a hole takes no room.
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: UInt64(PublishedModel.smolLM2.byteCount))
    try file.close()
    #expect(try await ModelSource.any.choice(folder: folder, isInteractive: false).path == path)
    #expect(try await ModelSource.sampling.choice(folder: folder, isInteractive: true).path == nil)
  }

  @Test func bar() {
    #expect(ProgressBar.bar(0.5).hasPrefix(String(repeating: "█", count: 20) + "░"))
    #expect(ProgressBar.bar(1).hasSuffix(" 100 %"))
  }
}
