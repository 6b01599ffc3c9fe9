// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the examples say where a model cannot be used, and that what their help shows can be copied.
@Suite struct ExampleErrorTests {
  private static let nobody = "http://localhost:1#x"

  @Test func theCompanionSaysWhy() async throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "travel").path
    let file = try await CommandRun.run(
      "travel-companion", ["briefing", "Japan", "--model", "/no/such.gguf"])
    #expect(file.exitCode == 1)
    #expect(file.errors.contains("The file of the model cannot be used."), "\(file.errors)")
    #expect(file.errors.contains("there is no file '/no/such.gguf'"), "\(file.errors)")
    let server = try await CommandRun.run(
      "travel-companion", ["briefing", "Japan", "--model", Self.nobody])
    #expect(server.exitCode == 1)
    #expect(server.errors.contains("Nobody answers"), "\(server.errors)")
    let chat = try await CommandRun.run(
      "travel-companion", ["chat", "Hello", "--store", store, "--model", Self.nobody])
    #expect(chat.exitCode == 1 && chat.output.contains("Nobody answers"), "\(chat.output)")
  }

  @Test(arguments: ["/no/such.gguf", nobody])
  func theLogSaysWhy(model: String) async throws {
    let run = try await CommandRun.run("diet-log", ["soup", "--model", model])
    #expect(run.exitCode == 2)
    #expect(run.errors.contains(model == Self.nobody ? "Nobody answers" : model), "\(run.errors)")
  }

  /// A line of 80 columns holds each command of the help, or it could not be copied.
  @Test(arguments: ["espalier", "travel-companion", "diet-log"])
  func commandsOfTheHelpAreNotBroken(name: String) async throws {
    let help = try await CommandRun.run(name, ["--help"], environment: ["COLUMNS": "80"])
    let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("  \(name) ") {
      #expect(next.isEmpty || next.hasPrefix("  "), "\(line)")
    }
  }
}
