public import Foundation

/// Why a schema cannot be turned into JSON Schema, or JSON Schema into a schema.
public struct SchemaConversionError: LocalizedError, Sendable, Equatable {
  /// Where in the document, as a JSON Pointer (RFC 6901).
  public var pointer: String

  /// What is wrong there.
  public var problem: String

  /// What to do about it.
  public var suggestion: String

  public var errorDescription: String? {
    pointer.isEmpty ? problem : "\(problem) (at \(pointer))"
  }

  public var recoverySuggestion: String? { suggestion }
}
