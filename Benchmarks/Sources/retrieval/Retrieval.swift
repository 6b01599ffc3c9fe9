// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierCore
import EspalierLocal
import Foundation

#if SQLite
  import EspalierSQLite
#endif

/// Times searches for knowledge, and counts what they find.
@main
struct Retrieval: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retrieval", subcommands: subcommands)

  private static var subcommands: [any ParsableCommand.Type] {
    #if SQLite
      [Embed.self, Vectors.self, Judge.self]
    #else
      [Embed.self]
    #endif
  }
}

/// `retrieval embed`: the vectors of the lines of the input, for `Tests/References/embeddings.py`.
struct Embed: AsyncParsableCommand {
  @Argument(help: "The GGUF file of an embedding model.") var model: String
  @Option(help: "How many threads compute.") var threads = 1

  func run() async throws {
    let model = try LocalEmbeddingModel(path: model, options: .init(threads: threads))
    var texts: [String] = []
    while let line = readLine() { texts.append(line) }
    let clock = ContinuousClock()
    let start = clock.now
    let vectors = try await model.vectors(for: texts, as: .document)
    let tokens = texts.reduce(0) { $0 + model.tokenCount(of: $1) }
    let seconds = (clock.now - start) / .seconds(1)
    for vector in vectors { print("[" + vector.map { "\($0)" }.joined(separator: ", ") + "]") }
    FileHandle.standardError.write(
      Data("\(tokens) tokens in \(seconds) s, \(Int(Double(tokens) / seconds)) a second\n".utf8))
  }
}

#if SQLite
  /// `retrieval vectors`: how long a search takes, on one thread.
  struct Vectors: AsyncParsableCommand {
    @Argument(help: "The folder of the database; it is filled where it is empty.")
    var folder: String
    @Option(help: "How many passages there are.") var count = 100_000
    @Option(help: "How many numbers a vector has.") var dimensions = 384
    @Option(help: "How often each operation is timed.") var rounds = 200

    func run() async throws {
      let url = URL(filePath: folder)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let file = url.appending(path: "knowledge.sqlite")
      let model = RandomModel(dimensions: dimensions)
      let clock = ContinuousClock()
      var index = try SQLiteKnowledgeIndex(file: file, model: model)
      if try await index.document("\(count - 1)") == nil {
        let start = clock.now
        for first in stride(from: 0, to: count, by: 1000) {
          try await index.add(
            (first..<min(count, first + 1000)).map { number in
              KnowledgeDocument(id: "\(number)", text: Words.sentence(number, length: 40))
            })
        }
        print("filled in \(clock.now - start)")
      }
      let opened = try clock.measure { index = try SQLiteKnowledgeIndex(file: file, model: model) }
      print("open: \(milliseconds(opened))")
      let first = try await clock.measure { _ = try await index.search("first") }
      print("first search, which reads the vectors: \(milliseconds(first))")
      for mode in KnowledgeSearchMode.allCases {
        var times: [Duration] = []
        for round in 0..<rounds {
          let query = Words.sentence(1_000_000 + round, length: 6)
          times.append(
            try await clock.measure {
              _ = try await index.search(query, limit: 10, where: [:], by: mode)
            })
        }
        times.sort()
        print(
          "search by \(mode): median \(milliseconds(times[rounds / 2])), 99 % "
            + milliseconds(times[rounds * 99 / 100]))
      }
    }

    private func milliseconds(_ duration: Duration) -> String {
      String(format: "%.2f ms", duration / .milliseconds(1))
    }
  }

  /// Vectors without meaning, at no cost.
  struct RandomModel: EmbeddingModel {
    let dimensions: Int
    var identifier: String { "random/\(dimensions)" }

    func vectors(for texts: [String], as role: EmbeddingRole) async throws -> [[Float]] {
      texts.map { text in
        var state = text.utf8.reduce(UInt64(1)) { $0 &* 31 &+ UInt64($1) }
        return (0..<dimensions).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
            / Float(dimensions).squareRoot() * 1.7
        }
      }
    }
  }

  /// Sentences whose words are as frequent as words of a language are: the n-th has a share of 1/n.
  enum Words {
    static func sentence(_ number: Int, length: Int) -> String {
      var state = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15
      let words = (0..<length).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let share = Double(state >> 11) / Double(UInt64(1) << 53)
        return "w\(Int(exp(share * log(30_000))))"
      }
      return words.joined(separator: " ") + "."
    }
  }
#endif
