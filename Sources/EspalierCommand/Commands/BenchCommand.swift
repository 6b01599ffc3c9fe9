// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import EspalierLocal

/// `espalier bench`: what holding a model to a schema costs.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure compiling a schema, and a mask and a step for each token of drawn values.",
    discussion: """
      A mask says which tokens may come next; a step takes one. The first value meets most states of \
      the schema for the first time, so that its masks are the slow ones; later values find them made. \
      The masks of a model are those of its vocabulary: name it with --model. Times are those of this \
      build (-c release) on this machine, with about 0.1 µs for looking at the clock.
      """)

  @OptionGroup var input: SchemaArgument
  @Option(help: "A GGUF file, whose vocabulary is used; single bytes where left out.")
  var model: String?
  @Option(help: "How many values are drawn and gone through.") var values = 20
  @Option(help: "The random seed.") var seed: UInt64 = 0
  @Flag(help: "Report as JSON.") var json = false

  func validate() throws {
    guard values > 0 else { throw ValidationError("--values is 1 or more; found \(values)") }
  }

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
    var firstCount = 0
    for index in 0..<values {
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
      if index == 0 { firstCount = masks.count }
    }
    let name = file == nil ? "single bytes" : model?.split(separator: "/").last.map(String.init)
    report(
      [
        ("vocabulary", name ?? "-"), ("vocabulary_tokens", vocabulary.count), ("values", values),
        ("tokens", masks.count),
      ],
      compilation: compilation,
      [
        ("first_value_mask", masks[..<firstCount].sorted()), ("mask", masks.sorted()),
        ("step", steps.sorted()),
      ])
  }

  private func report(
    _ facts: [(String, any ConvertibleToGeneratedContent)], compilation: Duration,
    _ measured: [(name: String, sorted: [Duration])]
  ) {
    func microseconds(_ duration: Duration) -> Double {
      (duration / .microseconds(1) * 10).rounded() / 10
    }
    func quantile(_ durations: [Duration], _ share: Double) -> Double {
      guard !durations.isEmpty else { return 0 }
      let index = min(durations.count - 1, Int(Double(durations.count) * share))
      return microseconds(durations[index])
    }
    var members = facts + [("compilation_us", microseconds(compilation))]
    for (name, durations) in measured {
      for (quantity, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1)] {
        members.append(("\(name)_\(quantity)_us", quantile(durations, share)))
      }
    }
    if json {
      Terminal.writeLine(
        GeneratedContent(properties: members, uniquingKeysWith: { $1 }).jsonString)
      return
    }
    for (name, value) in members {
      let isTime = name.hasSuffix("_us")
      let words = name.dropLast(isTime ? 3 : 0).replacing("_", with: " ")
      Terminal.writeLine("\(words): \(value)\(isTime ? " µs" : "")")
    }
  }
}
