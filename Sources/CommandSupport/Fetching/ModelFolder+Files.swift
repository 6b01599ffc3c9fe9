// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Checksums
import Foundation

extension ModelFolder {
  /// A file of the folder.
  package struct Entry: Sendable, Hashable {
    /// The file's name.
    package var fileName: String
    /// The file's size in bytes.
    package var byteCount: Int
    /// The file's path.
    package var path: String
  }

  /// The model files that are there, by name.
  package var entries: [Entry] {
    let files = try? FileManager.default.contentsOfDirectory(
      at: url, includingPropertiesForKeys: [.fileSizeKey], options: .skipsHiddenFiles)
    return (files ?? []).filter { $0.pathExtension == "gguf" }.map { file in
      let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
      return Entry(
        fileName: file.lastPathComponent, byteCount: size ?? 0,
        path: url.appending(path: file.lastPathComponent).path)
    }.sorted { $0.fileName < $1.fileName }
  }

  /// The path that a person means by a name: that of a file of the folder, where no file of this path
  /// exists elsewhere. A `~` that the shell left, as in `--model=~/NAME.gguf`, is the home folder.
  package func path(named name: String) -> String {
    let name = name.hasPrefix("~/") ? NSString(string: name).expandingTildeInPath : name
    guard !name.contains("/"), !FileManager.default.fileExists(atPath: name) else { return name }
    let file = url.appending(path: name).path
    return name.hasSuffix(".gguf") && FileManager.default.fileExists(atPath: file) ? file : name
  }
}

#if os(macOS) || os(Linux) || os(Windows)
  extension ModelFolder {
    /// Makes sure that a file is there, and downloads it where not.
    ///
    /// What was downloaded when a fetch was stopped lies in `.NAME.part`; the next fetch goes on there.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - progress: Called now and then with how far it has come.
    /// - Returns: The file's path, and its SHA-256 digest where it was computed: for a file that was
    ///   downloaded, and one that was there and has a digest to be compared with.
    /// - Throws: ``FileFetchError``, `CancellationError`, or what the file system throws.
    package func fetch(
      _ file: PublishedFile, progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
    ) async throws -> (path: String, sha256: String?) {
      let target = url.appending(path: file.fileName)
      let part = url.appending(path: ".\(file.fileName).part")
      try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
      let lock = try await FolderLock(part.appending(path: "lock").path)
      defer { lock.release() }
      if FileManager.default.fileExists(atPath: target.path) {
        try FileManager.default.removeItem(at: part)
        guard let expected = file.sha256 else { return (target.path, nil) }
        let found = try SHA256.digest(of: target, progress: progress)
        // It may be another file of the same name, which is the user's.
        guard found == expected else {
          throw FileFetchError.otherFile(path: target.path, expected: expected, found: found)
        }
        return (target.path, found)
      }
      let download = part.appending(path: file.fileName)
      try await FileDownload(
        source: file, target: download, destination: target.path, silenceLimit: silenceLimit
      ) { completed, total in
        progress(
          FetchProgress(stage: .downloading, completed: completed, total: total ?? completed))
      }.run()
      let found = try SHA256.digest(of: download, progress: progress)
      guard file.sha256 ?? found == found else {
        try FileManager.default.removeItem(at: part)
        throw FileFetchError.wrongDigest(expected: file.sha256 ?? "", found: found)
      }
      // Both are on the same file system, so that the file is there whole or not at all.
      try FileManager.default.moveItem(at: download, to: target)
      try FileManager.default.removeItem(at: part)
      return (target.path, found)
    }
  }
#endif
