// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import TestSupport
import Testing

@testable import EspalierLocal
@testable import GGUFRuntime

/// Embedding models in the process: words, vectors, and files that cannot be read.
@Suite struct EncoderTests {
  private func withModel<Result>(
    _ writer: GGUFWriter, _ body: (LocalEmbeddingModel, EncoderTransformer) throws -> Result
  ) throws -> Result {
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFFile(path: path)
      return try body(
        try LocalEmbeddingModel(path: path),
        try EncoderTransformer(
          file: file, parameters: try EncoderParameters(metadata: file.metadata)))
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var architecture: String
    var pooling: UInt32
    var numbers: [Float]
    var testDescription: String { "\(architecture), pooling \(pooling)" }
  }

  /// What `Tests/References/embeddings.py tiny` prints.
  static let cases = [
    Case(
      architecture: "bert", pooling: 1,
      numbers: [-0.1689, -0.0935, -0.1394, -0.2134, -0.1887, -0.2229]),
    Case(
      architecture: "bert", pooling: 2,
      numbers: [-0.1074, -0.259, -0.2325, -0.1558, -0.095, -0.1833]),
    Case(
      architecture: "bert", pooling: 3,
      numbers: [-0.2634, 0.0453, -0.0797, -0.1357, -0.3091, -0.2798]),
    Case(
      architecture: "nomic-bert", pooling: 1,
      numbers: [-0.1166, -0.1827, -0.012, -0.1709, 0.0096, -0.1821]),
    Case(
      architecture: "nomic-bert", pooling: 2,
      numbers: [-0.0758, -0.198, -0.0269, -0.1591, 0.0015, -0.1574]),
    Case(
      architecture: "nomic-bert", pooling: 3,
      numbers: [-0.1317, 0.0705, 0.1689, -0.0839, 0.0339, -0.0552]),
  ]

  @Test(arguments: cases) func vectorsAreThoseOfTheReference(_ example: Case) throws {
    let writer = TinyEncoder.writer(example.architecture, pooling: example.pooling)
    try withModel(writer) { _, encoder in
      let vector = encoder.vectors(of: [[1, 7, 3, 3, 9, 2]])[0]
      // The formula of GELU, and 16 bits of activations.
      for (ours, reference) in zip(vector, example.numbers) {
        #expect(abs(ours - reference) < 0.002, "\(ours) \(reference)")
      }
    }
  }

  @Test func aVectorDoesNotDependOnTheBatchOrTheThreads() throws {
    try withTemporaryFile(TinyEncoder.writer().file()) { path in
      let file = try GGUFFile(path: path)
      let parameters = try EncoderParameters(metadata: file.metadata)
      let texts = [[1, 4, 5, 6, 2], [1, 2], [1, 7, 3, 3, 9, 2], Array(repeating: 8, count: 16)]
      let alone = try EncoderTransformer(file: file, parameters: parameters)
      let expected = texts.map { alone.vectors(of: [$0])[0] }
      for kernels in ProcessorKernels.available {
        let encoder = try EncoderTransformer(
          file: file, parameters: parameters, Compute(kernels, threads: 2))
        #expect(encoder.vectors(of: texts) == expected, "\(kernels)")
      }
    }
  }

  @Test func textsAreCutIntoWordPieces() throws {
    let file = TinyEncoder.writer().file()
    let encoder = try withTemporaryFile(file) { path in
      try TokenEncoder(try TokenizerTables(metadata: try GGUFFile(path: path).metadata))
    }
    func tokens(_ text: String) -> [Int] { encoder.encode(text, parsesSpecialTokens: false) }
    #expect(tokens("Unaffable!") == [4, 5, 6, 7])
    #expect(tokens("  a\tA\n") == [8, 8])
    #expect(tokens("unknown") == [11])
    // No part of a word that cannot be cut stays.
    #expect(tokens("unaffected a") == [3, 8])
    #expect(tokens("Café cafe\u{301}") == [9, 9])
    #expect(tokens("a寺a") == [8, 10, 8])
    #expect(tokens("[CLS]") == [3, 3, 3])
    #expect(tokens("a\u{200B}\u{0}") == [8])
    #expect(tokens(String(repeating: "a", count: 101)) == [3])
    #expect(tokens("") == [])
  }

