// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierLocal

/// Counts the tokens that are written without the model and are not those of its tokenizer.
struct ForcedTokens: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forced",
    abstract: "Forced tokens of values of fifty types, against the tokenizer's cut of the text.",
    discussion: """
      The files need no weights: tokens are drawn from numbers that stand in for a model's. Each \
      forced token is compared with the cut of the text up to it, and of the whole text.
      """)

  @Argument(help: "GGUF files with a tokenizer.") var files: [String]
  @Option(help: "How many values for each file.") var count = 500
  @Option(help: "Of which seed the draws are.") var seed: UInt64 = 1

  func run() throws {
    // As local models write values.
    var options = CompilationOptions.generation
    options.whitespace = .spaced
    let schemas = try Types.schemas.map {
      try Grammar(jsonSchema: $0.schema, options: options)
    }
    for file in files {
      let tokenizer = try Tokenizer(metadata: GGUFFile(path: file).metadata)
      var totals = Totals()
      for index in 0..<count {
        try write(tokenizer, schemas[index % schemas.count], seed &+ UInt64(index), &totals)
      }
      let name = file.split(separator: "/").last ?? ""
      print(
        "\(name): \(totals.tokens) tokens, \(totals.forced) forced, "
          + "\(totals.differentUpTo) differ from the cut of the text up to them, "
          + "\(totals.differentWhole) from that of the whole text")
    }
  }

  private struct Totals {
    var tokens = 0
    var forced = 0
    var differentUpTo = 0
    var differentWhole = 0
  }

  private func write(
    _ tokenizer: Tokenizer, _ grammar: Grammar, _ seed: UInt64, _ totals: inout Totals
  ) throws {
    let vocabulary = tokenizer.vocabulary
    var generation = GuidedGeneration(
      context: NoiseContext(count: vocabulary.count, seed: seed),
      prompt: [vocabulary.endOfSequence],
      vocabulary: vocabulary, endTokens: tokenizer.endTokens, grammar: grammar,
      sampling: TokenSampling(temperature: 1, seed: seed), budget: 200,
      encode: { tokenizer.encode(continuing: $0) })
    var steps: [GuidedGeneration<NoiseContext>.Step] = []
    while let step = try generation.next() { steps.append(step) }
    let text = steps.flatMap(\.bytes)
    guard let whole = Self.spans(of: text, tokenizer) else { return }
    var end = 0
    for step in steps {
      for token in step.tokens {
        let start = end
        end += vocabulary.bytes(of: token).count
        totals.tokens += 1
        guard step.isForced else { continue }
        totals.forced += 1
        let span = Span(token: token, range: start..<end)
        if Self.spans(of: Array(text.prefix(end)), tokenizer)?.last != span {
          totals.differentUpTo += 1
        }
        if !whole.contains(span) { totals.differentWhole += 1 }
      }
    }
  }

  private struct Span: Equatable {
    var token: Int
    var range: Range<Int>
  }

  /// The tokens of a text and where they stand; nil where the text is no UTF-8.
  private static func spans(of text: [UInt8], _ tokenizer: Tokenizer) -> [Span]? {
    guard let text = String(validating: text, as: UTF8.self) else { return nil }
    var end = 0
    return tokenizer.encode(continuing: text).map { token in
      let start = end
      end += tokenizer.vocabulary.bytes(of: token).count
      return Span(token: token, range: start..<end)
    }
  }
}

/// Numbers in place of a model's logits, the same after the same tokens.
private struct NoiseContext: TokenModelContext {
  let count: Int
  let seed: UInt64
  var tokens: [Int] = []

  init(count: Int, seed: UInt64) {
    self.count = count
    self.seed = seed
  }

  mutating func append(_ tokens: [Int]) { self.tokens += tokens }
  mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }

  mutating func nextLogits(into logits: inout [Float]) {
    nextLogits(of: Array(0..<count), into: &logits)
  }

  mutating func nextLogits(of tokens: [Int], into logits: inout [Float]) {
    var state = seed
    for token in self.tokens.suffix(8) {
      state = (state ^ UInt64(truncatingIfNeeded: token)) &* 0x9E37_79B9_7F4A_7C15
    }
    logits = tokens.map { token in
      var z = (state ^ UInt64(truncatingIfNeeded: token)) &* 0xBF58_476D_1CE4_E5B9
      z ^= z >> 31
      return Float(z >> 40) * 0x1p-21
    }
  }
}
