// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierLocal
import Foundation

/// How many tokens a second several sequences decode together.
struct Batches: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tokens a second of one sequence, and of several that are read together.")

  @OptionGroup var options: ModelOptions
  @Option(help: "How many sequences, in turns.") var sequences = [1, 2, 4, 8, 16]
  @Option(help: "Tokens of each prompt.") var promptTokens = 64
  @Option(help: "Steps.") var steps = 48
  @Option(help: "How many times to measure.") var rounds = 3

  func run() throws {
    let model = try options.open()
    let prompt = Array(
      model.encode(
        String(repeating: "The keeper counted the ships. ", count: promptTokens),
        parsesSpecialTokens: false
      ).prefix(promptTokens))
    var figures = sequences.map { _ in [Double]() }
    for _ in 0..<rounds {
      for (place, count) in sequences.enumerated() {
        figures[place].append(try measure(model, prompt, count))
      }
    }
    for (count, values) in zip(sequences, figures) {
      print(
        String(
          format: "%2d sequences: %.1f tokens/s, %.2f × the first", count, median(values),
          median(zip(values, figures[0]).map { $0 / $1 })))
    }
  }

  private func measure(_ model: GGUFTokenModel, _ prompt: [Int], _ count: Int) throws -> Double {
    typealias Context = GGUFTokenModel.Context
    var contexts: [Context] = []
    for index in 0..<count {
      var context = model.makeContext()
      try context.append(prompt + [100 + index])
      contexts.append(context)
    }
    var logits: [Float] = []
    let time = try seconds(threads: options.threads) {
      for _ in 0..<steps {
        let next = contexts.indices.map { index in
          contexts[index].nextLogits(into: &logits)
          var (best, greatest) = (0, -Float.infinity)
          for (token, logit) in logits.enumerated() where logit > greatest {
            (best, greatest) = (token, logit)
          }
          return [best]
        }
        let errors = Context.append(
          next, to: &contexts, preparingLogits: contexts.map { _ in true })
        for error in errors { if let error { throw error } }
      }
    }
    return Double(count * steps) / time
  }
}