  @Test func textsHaveTokensAroundThemAndALimit() async throws {
    let model = try withModel(TinyEncoder.writer()) { model, _ in model }
    #expect(model.dimensions == 32)
    #expect(model.maximumTokenCount == 16)
    #expect(model.tokenCount(of: "a a") == 4)
    let texts = ["a", "", "Unaffable!", "a"] + Array(repeating: "a café !", count: 100)
    let vectors = try await model.vectors(for: texts, as: .document)
    #expect(vectors.count == 104)
    #expect(vectors[0] == vectors[3])
    #expect(vectors[0] != vectors[2])
    for vector in vectors {
      #expect(abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4)
    }
    let long = String(repeating: "a ", count: 15)
    let error = await #expect(throws: EmbeddingError.self) {
      try await model.vectors(for: ["a", long], as: .document)
    }
    #expect(error?.kind == .textTooLong)
    #expect(error?.problem.contains("16 tokens, found 17") == true)
  }

  @Test func prefixesArePutBeforeTexts() async throws {
    var model = try withModel(TinyEncoder.writer()) { model, _ in model }
    model.queryPrefix = "un"
    let plain = try await model.vectors(for: ["affable", "unaffable"], as: .document)
    #expect(try await model.vectors(for: ["affable"], as: .query) == [plain[1]])
    #expect(plain[0] != plain[1])
    // An index tells vectors apart that were made otherwise.
    let unprefixed = try withModel(TinyEncoder.writer()) { model, _ in model }
    #expect(model.identifier != unprefixed.identifier)
  }

  /// Whatever is changed in a file, it is refused, or it makes vectors.
  @Test(arguments: ["bert", "nomic-bert"]) func changedFilesAreReadOrRefused(architecture: String)
    throws
  {
    let file = TinyEncoder.writer(architecture).file()
    var readCount = 0
    for seed in UInt64(0)..<200 {
      var random = SeededGenerator(seed: seed)
      var changed = file
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // Most of what can go wrong stands at the beginning.
        let end = Bool.random(using: &random) ? min(2048, file.count) : file.count
        changed[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if seed % 8 == 0 {
        changed = Array(changed.prefix(Int.random(in: 0..<file.count, using: &random)))
      }
      try withTemporaryFile(changed) { path in
        guard let file = try? GGUFFile(path: path),
          let parameters = try? EncoderParameters(metadata: file.metadata),
          (try? LocalEmbeddingModel(path: path)) != nil,
          let encoder = try? EncoderTransformer(file: file, parameters: parameters)
        else { return }
        readCount += 1
        let vectors = encoder.vectors(of: [[1, 7, 3, 2]])
        #expect(vectors.first?.count == parameters.width, "seed \(seed)")
      }
    }
    #expect(0 < readCount && readCount < 200)
  }

  @Test func anEncoderIsNoLanguageModel() throws {
    let error = #expect(throws: GGUFError.self) {
      try withTemporaryFile(TinyEncoder.writer().file()) { _ = try GGUFTokenModel(path: $0) }
    }
    #expect(error?.message.contains("LocalEmbeddingModel") == true)
    #expect(error?.kind == .otherContent)
  }

  @Test func otherFilesAreErrors() throws {
    func error(_ writer: GGUFWriter) -> GGUFError? {
      #expect(throws: GGUFError.self) {
        try withTemporaryFile(writer.file()) { _ = try LocalEmbeddingModel(path: $0) }
      }
    }
    #expect(error(TinyModel.writer())?.field == "general.architecture")
    #expect(
      error(TinyEncoder.writer { $0.set("bert.attention.causal", true) })?.field
        == "bert.attention.causal")
    #expect(
      error(TinyEncoder.writer(pooling: 4))?.field == "bert.pooling_type")
    #expect(
      error(TinyEncoder.writer { $0.set("bert.block_count", UInt32(3)) }) != nil)
  }
}
