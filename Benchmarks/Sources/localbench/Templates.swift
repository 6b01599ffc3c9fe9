// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierLocal
import Foundation

/// Times how long chat templates take to be read.
struct Templates: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "How long chat templates take to be read, and how tool calls are written learned.",
    discussion: "Prints the median of the rounds for each file, and the slowest file.")

  @Argument(help: "Chat templates in Jinja.") var files: [String]
  @Option(help: "How often each is read.") var rounds = 21

  func run() throws {
    var slowest = (name: "", time: 0.0)
    for file in files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let time = median(
        try (0..<max(1, rounds)).map { _ in try seconds { _ = try ChatTemplate(jinja: text) } })
      let name = URL(filePath: file).lastPathComponent
      print("\(name): \(milliseconds(time)) ms")
      if time > slowest.time { slowest = (name, time) }
    }
    print("slowest: \(slowest.name), \(milliseconds(slowest.time)) ms")
  }

  private func milliseconds(_ time: Double) -> String { String(format: "%.2f", time * 1000) }
}
