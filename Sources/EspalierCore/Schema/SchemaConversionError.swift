// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why a schema cannot be turned into JSON Schema, or JSON Schema into a schema.
public struct SchemaConversionError: ExplainedError, Sendable, Equatable {
  /// Where in the document, as a JSON Pointer (RFC 6901); empty for the whole of it.
  public var location: String

  /// What is wrong there.
  public var problem: String

  /// What to do about it.
  public var suggestion: String

  public var userMessage: ErrorMessage { ErrorMessage(.unusableForm) }

  public var problemDescription: String {
    location.isEmpty ? problem : "\(problem) (at \(location))"
  }

  public var recoverySuggestion: String? { suggestion }
}
