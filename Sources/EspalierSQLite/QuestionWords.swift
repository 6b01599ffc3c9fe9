// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  import Foundation
  import GRDB

  /// The words of a question that passages are searched for, and what they weigh.
  ///
  /// Words that more than an eighth of the passages have ("the", or "library" in a library's documents)
  /// say nothing and are left out, where others are left: an index knows them in every language, and
  /// reading all their places takes longest.
  struct QuestionWords {
    /// The words as FTS5 takes them.
    let expression: String
    /// What BM25 gives a passage at most: all words, each as often as can be.
    let greatestScore: Double

    init(_ question: String, _ database: Database) throws {
      let words = Set(
        question.lowercased().split { !$0.isLetter && !$0.isNumber }
          .flatMap { WordPiece.pieces(of: String($0)).map(\.expression) }
      ).sorted()
      // Numbers of passages and of removals are given in order, so that nothing has to be counted.
      let total =
        try Int.fetchOne(
          database,
          sql: """
            SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'chunk'), 0)
              - COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'removal'), 0)
            """) ?? 0
      let limit = max(8, total / 8)
      let counts = try words.map { word in
        try Int.fetchOne(
          database,
          sql: """
            SELECT COUNT(*) FROM
              (SELECT 1 FROM chunkText WHERE chunkText MATCH ? LIMIT ?)
            """, arguments: [word, limit + 1]) ?? 0
      }
      let rare = zip(words, counts).filter { $0.1 <= limit }
      let kept = rare.contains { $0.1 > 0 } ? rare : Array(zip(words, counts))
      expression = kept.map(\.0).joined(separator: " OR ")
      // As FTS5 has it: k₁ is 1.2, and the weight of a word is never below 0.000001.
      let weights = kept.map { max(1e-6, log((Double(total - $0.1) + 0.5) / (Double($0.1) + 0.5))) }
      greatestScore = max(1e-6, 2.2 * weights.reduce(0, +))
    }
  }
#endif
