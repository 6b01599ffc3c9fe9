// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// How a model is told of the schema of its response.
///
/// The grammar holds the response to the schema either way; a prompt helps the model to know what
/// belongs where.
public struct SchemaPrompt: Sendable, Hashable {
  /// The notation of the schema.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// `{guest: string (name of the guest), nights: integer 1-14}`
    case typeNotation
    /// `{"type": "object", "properties": …}`
    case jsonSchema
  }

  /// Where the schema stands.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// In the system's message.
    case system
    /// Before the text of the prompt.
    case beforePrompt
    /// After the text of the prompt.
    case afterPrompt
  }

  /// The notation.
  public var form: Form
  /// The place.
  public var place: Place

  /// Creates a way to tell of schemas.
  public init(form: Form = .typeNotation, place: Place = .system) {
    self.form = form
    self.place = place
  }

  /// What the model is told.
  func text(for schema: GenerationSchema) throws -> String {
    switch form {
    case .typeNotation: "Answer with JSON: \(try TypeNotation(schema).text)"
    case .jsonSchema: "Answer with JSON of this schema: \(try schema.jsonSchema())"
    }
  }
}
