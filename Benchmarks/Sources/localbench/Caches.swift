// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierLocal
import Foundation

/// What it costs and changes to keep keys and values in fewer bits.
struct Caches: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Memory, speed and logits with keys and values in 32, 16 and 8 bits.")

  @OptionGroup var options: ModelOptions
  @Option(help: "A text to be gone on with; one that repeats itself where left out.")
  var text: String?
  @Option(help: "Tokens of the text that is gone on with.") var promptTokens = 1024
  @Option(help: "Tokens that are decoded, the same ones with every precision.") var steps = 48
  @Option(help: "How many times to measure.") var rounds = 3

  private struct Run {
    var tokens: [Int] = []
    var logits: [[Float]] = []
    var speeds: [Double] = []
  }

  func run() throws {
    let precisions = CachePrecision.allCases
    let models = try precisions.map(options.open)
    var runs = precisions.map { _ in Run() }
    for _ in 0..<rounds {
      for index in precisions.indices {
        let expected = index == 0 ? nil : runs[0].tokens
        try measure(models[index], following: expected, &runs[index])
      }
    }
    for (precision, run) in zip(precisions, runs) {
      let bytes = try GGUFTokenModel.Requirements(
        path: options.model, cachePrecision: precision
      ).bytesPerToken
      let differences = zip(runs[0].logits, run.logits).flatMap { zip($0, $1).map { abs($0 - $1) } }
      let mean = differences.reduce(0, +) / Float(max(1, differences.count))
      let likeliest = zip(runs[0].logits, run.logits).count { Self.best($0) == Self.best($1) }
      print(
        String(
          format: "%d bits: %d bytes a token, %.1f tokens/s, logits differ by %.4f (at most %.3f), "
            + "likeliest token the same %d of %d times", precision.rawValue, bytes,
          median(run.speeds), mean, differences.max() ?? 0, likeliest, run.logits.count))
    }
  }

  private static func best(_ logits: [Float]) -> Int {
    logits.indices.max { logits[$0] < logits[$1] } ?? 0
  }

  private func measure(_ model: GGUFTokenModel, following expected: [Int]?, _ run: inout Run) throws
  {
    let text =
      try text.map { try String(contentsOfFile: $0, encoding: .utf8) }
      ?? String(
        repeating: "The keeper counted 31 ships, and wrote their names down. ", count: promptTokens)
    var context = model.makeContext()
    try context.append(
      Array(model.encode(text, parsesSpecialTokens: false).prefix(promptTokens)))
    (run.tokens, run.logits) = ([], [])
    var found = (tokens: [Int](), logits: [[Float]]())
    let time = try seconds(threads: options.threads) {
      for step in 0..<steps {
        var logits: [Float] = []
        context.nextLogits(into: &logits)
        let token = expected?[step] ?? Self.best(logits)
        found.tokens.append(token)
        found.logits.append(logits)
        try context.append([token])
      }
    }
    (run.tokens, run.logits) = found
    run.speeds.append(Double(steps) / time)
  }
}
