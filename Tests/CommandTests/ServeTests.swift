// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierLocal
import EspalierServer
import FlyingSocks
import Foundation
import Testing

@testable import ModelServing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes two tokens and says how likely they were.
private struct MeasuredModel: TokenProbabilityModel {
  var runsOut = false
  var capabilities: LanguageModelCapabilities { .init() }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: MeasuredModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      for text in ["a", "b"] {
        var event = LanguageModelExecutorGenerationChannel.Event.response(
          action: .appendText(text, tokenCount: 1))
        let written = TokenProbability.Candidate(bytes: Array(text.utf8), logProbability: -0.5)
        event.tokens = [
          TokenProbability(
            written: written,
            rivals: [
              written, .init(bytes: [UInt8(ascii: "c")], logProbability: -.infinity),
            ])
        ]
        await channel.send(event)
      }
      if model.runsOut {
        throw LanguageModelError.contextSizeExceeded(
          .init(contextSize: 2, tokenCount: 2, debugDescription: "There is no room."))
      }
    }
  }
}

/// Thinks, unless it is told not to, and answers.
private struct ThinkingModel: LanguageModel {
  var capabilities: LanguageModelCapabilities { .init([.reasoning]) }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ThinkingModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let level = request.contextOptions.reasoningLevel
      if level != .custom("none") {
        for text in ["hm", level.map { " \($0)" } ?? "."] {
          await channel.send(.reasoning(action: .appendText(text, tokenCount: 1)))
        }
      }
      await channel.send(.response(action: .appendText("ok", tokenCount: 1)))
    }
  }
}

/// `espalier serve`, asked by this package's own client and by hand.
@Suite struct ServeTests {
  private static let stay =
    #"{"type":"object","properties":{"nights":{"type":"integer","minimum":1,"maximum":14,"multipleOf":7},"tags":{"type":"array","items":{"enum":["a","b","c"]},"uniqueItems":true,"minItems":2}},"required":["nights","tags"],"additionalProperties":false}"#

  /// Runs a server of the sampling model while a test asks it.
  func withServer(
    of model: some LanguageModel = SamplingLanguageModel(seed: 3), key: String? = nil,
    _ body: (URL) async throws -> Void
  ) async throws {
    let model = try ServedModel(model, name: "sampling")
    let server = try ModelServer(model: model, key: key).listener(host: "127.0.0.1", port: 0)
    let task = Task { try await server.run() }
    let port = try #require(await server.port())
    do {
      try await body(try #require(URL(string: "http://127.0.0.1:\(port)")))
    } catch {
      task.cancel()
      throw error
    }
    await server.stop()
    task.cancel()
  }

  @Test func clientOfThisPackageIsAnswered() async throws {
    try await withServer { url in
      let model = try ServerLanguageModel(url: url)
      #expect(try await model.facts().profile.name == "espalier")
      #expect(await model.checkAvailability() == .available)
      let schema = try GenerationSchema(jsonSchema: Self.stay)
      #expect(try await model.constraint(for: schema).untrusted.isEmpty)
      for route in [ServerProfile.Route.chatCompletions, .responses] {
        let model = try ServerLanguageModel(url: url, route: route)
        for _ in 0..<5 {
          let session = LanguageModelSession(model: model)
          let value = try await session.respond(to: "A stay", schema: schema).content
          #expect([7, 14].contains(try value.value(Int.self, forProperty: "nights")))
        }
      }
    }
  }

  @Test func keyIsAskedFor() async throws {
    try await withServer(key: "right") { url in
      let wrong = try ServerLanguageModel(url: url, apiKey: ServerAPIKey { "wrong" })
      let error = await #expect(throws: ServerError.self) { try await wrong.facts() }
      #expect(error?.kind == .unauthorized)
      let right = try ServerLanguageModel(url: url, apiKey: ServerAPIKey { "right" })
      #expect(try await right.facts().models == ["sampling"])
    }
  }

  private func problem(_ body: String, _ route: ServedRequest.Route = .chat) -> ServeProblem? {
    do {
      _ = try ServedRequest(route, body: Data(body.utf8))
      return nil
    } catch { return ServeProblem(error) }
  }

  @Test func bodiesThatAreNoTextAreRefused() {
    let bodies: [([UInt8], String)] = [
      ([], "empty"), ([0x20, 0x0A], "empty"), ([0x7B, 0x22, 0xFF], "UTF-8"),
    ]
    for (bytes, message) in bodies {
      let problem = #expect(throws: ServeProblem.self) {
        try ServedRequest(.chat, body: Data(bytes))
      }
      #expect(problem?.status == 400)
      #expect(problem?.message.contains(message) == true)
    }
  }

