// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  public import EspalierCore
  import Foundation
  import GRDB
  import VectorSearch

  extension SQLiteKnowledgeIndex {
    /// A document, cut and embedded.
    private struct Prepared: Sendable {
      var document: KnowledgeDocument
      /// The passages and their vectors as bytes; nil where those that are stored are right.
      var passages: [(text: String, vector: [UInt8])]?
    }

    /// How many documents are embedded and written at once.
    private static var groupSize: Int { 32 }

    /// Adds documents. A document takes the place of the one with the same identity; where title and text
    /// are the same, nothing is embedded again.
    ///
    /// Documents are written in groups of 32, each in one transaction.
    ///
    /// - Throws: ``/EspalierCore/KnowledgeError``, ``/EspalierCore/EmbeddingError`` and what the model
    ///   throws; groups before the one at fault stay.
    public func add(_ documents: [KnowledgeDocument]) async throws {
      var rest = documents[...]
      while !rest.isEmpty {
        try Task.checkCancellation()
        let group = Array(rest.prefix(Self.groupSize))
        rest = rest.dropFirst(group.count)
        let prepared = try await prepare(group)
        try await write { database in
          for document in prepared { try Self.store(document, database) }
        }
      }
    }

    /// Removes documents and their passages. An identity that no document has is passed over.
    ///
    /// - Throws: ``/EspalierCore/KnowledgeError``; then none of them is removed.
    public func remove(_ ids: [KnowledgeDocument.ID]) async throws {
      try await write { database in
        for id in ids {
          guard let number = try Self.document(id, database)?.number else { continue }
          for table in ["chunk", "tag"] {
            try database.execute(
              sql: "DELETE FROM \(table) WHERE document = ?", arguments: [number])
          }
          try database.execute(sql: "DELETE FROM document WHERE number = ?", arguments: [number])
        }
      }
    }

    private func prepare(_ documents: [KnowledgeDocument]) async throws -> [Prepared] {
      let known = try await read { database in
        try documents.map { try Self.document($0.id, database)?.document }
      }
      let isNew = zip(documents, known).map { $0.text != $1?.text || $0.title != $1?.title }
      // Counting tokens takes as long as reading them.
      let texts = await ComputeThreads.shared.run { [model, chunks] in
        zip(documents, isNew).map { document, isNew in
          isNew ? chunks.passages(of: document.text, tokenCount: model.tokenCount(of:)) : []
        }
      }
      let embedded = zip(documents, texts).flatMap { document, texts in
        texts.map { document.title.isEmpty ? $0 : document.title + "\n" + $0 }
      }
      var vectors = try await vectors(of: embedded)[...]
      return zip(documents, zip(texts, isNew)).map { document, found in
        let own = vectors.prefix(found.0.count)
        vectors = vectors.dropFirst(found.0.count)
        let passages = zip(found.0, own).map { ($0, VectorTable.bytes(of: $1)) }
        return Prepared(document: document, passages: found.1 ? passages : nil)
      }
    }

    private func vectors(of texts: [String]) async throws -> [[Float]] {
      guard !texts.isEmpty else { return [] }
      let vectors = try await model.vectors(for: texts, as: .document)
      guard vectors.count == texts.count, vectors.allSatisfy({ $0.count == model.dimensions })
      else { throw unexpectedVectors(vectors, count: texts.count) }
      return vectors
    }

    func unexpectedVectors(_ vectors: [[Float]], count: Int) -> EmbeddingError {
      EmbeddingError(
        .unexpectedVectors, model: model.identifier,
        problem: "Expected \(count) vectors of \(model.dimensions) numbers, found "
          + "\(vectors.count) of \(Set(vectors.map(\.count)).sorted()).",
        suggestion: "Check the dimensions that the model was given.")
    }

    private static func store(_ prepared: Prepared, _ database: Database) throws {
      let document = prepared.document
      let number: Int64
      if let known = try Self.document(document.id, database)?.number {
        number = known
        try database.execute(
          sql: "UPDATE document SET title = ?, text = ? WHERE number = ?",
          arguments: [document.title, document.text, number])
      } else {
        try database.execute(
          sql: "INSERT INTO document (id, title, text) VALUES (?, ?, ?)",
          arguments: [document.id, document.title, document.text])
        number = database.lastInsertedRowID
      }
      try database.execute(sql: "DELETE FROM tag WHERE document = ?", arguments: [number])
      for (name, value) in document.metadata {
        try database.execute(
          sql: "INSERT INTO tag (document, name, value) VALUES (?, ?, ?)",
          arguments: [number, name, value])
      }
      guard let passages = prepared.passages else { return }
      try database.execute(sql: "DELETE FROM chunk WHERE document = ?", arguments: [number])
      let statement = try database.cachedStatement(
        sql: """
          INSERT INTO chunk (document, position, title, text, vector) VALUES (?, ?, ?, ?, ?)
          """)
      for (position, passage) in passages.enumerated() {
        try statement.execute(arguments: [
          number, position, document.title, passage.text, Data(passage.vector),
        ])
      }
    }
  }
#endif
