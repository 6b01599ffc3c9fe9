// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Output that cannot be written: the commands end at once, with the code that their help names.
@Suite struct OutputTests {
  private static let runs: [(product: String, arguments: [String])] = [
    ("espalier", ["sample", "SCHEMA", "--count", "3"]),
    ("espalier", ["schema", "normalise", "SCHEMA"]),
    ("espalier", ["model", "list"]),
    ("diet-log", ["--model", "sampling", "two eggs"]),
    ("diet-log", ["--model", "sampling", "--json", "two eggs"]),
    ("travel-companion", ["packing", "--model", "sampling", "Kyoto in spring"]),
  ]

  private func check(_ output: () throws -> FileHandle) async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("schema.json", #"{"type":"integer"}"#)
    for (product, arguments) in Self.runs {
      let run = try await CommandRun.run(
        product, arguments.map { $0 == "SCHEMA" ? schema : $0 }, outputFile: output())
      #expect(run.exitCode == 74, "\(product) \(arguments): \(run.errors)")
      #expect(!run.errors.contains("Fatal") && !run.errors.contains("rror:"), "\(run.errors)")
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "There is no /dev/full."))
  func aFullDevice() async throws {
    try await check { try #require(FileHandle(forWritingAtPath: "/dev/full")) }
  }

  @Test func aReaderThatHasGone() async throws {
    try await check {
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      return pipe.fileHandleForWriting
    }
  }

  @Test func theCodeIsDocumented() async throws {
    for product in ["espalier", "diet-log", "travel-companion"] {
      #expect(try await CommandRun.run(product, ["--help"]).output.contains("74"))
    }
  }
}
