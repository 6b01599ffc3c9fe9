// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import EspalierLocal

/// `espalier bench`: what holding a model to a schema costs.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure compiling a schema, and a mask and a step for each token of drawn values.")

  @OptionGroup var input: SchemaArgument
  @Option(help: "A GGUF file, whose vocabulary is used; single bytes where left out.")
  var model: String?
  @Option(help: "How many values are drawn and gone through.") var values = 20
  @Option(help: "The random seed.") var seed: UInt64 = 0
  @Flag(help: "Report as JSON.") var json = false

  func run() async throws {
    let text = try input.text()
    let documents = try input.documents()
    let schema = try SchemaArgument.generationSchema(of: text, documents: documents)
    let clock = ContinuousClock()
    let start = clock.now
    let grammar = try SchemaArgument.grammar(
      of: text, policy: .generation, documents: documents)
    let compilation = clock.now - start
    let file = try model.map { try ModelChoice.file($0) }
    let vocabulary = file?.vocabulary ?? .singleBytes
    var masks: [Duration] = []
    var steps: [Duration] = []
    for index in 0..<max(1, values) {
      let content = try await Generation(
        model: SamplingLanguageModel(seed: seed &+ UInt64(index)), schema: schema
      ).content(for: "")
      let json = content.jsonString
      let tokens =
        file?.encode(json, parsesSpecialTokens: false) ?? json.utf8.map { Int($0) }
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      for token in tokens {
        let beforeMask = clock.now
        let mask = matcher.allowedTokens()
        let afterMask = clock.now
        guard mask.contains(token) else {
          throw Failure.no.report("a drawn value is not in the grammar: \(json)")
        }
        do { try matcher.accept(token) } catch { throw Failure.no.report("\(error)") }
        steps.append(clock.now - afterMask)
        masks.append(afterMask - beforeMask)
      }
    }
    report(compilation: compilation, masks: masks.sorted(), steps: steps.sorted())
  }

  private func report(compilation: Duration, masks: [Duration], steps: [Duration]) {
    func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }
    func quantile(_ durations: [Duration], _ share: Double) -> Double {
      guard !durations.isEmpty else { return 0 }
      let index = min(durations.count - 1, Int(Double(durations.count) * share))
      return microseconds(durations[index])
    }
    let figures: KeyValuePairs<String, Double> = [
      "compilation µs": microseconds(compilation), "mask p50 µs": quantile(masks, 0.5),
      "mask p99 µs": quantile(masks, 0.99), "mask max µs": quantile(masks, 1),
      "step p50 µs": quantile(steps, 0.5), "step p99 µs": quantile(steps, 0.99),
    ]
    if json {
      let members =
        [("tokens", masks.count as any ConvertibleToGeneratedContent)]
        + figures.map { ($0.key, $0.value as any ConvertibleToGeneratedContent) }
      Terminal.writeLine(
        GeneratedContent(properties: members, uniquingKeysWith: { $1 }).jsonString)
      return
    }
    Terminal.writeLine("\(masks.count) tokens")
    for (name, value) in figures {
      Terminal.writeLine("\(name): \((value * 10).rounded() / 10)")
    }
  }
}
