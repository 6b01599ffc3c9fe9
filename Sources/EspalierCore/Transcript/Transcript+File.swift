// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Transcript {
  /// Reads a transcript from a file.
  ///
  /// - Parameter file: The file, as ``write(to:)`` or a `JSONEncoder` wrote it.
  /// - Throws: ``StoredFileError`` with the path, the byte and what was expected there.
  public init(contentsOf file: URL) throws {
    self = try StoredFile.value(Transcript.self, in: file, decoder: JSONDecoder())
  }

  /// Writes the transcript to a file, as JSON: the whole of it or, where that fails, nothing.
  ///
  /// - Throws: Where the file cannot be written.
  public func write(to file: URL) throws {
    try JSONEncoder().encode(self).write(to: file, options: .atomic)
  }
}
