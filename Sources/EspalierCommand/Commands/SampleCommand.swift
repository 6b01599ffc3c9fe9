// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierCore

/// `espalier sample`: valid values without a model.
struct SampleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample", abstract: "Draw random valid values of a schema, one a line.")

  @OptionGroup var input: SchemaArgument
  @Option(help: "The random seed: the same seed gives the same bytes.") var seed: UInt64 = 0
  @Option(help: "How many values.") var count = 1
  @Option(help: "The greatest number of tokens of a value; it ends before.") var maximumTokens: Int?
  @Option(help: "How many characters strings tend to have.") var stringLength = 24
  @Flag(help: "White space for people.") var pretty = false

  func validate() throws {
    guard count >= 0 else { throw ValidationError("--count is at least 0; found \(count)") }
    if let maximumTokens, maximumTokens < 1 {
      throw ValidationError("--maximum-tokens is at least 1; found \(maximumTokens)")
    }
  }

  func run() async throws {
    let schema = try input.generationSchema()
    for index in 0..<count {
      let model = SamplingLanguageModel(
        seed: seed &+ UInt64(index), typicalStringLength: stringLength)
      let content = try await Generation(
        model: model, schema: schema, options: .init(maximumResponseTokens: maximumTokens)
      ).content(for: "")
      Terminal.writeLine(pretty ? PrettyJSON(content).text : content.jsonString)
    }
  }
}
