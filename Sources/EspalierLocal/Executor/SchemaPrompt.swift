// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import EspalierCore

/// How a model is told of the schema of its response.
///
/// The grammar holds the response to the schema either way; a prompt helps the model to know what
/// belongs where. A ``GGUFTokenModel`` chooses the form by its size.
public struct SchemaPrompt: Sendable, Hashable {
  /// The notation of the schema.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// `{guest: string (name of the guest), nights: integer 1-14}`
    case typeNotation
    /// `{"type": "object", "properties": …}`
    case jsonSchema
    /// `guest: name of the guest.`: what members mean, and nothing of their types
    case descriptions
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

  /// The way for a model of so many weights.
  ///
  /// A model of fewer than half a billion is told what members mean, but not of their types:
  /// SmolLM2-135M, which has the figures, fills fewer fields rightly where it is told of both.
  init(weightCount: Int) {
    self.init(form: weightCount < 500_000_000 ? .descriptions : .typeNotation)
  }

  /// What the model is told.
  package func text(for schema: GenerationSchema) throws -> String {
    switch form {
    case .typeNotation: "Answer with JSON: \(try TypeNotation(schema).text)"
    case .jsonSchema: "Answer with JSON of this schema: \(try schema.jsonSchema())"
    case .descriptions:
      ["Answer with JSON.", try SchemaDescriptions(schema).text].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
  }
}
