// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  public import EspalierCore
  public import Foundation
  import GRDB
  import Synchronization
  import VectorSearch

  /// Finds passages in an app's documents by their words (BM25) and their meaning (vectors), in an
  /// SQLite database.
  ///
  /// ```swift
  /// let index = try SQLiteKnowledgeIndex(file: file, model: model)
  /// try await index.add([KnowledgeDocument(id: "fees", title: "Fees", text: text)])
  /// for match in try await index.search("What does cancelling cost?") { print(match.title) }
  /// ```
  ///
  /// What was added is on the disk when ``add(_:)`` returns. Several processes may use a file: one writes
  /// at a time, and all find what was added. The vectors are held in memory, a byte for each number: 38 MB
  /// for 100,000 passages of 384 dimensions. The first search reads them.
  public final class SQLiteKnowledgeIndex: KnowledgeIndex {
    /// The file of the database.
    public let file: URL
    /// What texts are embedded with.
    public let model: any EmbeddingModel
    /// How documents are cut.
    public let chunks: KnowledgeChunks
    /// Whether the index only reads.
    public let isReadOnly: Bool
    let pool: DatabasePool
    let vectors: Mutex<KnowledgeVectors>

    /// Opens a database, or makes it where it is not there.
    ///
    /// - Parameters:
    ///   - file: The file, which belongs to the index alone. SQLite keeps two more beside it while it is
    ///     open.
    ///   - model: What texts are embedded with: the same as when the file was made.
    ///   - chunks: How documents are cut that are added from now on; passages are no longer than the
    ///     model reads.
    ///   - isReadOnly: Whether the index only reads; then the file has to be there.
    /// - Throws: ``/EspalierCore/KnowledgeError`` where the file cannot be opened, is none of an index,
    ///   is of a newer version, or has the vectors of another model.
    public init(
      file: URL, model: any EmbeddingModel, chunks: KnowledgeChunks = KnowledgeChunks(),
      isReadOnly: Bool = false
    ) throws {
      self.file = file
      self.model = model
      // A little room for the title, and for what a tokenizer puts at the ends.
      let longest = model.maximumTokenCount.map { max(1, $0 - $0 / 8) } ?? .max
      self.chunks = KnowledgeChunks(
        size: min(chunks.size, longest), overlap: chunks.overlap)
      self.isReadOnly = isReadOnly
      pool = try DatabaseFormat.knowledge.open(file, isReadOnly: isReadOnly)
      vectors = Mutex(KnowledgeVectors(dimensions: model.dimensions))
      try checkModel()
    }

    private func checkModel() throws {
      let (identifier, dimensions) = (model.identifier, model.dimensions)
      guard 1...VectorTable.dimensionLimit ~= dimensions else {
        throw KnowledgeError(
          .otherModel, place: file.path,
          problem: "Expected from 1 to \(VectorTable.dimensionLimit) dimensions, found "
            + "\(dimensions).",
          suggestion: "Use another model.")
      }
      let known: Row?
      do {
        let find: @Sendable (Database) throws -> Row? = {
          try Row.fetchOne($0, sql: "SELECT * FROM model")
        }
        var row = try pool.read(find)
        if row == nil, !isReadOnly {
          row = try pool.write { database in
            // Another process may have opened the file meanwhile, with another model.
            if let row = try find(database) { return row }
            try database.execute(
              sql: "INSERT INTO model (identifier, dimensions) VALUES (?, ?)",
              arguments: [identifier, dimensions])
            return nil
          }
        }
        known = row
      } catch { throw DatabaseFormat.knowledge.storeError(error, file) }
      guard let known else { return }
      let found: (String, Int) = (known["identifier"], known["dimensions"])
      guard found == (identifier, dimensions) else {
        throw KnowledgeError(
          .otherModel, place: file.path,
          problem: "Its vectors are of '\(found.0)' with \(found.1) dimensions, and the model is "
            + "'\(identifier)' with \(dimensions).",
          suggestion: "Open it with that model, or add the documents to a new file.")
      }
    }

    /// The document of an identity; nil where there is none.
    ///
    /// - Throws: ``/EspalierCore/KnowledgeError``.
    public func document(_ id: KnowledgeDocument.ID) async throws -> KnowledgeDocument? {
      try await read { try Self.document(id.withoutZeros, $0)?.document }
    }

    /// The number of a document, and the document.
    static func document(
      _ id: KnowledgeDocument.ID, _ database: Database
    ) throws -> (number: Int64, document: KnowledgeDocument)? {
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM document WHERE id = ?", arguments: [id])
      guard let row else { return nil }
      let number: Int64 = row["number"]
      return (
        number,
        KnowledgeDocument(
          id: id, title: row["title"], text: row["text"],
          metadata: try metadata(of: number, database))
      )
    }

    static func metadata(of number: Int64, _ database: Database) throws -> [String: String] {
      var metadata: [String: String] = [:]
      for row in try Row.fetchAll(
        database, sql: "SELECT name, value FROM tag WHERE document = ?", arguments: [number])
      {
        metadata[row["name"]] = row["value"]
      }
      return metadata
    }

    func read<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      do {
        return try await pool.read(body)
      } catch { throw DatabaseFormat.knowledge.storeError(error, file) }
    }

    func write<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      guard !isReadOnly else {
        throw KnowledgeError(
          .cannotWrite, place: file.path, problem: "The index was opened for reading.",
          suggestion: "Open it for writing.")
      }
      do {
        return try await pool.write(body)
      } catch { throw DatabaseFormat.knowledge.storeError(error, file) }
    }
  }
#endif
