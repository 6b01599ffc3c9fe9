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
    let clock = ContinuousClock()
    var slowest = (name: "", time: Duration.zero)
    for file in files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let times = try (0..<max(1, rounds)).map { _ in
        try clock.measure { _ = try ChatTemplate(jinja: text) }
      }
      let time = times.sorted()[times.count / 2]
      let name = URL(filePath: file).lastPathComponent
      print("\(name): \(milliseconds(time)) ms")
      if time > slowest.time { slowest = (name, time) }
    }
    print("slowest: \(slowest.name), \(milliseconds(slowest.time)) ms")
  }

  private func milliseconds(_ time: Duration) -> String {
    String(format: "%.2f", time / .milliseconds(1))
  }
}
