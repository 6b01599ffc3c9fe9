// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Checksums
import Foundation

extension SHA256 {
  /// The digest of a file in hexadecimal digits.
  ///
  /// - Throws: `CancellationError`, or what the file system throws.
  static func digest(
    of file: URL, progress: @Sendable (FetchProgress) -> Void
  ) throws -> String {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    var hash = SHA256()
    var completed = 0
    while let piece = try handle.read(upToCount: 1 << 22), !piece.isEmpty {
      try Task.checkCancellation()
      piece.withUnsafeBytes { hash.update($0) }
      completed += piece.count
      progress(FetchProgress(stage: .checking, completed: completed, total: size ?? completed))
    }
    return hash.digest()
  }
}
