// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierLocal
import EspalierServer
import Foundation
import Testing

@testable import ModelServing

/// Answers that are held to a grammar in place of a schema.
@Suite struct ServedGrammarTests {
  private func request(_ members: String) throws -> ServedRequest {
    try ServedRequest(
      .chat, body: Data(#"{"messages":[{"role":"user","content":"Hi"}],\#(members)}"#.utf8))
  }

  private func answer(
    _ members: String, of model: some LanguageModel
  ) async throws -> (text: String, reason: ServedEnd.Reason?) {
    let served = try ServedModel(model, name: "m")
    var text = ""
    var reason: ServedEnd.Reason?
    for try await part in ServedAnswer.parts(of: try request(members), model: served) {
      switch part {
      case .text(let piece, _): text += piece
      case .end(let end): reason = end.reason
      default: break
      }
    }
    return (text, reason)
  }

  private func problem(_ members: String, of model: some LanguageModel) async throws -> ServeProblem
  {
    let error = await #expect(throws: (any Error).self) {
      try await answer(members, of: model)
    }
    return ServeProblem(try #require(error), answering: try request(members))
  }

  @Test(arguments: [
    (#""grammar":"root ::= \"- \" item+\nitem ::= [a-c]{2} \"\\n\"""#, "- ([a-c]{2}\\n)+"),
    (#""regex":"[0-9]{4}-[0-9]{2}""#, "[0-9]{4}-[0-9]{2}"),
    (#""guided_choice":["positive","negative"]"#, "positive|negative"),
  ])
  func textIsHeldToTheGrammar(members: String, pattern: String) async throws {
    let expected = try Grammar(regularExpression: pattern)
    for seed in 1...5 as ClosedRange<UInt64> {
      let sampled = try await answer(members, of: SamplingLanguageModel(seed: seed)).text
      #expect(Self.isText(sampled, of: expected), "\(sampled)")
    }
    let (text, reason) = try await answer(members, of: GuidedLanguageModel(ByteModel()))
    #expect(Self.isText(text, of: expected), "\(text)")
    #expect(reason == .stop)
  }

  private static func isText(_ text: String, of grammar: Grammar) -> Bool {
    var validator = StreamValidator(grammar: grammar)
    return validator.append(text) == .complete
  }

  @Test func grammarThatCannotBeReadIsNamedWithItsPlace() async throws {
    for problem in [
      try await problem(#""grammar":"root ::= item""#, of: GuidedLanguageModel(ByteModel())),
      try await problem(#""grammar":"root ::= item""#, of: SamplingLanguageModel(seed: 1)),
    ] {
      #expect(problem.status == 400)
      #expect(problem.place == "grammar")
      #expect(
        problem.message.contains("line 1, column 10: the rule `item` is not defined"),
        "\(problem.message)")
    }
  }

  /// Special tokens have no bytes in a vocabulary: the tokenizer knows them.
  @Test func tokensAreLookedUpByTheTokenizer() async throws {
    let grammar = #""grammar":"root ::= <a> [b]""#
    let problem = try await problem(grammar, of: GuidedLanguageModel(ByteModel()))
    #expect(problem.message.contains("`<a>` is no single token"), "\(problem.message)")
    let (text, _) = try await answer(grammar, of: GuidedLanguageModel(MarkedModel()))
    #expect(text == "b")
  }
}

/// Bytes, and a special token `<a>`.
private struct MarkedModel: TokenModel {
  let contextSize = 8192
  let chatTemplate = ChatTemplate.chatML
  let vocabulary: Vocabulary

  init() {
    let bytes = (0...255).map { [UInt8($0)] } + [[], []]
    do {
      vocabulary = try Vocabulary(tokens: bytes, specialTokens: [256, 257], endOfSequence: 256)
    } catch {
      vocabulary = .singleBytes
    }
  }

  func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] {
    parsesSpecialTokens && text == "<a>" ? [257] : text.utf8.map { Int($0) }
  }
  func makeContext() -> Context { Context() }

  struct Context: TokenModelContext {
    var tokens: [Int] = []
    mutating func append(_ tokens: [Int]) { self.tokens += tokens }
    mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
    mutating func nextLogits(into logits: inout [Float]) {
      logits = Array(repeating: 0, count: 258)
      logits[256] = 9
    }
  }
}
