// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Testing

/// Texts of a session that are held to a grammar.
@Suite struct ResponseGrammarTests {
  private static let moves = ResponseGrammar.gbnf(
    "root ::= move (\" \" move){2}\nmove ::= [a-h] [1-8] [a-h] [1-8]")

  private static func options(_ grammar: ResponseGrammar) -> GenerationOptions {
    var options = GenerationOptions()
    options.grammar = grammar
    return options
  }

  private func follows(_ text: String, _ grammar: ResponseGrammar) throws -> Bool {
    var validator = StreamValidator(grammar: try grammar.compiled())
    validator.append(text)
    return validator.finish() == .complete
  }

  @Test(
    arguments: [
      moves, .regularExpression("[A-Z]{3}-[0-9]{4}"), .choice(["left", "right", "straight on"]),
    ])
  func sampledTextsFollowTheirGrammar(_ grammar: ResponseGrammar) async throws {
    for seed in 0..<5 as Range<UInt64> {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let text = try await session.respond(to: "Go", options: Self.options(grammar)).content
      #expect(try follows(text, grammar), "\(seed): \(text)")
      var last = ""
      for try await part in session.streamResponse(to: "On", options: Self.options(grammar)) {
        last = part.content
      }
      #expect(try follows(last, grammar), "\(seed): \(last)")
    }
  }

  @Test func aTextOfAnotherModelIsCheckedAtItsEnd() async throws {
    let model = ScriptedLanguageModel([.text("e2e4 e7e5 g1f3"), .text("e2e4 e9e5 g1f3")])
    let session = LanguageModelSession(model: model)
    let options = Self.options(Self.moves)
    #expect(try await session.respond(to: "Go", options: options).content == "e2e4 e7e5 g1f3")
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Go", options: options)
    }
    let words = error?.debugDescription ?? ""
    #expect(words.contains("at byte 6, found `9`"), "\(words)")
    #expect(words.contains("The text does not follow its grammar"))
  }

  @Test func whatCannotBeHonouredCostsNoTokens() async throws {
    let model = ScriptedLanguageModel([])
    func problem(_ grammar: ResponseGrammar, tools: [any Tool] = []) async -> String {
      let session = LanguageModelSession(model: model, tools: tools)
      do {
        return try await session.respond(to: "Go", options: Self.options(grammar)).content
      } catch LanguageModelError.unsupportedGenerationGuide(let payload) {
        return payload.debugDescription
      } catch {
        return "\(error)"
      }
    }
    #expect(await problem(.gbnf("root ::= (")).contains("line 1"))
    #expect(await problem(.regularExpression("[")).contains("1"))
    #expect(await problem(Self.moves, tools: [Weather()]).contains(".disallowed"))
    let session = LanguageModelSession(model: model)
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(
        to: "Go", generating: Int.self, options: Self.options(Self.moves))
    }
    #expect(model.requests.isEmpty)
  }

  @Test func toolsMayBeSwitchedOff() async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([.text("left")]), tools: [Weather()])
    var options = Self.options(.choice(["left", "right"]))
    options.toolCallingMode = .disallowed
    #expect(try await session.respond(to: "Go", options: options).content == "left")
  }

  private struct Weather: Tool {
    let description = "The weather of today"
    func call(arguments: GeneratedContent) async throws -> String { "sunny" }
  }
}
