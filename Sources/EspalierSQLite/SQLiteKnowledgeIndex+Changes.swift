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
    /// are the same, nothing is embedded again. Of several with one identity the last counts.
    ///
    /// Documents are written in groups of 32, each in one transaction. U+0000, at which a text of SQLite
    /// ends, becomes U+FFFD.
    ///
    /// - Throws: ``/EspalierCore/KnowledgeError``, ``/EspalierCore/EmbeddingError`` and what the model
    ///   throws; groups before the one at fault stay.
    public func add(_ documents: [KnowledgeDocument]) async throws {
      var last: [KnowledgeDocument.ID: Int] = [:]
      let documents = documents.map(\.storable)
      for (place, document) in documents.enumerated() { last[document.id] = place }
      var rest = documents.enumerated().filter { last[$0.element.id] == $0.offset }.map(\.element)[
        ...]
      while !rest.isEmpty {
        var group = Array(rest.prefix(Self.groupSize))
        rest = rest.dropFirst(group.count)
        while !group.isEmpty {
          try Task.checkCancellation()
          let prepared = try await prepare(group)
          group = try await write { database in
            try prepared.filter { try !Self.store($0, database) }.map(\.document)
          }
        }
      }
    }

    /// Removes documents and their passages. An identity that no document has is passed over.
    ///
    /// - Throws: ``/EspalierCore/KnowledgeError``; then none of them is removed.
    public func remove(_ ids: [KnowledgeDocument.ID]) async throws {
      try await write { database in
        for id in ids.map(\.withoutZeros) {
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
        zip(documents, isNew).map { document, isNew -> [String] in
          guard isNew else { return [] }
          let passages = chunks.passages(of: document.text, tokenCount: model.tokenCount(of:))
          // A title is found without a text, too.
          return passages.isEmpty && !document.title.isEmpty ? [""] : passages
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
      return try checked(try await model.vectors(for: texts, as: .document), count: texts.count)
    }

    /// Vectors of a model, brought to the length one: models of an app's own may leave that out.
    func checked(_ vectors: [[Float]], count: Int) throws -> [[Float]] {
      func error(_ problem: String, _ suggestion: String) -> EmbeddingError {
        EmbeddingError(
          .unexpectedVectors, model: model.identifier, problem: problem, suggestion: suggestion)
      }
      guard vectors.count == count, vectors.allSatisfy({ $0.count == model.dimensions }) else {
        throw error(
          "Expected \(count) vectors of \(model.dimensions) numbers, found "
            + "\(vectors.count) of \(Set(vectors.map(\.count)).sorted()).",
          "Check the dimensions that the model was given.")
      }
      return try vectors.map { vector in
        if let number = vector.first(where: { !$0.isFinite }) {
          throw error("Expected finite numbers, found \(number).", "Check the model.")
        }
        var vector = vector
        normalizeVector(&vector)
        return vector
      }
    }

    /// Stores a document.
    ///
    /// - Returns: Whether it could be: not where its passages were to stay, and another writer has
    ///   changed the document since.
    private static func store(_ prepared: Prepared, _ database: Database) throws -> Bool {
      let document = prepared.document
      let known = try Self.document(document.id, database)
      if prepared.passages == nil {
        guard let known = known?.document, known.text == document.text,
          known.title == document.title
        else { return false }
      }
      let number: Int64
      if let known {
        number = known.number
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
      guard let passages = prepared.passages else { return true }
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
      return true
    }
  }

  extension KnowledgeDocument {
    fileprivate var storable: KnowledgeDocument {
      KnowledgeDocument(
        id: id.withoutZeros, title: title.withoutZeros, text: text.withoutZeros,
        metadata: Dictionary(
          metadata.map { ($0.key.withoutZeros, $0.value.withoutZeros) }, uniquingKeysWith: { $1 }))
    }
  }
#endif
