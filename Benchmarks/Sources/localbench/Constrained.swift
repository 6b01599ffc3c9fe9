// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierLocal
import Foundation

/// Generates values of fifty types, each within a token budget, and checks every one.
struct Constrained: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Values of fifty types: validity, model calls saved, what holding to them costs.")

  @OptionGroup var options: ModelOptions
  @Option(help: "How many values.") var count = 500
  @Option(help: "Of which seed the draws are.") var seed: UInt64 = 1
  @Option(help: "The temperature.") var temperature = 1.0
  @Option(help: "Of how many types a value is written without a grammar too, to compare times.")
  var replays = 25
  @Flag(help: "Print the values.") var verbose = false

  /// What the runs add up to.
  private struct Totals {
    var valid = 0
    var withinBudget = 0
    var tokens = 0
    var calls = 0
    var forced = 0
    var seconds = 0.0
    var replayed = (tokens: 0, calls: 0, guided: 0.0, free: 0.0, matching: 0.0)
    var failures: [String] = []
  }

  func run() throws {
    let model = try options.open()
    // As a session does, a grammar is compiled once for a type.
    let schemas = try Types.schemas.map {
      (name: $0.name, schema: $0.schema, grammar: try Grammar(jsonSchema: $0.schema))
    }
    var totals = Totals()
    var prompts: [String: GGUFTokenModel.Context] = [:]
    for index in 0..<count {
      let (name, schema, grammar) = schemas[index % schemas.count]
      let prompt = self.prompt(name)
      if prompts[name] == nil {
        var context = model.makeContext()
        let tokens = model.encode(prompt, parsesSpecialTokens: true)
        try context.append(Array(tokens.dropLast()))
        prompts[name] = context
      }
      guard let context = prompts[name] else { continue }
      // A budget from the shortest value on; with every tenth run, more.
      var shortest = Matcher(grammar: grammar, vocabulary: model.vocabulary)
      let least = shortest.shortestCompletion().count
      let budget = least + index / schemas.count * 6
      try generate(
        model, name, context, grammar, schema, budget: budget, index: index, prompt, &totals)
    }
    for (name, _, grammar) in schemas.prefix(replays) {
      guard let context = prompts[name] else { continue }
      try compare(model, context, grammar, prompt(name), &totals)
    }
    report(totals)
  }

  private func prompt(_ name: String) -> String {
    "<|im_start|>user\nMake up one \(name.lowercased()) and write it as JSON.<|im_end|>\n"
      + "<|im_start|>assistant\n"
  }

  private func generate(
    _ model: GGUFTokenModel, _ name: String, _ context: GGUFTokenModel.Context,
    _ grammar: Grammar, _ schema: String, budget: Int, index: Int, _ prompt: String,
    _ totals: inout Totals
  ) throws {
    let last = model.encode(prompt, parsesSpecialTokens: true).suffix(1)
    var generation = GuidedGeneration(
      context: context, prompt: Array(last), vocabulary: model.vocabulary,
      endTokens: model.endTokens, grammar: grammar,
      sampling: TokenSampling(temperature: temperature, seed: seed &+ UInt64(index)),
      budget: budget, encode: { model.encode(continuing: $0) })
    var steps: [GuidedGeneration<GGUFTokenModel.Context>.Step] = []
    let time = try seconds {
      while let step = try generation.next() { steps.append(step) }
    }
    let tokens = steps.flatMap(\.tokens)
    let bytes = steps.flatMap(\.bytes)
    totals.seconds += time
    totals.tokens += generation.tokenCount
    totals.calls += generation.modelCalls
    totals.forced += generation.forcedTokenCount
    let isValid = try Self.isValid(bytes, schema)
    if isValid { totals.valid += 1 }
    if tokens.count <= budget { totals.withinBudget += 1 }
    if !isValid || tokens.count > budget {
      totals.failures.append("\(name) \(index): \(String(decoding: bytes, as: UTF8.self))")
    }
    if verbose {
      print("\(name) \(tokens.count)/\(budget): \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  /// A value with room to spare, of a type that was written before; then the same tokens without.
  private func compare(
    _ model: GGUFTokenModel, _ context: GGUFTokenModel.Context, _ grammar: Grammar,
    _ prompt: String, _ totals: inout Totals
  ) throws {
    let last = Array(model.encode(prompt, parsesSpecialTokens: true).suffix(1))
    for round in 0..<2 {
      var generation = GuidedGeneration(
        context: context, prompt: last, vocabulary: model.vocabulary, endTokens: model.endTokens,
        grammar: grammar, sampling: TokenSampling(temperature: 0.7, seed: seed &+ UInt64(round)),
        budget: 256, encode: { model.encode(continuing: $0) })
      var steps: [GuidedGeneration<GGUFTokenModel.Context>.Step] = []
      let time = try seconds { while let step = try generation.next() { steps.append(step) } }
      if round == 0 { continue }
      totals.replayed.tokens += generation.tokenCount
      totals.replayed.calls += generation.modelCalls
      totals.replayed.guided += time
      totals.replayed.free += try freeTime(context, last + steps.flatMap(\.tokens))
      totals.replayed.matching += try matchingTime(steps, grammar, model)
    }
  }

  /// The value read by another policy of the engine, and by Foundation.
  private static func isValid(_ bytes: [UInt8], _ schema: String) throws -> Bool {
    guard (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil else { return false }
    var matcher = Matcher(
      grammar: try Grammar(jsonSchema: schema, options: .validation), vocabulary: .singleBytes)
    guard (try? matcher.accept(bytes: bytes)) != nil else { return false }
    return matcher.canEnd()
  }

  /// The time that masks and forced tokens take for the same value, without the model.
  private func matchingTime(
    _ steps: [GuidedGeneration<GGUFTokenModel.Context>.Step], _ grammar: Grammar,
    _ model: GGUFTokenModel
  ) throws -> Double {
    var matcher = Matcher(grammar: grammar, vocabulary: model.vocabulary)
    var text: [UInt8] = []
    return try seconds {
      for step in steps {
        _ = matcher.mustEnd()
        _ = matcher.forcedTokens(after: text) { model.encode(continuing: $0) }
        text += step.bytes
        if !step.isForced { _ = matcher.allowedTokens().tokens }
        for token in step.tokens { try matcher.accept(token) }
      }
    }
  }

  /// The time that the same tokens take without a grammar: logits of all, a draw, one at a time.
  private func freeTime(_ context: GGUFTokenModel.Context, _ tokens: [Int]) throws -> Double {
    var context = context
    var logits: [Float] = []
    var sum: Float = 0
    let time = try seconds {
      for token in tokens.dropLast() {
        try context.append([token])
        context.nextLogits(into: &logits)
        sum += logits.max() ?? 0
      }
    }
    return sum.isNaN ? .nan : time
  }

  private func report(_ totals: Totals) {
    for failure in totals.failures { print("FAILED \(failure)") }
    print("\(totals.valid) of \(count) values valid, \(totals.withinBudget) within the budget")
    print(
      String(
        format: "%d tokens, %d calls of the model (%.0f %% saved; %d tokens forced), %.1f tokens/s",
        totals.tokens, totals.calls,
        100 * (1 - Double(totals.calls) / Double(max(1, totals.tokens))), totals.forced,
        Double(totals.tokens) / totals.seconds))
    let replayed = totals.replayed
    print(
      String(
        format:
          "with room to spare, %d tokens: %.2f s with %d calls of the model, %.2f s without a "
          + "grammar (%+.1f %%)", replayed.tokens, replayed.guided, replayed.calls, replayed.free,
        100 * (replayed.guided / replayed.free - 1)))
    print(
      String(
        format: "masks and forced tokens alone: %.2f %% of the time without a grammar, "
          + "%.0f µs a token", 100 * replayed.matching / replayed.free,
        1e6 * replayed.matching / Double(max(1, replayed.tokens))))
  }
}
