import Foundation
import Testing

/// Every block of Swift in the README and in Documentation stands in `Snippets.swift` too, line by
/// line, and so has been compiled.
@Suite struct CodeBlockTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let pages: [URL] = {
    let folder = root.appending(path: "Documentation")
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return [root.appending(path: "README.md")]
      + (files ?? []).filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
  }()

  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private func blocks(of page: URL) throws -> [String] {
    try String(contentsOf: page, encoding: .utf8).matches(of: /```swift\n([\s\S]*?)```/)
      .map { String($0.1) }
      // Lines of a package's manifest: what they do, `Tests/Clients` proves.
      .filter { !$0.hasPrefix(".package(") }
  }

  @Test(arguments: pages) func everyBlockIsCompiled(page: URL) throws {
    let compiled = lines(
      try String(
        contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
          .appending(path: "Snippets.swift"), encoding: .utf8))
    for block in try blocks(of: page) {
      let wanted = lines(block).filter { !$0.hasPrefix("import ") }
      let isThere = compiled.indices.contains { start in
        compiled[start...].starts(with: wanted)
      }
      // Imports stand at the top of the file; declarations and statements may stand apart.
      let parts = block.split(separator: "\n\n").map { lines($0) }
      let isThereInParts = parts.allSatisfy { part in
        let part = part.filter { !$0.hasPrefix("import ") }
        return compiled.indices.contains { compiled[$0...].starts(with: part) }
      }
      #expect(isThere || isThereInParts, "\(page.lastPathComponent):\n\(block)")
    }
  }

  @Test func thereIsSomethingToCompile() throws {
    #expect(try Self.pages.flatMap { try blocks(of: $0) }.count >= 10)
  }

  /// The pages name only files that are there.
  @Test(arguments: pages) func linksLeadSomewhere(page: URL) throws {
    let text = try String(contentsOf: page, encoding: .utf8)
    for link in text.matches(of: /\]\(([^)#]+)\)/) where !link.1.hasPrefix("http") {
      let target = page.deletingLastPathComponent().appending(path: String(link.1))
      #expect(
        FileManager.default.fileExists(atPath: target.path), "\(page.lastPathComponent): \(link.1)")
    }
  }
}
