// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Command lines that nobody means: each ends with a code that the help names, and in words.
@Suite struct CommandLineTests {
  private static let options = [
    "--limit", "--string-length", "--maximum-tokens", "--seed", "--temperature", "--prefix",
  ]
  private static let numbers = [
    "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "1e308", "nan", "-inf",
  ]
  private static let words = [
    "schema", "check", "normalise", "convert", "grammar", "validate", "mask", "sample", "generate",
    "model", "info", "list", "tokenize", "bench", "--to", "gbnf", "regex", "strict", "--policy",
    "validation", "--json", "--pretty", "--exact", "--compact", "--lossy", "--seed", "--count",
    "--maximum-tokens", "--string-length", "--prefix", "--text", "--limit", "--values",
    "--temperature", "--model", "sampling", "0", "-1", "1", "3", "18446744073709551615",
    "9223372036854775807", "-9223372036854775808", "1e308", "nan", "", "-", "--", "{\"a\":",
    "\u{0}",
    "é\u{301}", "/dev/null", "/", "/nowhere",
  ]

  /// Whether a word asks for more work than a test has time for.
  private static func isModest(_ arguments: [String]) -> Bool {
    for (option, value) in zip(arguments, arguments.dropFirst())
    where ["--count", "--values"].contains(option) {
      if let number = Int(value), number > 3 { return false }
    }
    return !arguments.contains("fetch")
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>) func anythingGoes(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let files = [
      try folder.file("schema.json", #"{"type":"object","properties":{"a":{"type":"integer"}}}"#),
      try folder.file("broken.json", #"{"type":"obj"#),
      try folder.file("value.json", #"{"a":1}"#),
      try folder.file("model.gguf", "GGUF\u{3}"),
    ]
    let beginnings = [
      ["sample"], ["schema", "check"], ["schema", "normalise"],
      ["schema", "convert", "--to", "strict"],
      ["validate"], ["mask"], ["grammar", "--to", "gbnf"], ["bench"], ["generate"],
      ["model", "info"], ["model", "tokenize"], [],
    ]
    var arguments: [String]
    repeat {
      arguments = beginnings.randomElement(using: &generator) ?? []
      arguments.append(files.randomElement(using: &generator) ?? "")
      if ["validate", "generate"].contains(arguments[0]) { arguments.append(files[2]) }
      // One or two of what follows are often right, more are rarely.
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        arguments.append(Self.words.randomElement(using: &generator) ?? "")
      }
      // A negative number is a value only where it is written so.
      if Bool.random(using: &generator) {
        let option = Self.options.randomElement(using: &generator) ?? ""
        arguments.append("\(option)=\(Self.numbers.randomElement(using: &generator) ?? "")")
      }
    } while !Self.isModest(arguments)
    let run = try await CommandRun.run("espalier", arguments, input: "{\"a\":1}")
    #expect(
      [0, 1, 2, 3, 64].contains(run.exitCode), "\(arguments): \(run.exitCode)\n\(run.errors)")
    #expect(!run.errors.contains("Fatal error"), "\(arguments)")
    // Whoever is refused is told why.
    #expect(run.exitCode == 0 || !(run.errors + run.output).isEmpty, "\(arguments)")
  }

  /// Numbers that ended a command with a trap once.
  @Test(arguments: [
    ["mask", "--limit=-3"], ["sample", "--string-length=9223372036854775807"],
    ["sample", "--maximum-tokens=-9223372036854775808"],
  ])
  func foundBefore(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("schema.json", #"{"type":"string"}"#)
    let run = try await CommandRun.run("espalier", arguments + [schema])
    let isNegative = arguments[1].contains("=-")
    #expect(run.exitCode == (isNegative ? 64 : 0), "\(run.errors)")
  }
}
