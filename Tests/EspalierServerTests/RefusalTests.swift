// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Synchronization
import Testing

/// Servers that refuse a request: what is asked anew, what is remembered, and what is not.
@Suite struct RefusalTests {
  /// The server says what is wrong with a request; where that is nothing, it answers.
  private func server(
    _ problem: @escaping @Sendable (GeneratedContent) -> String?, answer: String = "ok"
  ) throws -> StubServer {
    try StubServer { request in
      guard let body = try? GeneratedContent(json: request.body) else { return [.whole(404, "{}")] }
      if let problem = problem(body) { return [.whole(400, problem)] }
      return [.head(), .send(Chunk.pieces(answer) + Chunk.end), .close]
    }
  }

  private func model(
    _ server: StubServer, _ profile: ServerProfile, options: ServerOptions = ServerOptions()
  ) throws -> ServerLanguageModel {
    try ServerLanguageModel(url: server.url, model: "m", profile: profile, options: options)
  }

  private static func unsupported(_ field: String) -> String {
    #"{"error":{"message":"Unsupported parameter: '\#(field)' is not supported with this model.","type":"invalid_request_error","param":"\#(field)","code":"unsupported_parameter"}}"#
  }

  /// OpenAI's models that reason take no temperature, and know the limit of tokens by another name.
  @Test func fieldsThatAModelDoesNotTakeAreLeftOut() async throws {
    let server = try server { body in
      ["temperature", "max_tokens"].first { body[$0] != nil }.map(Self.unsupported)
    }
    defer { server.stop() }
    let model = try model(server, .cautious)
    let options = GenerationOptions(temperature: 0.5, maximumResponseTokens: 99)
    for count in [3, 4] {
      #expect(try await ask(model, options: options).text == "ok")
      #expect(server.requests.count == count)
    }
    let last = try GeneratedContent(json: try #require(server.requests.last).body)
    #expect(last["max_completion_tokens"]?.asInteger == 99)
  }

  @Test(
    arguments: [
      (
        "top_k",
        #"{"detail":[{"type":"extra_forbidden","loc":["body","top_k"],"msg":"Extra inputs are not permitted"}]}"#
      ),
      ("top_k", #"{"error":{"message":"Invalid JSON payload: Unknown name \"top_k\""}}"#),
      ("seed", #"{"error":{"message":"property 'seed' is unsupported"}}"#),
      ("stream_options", #"{"message":"unrecognized field `stream_options`"}"#),
    ])
  func refusedFieldsAreFoundInTheWordsOfServers(_ field: String, _ words: String) async throws {
    let server = try server { $0[field] == nil ? nil : words }
    defer { server.stop() }
    let options = GenerationOptions(samplingMode: .random(top: 5, seed: 1))
    #expect(try await ask(try model(server, .vLLM), options: options).text == "ok")
    #expect(server.requests.count == 2)
  }

  /// What the app got wrong is the app's to know: a temperature that is too high, a field of its own.
  @Test func mistakesOfTheAppAreErrors() async throws {
    let tooHigh = try server { body in
      body["temperature"] == nil
        ? nil : #"{"error":{"message":"temperature must be at most 2","param":"temperature"}}"#
    }
    defer { tooHigh.stop() }
    let error = await #expect(throws: ServerError.self) {
      try await ask(
        try model(tooHigh, .cautious), options: GenerationOptions(temperature: 9))
    }
    #expect(error?.problem.contains("at most 2") == true)
    let own = try server { $0["top_k"] == nil ? nil : Self.unsupported("top_k") }
    defer { own.stop() }
    var options = ServerOptions()
    options.extraFields = .members(["top_k": 7])
    await #expect(throws: ServerError.self) {
      try await ask(try model(own, .cautious, options: options))
    }
    #expect(own.requests.count == 1)
  }

  /// Of a redirection the error says where to, and nothing is asked again.
  @Test func redirectionsAreToldAndNotFollowed() async throws {
    let messages = Mutex<[String]>([])
    let server = try StubServer { _ in
      [.whole(307, "", ["Location": "http://127.0.0.1:1/v1/chat/completions"])]
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.telemetry.log = { event in messages.withLock { $0.append(event.message) } }
    let model = try model(server, .llamaServer, options: options)
    let error = await #expect(throws: ServerError.self) {
      try await ask(model, schema: Scenario.object)
    }
    let problem = error?.problem ?? ""
    #expect(problem.contains("http://127.0.0.1:1/v1/chat/completions (307)"), "\(problem)")
    #expect(problem.contains("redirections are not followed"))
    #expect(server.requests.count == 1)
    #expect(!messages.withLock { $0 }.contains { $0.contains("refused") })
  }

  /// A request that is refused whatever form its schema has was not refused for its schema: the first
  /// error is thrown, and the next request has the strongest form again.
  @Test func refusalForAnotherReasonTakesNoFormAway() async throws {
    let server = try server(
      { body in
        body["messages"]?.jsonString.contains("bad") == true
          ? #"{"error":{"message":"bad in \#(body["grammar"] == nil ? "another" : "a grammar")"}}"#
          : nil
      }, answer: #"{"n":7}"#)
    defer { server.stop() }
    let model = try model(server, .llamaServer)
    let error = await #expect(throws: ServerError.self) {
      try await ask(model, prompt: "bad", schema: Scenario.object)
    }
    #expect(error?.problem.contains("bad in a grammar") == true)
    #expect(try await ask(model, schema: Scenario.object).text == #"{"n":7}"#)
    #expect(server.requests.last?.body.contains("\"grammar\"") == true)
  }

  /// llama-server does not go on with an answer where the template makes the model think first.
  @Test func refusedContinuationIsAskedAnew() async throws {
    let count = Mutex(0)
    let server = try StubServer { request in
      if request.body.contains(#"{\"n\": 1"#), !request.body.contains("does not satisfy") {
        return [
          .whole(
            400,
            #"{"error":{"message":"Assistant response prefill is incompatible with enable_thinking."}}"#
          )
        ]
      }
      let isFirst = count.withLock { count in
        defer { count += 1 }
        return count == 0
      }
      let value = isFirst ? #"{"n": 1, "x"# : #"{"n": 3}"#
      return [.head(), .send(Chunk.pieces(value) + Chunk.end), .close]
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.onBrokenSchema = .continueFromLastValidByte(1)
    let model = try model(server, .llamaServer, options: options)
    let answer = try await ask(model, schema: Scenario.object)
    #expect(answer.text == #"{"n": 3}"#)
    #expect(server.requests.count == 3)
    #expect(server.requests.last?.body.contains("does not satisfy the schema") == true)
    // It is not tried again.
    count.withLock { $0 = 0 }
    #expect(try await ask(model, schema: Scenario.object).text == #"{"n": 3}"#)
    #expect(server.requests.count == 5)
  }

  /// A gateway drops the field of the grammar and says nothing: the next attempt and later requests
  /// carry the schema in another one.
  @Test func formThatIsIgnoredGivesWay() async throws {
    let server = try StubServer { request in
      let value = request.body.contains("response_format") ? #"{"n":7}"# : #"{"n":2100}"#
      return [.head(), .send(Chunk.pieces(value) + Chunk.end), .close]
    }
    defer { server.stop() }
    var options = ServerOptions()
    options.onBrokenSchema = .retry(1)
    let model = try model(server, .sgLang, options: options)
    for count in [2, 3] {
      #expect(try await ask(model, schema: Scenario.object).text == #"{"n":7}"#)
      #expect(server.requests.count == count)
    }
  }

  /// Beside tools vLLM is not sent a constraint, which would forbid calls. A model that answers in
  /// place of calling is asked again, for the value alone.
  @Test func valueBesideToolsIsHeldToItsSchema() async throws {
    let server = try StubServer { request in
      let isHeld = request.body.contains("structured_outputs")
      let value = isHeld ? #"{"n":7}"# : "It is seven."
      return [.head(), .send(Chunk.pieces(value) + Chunk.end), .close]
    }
    defer { server.stop() }
    let answer = try await ask(
      try model(server, .vLLM), schema: Scenario.object, tools: ["f": Scenario.weather])
    #expect(answer.text == #"{"n":7}"#)
    let bodies = server.requests.map(\.body)
    #expect(bodies.map { $0.contains("structured_outputs") } == [false, true])
    #expect(bodies.map { $0.contains("\"tools\"") } == [true, false])
  }

  @Test func requiredCallIsAskedForAgain() async throws {
    let call = Chunk.delta(
      #"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"city\":\"Rome\"}"}}]}"#
    )
    let server = try StubServer { request in
      let isSecond = request.body.contains("A tool has to be called")
      let body = isSecond ? call + Chunk.stop("tool_calls") : Chunk.text("Sunny.") + Chunk.stop()
      return [.head(), .send(body + Chunk.done), .close]
    }
    defer { server.stop() }
    let options = GenerationOptions(toolCallingMode: .required)
    let answer = try await ask(
      try model(server, .ollama.over(.chatCompletions)), tools: ["f": Scenario.weather],
      options: options)
    #expect(answer.calls.map(\.name) == ["f"])
    #expect(answer.text.isEmpty)
    var strict = ServerOptions()
    strict.onBrokenSchema = .fail
    let error = await #expect(throws: ServerError.self) {
      try await ask(
        try model(server, .cautious, options: strict), tools: ["f": Scenario.weather],
        options: options)
    }
    #expect(error?.kind == .missingCall)
  }

  /// A server that says when it takes requests again is left alone until then.
  @Test func limitedServerIsLeftAlone() async throws {
    let limited = try StubServer { _ in
      [.whole(429, #"{"error":{"message":"slow down"}}"#, ["Retry-After": "600"])]
    }
    let free = try StubServer { _ in [.head(), .send(Chunk.text("ok") + Chunk.end), .close] }
    defer {
      limited.stop()
      free.stop()
    }
    let model = try ServerLanguageModel(
      endpoints: [limited.url, free.url], model: "m", profile: .cautious)
    for _ in 0..<3 { #expect(try await ask(model).text == "ok") }
    #expect(limited.requests.count == 1)
  }
}

extension ServerProfile {
  fileprivate func over(_ route: Route) -> ServerProfile {
    var profile = self
    profile.route = route
    return profile
  }
}
