// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore

/// `espalier sample`: valid values without a model.
struct SampleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Draw random valid values of a schema, or texts of a grammar, one a line.")

  @OptionGroup var input: GrammarArgument
  @Option(help: "The random seed: the same seed gives the same bytes.") var seed: UInt64 = 0
  @Option(help: "How many values.") var count = 1
  @Option(help: "The greatest number of tokens of a value or a text; it ends before.")
  var maximumTokens: Int?
  @Option(help: "How many characters strings tend to have.") var stringLength = 24
  @Flag(help: "White space for people.") var pretty = false

  func validate() throws {
    guard count >= 0 else { throw ValidationError("--count is at least 0; found \(count)") }
    if let maximumTokens, maximumTokens < 1 {
      throw ValidationError("--maximum-tokens is at least 1; found \(maximumTokens)")
    }
  }

  func run() async throws {
    guard input.notation == .schema else { return try writeTexts() }
    let schema = try input.input.generationSchema()
    for index in 0..<count {
      let model = SamplingLanguageModel(
        seed: seed &+ UInt64(index), typicalStringLength: stringLength)
      let content = try await Generation(
        model: model, schema: schema, options: .init(maximumResponseTokens: maximumTokens)
      ).content(for: "")
      Terminal.writeLine(pretty ? PrettyJSON(content).text : content.jsonString)
    }
  }

  private func writeTexts() throws {
    guard !pretty else { throw ValidationError("--pretty is for values of schemas") }
    let grammar = try input.grammar(policy: .generation)
    for index in 0..<count {
      var sampler = TextSampler(grammar: grammar, tokenLimit: maximumTokens)
      var generator = SplitMix64(seed: seed &+ UInt64(index))
      var text: [UInt8] = []
      do {
        while let bytes = try sampler.next(using: &generator) { text += bytes }
      } catch {
        throw Failure.no.report("\(error)")
      }
      Terminal.writeLine(String(decoding: text, as: UTF8.self))
    }
  }
}
