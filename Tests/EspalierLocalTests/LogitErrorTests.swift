// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import GGUFRuntime
import Testing

@testable import EspalierLocal

/// What a model gives wrong is told as that, not as a budget that is too small.
@Suite struct LogitErrorTests {
  /// A model of bytes with the same logits everywhere.
  struct FixedModel: TokenModel {
    var vocabulary = Vocabulary.singleBytes
    let contextSize = 8192
    let logits: [Float]

    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
    func makeContext() -> Context { Context(logits: logits) }

    struct Context: TokenModelContext {
      let logits: [Float]
      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) { self.tokens += tokens }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) { logits = self.logits }
    }
  }

  private func error(
    of model: FixedModel, schema: String?, temperature: Double = 0
  ) async throws -> TokenModelError? {
    let session = LanguageModelSession(
      model: GuidedLanguageModel(model, sampling: TokenSampling(temperature: temperature, seed: 1)))
    return await #expect(throws: TokenModelError.self) {
      if let schema {
        let schema = try GenerationSchema(jsonSchema: schema)
        _ = try await session.respond(to: "Well?", schema: schema)
      } else {
        _ = try await session.respond(to: "Well?")
      }
    }
  }

  @Test(arguments: [Float.nan, -Float.infinity], [0, 0.7])
  func logitsThatAreNoNumbers(logit: Float, temperature: Double) async throws {
    let model = FixedModel(logits: Array(repeating: logit, count: 257))
    let choice = try await error(
      of: model, schema: #"{"enum":["ab","cd","ef"]}"#, temperature: temperature)
    #expect(choice == .noUsableLogits(allowed: 3))
    #expect(choice?.problemDescription.contains("for 3 allowed tokens") == true)
    let text = try await error(of: model, schema: nil, temperature: temperature)
    #expect(text == .noUsableLogits(allowed: 257))
  }

  @Test func someLogitsThatAreNoNumbersAreNotDrawn() async throws {
    var logits = Array(repeating: Float.nan, count: 257)
    logits[Int(UInt8(ascii: "e"))] = 1
    let session = LanguageModelSession(
      model: GuidedLanguageModel(FixedModel(logits: logits), sampling: .greedy))
    let schema = try GenerationSchema(jsonSchema: #"{"enum":["ab","cd","ef"]}"#)
    #expect(try await session.respond(to: "Well?", schema: schema).content.jsonString == #""ef""#)
  }

  @Test func fewerLogitsThanTokens() async throws {
    let model = FixedModel(logits: Array(repeating: 0, count: 99))
    let choice = try await error(of: model, schema: #"{"enum":["ab","cd","ef"]}"#)
    #expect(choice == .missingLogits(expected: 257, found: 99))
    #expect(choice?.problemDescription.contains("expected 257, found 99") == true)
    #expect(try await error(of: model, schema: nil) == choice)
  }

  /// A vocabulary that cannot spell what the schema asks for.
  @Test func deadEnd() async throws {
    var tokens = (0..<256).map { [UInt8($0)] }
    tokens[Int(UInt8(ascii: "Z"))] = Array("zzzz".utf8)
    let vocabulary = try Vocabulary(tokens: tokens + [[]], endOfSequence: 256)
    let model = FixedModel(vocabulary: vocabulary, logits: Array(repeating: 0, count: 257))
    #expect(try await error(of: model, schema: #"{"const":"aZ"}"#) == .deadEnd)
  }
}
