// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  import ArgumentParser
  import EspalierCore
  import EspalierLocal
  import EspalierSQLite
  import Foundation

  /// `retrieval judge`: how much of what is relevant is found by words, by meaning, and by both.
  struct Judge: AsyncParsableCommand {
    @Argument(help: "The GGUF file of an embedding model.") var model: String
    @Argument(help: "Documents and questions: Benchmarks/Judgements/handbook.txt.") var set: String
    @Flag(help: "Print the questions whose first five passages are all wrong.") var misses = false

    func run() async throws {
      let set = try JudgedSet(String(contentsOf: URL(filePath: set), encoding: .utf8))
      let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let index = try SQLiteKnowledgeIndex(
        file: folder.appending(path: "judged.sqlite"), model: try LocalEmbeddingModel(path: model))
      try await index.add(set.documents)
      print("\(set.documents.count) documents, \(set.questions.count) questions")
      for mode in KnowledgeSearchMode.allCases {
        var (gain, recall, reciprocal) = (0.0, 0.0, 0.0)
        for question in set.questions {
          let matches = try await index.search(question.text, limit: 10, where: [:], by: mode)
          let relevant = matches.map { question.relevant.contains($0.document) }
          gain += Self.gain(relevant, count: question.relevant.count)
          let five = relevant.prefix(5).count { $0 }
          recall += Double(five) / Double(min(5, question.relevant.count))
          reciprocal += relevant.firstIndex(of: true).map { 1 / Double($0 + 1) } ?? 0
          if misses, five == 0 { print("missed by \(mode): \(question.text)") }
        }
        let count = Double(set.questions.count)
        print(
          String(
            format: "%@: nDCG@10 %.3f, recall@5 %.3f, first %.3f", "\(mode)", gain / count,
            recall / count, reciprocal / count))
      }
    }

    /// nDCG@10, where a document is relevant or not.
    static func gain(_ relevant: [Bool], count: Int) -> Double {
      func gain(_ rank: Int) -> Double { 1 / log2(Double(rank + 2)) }
      let ideal = (0..<min(10, count)).map(gain).reduce(0, +)
      let found = relevant.prefix(10).enumerated().filter(\.element).map { gain($0.offset) }
      return found.reduce(0, +) / ideal
    }
  }

  /// Documents in groups, and questions with the numbers of the documents of the group that answer them:
  ///
  ///     # returns
  ///     - Goods may be sent back within thirty days.
  ///     - Opened earplugs may not.
  ///     ? 0 How long can I change my mind?
  struct JudgedSet {
    var documents: [KnowledgeDocument] = []
    var questions: [(text: String, relevant: Set<String>)] = []

    init(_ text: String) throws {
      var group = ""
      var count = 0
      for line in text.split(whereSeparator: \.isNewline) {
        let rest = line.dropFirst(2)
        switch line.prefix(2) {
        case "# ": (group, count) = (String(rest), 0)
        case "- ":
          documents.append(KnowledgeDocument(id: "\(group)-\(count)", text: String(rest)))
          count += 1
        case "? ":
          let parts = rest.split(separator: " ", maxSplits: 1)
          guard parts.count == 2 else { throw ValidationError("No documents in '\(line)'.") }
          questions.append((String(parts[1]), Set(parts[0].map { "\(group)-\($0)" })))
        default: throw ValidationError("Expected '# ', '- ' or '? ' in '\(line)'.")
        }
      }
    }
  }
#endif
