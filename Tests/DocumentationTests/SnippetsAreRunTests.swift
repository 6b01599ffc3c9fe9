// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `DocumentationTests` finds in the snippets is not only compiled: a test calls it, or the table
/// below says why none does.
@Suite struct SnippetsAreRunTests {
  /// Functions of the snippets that no test calls.
  private static let reasons = [
    "ask": "SwiftUI",
    "modelOfApple": "Apple's model",
    "modelForApple": "Apple's sessions",
    "embeddingByServer": "an embedding server: EmbeddingTests have a stub of one",
    "embeddingLocally": "a file of an embedding model: GGUFRuntimeTests make one",
  ]

  private struct Function: Hashable {
    var name: String
    var isTest: Bool
  }

  private static func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

  /// The function that a line is in: the nearest one above that is indented less, or the line itself.
  private static func function(of index: Int, in lines: [Substring]) -> Function? {
    var depth = indentation(lines[index]) + 1
    for place in lines[...index].indices.reversed() where !lines[place].isEmpty {
      let line = lines[place]
      guard indentation(line) < depth else { continue }
      if let match = line.firstMatch(of: /^ *(@Test.* )?(?:private |mutating |static )*func (\w+)/)
      {
        return Function(name: String(match.2), isTest: match.1 != nil)
      }
      // The end of a signature of several lines stands where the signature begins.
      depth = indentation(line) + (line.contains(/^ *[){]/) ? 1 : 0)
    }
    return nil
  }

  @Test func everyBlockIsRun() throws {
    let folders = ["Tests/DocumentationTests", "Tests/SQLite/Tests/EspalierSQLiteTests"]
    let sources = try folders.flatMap {
      try DocumentationTests.files(in: $0, endingIn: [".swift"]).map {
        ($0.path, String(decoding: try Data(contentsOf: $0), as: UTF8.self))
      }
    }
    let snippets = sources.filter { $0.0.contains("/Snippets/") }
      .map { $0.1.split(separator: "\n", omittingEmptySubsequences: false) }
    let calls = Set(
      sources.flatMap { source in source.1.matches(of: /(func )?(\w+)\(/) }
        .filter { $0.1 == nil }.map { String($0.2) })
    var (runCount, unused) = (0, Set(Self.reasons.keys))
    for document in DocumentationTests.documents {
      for block in try DocumentationTests.blocks(of: document) {
        for paragraph in block.split(separator: "") {
          let functions = snippets.flatMap { lines in
            lines.map { $0.trimmingCharacters(in: .whitespaces) }.ranges(of: paragraph)
              .map { Self.function(of: $0.lowerBound, in: lines) }
          }
          // Declarations are run by what uses them.
          guard !functions.isEmpty, !functions.contains(nil) else { continue }
          let names = functions.compactMap(\.self)
          unused.subtract(names.map(\.name))
          let isRun = names.contains { $0.isTest || calls.contains($0.name) }
          runCount += isRun ? 1 : 0
          #expect(
            isRun || names.contains { Self.reasons[$0.name] != nil },
            "\(document.lastPathComponent): call one of \(names.map(\.name)) in a test")
        }
      }
    }
    #expect(runCount > 100)
    #expect(unused.isEmpty, "These have no reason to be left out any more.")
  }
}
