// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  public import EspalierCore
  import Foundation
  import GRDB
  import Synchronization
  import VectorSearch

  extension SQLiteKnowledgeIndex {
    /// The passages that fit a question best, the best first.
    ///
    /// The two orders, by words and by meaning, are put together by reciprocal ranks: a passage has
    /// 1 / (10 + rank) of each order in which it is among the first 100 (Cormack et al. 2009). What it
    /// has of the words counts as much as the share of the question that they are, where rare words are
    /// more of it than frequent ones: "the" alone says nothing, and "RL-30" all.
    ///
    /// - Parameters:
    ///   - query: What a person or a model asks. Its words are words; nothing in it is an operator.
    ///   - limit: How many passages there are at most.
    ///   - filter: What the metadata of a document must be; all documents where empty.
    ///   - mode: By what passages are found.
    /// - Throws: ``/EspalierCore/KnowledgeError``, and what the model throws.
    /// - Complexity: Linear in the number of passages, a few nanoseconds for each and dimension.
    public func search(
      _ query: String, limit: Int, where filter: [String: String], by mode: KnowledgeSearchMode
    ) async throws -> [KnowledgeMatch] {
      guard limit > 0, query.contains(where: { $0.isLetter || $0.isNumber }) else { return [] }
      let count = max(100, limit)
      var (words, meaning): ([WordMatch], [Int64]) = ([], [])
      if mode != .meaning { words = try await read { try Self.ranking(query, filter, count, $0) } }
      if mode != .words { meaning = try await closest(to: query, filter, count) }
      let best = Self.fused(words: words, meaning: meaning, by: mode).prefix(limit)
      return try await read { database in
        try best.compactMap { try Self.match($0.number, score: $0.score, database) }
      }
    }

    /// A passage, and what share of a question its words are.
    typealias WordMatch = (number: Int64, share: Double)

    /// The passages in which words of a question stand, by BM25.
    private static func ranking(
      _ query: String, _ filter: [String: String], _ count: Int, _ database: Database
    ) throws -> [WordMatch] {
      let question = try QuestionWords(query, database)
      let condition = condition(filter)
      return try Row.fetchAll(
        database,
        sql: """
          SELECT rowid, bm25(chunkText, 2.0, 1.0) AS score FROM chunkText WHERE chunkText MATCH ?
          \(condition.isEmpty ? "" : "AND rowid IN (\(condition.sql))")
          ORDER BY score LIMIT ?
          """, arguments: [question.expression] + condition.arguments + [count]
      ).map { row in
        // SQLite's is the better the less it is.
        (number: row["rowid"], share: min(1, -(row["score"] as Double) / question.greatestScore))
      }
    }

    /// The numbers of the passages of the documents that a filter lets through, as a query.
    private static func condition(
      _ filter: [String: String]
    ) -> (sql: String, arguments: StatementArguments, isEmpty: Bool) {
      let names = filter.keys.sorted()
      let parts = names.map { _ in
        "document IN (SELECT document FROM tag WHERE name = ? AND value = ?)"
      }
      let arguments = StatementArguments(
        names.flatMap { [$0.withoutZeros, (filter[$0] ?? "").withoutZeros] })
      return (
        "SELECT number FROM chunk WHERE \(parts.joined(separator: " AND "))", arguments,
        names.isEmpty
      )
    }

    /// The passages whose vectors are closest to that of a question.
    private func closest(
      to query: String, _ filter: [String: String], _ count: Int
    ) async throws -> [Int64] {
      let found = try checked(try await model.vectors(for: [query], as: .query), count: 1)
      let table = try await currentVectors()
      let condition = Self.condition(filter)
      let allowed =
        condition.isEmpty
        ? nil
        : try await read {
          Set(
            try Int64.fetchAll($0, sql: condition.sql, arguments: condition.arguments))
        }
      return await ComputeThreads.shared.run {
        table.closest(to: found[0], limit: count, among: allowed).map(\.number)
      }
    }

    /// The vectors in memory, brought up to what is stored, whoever has changed it.
    private func currentVectors() async throws -> VectorTable {
      let known = vectors.withLock { $0 }
      let current = try await read { [self] database in
        // A copy: who searches the vectors meanwhile goes on with those that were there.
        var current = known
        let rows = try Row.fetchCursor(
          database, sql: "SELECT number, vector FROM chunk WHERE number > ? ORDER BY number",
          arguments: [known.lastChunk])
        while let row = try rows.next() {
          let number: Int64 = row["number"]
          let bytes = row["vector"] as Data
          guard current.table.append(number, bytes: Array(bytes)) else { throw damaged(number) }
          current.lastChunk = number
        }
        let removals = try Row.fetchAll(
          database, sql: "SELECT number, chunk FROM removal WHERE number > ? ORDER BY number",
          arguments: [known.lastRemoval])
        current.table.remove(Set(removals.map { $0["chunk"] }))
        current.lastRemoval = removals.last?["number"] ?? known.lastRemoval
        return current
      }
      vectors.withLock { vectors in
        // Another search may have read more.
        if current.lastChunk >= vectors.lastChunk, current.lastRemoval >= vectors.lastRemoval {
          vectors = current
        }
      }
      return current.table
    }

    private func damaged(_ number: Int64) -> KnowledgeError {
      KnowledgeError(
        .damaged, place: file.path,
        problem: "The vector of passage \(number) is not one of \(model.dimensions) numbers.",
        suggestion: "Put a copy in its place that was saved whole, or add the documents anew.")
    }

    /// The two orders put together; of equal passages the older first.
    static func fused(
      words: [WordMatch], meaning: [Int64], by mode: KnowledgeSearchMode
    ) -> [(number: Int64, score: Double)] {
      var scores: [Int64: Double] = [:]
      for (rank, match) in words.enumerated() {
        let share = mode == .hybrid ? match.share : 1
        scores[match.number, default: 0] += share / Double(11 + rank)
      }
      for (rank, number) in meaning.enumerated() {
        scores[number, default: 0] += 1 / Double(11 + rank)
      }
      return scores.map { (number: $0.key, score: $0.value) }.sorted {
        $0.score != $1.score ? $0.score > $1.score : $0.number < $1.number
      }
    }

    private static func match(
      _ number: Int64, score: Double, _ database: Database
    ) throws -> KnowledgeMatch? {
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT chunk.document, chunk.position, chunk.text, document.id, document.title
            FROM chunk JOIN document ON document.number = chunk.document WHERE chunk.number = ?
          """, arguments: [number])
      guard let row else { return nil }
      return KnowledgeMatch(
        document: row["id"], title: row["title"],
        metadata: try metadata(of: row["document"], database), position: row["position"],
        text: row["text"], score: score)
    }
  }

  /// The vectors that are stored, in memory, and up to where they were read.
  struct KnowledgeVectors: Sendable {
    var table: VectorTable
    var lastChunk: Int64 = 0
    var lastRemoval: Int64 = 0

    init(dimensions: Int) { table = VectorTable(dimensions: dimensions) }
  }
#endif