  private static let hello = #""messages":[{"role":"user","content":"Hi"}]"#

  @Test(
    arguments: [
      ("{", nil), ("[]", ""), ("{}", "messages"), (#"{"messages":[]}"#, "messages"),
      (#"{"messages":[{"role":"king","content":"Hi"}]}"#, "messages[0].role"),
      (
        #"{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}"#,
        "messages[0].content[0]"
      ),
      (#"{"messages":[{"role":"user","content":"Hi","x":1}]}"#, "messages[0].x"),
      (#"{"messages":[{"role":"user"}]}"#, "messages[0].content"),
      (#"{"messages":[{"role":"user","content":null}]}"#, "messages[0].content"),
      (#"{"messages":[{"role":"user","content":5}]}"#, "messages[0].content"),
      ("{\(hello.dropLast()),{\"role\":\"assistant\"}]}", "messages[1].content"),
      ("{\(hello.dropLast()),{\"role\":\"tool\",\"tool_call_id\":\"a\"}]}", "messages[1].content"),
      ("{\(hello),\"n\":2}", "n"), ("{\(hello),\"logprobs\":1}", "logprobs"),
      ("{\(hello),\"top_logprobs\":2}", "top_logprobs"),
      ("{\(hello),\"logprobs\":true,\"top_logprobs\":21}", "top_logprobs"),
      ("{\(hello),\"temperature\":\"warm\"}", "temperature"),
      ("{\(hello),\"max_tokens\":0}", "max_tokens"),
      ("{\(hello),\"top_p\":0.5,\"top_k\":3}", "top_k"),
      ("{\(hello),\"logit_bias\":{\"5\":1}}", "logit_bias"),
      ("{\(hello),\"grammar\":5}", "grammar"),
      ("{\(hello),\"stop\":[\"\"]}", "stop"),
      ("{\(hello),\"stop\":\"a\",\"response_format\":{\"type\":\"json_object\"}}", "stop"),
      ("{\(hello),\"response_format\":{\"type\":\"xml\"}}", "response_format.type"),
      (
        "{\(hello),\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"a\"}}}",
        "response_format.json_schema.schema"
      ),
      ("{\(hello),\"tools\":[{\"type\":\"web_search\"}]}", "tools[0].type"),
      ("{\(hello),\"tool_choice\":\"required\"}", "tool_choice"),
      ("{\(hello),\"reasoning_effort\":\"huge\"}", "reasoning_effort"),
    ] as [(String, String?)])
  func whatCannotBeHonouredIsNamed(_ body: String, _ place: String?) {
    let problem = problem(body)
    #expect(problem?.status == 400)
    #expect(problem?.place == place)
  }

  @Test(
    arguments: [
      (#"{"input":[{"role":"user"}]}"#, "input[0].content"),
      (#"{"input":[{"type":"function_call_output","call_id":"a"}]}"#, "input[0].output"),
    ])
  func whatIsMissingOfAnItemIsNamed(_ body: String, _ place: String) {
    let problem = problem(body, .responses)
    #expect(problem?.status == 400)
    #expect(problem?.place == place)
  }

  /// A turn that calls tools, or refuses, needs no content.
  @Test(
    arguments: [
      #""tool_calls":[{"id":"a","type":"function","function":{"name":"w","arguments":"{}"}}]"#,
      #""content":null,"refusal":"No.""#,
    ])
  func turnsThatMayBeSilent(_ members: String) throws {
    let body = "{\(Self.hello.dropLast()),{\"role\":\"assistant\",\(members)}]}"
    #expect(try ServedRequest(.chat, body: Data(body.utf8)).entries.count >= 1)
  }

  @Test func wrongMethodsAreNamed() async throws {
    try await withServer { url in
      for (method, path, allowed) in [
        ("GET", "v1/chat/completions", "POST"), ("GET", "v1/responses/input_tokens", "POST"),
        ("POST", "v1/models", "GET"), ("DELETE", "v1/models/sampling", "GET"),
      ] {
        var request = URLRequest(url: url.appending(path: path))
        request.httpMethod = method
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        #expect(answer.statusCode == 405)
        #expect(answer.value(forHTTPHeaderField: "Allow") == allowed)
        let body = try GeneratedContent(json: String(decoding: data, as: UTF8.self))
        #expect(body["error"]?["type"]?.asText == "invalid_request_error")
      }
      let (_, response) = try await URLSession.shared.data(from: url.appending(path: "v1/nothing"))
      #expect((response as? HTTPURLResponse)?.statusCode == 404)
    }
  }

  @Test func schemasAreRefusedWithTheirPlace() async throws {
    let dangling = try #require(
      problem(
        "{\(Self.hello),\"response_format\":{\"type\":\"json_schema\",\"json_schema\":"
          + "{\"schema\":{\"properties\":{\"a\":{\"$ref\":\"#/nothing\"}}}}}}"))
    #expect(dangling.place?.hasPrefix("response_format.json_schema.schema#/properties/a") == true)
    // What the engine alone finds out is known before anything of the answer is sent.
    try await withServer { url in
      let (status, text) = try await post(
        "{\(Self.hello),\"stream\":true,\"response_format\":{\"type\":\"json_schema\","
          + "\"json_schema\":{\"schema\":{\"type\":\"string\",\"pattern\":\"(?<a\"}}}}",
        "v1/chat/completions", at: url)
      #expect(status == 400)
      #expect(text.contains("`pattern`"))
    }
  }

  @Test func schemaOfAToolIsRefusedWithItsPlace() async throws {
    try await withServer { url in
      let parameters = #"{"type":"object","properties":{"a":{"type":"string","pattern":"(?<a"}}}"#
      let chat = #"{"type":"function","function":{"name":"f","parameters":\#(parameters)}}"#
      let (status, text) = try await post(
        "{\(Self.hello),\"tools\":[\(chat)],\"tool_choice\":\"required\"}", "v1/chat/completions",
        at: url)
      #expect(status == 400)
      #expect(text.contains(#""param":"tools[0].function.parameters""#), "\(text)")
      let flat = #"{"type":"function","name":"f","parameters":\#(parameters)}"#
      let (_, other) = try await post(
        "{\"input\":\"Hi\",\"tools\":[\(flat)],\"tool_choice\":\"required\"}", "v1/responses",
        at: url)
      #expect(other.contains(#""param":"tools[0].parameters""#), "\(other)")
    }
  }

  /// Some clients send a threshold of one with every request.
  @Test func thresholdOfOneLeavesNothingOut() throws {
    let request = try ServedRequest(
      .chat, body: Data("{\(Self.hello),\"top_p\":1,\"top_k\":3}".utf8))
    #expect(request.options.samplingMode == .random(top: 3))
  }

  @Test func toolsAreCounted() throws {
    let request = try ServedRequest(
      .chat,
      body: Data(
        "{\(Self.hello),\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}".utf8))
    guard case .instructions(let instructions)? = request.countedEntries.first else {
      Issue.record("\(request.countedEntries)")
      return
    }
    #expect(instructions.toolDefinitions.map(\.name) == ["f"])
  }

  /// What is counted beforehand is what the answer says that it took.
  @Test func requestsAreCountedAsTheyAreRead() async throws {
    let format =
      #","response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"boolean"}}}"#
    let tools =
      #","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","#
      + #""properties":{"a":{"type":"boolean"}}}}}]"#
    try await withServer(of: GuidedLanguageModel(ByteModel())) { url in
      for members in ["", format, tools, format + tools, #","reasoning_effort":"none""#] {
        let body = "{\(Self.hello)\(members)}"
        let route = "v1/chat/completions"
        let (_, counted) = try await post(body, route + "/input_tokens", at: url)
        let (status, answer) = try await post(body, route, at: url)
        #expect(status == 200, "\(answer)")
        let count = try GeneratedContent(json: counted)["input_tokens"]?.asInteger
        #expect(count != nil)
        let used = try GeneratedContent(json: answer)["usage"]?["prompt_tokens"]?.asInteger
        #expect(count == used, "\(members)")
      }
    }
  }

  @Test func modelIsFoundByItsName() async throws {
    try await withServer { url in
      let (data, _) = try await URLSession.shared.data(
        from: url.appending(path: "v1/models/sampling"))
      #expect(String(decoding: data, as: UTF8.self).contains(#""id":"sampling""#))
      let (other, response) = try await URLSession.shared.data(
        from: url.appending(path: "v1/models/gpt"))
      #expect((response as? HTTPURLResponse)?.statusCode == 404)
      #expect(String(decoding: other, as: UTF8.self).contains("model_not_found"))
    }
  }

  /// A body after the answer to `HEAD` would be read as the beginning of the next one.
  @Test func headHasNoBody() async throws {
    try await withServer { url in
      for (path, status) in [("health", 200), ("v1/responses", 405), ("v1/nothing", 404)] {
        var head = URLRequest(url: url.appending(path: path))
        head.httpMethod = "HEAD"
        let (data, response) = try await URLSession.shared.data(for: head)
        #expect(data.isEmpty)
        #expect((response as? HTTPURLResponse)?.statusCode == status)
      }
      let (models, _) = try await URLSession.shared.data(from: url.appending(path: "v1/models"))
      #expect(String(decoding: models, as: UTF8.self).contains("sampling"))
    }
  }

  @Test func reasoningIsGivenOnBothRoutes() async throws {
    try await withServer(of: ThinkingModel()) { url in
      for route in [ServerProfile.Route.chatCompletions, .responses] {
        let session = LanguageModelSession(model: try ServerLanguageModel(url: url, route: route))
        let thought = try await session.respond(
          to: "Hi", contextOptions: ContextOptions(reasoningLevel: .light))
        #expect(thought.content == "ok")
        let reasoning = session.transcript.compactMap { entry in
          if case .reasoning(let entry) = entry { entry.description } else { nil }
        }
        #expect(reasoning.joined().contains("hm"), "\(session.transcript)")
        #expect(reasoning.joined().contains("light"), "\(reasoning)")
      }
      let (_, whole) = try await post("{\(Self.hello)}", "v1/chat/completions", at: url)
      #expect(whole.contains(#""reasoning_content":"hm.""#), "\(whole)")
      let (_, item) = try await post(#"{"input":"Hi"}"#, "v1/responses", at: url)
      #expect(item.contains(#""type":"reasoning_text","text":"hm.""#), "\(item)")
      let (_, none) = try await post(
        "{\(Self.hello),\"reasoning_effort\":\"none\"}", "v1/chat/completions", at: url)
      #expect(!none.contains("hm") && none.contains("ok"), "\(none)")
    }
  }

  @Test func transcriptOfAWholeConversation() throws {
    let request = try ServedRequest(
      .chat,
      body: Data(
        #"""
        {"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":
        {"name":"w","arguments":"{\"city\":\"Rome\"}"}}]},
        {"role":"tool","tool_call_id":"a","content":"Sunny"},{"role":"user","content":[
        {"type":"text","text":"And"},{"type":"text","text":"then?"}]}]}
        """#.utf8))
    #expect(request.entries.count == 5)
    guard case .toolOutput(let output) = request.entries[3],
      case .prompt(let prompt) = request.entries[4]
    else {
      Issue.record("\(request.entries)")
      return
    }
    #expect(output.toolName == "w")
    #expect(prompt.description == "And\nthen?")
  }

  func post(_ body: String, _ route: String, at url: URL) async throws -> (Int?, String) {
    var request = URLRequest(url: url.appending(path: route))
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    // Longer than all the other tests together keep the server's tasks waiting.
    request.timeoutInterval = 600
    let (data, response) = try await URLSession.shared.data(for: request)
    return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
  }

  @Test func probabilitiesAreGivenOnBothRoutes() async throws {
    try await withServer(of: MeasuredModel()) { url in
      let ask = "{\(Self.hello),\"logprobs\":true,\"top_logprobs\":2"
      let token =
        #"{"token":"b","logprob":-0.5,"bytes":[98],"top_logprobs":[{"token":"b","logprob":-0.5,"bytes":[98]},"#
        + #"{"token":"c","logprob":-9999,"bytes":[99]}]}"#
      for end in ["}", ",\"stream\":true}"] {
        let (status, text) = try await post(ask + end, "v1/chat/completions", at: url)
        #expect(status == 200)
        #expect(text.contains(token), "\(text)")
      }
      // A token beyond the stop is not told of.
      let (_, stopped) = try await post(ask + ",\"stop\":\"b\"}", "v1/chat/completions", at: url)
      #expect(stopped.contains(#""token":"a""#) && !stopped.contains(token), "\(stopped)")
      for end in ["}", ",\"stream\":true}"] {
        let (status, text) = try await post(
          #"{"input":"Hi","include":["message.output_text.logprobs"],"top_logprobs":2"# + end,
          "v1/responses", at: url)
        #expect(status == 200)
        #expect(text.contains(token), "\(text)")
      }
    }
  }

  @Test func modelWithoutProbabilitiesRefusesThem() async throws {
    try await withServer { url in
      let (status, text) = try await post(
        "{\(Self.hello),\"logprobs\":true}", "v1/chat/completions", at: url)
      #expect(status == 400)
      #expect(text.contains(#""param":"logprobs""#), "\(text)")
    }
  }

  @Test func valueThatRunsOutIsCutOff() async throws {
    try await withServer(of: MeasuredModel(runsOut: true)) { url in
      let (status, text) = try await post("{\(Self.hello)}", "v1/chat/completions", at: url)
      #expect(status == 200)
      #expect(text.contains(#""finish_reason":"length""#), "\(text)")
    }
  }

  /// The advice of a model is about options of Swift, which no request has.
  @Test func limitsAreCalledAsRequestsCallThem() {
    let error = LanguageModelError.contextSizeExceeded(
      .init(
        contextSize: 8, tokenCount: 9,
        debugDescription: "No room. Raise 'maximumResponseTokens' or shorten the transcript."))
    #expect(
      ServeProblem(error).message
        == "No room. Raise the limit of tokens or shorten the transcript.")
    #expect(ServeProblem(error).place == "messages")
    let short = LanguageModelError.contextSizeExceeded(
      .init(contextSize: 8, tokenCount: 7, debugDescription: "No room."))
    #expect(ServeProblem(short).place == "max_tokens")
  }

  /// Requests of a size that nobody sends are read in the time that their bytes take.
  @Test(.timeLimit(.minutes(30))) func largeRequestsTakeLinearTime() throws {
    func request(_ messages: [String], _ more: String = "") throws -> ServedRequest {
      let body = #"{"messages":[\#(messages.joined(separator: ","))]\#(more)}"#
      return try ServedRequest(.chat, body: Data(body.utf8))
    }
    let user = #"{"role":"user","content":"Hi"}"#
    let system = #"{"role":"system","content":"x"}"#
    let call = #"{"id":"a","function":{"name":"f"}}"#
    let called = #"{"role":"assistant","tool_calls":[\#(call)]}"#
    let output = #"{"role":"tool","tool_call_id":"a","content":"y"}"#
    let count = 50_000
    let instructed = try request(Array(repeating: system, count: count) + [user])
    #expect(instructed.entries.count == 2)
    guard case .instructions(let instructions)? = instructed.entries.first else {
      Issue.record("The instructions are not first.")
      return
    }
    #expect(instructions.segments.count == count)
    let answered = try request([user, called] + Array(repeating: output, count: count))
    guard case .toolOutput(let last)? = answered.entries.last else {
      Issue.record("The output is not last.")
      return
    }
    #expect(last.toolName == "f")
    let stops = Array(repeating: #""x""#, count: 65).joined(separator: ",")
    #expect(throws: ServeProblem.self) { try request([user], #","stop":[\#(stops)]"#) }
  }

  /// What is left of a body that was not read is no request: the connection is closed.
  @Test func bodiesThatAreNotReadEndTheConnection() async throws {
    try await withServer(key: "secret") { url in
      let port = try #require(url.port)
      let next = "GET /health HTTP/1.1\r\n\r\n"
      for field in ["Transfer-Encoding: chunked", "Content-Length: 3000000"] {
        let answer = try await ask(
          "POST /v1/chat/completions HTTP/1.1\r\n\(field)\r\n\r\n" + next, port: port)
        #expect(answer.hasPrefix("HTTP/1.1 401"), "\(answer)")
        #expect(answer.hasSuffix("}"), "\(answer)")
        #expect(!answer.contains("200 OK"), "\(answer)")
      }
    }
  }

  /// Where there are more connections than the system allows, further ones wait: those that are there
  /// are answered.
  @Test(.timeLimit(.minutes(30))) func tooManyConnectionsEndNoServer() async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    let command = CommandRun.productsFolder.appending(path: "espalier").path
    process.arguments = ["-c", "ulimit -n 48; exec \"$0\" serve --port 0", command]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.terminate() }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(Int(line.split(separator: ":").last?.filter(\.isNumber) ?? ""))
    let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: UInt16(port))
    let early = try await AsyncSocket.connected(to: address, timeout: 600)
    // The system takes these, whether or not the server does.
    var others: [Socket] = []
    for _ in 1..<64 {
      let socket = try Socket(domain: AF_INET, type: .stream)
      try socket.connect(to: address)
      others.append(socket)
    }
    try await Task.sleep(for: .seconds(1))
    let health = "GET /health HTTP/1.1\r\n\r\n"
    try await early.write(Data(health.utf8))
    let first = String(decoding: try await early.read(atMost: 4096), as: UTF8.self)
    #expect(first.hasPrefix("HTTP/1.1 200"), "\(first)")
    try early.close()
    for socket in others { try socket.close() }
    var answer = ""
    for _ in 0..<1000 where answer.isEmpty {
      try await Task.sleep(for: .milliseconds(200))
      let request = "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"
      answer = (try? await ask(request, port: port)) ?? ""
    }
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    #expect(process.isRunning)
  }

  /// What a server sends until it closes the connection.
  func ask(_ text: String, port: Int, host: String = "127.0.0.1") async throws -> String {
    let socket =
      host.contains(":")
      ? try await AsyncSocket.connected(
        to: sockaddr_in6.inet6(ip6: host, port: UInt16(port)), timeout: 600)
      : try await AsyncSocket.connected(
        to: sockaddr_in.inet(ip4: host, port: UInt16(port)), timeout: 600)
    defer { try? socket.close() }
    try await socket.write(Data(text.utf8))
    var answer: [UInt8] = []
    while let piece = try? await socket.read(atMost: 4096), !piece.isEmpty { answer += piece }
    return String(decoding: answer, as: UTF8.self)
  }

  @Test(.timeLimit(.minutes(30))) func longStopsAreFollowedByteByByte() {
    let stop = String(repeating: "a", count: 1 << 20)
    var filter = StopFilter([stop, stop + "b"])
    var text = ""
    for _ in 0..<2000 { text += filter.take("aaaaaaaac") }
    #expect(text + filter.finish() == String(repeating: "aaaaaaaac", count: 2000))
  }

  @Test func textEndsBeforeItsStop() {
    for (pieces, expected) in [
      (["ab", "cSTO", "Pd"], "abc"), (["abS", "TOx"], "abSTOx"), (["STOP"], ""), (["abS"], "abS"),
      (["xSTSTOP"], "xST"), (["éSTO", "é"], "éSTOé"), (["a END b STOP"], "a "),
    ] {
      var filter = StopFilter(["STOP", "END"])
      let text = pieces.map { filter.take($0) }.joined() + filter.finish()
      #expect(text == expected)
    }
  }
}
