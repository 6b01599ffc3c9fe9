// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds passages in an app's documents, for a model that needs to know what they say.
///
/// ```swift
/// try await index.add([KnowledgeDocument(id: "fees", title: "Fees", text: text)])
/// let matches = try await index.search("What does cancelling cost?", limit: 5)
/// ```
///
/// `SQLiteKnowledgeIndex` is one, in the product `EspalierSQLite`; an app that has a search engine
/// implements the protocol there. ``KnowledgeTool`` and ``KnowledgePassages`` work with any.
public protocol KnowledgeIndex: Sendable {
  /// Adds documents. A document takes the place of the one with the same ``KnowledgeDocument/id``.
  ///
  /// - Throws: ``KnowledgeError``, and what the embedding model throws; of the documents those before
  ///   the one at fault may have been added.
  func add(_ documents: [KnowledgeDocument]) async throws

  /// Removes documents. An identity that no document has is passed over.
  ///
  /// - Throws: ``KnowledgeError``; then none of them is removed.
  func remove(_ ids: [KnowledgeDocument.ID]) async throws

  /// The document of an identity; nil where there is none.
  ///
  /// - Throws: ``KnowledgeError``.
  func document(_ id: KnowledgeDocument.ID) async throws -> KnowledgeDocument?

  /// The passages that fit a question best, the best first.
  ///
  /// - Parameters:
  ///   - query: What a person or a model asks, in plain words.
  ///   - limit: How many passages there are at most.
  ///   - filter: What the metadata of a document must be; all documents where empty.
  ///   - mode: By what passages are found.
  /// - Throws: ``KnowledgeError``, and what the embedding model throws.
  func search(
    _ query: String, limit: Int, where filter: [String: String], by mode: KnowledgeSearchMode
  ) async throws -> [KnowledgeMatch]
}

extension KnowledgeIndex {
  /// The passages that fit a question best by words and meaning together, the best first.
  ///
  /// - Parameters:
  ///   - query: What a person or a model asks, in plain words.
  ///   - limit: How many passages there are at most.
  ///   - filter: What the metadata of a document must be; all documents where empty.
  /// - Throws: ``KnowledgeError``, and what the embedding model throws.
  public func search(
    _ query: String, limit: Int = 10, where filter: [String: String] = [:]
  ) async throws -> [KnowledgeMatch] {
    try await search(query, limit: limit, where: filter, by: .hybrid)
  }
}

/// By what passages are found.
public enum KnowledgeSearchMode: Sendable, Hashable, CaseIterable {
  /// By words and by meaning; the two orders are put together.
  case hybrid
  /// By the words of the question alone (BM25).
  case words
  /// By the vector of the question alone.
  case meaning
}

/// A document that can be searched.
public struct KnowledgeDocument: Sendable, Hashable, Identifiable {
  /// The identity, which the app chooses: a path, a key of its database.
  public var id: String
  /// The title, which is searched too and names the source of a passage.
  public var title: String
  /// The text.
  public var text: String
  /// What the app knows of the document, by which searches can be limited.
  public var metadata: [String: String]

  /// Creates a document.
  public init(id: String, title: String = "", text: String, metadata: [String: String] = [:]) {
    self.id = id
    self.title = title
    self.text = text
    self.metadata = metadata
  }
}

/// A passage that was found.
public struct KnowledgeMatch: Sendable, Hashable, Identifiable {
  /// The document that it is of.
  public var document: KnowledgeDocument.ID
  /// The title of the document.
  public var title: String
  /// What the app knows of the document.
  public var metadata: [String: String]
  /// The number of the passage in its document, from 0.
  public var position: Int
  /// The passage, as it stands in the document.
  public var text: String
  /// How good it is, for comparisons within one search alone.
  public var score: Double

  public var id: String { "\(document)#\(position)" }

  /// Creates a match.
  public init(
    document: KnowledgeDocument.ID, title: String, metadata: [String: String] = [:], position: Int,
    text: String, score: Double
  ) {
    self.document = document
    self.title = title
    self.metadata = metadata
    self.position = position
    self.text = text
    self.score = score
  }
}

/// Why an index cannot do what it was asked for.
public struct KnowledgeError: ExplainedError, Sendable, Equatable {
  /// What is wrong.
  public enum Kind: Sendable, Equatable {
    /// The vectors that are stored are those of another embedding model.
    case otherModel
    /// What is stored was changed by something else, or the disk has lost it.
    case damaged
    /// A newer version of the package wrote it.
    case newerVersion
    /// Nothing can be written: the disk is full, or the index may only be read.
    case cannotWrite
    /// Nothing can be read.
    case cannotRead
  }

  /// What is wrong.
  public var kind: Kind
  /// The file that it is about.
  public var place: String
  /// What was expected, and what was found.
  public var problem: String
  /// What to do.
  public var suggestion: String

  /// Creates an error.
  public init(_ kind: Kind, place: String, problem: String, suggestion: String) {
    self.kind = kind
    self.place = place
    self.problem = problem
    self.suggestion = suggestion
  }

  public var userMessage: ErrorMessage { ErrorMessage(.knowledgeUnusable) }
  public var problemDescription: String { "'\(place)': \(problem)" }
  public var recoverySuggestion: String? { suggestion }
}
