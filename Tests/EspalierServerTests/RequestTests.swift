// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierServer
import Foundation
import Testing

/// What requests carry, and how servers are found out.
@Suite struct RequestTests {
  private func bodies(
    profile: ServerProfile, schema: String? = nil, tools: [String: String] = [:],
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(), metadata: [String: String] = [:]
  ) async throws -> GeneratedContent {
    let server = try StubServer { _ in [.whole(400, "{}")] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: profile)
    _ = try? await ask(
      model, schema: schema, tools: tools, options: options, contextOptions: contextOptions,
      metadata: metadata)
    return try GeneratedContent(json: try #require(server.requests.first).body)
  }

  @Test func optionsAreSent() async throws {
    let body = try await bodies(
      profile: .vLLM,
      options: GenerationOptions(
        samplingMode: .random(top: 40, seed: 7), temperature: 0.5, maximumResponseTokens: 99),
      contextOptions: ContextOptions(reasoningLevel: .deep))
    #expect(body["temperature"]?.asNumber == 0.5)
    #expect(body["top_k"]?.asInteger == 40)
    #expect(body["seed"]?.asInteger == 7)
    #expect(body["max_tokens"]?.asInteger == 99)
    #expect(body["reasoning_effort"]?.asText == "high")
    #expect(body["stream"]?.isTrue == true)
    #expect(body["stream_options"]?["include_usage"]?.isTrue == true)
  }

  /// Nothing that an app did not say stands in the place of what a model's template says by itself.
  @Test func toolsAloneMakeNoInstructions() async throws {
    let server = try StubServer { _ in [.whole(400, "{}")] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .vLLM)
    let session = LanguageModelSession(model: model, tools: [WeatherTool()])
    _ = try? await session.respond(to: "Will it rain?")
    let body = try GeneratedContent(json: try #require(server.requests.first).body)
    #expect(body["messages"]?.arrayValue?.map { $0["role"]?.asText } == ["user"])
  }

  /// Servers refuse what stands between calls and their outputs: a model may speak after it called.
  @Test func whatAModelSaysBesideItsCallsIsOneMessage() async throws {
    let server = try StubServer { _ in [.whole(400, "{}")] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .vLLM)
    func text(_ text: String) -> [Transcript.Segment] { [.text(.init(content: text))] }
    func calls(_ id: String) throws -> Transcript.Entry {
      let arguments = try GeneratedContent(json: #"{"city":"Rome"}"#)
      return .toolCalls(.init([.init(id: id, toolName: "weather", arguments: arguments)]))
    }
    let transcript = Transcript(entries: [
      .prompt(.init(segments: text("Will it rain?"))), .response(.init(segments: text("Let me"))),
      try calls("a"), .response(.init(segments: text("see."))), try calls("b"),
      .toolOutput(.init(id: "a", toolName: "weather", segments: text("sunny"))),
      .toolOutput(.init(id: "b", toolName: "weather", segments: text("rainy"))),
      .response(.init(segments: text("It may."))),
    ])
    let session = LanguageModelSession(
      model: model, tools: [WeatherTool()], transcript: transcript)
    _ = try? await session.respond(to: "When?")
    let body = try GeneratedContent(json: try #require(server.requests.first).body)
    let messages = try #require(body["messages"]?.asList)
    #expect(
      messages.map { $0["role"]?.asText } == [
        "user", "assistant", "tool", "tool", "assistant", "user",
      ])
    #expect(messages[1]["content"]?.asText == "Let me\nsee.")
    #expect(messages[1]["tool_calls"]?.asList?.map { $0["id"]?.asText } == ["a", "b"])
  }

  @Test func toolsAndChoices() async throws {
    let tools = ["f": Scenario.weather, "g": Scenario.weather]
    let free = try await bodies(profile: .vLLM, tools: tools)
    #expect(free["tools"]?.asList?.count == 2)
    #expect(free["tool_choice"]?.asText == "auto")
    var options = GenerationOptions()
    options.toolCallingMode = .required
    let required = try await bodies(profile: .vLLM, tools: tools, options: options)
    #expect(required["tool_choice"]?.asText == "required")
    let named = try await bodies(profile: .vLLM, tools: tools, metadata: ["toolChoice": "g"])
    #expect(named["tool_choice"]?["function"]?["name"]?.asText == "g")
  }

  @Test func grammarWhereThereIsOne() async throws {
    let llama = try await bodies(profile: .llamaServer, schema: Scenario.object)
    let text = try #require(llama["grammar"]?.asText)
    #expect(throws: Never.self) { try Grammar(gbnf: text) }
    let vLLM = try await bodies(profile: .vLLM, schema: Scenario.object)
    #expect(vLLM["structured_outputs"]?["grammar"]?.asText?.contains("root ::=") == true)
    let sgLang = try await bodies(profile: .sgLang, schema: Scenario.object)
    #expect(sgLang["ebnf"]?.asText?.contains("root ::=") == true)
  }

  @Test func schemaElsewhere() async throws {
    let openAI = try await bodies(profile: .openAI, schema: Scenario.object)
    let format = openAI["response_format"]?["json_schema"]
    #expect(format?["strict"]?.isTrue == true)
    #expect(openAI["max_tokens"] == nil)
    let ollama = try await bodies(profile: .ollama, schema: Scenario.object)
    #expect(ollama["format"]?["properties"] != nil)
    var responses = ServerProfile.openAI
    responses.route = .responses
    let body = try await bodies(profile: responses, schema: Scenario.object)
    #expect(body["text"]?["format"]?["schema"]?["properties"] != nil)
    #expect(body["store"] == GeneratedContent(false))
  }

  /// OpenAI knows objects alone at the root.
  @Test(
    arguments: [
      (#"{"type":"array","items":{"type":"integer"}}"#, true),
      (##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}"##, true),
      (Scenario.object, false),
      (
        ##"{"type":"array","items":{"anyOf":[{"type":"integer"},{"$ref":"#"}]}}"##, true
      ),
    ])
  func rootsThatAreNoObjectsArePutIntoOne(_ schema: String, _ isWrapped: Bool) throws {
    let constraint = try ServerProfile.openAI.constraints(
      for: GenerationSchema(jsonSchema: schema))[0]
    guard case .schema(let text) = constraint.form else {
      Issue.record("\(constraint)")
      return
    }
    let sent = try GeneratedContent(json: text)
    #expect(sent["type"]?.asText == "object")
    #expect((sent["properties"]?["value"]?["$ref"] != nil) == isWrapped)
    // What was sent means the same: it compiles, and takes the value in its object.
    let grammar = try Grammar(jsonSchema: text)
    if schema.contains("anyOf") {
      var validator = StreamValidator(grammar: grammar)
      #expect(validator.append(Array(#"{"value":[1,[2]]}"#.utf8)) == .complete)
    }
  }

  @Test func refusedKeywordsAreLeftOutAndReported() throws {
    let schema = try GenerationSchema(
      jsonSchema:
        #"{"type":"array","uniqueItems":true,"minItems":2,"items":{"type":"integer","multipleOf":7}}"#
    )
    var profile = ServerProfile.vLLM
    profile.grammar = nil
    let constraints = try profile.constraints(for: schema)
    guard case .schema(let text) = constraints[0].form else {
      Issue.record("\(constraints[0].form)")
      return
    }
    #expect(!text.contains("uniqueItems"))
    #expect(text.contains("multipleOf"))
    #expect(
      Set(constraints[0].untrusted.map(\.location)) == ["#/uniqueItems", "#/items/multipleOf"])
    #expect(constraints.last?.form == .instructions)
  }

  /// A schema that would fill the context is not described where something else holds it.
  @Test func longDescriptionsAreLeftOut() async throws {
    let names = (0..<300).map { "\"a_long_name_\($0)\":{\"type\":\"string\"}" }
    let schema =
      "{\"type\":\"object\",\"properties\":{\(names.joined(separator: ","))},"
      + "\"additionalProperties\":false}"
    for (size, isDescribed) in [(2048, false), (100_000, true)] {
      let server = try StubServer { _ in [.whole(401, "{}")] }
      defer { server.stop() }
      var options = ServerOptions()
      options.contextSize = size
      let model = try ServerLanguageModel(
        url: server.url, model: "m", profile: .llamaServer, options: options)
      _ = try? await ask(
        model, schema: schema, contextOptions: ContextOptions(includeSchemaInPrompt: true))
      let body = try GeneratedContent(json: try #require(server.requests.first).body)
      let text = body["messages"]?.asList?.compactMap { $0["content"]?.asText }.joined() ?? ""
      #expect(text.contains("a_long_name_7") == isDescribed)
    }
  }

  /// A grammar that is long because its schema is does not give way to a weaker form.
  @Test func longGrammarsOfLongSchemasAreSent() throws {
    let words = String(repeating: "word ", count: 40)
    let cases = (0..<1500).map { "\"\(words)\($0)\"" }
    let schema = try GenerationSchema(
      jsonSchema: "{\"enum\":[\(cases.joined(separator: ","))]}")
    let form = try ServerProfile.llamaServer.constraints(for: schema)[0].form
    guard case .grammar(let text) = form else {
      Issue.record("not a grammar")
      return
    }
    #expect(text.utf8.count > 256 << 10)
    // xgrammar would take minutes for it, and the server answers nobody meanwhile.
    guard case .schema = try ServerProfile.vLLM.constraints(for: schema)[0].form else {
      Issue.record("not the schema")
      return
    }
  }

  /// A server refuses both forms, and the schema is longer than the context: no request is made that
  /// could only fail, and the error is not about the prompt.
  @Test func schemasThatCannotBeToldAreErrors() async throws {
    let server = try StubServer { _ in [.whole(400, #"{"error":{"message":"no such $ref"}}"#)] }
    defer { server.stop() }
    let names = (0..<1000).map { "\"a_long_name_\($0)\":{\"type\":\"string\"}" }
    var options = ServerOptions()
    options.contextSize = 2048
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .llamaServer, options: options)
    for count in [2, 4] {
      let error = await #expect(throws: LanguageModelError.self) {
        try await ask(
          model, schema: "{\"type\":\"object\",\"properties\":{\(names.joined(separator: ","))}}")
      }
      guard case .unsupportedGenerationGuide(let payload)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(payload.debugDescription.contains("no such $ref"))
      #expect(server.requests.count == count)
    }
  }

  @Test func strictServersAreAllowedNull() async throws {
    let optional =
      #"{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a"],"additionalProperties":false}"#
    let server = try StubServer { _ in
      [.head(), .send(Chunk.pieces(#"{"a":"x","n":null}"#) + Chunk.end), .close]
    }
    defer { server.stop() }
    let strict = try ServerLanguageModel(url: server.url, model: "m", profile: .openAI)
    let session = LanguageModelSession(model: strict)
    let schema = try GenerationSchema(jsonSchema: optional)
    #expect(
      try await session.respond(to: "Hi", schema: schema).content.jsonString
        == #"{"a":"x","n":null}"#)
    var options = ServerOptions()
    options.onBrokenSchema = .fail
    let exact = try ServerLanguageModel(
      url: server.url, model: "m", profile: .cautious, options: options)
    await #expect(throws: ServerError.self) { try await ask(exact, schema: optional) }
  }

  @Test(
    arguments: [
      (#"{"data":[{"id":"a","owned_by":"llamacpp","meta":{"n_ctx":512}}]}"#, "llama.cpp", 512),
      (#"{"data":[{"id":"a","owned_by":"vllm","max_model_len":2048}]}"#, "vllm", 2048),
      (#"{"data":[{"id":"a","owned_by":"sglang","max_model_len":4096}]}"#, "sglang", 4096),
      (#"{"data":[{"id":"a:latest","owned_by":"library"}]}"#, "ollama", 555),
      (#"{"data":[{"id":"hf.co/b/c:Q4_K_M","owned_by":"b"}]}"#, "ollama", nil),
      (#"{"data":[{"id":"a","owned_by":"organization_owner"}]}"#, "lmstudio", 777),
      (#"{"data":[{"id":"a","owned_by":"somebody"}]}"#, "unknown", nil),
      ("no JSON", "unknown", nil),
    ] as [(String, String, Int?)])
  func serversAreFoundOut(_ list: String, _ name: String, _ size: Int?) async throws {
    let server = try StubServer { request in
      switch request.path {
      case "/v1/models": [.whole(200, list)]
      case "/api/version" where name == "ollama": [.whole(200, #"{"version":"0.15.0"}"#)]
      case "/api/ps":
        [.whole(200, #"{"models":[{"name":"a:latest","context_length":555}]}"#)]
      case "/api/v0/models":
        [.whole(200, #"{"data":[{"id":"a","loaded_context_length":777}]}"#)]
      default: [.whole(404, "{}")]
      }
    }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url)
    let facts = try await model.facts()
    #expect(facts.profile.name == name)
    #expect(facts.contextSize == size)
    #expect(model.contextSize == size ?? .max)
    // It is asked once.
    _ = try await model.facts()
    #expect(server.requests.filter { $0.path == "/v1/models" }.count == 1)
  }

  /// Foundation beyond Apple's systems keeps a core busy while an answer comes over a connection that
  /// the request with the prompt has opened.
  @Test func connectionIsOpenedAheadOfAPrompt() async throws {
    let server = try StubServer { request in
      switch request.method {
      case "GET": [.whole(200, #"{"data":[{"id":"a","owned_by":"vllm"}]}"#)]
      default:
        [
          .head(),
          .send(
            "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n"),
          .send("data: [DONE]\n\n"), .close,
        ]
      }
    }
    defer { server.stop() }
    let session = LanguageModelSession(model: try ServerLanguageModel(url: server.url))
    for _ in 0..<2 { #expect(try await session.respond(to: "Hello").content == "Hi") }
    #if canImport(FoundationNetworking)
      #expect(server.requests.suffix(2).map(\.method) == ["GET", "POST"])
      #expect(server.requests.suffix(2).first?.path == "/v1/models")
    #else
      #expect(server.requests.map(\.method) == ["GET", "POST", "POST"])
    #endif
  }

  @Test func availabilityIsAsked() async throws {
    let server = try StubServer { request in
      request.path == "/health"
        ? [.whole(200, "{}")] : [.whole(200, #"{"data":[{"id":"a"},{"id":"c:latest"}]}"#)]
    }
    defer { server.stop() }
    let there = try ServerLanguageModel(url: server.url, model: "a")
    #expect(await there.checkAvailability() == .available)
    let untagged = try ServerLanguageModel(url: server.url, model: "c")
    #expect(await untagged.checkAvailability() == .available)
    let other = try ServerLanguageModel(url: server.url, model: "b")
    #expect(await other.checkAvailability() == .unavailable(.modelNotReady))
    #expect(other.availability == .unavailable(.modelNotReady))
  }

  /// Where nothing bounded it, this would take the hour of `idleTimeout`.
  @Test(.timeLimit(.minutes(30))) func aSilentServerIsNotAvailable() async throws {
    let hour = Duration.seconds(3_600)
    let server = try StubServer { _ in [.pause(hour), .close] }
    defer { server.stop() }
    var options = ServerOptions()
    options.idleTimeout = hour
    let model = try ServerLanguageModel(url: server.url, options: options)
    #expect(await model.checkAvailability() == .unavailable(.modelNotReady))
  }

  @Test(arguments: [
    "http://localhost:8080", "http://localhost:8080/", "http://localhost:8080/v1",
    "http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions",
  ])
  func addressesAreUnderstood(_ text: String) async throws {
    let server = try StubServer { _ in [.head(), .send(Chunk.text("ok") + Chunk.end), .close] }
    defer { server.stop() }
    let url = try #require(
      URL(string: text.replacing("localhost:8080", with: "127.0.0.1:\(server.port)")))
    _ = try await ask(try ServerLanguageModel(url: url, model: "m", profile: .cautious))
    #expect(server.requests.map(\.path) == ["/v1/chat/completions"])
  }

  @Test(
    arguments: [
      ("/v1beta/openai/", "/v1beta/openai/chat/completions"),
      ("/openai/v1", "/openai/v1/chat/completions"),
      ("/chat/completions", "/chat/completions"),
      ("/api/v3", "/api/v3/chat/completions"),
      ("/deployment", "/deployment/v1/chat/completions"),
    ])
  func addressesOfHostsAreUnderstood(_ path: String, _ route: String) async throws {
    let server = try StubServer { _ in [.head(), .send(Chunk.text("ok") + Chunk.end), .close] }
    defer { server.stop() }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
    _ = try await ask(try ServerLanguageModel(url: url, model: "m", profile: .cautious))
    #expect(server.requests.map(\.path) == [route])
  }

  /// The app has named the tool; once its output is there, the model may answer.
  @Test func namedToolIsCalledOnce() async throws {
    let call = Chunk.delta(
      #"{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]}"#
    )
    let server = try StubServer { request in
      let isNamed = request.body.contains(#""tool_choice":{"type":"function""#)
      let body =
        isNamed ? call + Chunk.stop("tool_calls") + Chunk.done : Chunk.text("ok") + Chunk.end
      return [.head(), .send(body), .close]
    }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .cautious)
    let session = LanguageModelSession(model: model, tools: [WeatherTool()])
    let response = try await session.respond(
      to: "Weather?", metadata: ["toolChoice": "weather"])
    #expect(response.content == "ok")
    #expect(server.requests.count == 2)
  }

  @Test func prewarmOpensAConnection() async throws {
    let server = try StubServer { _ in [.whole(200, "{}")] }
    defer { server.stop() }
    let model = try ServerLanguageModel(url: server.url, model: "m", profile: .vLLM)
    try ServerLanguageModel.Executor(configuration: model.executorConfiguration)
      .prewarm(model: model, transcript: Transcript())
    try await eventually { server.requests.map(\.path) == ["/v1/models"] }
  }

  @Test func ollamaIsToldToRefuseWhatDoesNotFit() async throws {
    let body = try await bodies(profile: .ollama)
    #expect(body["truncate"] == GeneratedContent(false))
    #expect(body["shift"] == GeneratedContent(false))
  }

  @Test(arguments: [
    "file:///etc/passwd", "localhost:8080", "ftp://a/b", "http://localhost:99999",
  ])
  func otherAddressesAreErrors(_ text: String) throws {
    let url = try #require(URL(string: text))
    let error = #expect(throws: ServerError.self) { try ServerLanguageModel(url: url) }
    #expect(error?.suggestion.contains("http://localhost:8080") == true)
  }

  @Test func tokensAreCountedWhereTheyMatter() async throws {
    let server = try StubServer { request in
      request.path.hasSuffix("/input_tokens") ? [.whole(200, #"{"input_tokens":777}"#)] : []
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.contextSize = 4096
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .llamaServer, options: options)
    func entries(_ count: Int) -> [Transcript.Entry] {
      [
        .prompt(
          .init(segments: [.text(.init(content: String(repeating: "word ", count: count)))]))
      ]
    }
    #expect(try await model.tokenCount(for: entries(1)) < 2048)
    #expect(server.requests.isEmpty)
    #expect(try await model.tokenCount(for: entries(1000)) == 777)
  }

  @Test func probabilitiesAreHandedOn() async throws {
    let token = #"{"token":"ok","logprob":-0.25,"top_logprobs":[{"token":"no","logprob":-2}]}"#
    let server = try StubServer { _ in
      [
        .head(),
        .send(
          Chunk.event(
            #"{"choices":[{"delta":{"content":"ok"},"logprobs":{"content":[\#(token)]}}]}"#)
            + Chunk.end), .close,
      ]
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.topLogProbabilities = 1
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .cautious, options: options)
    let answer = try await ask(model)
    #expect(answer.metadata["logprobs"]?.asList?.first?["logprob"]?.asNumber == -0.25)
    #expect(server.requests.first?.body.contains(#""logprobs":true,"top_logprobs":1"#) == true)
  }
}

private struct WeatherTool: Tool {
  let name = "weather"
  let description = "The weather of a city"
  let parameters = GeneratedContent.generationSchema
  func call(arguments: GeneratedContent) async throws -> String { "sunny" }
}
