// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierServer
import Synchronization
import Testing

/// Texts that are held to a grammar of the app, behind servers.
@Suite struct TextGrammarTests {
  private static let gbnf = "root ::= \"yes\" \"!\"* | \"no\\n\"  # as the app wrote it"

  private func options(_ grammar: ResponseGrammar) -> GenerationOptions {
    var options = GenerationOptions()
    options.grammar = grammar
    return options
  }

  private func body(
    _ profile: ServerProfile, _ grammar: ResponseGrammar
  ) async throws -> GeneratedContent {
    let server = try StubServer { _ in [.whole(401, "{}")] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: profile)
    _ = try? await ask(model, options: options(grammar))
    return try GeneratedContent(json: try #require(server.requests.first).body)
  }

  /// Answers of a server, one after the other, and what comes of them.
  private func answers(
    _ bodies: [String], _ grammar: ResponseGrammar, profile: ServerProfile = .cautious
  ) async throws -> (answer: Collected, requests: [GeneratedContent]) {
    let count = Mutex(0)
    let server = try StubServer { _ in
      let index = count.withLock { count in
        defer { count += 1 }
        return count
      }
      return [.head(), .send(bodies[min(index, bodies.count - 1)]), .close]
    }
    defer { server.stop() }
    var settings = ServerOptions()
    settings.onBrokenSchema = .retry(bodies.count - 1)
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: profile, options: settings)
    let answer = try await ask(model, options: options(grammar))
    return (answer, try server.requests.map { try GeneratedContent(json: $0.body) })
  }

  @Test func eachServerIsSentTheGrammarInItsField() async throws {
    for profile in [ServerProfile.llamaServer, .espalier] {
      #expect(try await body(profile, .gbnf(Self.gbnf))["grammar"]?.asText == Self.gbnf)
    }
    let pattern = try await body(.llamaServer, .regularExpression("[a-c]{2}"))["grammar"]
    #expect(try takes("ab", pattern))
    // EBNF is spelled as GBNF is.
    let vLLM = try await body(.vLLM, .choice(["left", "right"]))["structured_outputs"]?["grammar"]
    #expect(try takes("right", vLLM) && !takes("up", vLLM))
    #expect(try takes("no\n", try await body(.sgLang, .gbnf(Self.gbnf))["ebnf"]))
  }

  private func takes(_ text: String, _ grammar: GeneratedContent?) throws -> Bool {
    var validator = StreamValidator(grammar: try Grammar(gbnf: try #require(grammar?.asText)))
    return validator.append(Array(text.utf8)) == .complete
  }

  /// `espalier serve` keeps every keyword of a schema, which is shorter.
  @Test func schemasAreSentAsSchemasToTheirOwnServer() throws {
    let schema = try GenerationSchema(jsonSchema: Scenario.object)
    guard case .schema = try ServerProfile.espalier.constraints(for: schema)[0].form else {
      Issue.record("no schema")
      return
    }
  }

  @Test func aServerWithoutAFieldTellsTheModel() async throws {
    for profile in [ServerProfile.openAI, .ollama, .cautious] {
      let body = try await body(profile, .choice(["left", "right"]))
      #expect(body["grammar"] == nil)
      let told = body["messages"]?.asList?.first?["content"]?.asText
      #expect(told?.contains("left\nright") == true, "\(profile.name): \(told ?? "nothing")")
    }
  }

  @Test func whiteSpaceOfTheGrammarIsKept() async throws {
    let text = try await answers([Chunk.pieces("no\n") + Chunk.end], .gbnf(Self.gbnf)).answer.text
    #expect(text == "no\n")
  }

  /// Models begin with a line break, and explain themselves in another line.
  @Test(arguments: ["\n\nyes!!\n\nBecause", "yes!!\n", " yes!!"])
  func whiteSpaceAroundTheTextIsLeftOut(_ written: String) async throws {
    for body in [Chunk.pieces(written), Chunk.text(written)] {
      let answer = try await answers([body + Chunk.end], .gbnf(Self.gbnf)).answer
      #expect(answer.text == "yes!!")
    }
  }

  @Test func aBrokenTextIsAskedForAgain() async throws {
    let result = try await answers(
      [Chunk.pieces("yes?") + Chunk.end, Chunk.pieces("yes!") + Chunk.end], .gbnf(Self.gbnf))
    #expect(result.answer.text == "yes!")
    let said = result.requests.last?["messages"]?.asList?.last?["content"]?.asText
    #expect(said?.contains("That does not satisfy the grammar") == true, "\(said ?? "")")
  }

  @Test func theErrorSpeaksOfTheText() async throws {
    let error = await #expect(throws: ServerError.self) {
      try await answers([Chunk.pieces("maybe") + Chunk.end], .choice(["yes", "no"]))
    }
    #expect(error?.kind == .brokenSchema)
    #expect(error?.problemDescription.contains("The text breaks the grammar") == true)
    let unfinished = await #expect(throws: ServerError.self) {
      try await answers([Chunk.pieces("ye") + Chunk.end], .choice(["yes", "no"]))
    }
    #expect(unfinished?.problemDescription.contains("The text") == true)
  }

  @Test func grammarsWithTokensAreRefused() async throws {
    let error = await #expect(throws: LanguageModelError.self) {
      try await answers([Chunk.pieces("a") + Chunk.end], .gbnf("root ::= <think> \"a\""))
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("<think>"))
  }
}
