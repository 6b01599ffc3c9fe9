// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierServer
import Foundation
import Synchronization
import Testing

/// What happens after a value broke its schema, and around failures.
@Suite struct RecoveryTests {
  private static let object = Scenario.object

  /// A server that gives one answer after the other, and the last one again and again.
  private func server(_ answers: [[StubServer.Action]]) throws -> StubServer {
    let count = Mutex(0)
    return try StubServer { _ in
      let index = count.withLock { count in
        defer { count += 1 }
        return count
      }
      return answers[min(index, answers.count - 1)]
    }
  }

  private func answer(_ body: String) -> [StubServer.Action] { [.head(), .send(body), .close] }

  private func model(
    _ server: StubServer, profile: ServerProfile = .cautious,
    _ policy: BrokenSchemaPolicy = .retry(1)
  ) throws -> ServerLanguageModel {
    var options = ServerOptions()
    options.onBrokenSchema = policy
    return try ServerLanguageModel(
      url: server.url, model: "m", profile: profile, options: options)
  }

  @Test func errorSaysWhatWasBrokenAndWhere() async throws {
    let server = try server([answer(Chunk.pieces(#"{"n":2100}"#) + Chunk.end)])
    defer { server.stop() }
    let error = await #expect(throws: ServerError.self) {
      try await ask(try model(server, .fail), schema: Self.object)
    }
    #expect(error?.violation?.instanceLocation == "/n")
    #expect(error?.violation?.expected == "an integer of at most 20")
    #expect(error?.violation?.schemaLocation.hasPrefix("#/properties/n") == true)
    #expect(error?.isWorthRetrying == true)
    #expect(error?.description.contains("127.0.0.1:\(server.port)") == true)
  }

  /// The connection is closed at the byte, while the server would go on for ever.
  @Test func connectionIsClosedAtTheFirstImpossibleByte() async throws {
    let server = try server([
      [.head(), .send(Chunk.text(#"{"x"#)), .repeatForever(Chunk.text("x"))]
    ])
    defer { server.stop() }
    let model = try model(server, .fail)
    await #expect(throws: ServerError.self) { try await ask(model, schema: Self.object) }
    try await eventually { server.abandoned == 1 && server.openConnections == 0 }
    #expect(model.openConnectionCount == 0)
  }

  @Test func retryTellsTheModel() async throws {
    let server = try server([
      answer(Chunk.pieces(#"{"n":2100}"#) + Chunk.end),
      answer(Chunk.pieces(#"{"n":7}"#) + Chunk.end),
    ])
    defer { server.stop() }
    let answer = try await ask(try model(server), schema: Self.object)
    #expect(answer.text == #"{"n":7}"#)
    #expect(!answer.states.contains { $0.contains("2100") })
    #expect(server.requests.count == 2)
    let second = try #require(server.requests.last?.body)
    #expect(second.contains("That does not satisfy the schema"))
    #expect(second.contains("at most 20"))
    // The first attempt has no usage: its connection was closed before.
    #expect(answer.input == 11)
  }

  @Test func retriesEnd() async throws {
    let server = try server([answer(Chunk.pieces(#"{"n":2100}"#) + Chunk.end)])
    defer { server.stop() }
    await #expect(throws: ServerError.self) {
      try await ask(try model(server, .retry(3)), schema: Self.object)
    }
    #expect(server.requests.count == 4)
  }

  @Test func retryTakesBackCalls() async throws {
    func call(_ city: String) -> String {
      Chunk.delta(
        #"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"city\":\#(city)}"}}]}"#
      ) + Chunk.stop("tool_calls") + Chunk.done
    }
    let server = try server([answer(call("7")), answer(call(#"\"Rome\""#))])
    defer { server.stop() }
    let answer = try await ask(try model(server), tools: ["f": Scenario.weather])
    #expect(answer.calls.map(\.arguments) == [#"{"city":"Rome"}"#])
  }

  private struct City: Tool {
    let name = "f"
    let description = "A tool"
    let parameters: GenerationSchema
    func call(arguments: GeneratedContent) async throws -> String { "sunny" }
  }

  /// A server that has had its attempts: the policy of the session says whether the model is told.
  @Test(arguments: ["7", "garbage"])
  func brokenCallsFailTheRequestOrAnswerTheModel(_ city: String) async throws {
    func call(_ arguments: String) -> String {
      Chunk.delta(
        #"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"\#(arguments)"}}]}"#
      ) + Chunk.stop("tool_calls") + Chunk.done
    }
    let broken = answer(Chunk.text("Let me see.") + call(#"{\"city\":\#(city)}"#))
    let whole = answer(call(#"{\"city\":\"Rome\"}"#))
    let done = answer(Chunk.text("Done.") + Chunk.end)
    let server = try server([broken, broken, whole, done])
    defer { server.stop() }
    let tool = City(parameters: try GenerationSchema(jsonSchema: Scenario.weather))
    let session = LanguageModelSession(model: try model(server, .fail), tools: [tool])
    let error = await #expect(throws: ServerError.self) { try await session.respond(to: "Hello") }
    #expect(error?.problem.contains("'f'") == true)
    session.toolCallPolicy.onFailure = .answerModel
    #expect(try await session.respond(to: "Hello").content == "Done.")
    let told = try #require(server.requests.dropFirst(2).first?.body)
    #expect(told.contains("The tool 'f' failed: "))
    // Where the model runs is no concern of the model's.
    #expect(!told.contains("failed: 127.0.0.1"))
    #expect(told.contains("expected a string"))
    #expect(!told.contains("Let me see."))
    #expect(session.transcript.description.contains("Output of f: sunny"))
  }

  @Test func continuesFromTheLastValidByte() async throws {
    let server = try server([
      answer(Chunk.pieces(#"{"n": 1, "x"#) + Chunk.end), answer(Chunk.pieces(" }") + Chunk.end),
    ])
    defer { server.stop() }
    let answer = try await ask(
      try model(server, profile: .llamaServer, .continueFromLastValidByte(1)), schema: Self.object)
    // A comma was possible, for all that a parser of JSON knows; no member can follow it.
    #expect(answer.text == #"{"n": 1 }"#)
    let second = try #require(server.requests.last?.body)
    #expect(second.contains(#"{"role":"assistant","content":"{\"n\": 1"}"#))
  }

  /// A request that goes on with a prefix carries no grammar: what fails twice at one place is asked
  /// for from the start, with the schema in the place of the grammar that was not kept to.
  @Test func asksAnewWhereGoingOnDoesNotHelp() async throws {
    let server = try server([
      answer(Chunk.pieces(#"{"n": 1, "x"#) + Chunk.end), answer(Chunk.pieces(#", "x"#) + Chunk.end),
      answer(Chunk.pieces(#"{"n": 3}"#) + Chunk.end),
    ])
    defer { server.stop() }
    let answer = try await ask(
      try model(server, profile: .llamaServer, .continueFromLastValidByte(2)), schema: Self.object)
    #expect(answer.text == #"{"n": 3}"#)
    #expect(server.requests.map { $0.body.contains("\"grammar\"") } == [true, false, false])
    #expect(server.requests.map { $0.body.contains("json_schema") } == [false, false, true])
    #expect(server.requests.last?.body.contains("That does not satisfy the schema") == true)
  }

  @Test func continuationSaysSoAtVLLM() async throws {
    let server = try server([
      answer(Chunk.pieces(#"{"n": 1, "x"#) + Chunk.end), answer(Chunk.pieces("}") + Chunk.end),
    ])
    defer { server.stop() }
    let answer = try await ask(
      try model(server, profile: .vLLM, .continueFromLastValidByte(1)), schema: Self.object)
    #expect(answer.text == #"{"n": 1}"#)
    let second = try #require(server.requests.last?.body)
    #expect(second.contains(#""continue_final_message":true,"add_generation_prompt":false"#))
  }

  @Test func refusedGrammarGivesWayToTheSchema() async throws {
    let server = try StubServer { request in
      if request.body.contains("\"grammar\"") {
        return [.whole(400, #"{"error":{"message":"failed to parse grammar"}}"#)]
      }
      return [.head(), .send(Chunk.pieces(#"{"n":7}"#) + Chunk.end), .close]
    }
    defer { server.stop() }
    let model = try model(server, profile: .llamaServer)
    for _ in 0..<2 {
      #expect(try await ask(model, schema: Self.object).text == #"{"n":7}"#)
    }
    // What was refused is not sent again.
    #expect(server.requests.map { $0.body.contains("\"grammar\"") } == [true, false, false])
    #expect(server.requests.last?.body.contains("json_schema") == true)
  }

  @Test func keyIsSentAndSeenNowhere() async throws {
    let key = "sk-secret-7f3a"
    let server = try StubServer { _ in
      [.whole(401, #"{"error":{"message":"Incorrect API key provided: sk-secret-7f3a."}}"#)]
    }
    defer { server.stop() }
    let records = Mutex<[String]>([])
    var options = ServerOptions()
    options.telemetry = ServerTelemetry(
      startSpan: { name, attributes in
        records.withLock { $0.append("\(name) \(attributes)") }
        return { attributes in records.withLock { $0.append("\(attributes)") } }
      },
      recordMetric: { metric in records.withLock { $0.append("\(metric)") } },
      log: { record in records.withLock { $0.append("\(record)") } })
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .cautious, apiKey: ServerAPIKey { key },
      options: options)
    let error = await #expect(throws: ServerError.self) { try await ask(model) }
    #expect(server.requests.first?.headers["authorization"] == "Bearer \(key)")
    var dumped = ""
    dump(model, to: &dumped)
    dump(error, to: &dumped)
    #expect(!dumped.contains("secret"))
    #expect(records.withLock { $0.count } >= 3)
    #expect(!records.withLock { $0.joined() }.contains("secret"))
  }

  /// A request that is under way holds its key.
  @Test(.timeLimit(.minutes(30))) func keyIsNotSeenWhileARequestRuns() async throws {
    let server = try StubServer { _ in [.pause(.seconds(600)), .close] }
    defer { server.stop() }
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .cautious,
      apiKey: ServerAPIKey { "sk-secret-7f3a" })
    let asking = Task { try await ask(model) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    var dumped = ""
    dump(model, to: &dumped)
    asking.cancel()
    _ = try? await asking.value
    #expect(!dumped.contains("secret"))
  }

  @Test func otherServersAreAskedWhereOneFails() async throws {
    let bad = try StubServer { _ in [.whole(500, "{}")] }
    let good = try StubServer { _ in [.head(), .send(Chunk.text("ok") + Chunk.end), .close] }
    defer {
      bad.stop()
      good.stop()
    }
    let model = try ServerLanguageModel(
      endpoints: [bad.url, good.url], model: "m", profile: .cautious)
    for _ in 0..<5 { #expect(try await ask(model).text == "ok") }
    #expect(bad.requests.count >= 1)
    #expect(good.requests.count == 5)
  }

  @Test func leastBusyServerIsAsked() async throws {
    let fast = try StubServer { _ in [.head(), .send(Chunk.text("fast") + Chunk.end), .close] }
    // Answers once the other one was asked.
    let slow = try StubServer { _ in
      for _ in 0..<6000 where fast.requests.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
      return [.head(), .send(Chunk.text("slow") + Chunk.end), .close]
    }
    defer {
      slow.stop()
      fast.stop()
    }
    let model = try ServerLanguageModel(
      endpoints: [slow.url, fast.url], model: "m", profile: .cautious)
    async let first = ask(model)
    try await eventually { slow.requests.count == 1 }
    #expect(try await ask(model).text == "fast")
    #expect(try await first.text == "slow")
  }

  @Test func cancellationClosesTheConnection() async throws {
    let server = try server([[.head(), .repeatForever(Chunk.text("x"))]])
    defer { server.stop() }
    let model = try model(server)
    let task = Task { try await ask(model) }
    try await eventually { server.requests.count == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await eventually { server.abandoned == 1 && model.openConnectionCount == 0 }
  }

  @Test func silenceIsATimeout() async throws {
    let server = try server([[.head(), .send(Chunk.text("a")), .pause(.seconds(20))]])
    defer { server.stop() }
    var options = ServerOptions()
    options.idleTimeout = .seconds(1)
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .cautious, options: options)
    let error = await #expect(throws: LanguageModelError.self) { try await ask(model) }
    guard case .timeout? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func nobodyAnswers() async throws {
    let server = try server([[]])
    let url = server.url
    server.stop()
    let model = try ServerLanguageModel(url: url, model: "m", profile: .cautious)
    let error = await #expect(throws: ServerError.self) { try await ask(model) }
    #expect(error?.kind == .unreachable)
    #expect(model.availability == .unavailable(.modelNotReady))
  }

  /// Nothing of a cut answer has reached an app that does not stream.
  @Test func cutAnswerThatNobodySawIsAskedForAgain() async throws {
    let server = try server([
      [.head(200, ["Content-Length": "9000"]), .send(Chunk.text(#"{"n":"#)), .close],
      answer(Chunk.pieces(#"{"n":7}"#) + Chunk.end),
    ])
    defer { server.stop() }
    let session = LanguageModelSession(
      model: RetryingLanguageModel(
        try model(server), policy: RetryPolicy(baseDelay: .zero)))
    let schema = try GenerationSchema(jsonSchema: Self.object)
    let response = try await session.respond(to: "A number", schema: schema)
    #expect(response.content.jsonString == #"{"n":7}"#)
    #expect(server.requests.count == 2)
  }

  /// A body that is shorter than its head says: the server was there.
  @Test func connectionThatIsCutIsNoServerThatIsNotThere() async throws {
    let server = try server([
      [.head(200, ["Content-Length": "9000"]), .send(Chunk.text("Once")), .close]
    ])
    defer { server.stop() }
    let model = try model(server)
    let error = await #expect(throws: ServerError.self) { try await ask(model) }
    #expect(error?.kind == .endedEarly, "\(String(describing: error))")
    #expect(model.availability == .available)
  }

  @Test func answersAreLimited() async throws {
    let server = try server([[.head(), .repeatForever(Chunk.text("x"))]])
    defer { server.stop() }
    var options = ServerOptions()
    options.answerSizeLimit = 10_000
    let model = try ServerLanguageModel(
      url: server.url, model: "m", profile: .cautious, options: options)
    let error = await #expect(throws: ServerError.self) { try await ask(model) }
    #expect(error?.kind == .malformedAnswer)
  }

  /// The session's policy makes the transcript shorter once the server has said that it is too long.
  @Test func contextPolicyActsOnTheError() async throws {
    let server = try StubServer { request in
      request.body.utf8.count > 2000
        ? [
          .whole(
            400,
            #"{"error":{"type":"exceed_context_size_error","message":"too long","n_prompt_tokens":900,"n_ctx":512}}"#
          )
        ] : [.head(), .send(Chunk.text("ok") + Chunk.end), .close]
    }
    defer { server.stop() }
    let session = LanguageModelSession(model: try model(server))
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 64)
    for _ in 0..<6 {
      let prompt = String(repeating: "word ", count: 100)
      #expect(try await session.respond(to: prompt).content == "ok")
    }
  }

  @Test func retryingWrapperWaitsAsLongAsTheServerSays() async throws {
    let server = try server([
      [.whole(429, #"{"error":{"message":"slow down"}}"#, ["Retry-After": "3"])],
      answer(Chunk.text("ok") + Chunk.end),
    ])
    defer { server.stop() }
    let pauses = Mutex<[Duration]>([])
    let model = RetryingLanguageModel(
      try model(server),
      policy: RetryPolicy(sleep: { pause in pauses.withLock { $0.append(pause) } }))
    let session = LanguageModelSession(model: model)
    #expect(try await session.respond(to: "Hi").content == "ok")
    let pause = try #require(pauses.withLock { $0.first })
    #expect(pause > .seconds(2) && pause <= .seconds(3))
  }

  @Test(arguments: [("length", true), ("stop", false)])
  func textThatAServerCutsIsSaidToBe(reason: String, isShortened: Bool) async throws {
    let body = Chunk.text("Once upon") + Chunk.stop(reason) + Chunk.usage + Chunk.done
    let server = try server([answer(body)])
    defer { server.stop() }
    let response = try await LanguageModelSession(model: try model(server)).respond(to: "A tale")
    #expect(response.content == "Once upon")
    #expect(response.usage.isShortened == isShortened)
    #expect(response.usage.output.totalTokenCount == 7)
  }

  @Test func sessionStreamsTypedSnapshots() async throws {
    let server = try server([answer(Chunk.pieces(#"{"city":"Rome"}"#) + Chunk.end)])
    defer { server.stop() }
    let session = LanguageModelSession(model: try model(server))
    let schema = try GenerationSchema(jsonSchema: Scenario.weather)
    var last: GeneratedContent?
    var count = 0
    for try await snapshot in session.streamResponse(to: "A city", schema: schema) {
      last = snapshot.rawContent
      count += 1
    }
    #expect(last?.jsonString == #"{"city":"Rome"}"#)
    #expect(count > 3)
  }
}
