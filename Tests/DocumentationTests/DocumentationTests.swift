// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

// Every block of Swift in the README, in Documentation, in the DocC catalogues and in the comments of
// the sources is compiled: each of its paragraphs is somewhere in Snippets, line by line, whatever the
// indentation. A block that is missing there is named, with what to do.

@Suite struct DocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Files below a folder by the ends of their names.
  static func files(in folder: String, endingIn suffixes: [String]) -> [URL] {
    let url = root.appendingPathComponent(folder)
    let found = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    return (found?.compactMap { $0 as? URL } ?? []).filter { file in
      suffixes.contains { file.lastPathComponent.hasSuffix($0) }
    }.sorted { $0.path < $1.path }
  }

  private static func lines(of file: URL) throws -> [String] {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The blocks of Swift of a file: those of a page as they are, those of a source in its comments.
  static func blocks(of file: URL) throws -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in try lines(of: file) {
      var line = line
      if file.pathExtension == "swift" {
        guard line.hasPrefix("///") else {
          block = nil
          continue
        }
        line = line.dropFirst(3).trimmingCharacters(in: .whitespaces)
      }
      if line == "```swift" {
        block = []
      } else if line.hasPrefix("```") {
        if let block { blocks.append(block) }
        block = nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }

  static var documents: [URL] {
    [root.appendingPathComponent("README.md")]
      + files(in: "Documentation", endingIn: [".md"])
      + files(in: "Sources", endingIn: [".md", ".swift"])
  }

  @Test func everyBlockIsCompiled() throws {
    // What needs a package that tests of this one do without is compiled beside its own tests.
    let snippets = try [
      "Tests/DocumentationTests/Snippets", "Tests/SQLite/Tests/EspalierSQLiteTests/Snippets",
    ].flatMap { try Self.files(in: $0, endingIn: [".swift"]).map { try Self.lines(of: $0) } }
    var blockCount = 0
    for document in Self.documents {
      for block in try Self.blocks(of: document) {
        blockCount += 1
        // Manifests are compiled by the client packages in Tests/Clients.
        if block.first?.hasPrefix(".package(") == true { continue }
        for paragraph in block.split(separator: "") {
          let isCompiled = snippets.contains { $0.firstRange(of: paragraph) != nil }
          #expect(
            isCompiled,
            "\(document.lastPathComponent): add to Snippets:\n\(paragraph.joined(separator: "\n"))"
          )
        }
      }
    }
    #expect(blockCount > 30)
  }

  /// A page whose code is not in the snippets is found.
  @Test func blocksAreRead() throws {
    let page = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).md")
    try Data("Text\n\n```swift\nlet a = 1\n\nlet b = 2\n```\n\n```text\nno\n```\n".utf8)
      .write(to: page)
    defer { try? FileManager.default.removeItem(at: page) }
    #expect(try Self.blocks(of: page) == [["let a = 1", "", "let b = 2"]])
  }

  /// What the README says its code writes is what it writes.
  @Test func outputOfTheReadme() async throws {
    let readme = try Self.lines(of: Self.root.appendingPathComponent("README.md"))
    let sight = try await ReadmeSnippets().thirtySeconds()
    #expect(readme.contains(sight.generatedContent.jsonString))
  }

  /// The code of the guides does what they say.
  @Test func guides() async throws {
    let wrong = #"{"guest":"Ann","arrival":5,"departure":3}"#
    let right = #"{"guest":"Ann","arrival":3,"departure":5}"#
    #expect(try await ValidationSnippets([wrong, right]).asks() == 2)
    try await ValidationSnippets([wrong, wrong]).fails()
    let long = #"{"guest":"Ann","arrival":6,"departure":18}"#
    #expect(try await ValidationSnippets([long, right]).rules() == 2)
    #expect(try await ValidationSnippets([right]).measures().isEmpty)
    let guide = GuideSnippets()
    _ = try await guide.asks()
    #expect(try await guide.chooses().count == 3)
    let called = try await guide.callsTools()
    #expect(called.text == "A roll costs 0.60 euros." && called.requestCount == 2)
    let remote = try await guide.callsRemoteTools().description
    #expect(remote.contains(#"Output of shop_item_price: item.price {"item":"roll"}"#))
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try await guide.wraps(folder) == 1)
  }

  /// What "Building a real app" says that values look like.
  @Test func shapesOfTheGuide() throws {
    let page = try Self.lines(
      of: Self.root.appendingPathComponent("Documentation/BuildingAnApp.md"))
    let values: [Payment] = [.cash, .card(number: "42", months: 3), .voucher("A1")]
    for value in values {
      let json = value.generatedContent.jsonString
      #expect(page.contains { $0.contains("`\(json)`") }, "\(json)")
    }
  }

  /// The examples in the table of guides are compiled.
  @Test func guidesOfTheGuide() throws {
    let page = try Self.lines(
      of: Self.root.appendingPathComponent("Documentation/BuildingAnApp.md"))
    let snippets = try Self.lines(
      of: Self.root.appendingPathComponent("Tests/DocumentationTests/Snippets/GuideSnippets.swift"))
    var exampleCount = 0
    for line in page {
      for match in line.matches(of: /`(@Guide\([^`]* var [^`]*)`/) {
        exampleCount += 1
        #expect(snippets.contains(String(match.1)), "\(match.1)")
      }
    }
    #expect(exampleCount > 10)
  }

  /// Links between pages lead somewhere.
  @Test func links() throws {
    for document in Self.documents where document.pathExtension == "md" {
      let text = String(decoding: try Data(contentsOf: document), as: UTF8.self)
      for match in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
        let target = document.deletingLastPathComponent().appendingPathComponent(String(match.1))
        #expect(
          FileManager.default.fileExists(atPath: target.path),
          "\(document.lastPathComponent) links to \(match.1), which is not there")
      }
    }
  }
}
