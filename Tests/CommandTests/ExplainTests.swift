// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `espalier explain`, and the page that shows what it writes.
@Suite struct ExplainTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let room = root.appending(path: "Examples/Schemas/room.json").path

  /// A command of the page with the output that the page shows.
  private struct Example {
    var arguments: [String]
    var output: String
  }

  /// The blocks of a page that begin with a prompt.
  private static func examples(of page: String) throws -> [Example] {
    let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
    return text.matches(of: /(?ms)^```console\n\$ (?:swift run )?espalier (.*?)\n(.*?)^```$/).map {
      match in
      Example(arguments: words(String(match.1)), output: String(match.2))
    }
  }

  /// The words of a command line in which single quotes hold words together.
  private static func words(_ line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
      place, part in
      place.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
  }

  @Test func thePageShowsWhatIsWritten() async throws {
    let page = "Documentation/HowAMaskIsMade.md"
    let examples = try Self.examples(of: page)
    #expect(examples.count >= 6, "the page has a block for each stage")
    for example in examples {
      let arguments = example.arguments.map { argument in
        argument.hasPrefix("Examples/") ? Self.root.appending(path: argument).path : argument
      }
      let run = try await CommandRun.run("espalier", arguments)
      #expect(
        run.output == example.output,
        "\(page): `espalier \(example.arguments.joined(separator: " "))` now writes:\n\(run.output)"
      )
    }
  }

  @Test func allStagesComeInOrder() async throws {
    let run = try await CommandRun.run(
      "espalier", ["explain", Self.room, "--prefix", #"{"room":"s"#, "--token", "u"])
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    let headings = run.lines.compactMap {
      $0.prefixMatch(of: /[A-Z]{4,}/).map { String($0.output) }
    }
    #expect(headings == ["SCHEMA", "GOALS", "STACK", "BYTES", "MASK", "TOKEN"])
    #expect(run.output.contains("`ingle` or `uite`"))
    #expect(run.output.contains("The token is allowed, and the mask has it."))
    #expect(!run.lines.contains { $0.count > 100 })
  }

  @Test func tokensOfATokenizerFileAreTaken() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "tokenizer.json").path(percentEncoded: false)
    try #"""
    {"added_tokens": [{"id": 3, "content": "<end>", "special": true}],
     "decoder": {"type": "ByteLevel"}, "model": {"vocab": {"1": 0, "23": 1, "Ġ": 2}}}
    """#.write(toFile: file, atomically: true, encoding: .utf8)
    let mask = ["mask", "-", "--vocabulary", file]
    let schema = #"{"type": "integer"}"#
    let unsaid = try await CommandRun.run("espalier", mask, input: schema)
    #expect(unsaid.exitCode == 2 && unsaid.errors.contains("name it with --end-token TEXT"))
    let named = try await CommandRun.run(
      "espalier", mask + ["--end-token", "<end>"], input: schema)
    #expect(named.output.contains("2 of 4 tokens may follow."))
    try #"{"eos_token": {"content": "<end>", "lstrip": false}}"#.write(
      toFile: folder.appending(path: "tokenizer_config.json").path(percentEncoded: false),
      atomically: true, encoding: .utf8)
    let beside = try await CommandRun.run("espalier", mask + ["--prefix", "1"], input: schema)
    #expect(beside.output.contains("3 of 4 tokens may follow."))
    #expect(beside.output.contains("The value may end here."))
  }

  @Test func whatCannotBeShownIsSaid() async throws {
    let departed = try await CommandRun.run(
      "espalier", ["explain", Self.room, "--prefix", #"{"room":"x"#])
    #expect(departed.exitCode == 1 && departed.output.isEmpty)
    #expect(departed.errors.contains("byte 9") && departed.errors.contains("found `x`"))
    let unknown = try await CommandRun.run("espalier", ["explain", Self.room, "--token", "xyz"])
    #expect(unknown.exitCode == 1 && unknown.errors.contains("'xyz'"))
    let wrong = try await CommandRun.run(
      "espalier", ["explain", Self.room, "--vocabulary", Self.room])
    #expect(wrong.exitCode == 2 && wrong.errors.contains("no tokenizer.json: expected"))
    for arguments in [
      ["--stage", "token"], ["--limit", "0"], ["--model", "a", "--vocabulary", "b"],
      ["--end-token", "a"],
    ] {
      let run = try await CommandRun.run("espalier", ["explain", Self.room] + arguments)
      #expect(run.exitCode == 64, "\(arguments)")
    }
  }
}
