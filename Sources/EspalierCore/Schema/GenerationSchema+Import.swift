// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

extension GenerationSchema {
  /// Reads a schema from JSON Schema: the input of an MCP tool, say, or a component of OpenAPI.
  ///
  /// ```swift
  /// let schema = try GenerationSchema(jsonSchema: tool.inputSchema)
  /// let arguments = try await session.respond(to: question, schema: schema)
  /// ```
  ///
  /// Drafts 4 to 2020-12 and OpenAPI 3.0 are understood. Properties keep their order, and every
  /// keyword reaches the constraint engine. References may name parts of the document by pointer,
  /// anchor or identifier, the metaschemas of these drafts, and the documents that are given:
  ///
  /// ```swift
  /// let order = try GenerationSchema(
  ///   jsonSchema: ##"{"$ref": "shop.json#/components/schemas/Order"}"##,
  ///   documents: ["shop.json": openAPI])
  /// ```
  ///
  /// - Parameters:
  ///   - jsonSchema: The text of the document.
  ///   - name: The name, where the document's `title` is not to be used.
  ///   - documents: Other documents that references may name, by their URI. Nothing is fetched.
  /// - Throws: ``GeneratedContent/ParsingError`` where the text is not JSON, ``SchemaImportError``
  ///   where the document is not a schema or holds what cannot be represented.
  /// - Complexity: Linear in the length of the text.
  public init(
    jsonSchema: String, name: String? = nil, documents: [String: String] = [:]
  ) throws {
    var importer: SchemaImporter
    do {
      importer = try SchemaImporter(text: jsonSchema, documents: documents)
    } catch {
      var failure = GeneratedContent.ParsingError(
        rawContent: jsonSchema, debugDescription: "The schema is \(error.diagnostics[0].message).")
      failure.origin = .schema
      throw failure
    }
    let root = importer.root()
    guard importer.problems.isEmpty else { throw SchemaImportError(problems: importer.problems) }
    self.init(
      name: name ?? root["title"]?.content?.stringValue ?? "Schema", root: root,
      definitions: importer.definitions)
  }
}

/// Why a JSON Schema cannot be read: all that is wrong with it.
public struct SchemaImportError: ExplainedError, Sendable, Equatable {
  /// What cannot be represented, each with its JSON Pointer.
  public let problems: [SchemaConversionError]

  public var userMessage: ErrorMessage { ErrorMessage(.unusableForm) }

  public var problemDescription: String {
    problems.map(\.problemDescription).joined(separator: "\n")
  }

  public var recoverySuggestion: String? {
    problems.map(\.suggestion).joined(separator: "\n")
  }
}
