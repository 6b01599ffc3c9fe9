// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Testing

/// A model that is not held to a schema breaks guides; nothing of that reaches the app.
@Suite struct SchemaCheckTests {
  private func answer(_ json: String) async throws -> Person {
    try await LanguageModelSession(model: ScriptedLanguageModel([.text(json)]))
      .respond(to: "Who?", generating: Person.self).content
  }

  private func failure(_ json: String) async -> GeneratedContent.ParsingError? {
    await #expect(throws: GeneratedContent.ParsingError.self, "\(json)") {
      _ = try await answer(json)
    }
  }

  @Test func whatTheSchemaAllowsPasses() async throws {
    #expect(try await answer(#"{"age":36,"children":[],"name":"Ada"}"#).age == 36)
    // In another order, with white space, with a number in another spelling, with an escape.
    #expect(
      try await answer(#" {"name": "\u0041da", "children": [] , "age": 3.6e1}"#).name == "Ada")
    // What is optional may be null.
    #expect(try await answer(#"{"age":null,"children":[],"name":"Ada"}"#).age == nil)
  }

  @Test func aModelKeepsTheGrammarsForAllItsSessions() async throws {
    let model = KeepingModel(answer: #"{"age":36,"children":[],"name":"Ada"}"#)
    for _ in 0..<2 {
      let session = LanguageModelSession(model: model)
      #expect(try await session.respond(to: "Who?", generating: Person.self).content.age == 36)
      #expect(model.validationGrammars.count == 1)
    }
    // Another schema of the same name is another schema.
    let other = try GenerationSchema(
      jsonSchema: #"{"properties":{"age":{"maximum":35}}}"#, name: "Person")
    let session = LanguageModelSession(model: model)
    await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Who?", schema: other)
    }
    #expect(model.validationGrammars.count == 2)
  }

  @Test func wrappersKeepTheGrammarsOfTheirModel() async throws {
    let model = KeepingModel(answer: #"{"age":36,"children":[],"name":"Ada"}"#)
    let wrapped = TimeLimitedLanguageModel(
      TimeLimitedLanguageModel(model, limit: .seconds(600)), limit: .seconds(600))
    let session = LanguageModelSession(model: wrapped)
    #expect(try await session.respond(to: "Who?", generating: Person.self).content.age == 36)
    #expect(model.validationGrammars.count == 1)
  }

  @Test func brokenGuidesAreErrorsThatSayWhere() async {
    let young = await failure(#"{"age":17,"children":[],"name":"Ada"}"#)
    #expect(young?.location == "/age")
    #expect(young?.debugDescription.contains("schema 'Person'") == true)
    // In the words of `espalier validate`.
    #expect(
      young?.debugDescription.contains(
        "expected an integer of at least 18 and at most 100 at /age, found `17`") == true
    )
    let old = await failure(
      #"{"children":[{"children":[],"name":"B"},{"age":101,"children":[],"name":"C"}],"name":"A"}"#)
    #expect(old?.location == "/children/1/age")
    let child = #"{"children":[],"name":"B"}"#
    let many = await failure(
      #"{"children":[\#([child, child, child, child].joined(separator: ","))],"name":"A"}"#)
    #expect(many?.location == "/children")
    let extra = await failure(#"{"children":[],"name":"Ada","nickname":"A"}"#)
    #expect(extra?.location == "")
    // The number before the surplus member has nothing to do with it.
    let late = await failure(#"{"age":36,"nickname":"A","children":[],"name":"Ada"}"#)
    #expect(late?.location == "")
    #expect(await failure(#"{"children":[]}"#)?.location == "")
    #expect(await failure(#"{"children":null,"name":"Ada"}"#) != nil)
    #expect(await failure(#"["Ada"]"#) != nil)
  }

  @Test func streamsAndTheFirstGenerationToo() async throws {
    let broken = #"{"age":7,"children":[],"name":"Ada"}"#
    let session = LanguageModelSession(
      model: ScriptedLanguageModel([.text(broken)], repeats: true))
    await #expect(throws: GeneratedContent.ParsingError.self) {
      for try await _ in session.streamResponse(to: "Who?", generating: Person.self) {}
    }
    session.errorGeneration = .first
    let error = await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await session.respond(to: "Who?", schema: Person.generationSchema)
    }
    guard case .decodingFailure(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.contains("/age"))
    #expect(session.transcript.isEmpty && !session.isResponding)
  }

  @Test func aSchemaThatNoValueSatisfiesCostsNoTokens() async throws {
    let model = ScriptedLanguageModel([.text("{}")])
    let session = LanguageModelSession(model: model)
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(type: Int.self, guides: [.minimum(3), .maximum(2)]),
      dependencies: [])
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "A number", schema: schema)
    }
    #expect(model.requests.isEmpty && session.transcript.isEmpty && !session.isResponding)
  }

  /// Takes what its parameters allow, and would take more.
  private struct Count: Tool {
    let name = "count"
    let description = "Counts."
    let parameters: GenerationSchema

    init() throws {
      let small = DynamicGenerationSchema(type: Int.self, guides: [.range(1...9)])
      parameters = try GenerationSchema(
        root: DynamicGenerationSchema(name: "Limit", properties: [.init(name: "n", schema: small)]),
        dependencies: [])
    }

    func call(arguments: GeneratedContent) async throws -> String {
      "counted to \(try arguments.value(Int.self, forProperty: "n"))"
    }
  }

  @Test func argumentsOfToolsToo() async throws {
    let model = ScriptedLanguageModel([
      .toolCall("count", arguments: #"{"n":10}"#), .toolCall("count", arguments: #"{"n":10}"#),
      .toolCall("count", arguments: #"{"n":9}"#), .text("Done."),
    ])
    let session = LanguageModelSession(model: model, tools: [try Count()])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Count")
    }
    let reason = error?.underlyingError as? GeneratedContent.ParsingError
    #expect(reason?.location == "/n")
    // Told what was wrong, the model can do better.
    session.toolCallPolicy.onFailure = .answerModel
    #expect(try await session.respond(to: "Count").content == "Done.")
    let outputs = session.transcript.filter {
      if case .toolOutput = $0 { true } else { false }
    }.map(\.description)
    #expect(outputs.count == 2)
    #expect(outputs.first?.contains("'Limit'") == true)
    #expect(outputs.last == "Output of count: counted to 9")
  }
}

/// A model that keeps grammars, as those behind servers do.
private struct KeepingModel: GrammarKeepingModel {
  let answer: String
  let validationGrammars = GrammarCache(options: .validation)
  let capabilities = LanguageModelCapabilities()
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: KeepingModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      await channel.send(.response(action: .appendText(model.answer, tokenCount: 1)))
    }
  }
}
