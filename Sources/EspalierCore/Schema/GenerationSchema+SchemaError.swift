// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension GenerationSchema {
  /// Why dynamic schemas do not make a schema.
  public enum SchemaError: ExplainedError {
    /// Two different schemas have one name.
    case duplicateType(schema: String?, type: String, context: Context)
    /// Two properties of one schema have one name.
    case duplicateProperty(schema: String, property: String, context: Context)
    /// A choice has nothing to choose from.
    case emptyTypeChoices(schema: String, context: Context)
    /// A reference names a schema that is not there.
    case undefinedReferences(schema: String?, references: [String], context: Context)

    /// What more there is to say about an error.
    public struct Context: Sendable {
      /// The error in words for a developer.
      public let debugDescription: String

      /// Creates a context.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    public var userMessage: ErrorMessage { ErrorMessage(.unusableForm) }

    public var problemDescription: String {
      switch self {
      case .duplicateType(_, _, let context), .duplicateProperty(_, _, let context),
        .emptyTypeChoices(_, let context), .undefinedReferences(_, _, let context):
        context.debugDescription
      }
    }

    public var description: String { description(ofCase: nameOfCase) }

    public var recoverySuggestion: String? {
      switch self {
      case .duplicateType(_, let type, _):
        "Give one of the schemas named '\(type)' another name."
      case .duplicateProperty(_, let property, _):
        "Remove or rename one of the properties named '\(property)'."
      case .emptyTypeChoices(let schema, _): "Give '\(schema)' at least one choice."
      case .undefinedReferences(_, let references, _):
        "Add schemas named \(references.map { "'\($0)'" }.joined(separator: ", ")) to the "
          + "dependencies."
      }
    }
  }
}
