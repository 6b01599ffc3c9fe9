// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why a file cannot be read as a model.
public struct GGUFError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The field of the file, the metadata key or the tensor that is wrong.
  public var field: String
  /// Where in the file, in bytes from its start; nil where no one place is at fault.
  public var offset: Int?
  /// What was expected, and what was found.
  public var message: String

  /// Creates an error.
  public init(field: String, offset: Int? = nil, message: String) {
    self.field = field
    self.offset = offset
    self.message = message
  }

  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    return "GGUF: \(field)\(place): \(message)"
  }
}
