// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Espalier
import EspalierLocal
import EspalierServer
import Foundation
import Testing

/// What pages and comments show is run, with models for tests in the place of real ones. What changes
/// the process is in `ProcessSnippetRunTests`, what asks a server in `ServerSnippetRunTests`;
/// `SnippetsAreRunTests` says what is left out.
@Suite struct SnippetRunTests {
  private let model = SamplingLanguageModel(seed: 3)
  private var session: LanguageModelSession { LanguageModelSession(model: model) }

  private static func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func readme() async throws { try await ReadmeSnippets().stream(session) }

  @Test func guides() async throws {
    let text = #"{"guest": "Leo", "item": "roll", "count": 12}"#
    let model = ScriptedLanguageModel([.text(text)], chunking: .characters)
    var shown: [String] = []
    try await GuideSnippets().fillsIn(LanguageModelSession(model: model)) { shown.append($0) }
    #expect(shown.contains("0 × … for Le"))
    #expect(!shown.contains("1 × roll for Leo"))
    #expect(shown.last == "12 × roll for Leo")
    try await evaluates(
      SamplingLanguageModel(seed: 1),
      lines: #"{"prompt": "Tom takes a bun", "expected": {"guest": {"$any": true}, "count": 1}}"#)
  }

  /// What the page says of a misspelt keyword.
  @Test func schemasFromFiles() async throws {
    let read = try await GuideSnippets().readsSchemas(
      #"{"type": "object", "required": ["greeting"], "additionalProperties": false, "#
        + #""properties": {"greeting": {"type": "string", "minLenght": 3}}}"#)
    #expect(!read.greeting.isEmpty)
    #expect(read.warnings.count == 1)
    #expect(read.warnings.first?.contains("minLength") == true)
  }

  @Test func valuesAndSchemas() async throws {
    let comments = CommentSnippets()
    try await comments.fillsIn(session, prompt: "Kyoto")
    var shown: [Itinerary.PartiallyGenerated] = []
    let pieces = [#"{"title": "Kyo"#, #"to", "days": ["Gi"#, #"on"]}"#]
    let stream = AsyncStream { continuation in
      for piece in pieces { continuation.yield(piece) }
      continuation.finish()
    }
    try await comments.parser(stream) { shown.append($0) }
    #expect(shown.map(\.title) == ["Kyo", "Kyoto", "Kyoto"])
    try comments.content()
    try await comments.importing(
      .init(inputSchema: #"{"type": "object", "properties": {"city": {"type": "string"}}}"#),
      question: "Where?", session)
    try comments.importsAPart(
      openAPI: #"{"components": {"schemas": {"Order": {"type": "object"}}}}"#)
    try comments.dynamic(courses: ["soup", "cake"])
    comments.prompt(city: "Oslo", travelsWithChildren: true)
    let closed = try comments.closing(.init(inputSchema: #"{"type": "object", "properties": {}}"#))
    #expect(try closed.jsonSchema().contains("additionalProperties"))
    let seeing = LanguageModelSession(model: ScriptedLanguageModel([.text("A temple.")]))
    try await comments.attachment(seeing, picture: URL(fileURLWithPath: "/temple.png"))
    #expect("\(seeing.transcript)".contains("picture"))
  }

  @Test func requests() async throws {
    let guide = GuideSnippets()
    let none = GenerationSchema(type: GeneratedContent.self, properties: [])
    let tools = ["git_status", "git_diff", "git_log"].map { name in
      RemoteTool(name: name, description: name, parameters: none) { _ in "clean" }
    }
    let model = ScriptedLanguageModel { request, _ in
      let names = request.enabledToolDefinitions.map(\.name).joined(separator: " ")
      let screen = try? ScreenExecutor().screen(of: request)
      return .text("\(names) \(screen ?? "no screen")")
    }
    let session = LanguageModelSession(model: model, tools: tools)
    #expect(try await guide.offersSomeTools(session) == "git_status git_diff no screen")
    let home = try await session.respond(to: "Where am I?", metadata: ["screen": "home"]).content
    #expect(home == "git_status git_diff git_log home")
    guide.forgets(session)
    let calling = ScriptedLanguageModel([.toolCall("git_status", arguments: "{}"), .text("Clean.")])
    #expect(
      try await guide.forcesATool(LanguageModelSession(model: calling, tools: tools)) == "Clean.")
    #expect(calling.requests.first?.enabledToolDefinitions.map(\.name) == ["git_status"])
    _ = guide.guides()
  }

  @Test func grammars() async throws {
    let moves = try await textOfAGrammar(session: session)
    #expect(moves.wholeMatch(of: /[a-h][1-8][a-h][1-8]( [a-h][1-8][a-h][1-8])*/) != nil)
    #expect(try listValidator() == .complete)
    let grammar = try BackendSnippets().raisesLimits(of: #"{"type": "boolean"}"#)
    #expect(grammar.warnings.isEmpty)
  }

  @Test func tokenizers() async throws {
    try await Self.withFolder { folder in
      try Data(
        #"""
        {"added_tokens": [{"id": 1, "content": "<|im_end|>", "special": true}],
         "decoder": {"type": "ByteLevel"}, "model": {"vocab": {"Ġtea": 0}, "merges": []}}
        """#.utf8
      ).write(to: folder.appending(path: "tokenizer.json"))
      let vocabulary = try BackendSnippets().tokens(of: folder)
      #expect(vocabulary.count == 151_936 && vocabulary.endOfSequence == 1)
      #expect(try BackendSnippets().tokensWithoutCount(of: folder).count == 2)
      var processor = try SchemaProcessor(
        schema: #"{"type": "boolean"}"#, vocabulary: .singleBytes)
      var logits = [Float](repeating: 0, count: 257)
      processor.process(&logits)
      #expect(logits.indices.filter { logits[$0] == 0 } == [102, 116])
      try processor.didSample(116)
    }
  }

  @Test func masks() throws {
    let comments = CommentSnippets()
    let vocabulary = Vocabulary.singleBytes
    var matcher = Matcher(
      grammar: try Grammar(jsonSchema: #"{"type": "boolean"}"#), vocabulary: vocabulary)
    try comments.bitmask(vocabulary, matcher: &matcher, token: Int(UInt8(ascii: "t")))
    #expect(matcher.allowedTokens().contains(Int(UInt8(ascii: "r"))))
    #expect(!matcher.allowedTokens().contains(Int(UInt8(ascii: "f"))))
    let logits = [Float](repeating: 0, count: vocabulary.count)
    // The end, as soon as it may come.
    try comments.matcher(vocabulary, logits: logits) { logits, mask in
      logits.indices.last { mask.contains($0) } ?? 0
    }
    let masks = MaskSnippets()
    var bitmask = TokenBitmask(vocabulary: vocabulary)
    var masked = logits
    masks.apply(&matcher, &bitmask, to: &masked)
    #expect(masked.indices.filter { masked[$0] == 0 } == [Int(UInt8(ascii: "r"))])
    var batch = [matcher, Matcher(grammar: matcher.grammar, vocabulary: vocabulary)]
    let rows = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 18)
    defer { rows.deallocate() }
    try masks.fill(rows, for: &batch)
    #expect(rows[3] == 1 << 18 && rows[9 + 3] == 1 << 20 | 1 << 6)
    masks.goOver("rue".utf8.map(Int.init), confirmed: 1, &matcher)
    #expect(matcher.forcedBytes() == Array("ue".utf8))
    #expect(masks.spaced().whitespace == .spaced)
    #expect(throws: VocabularyError.self) { try masks.vocabulary([]) }
    let grammar = try toolCallGrammar(callSchema: #"{"type": "object"}"#)
    var validator = StreamValidator(grammar: grammar)
    validator.append("Well:<tool_call>\n{}\n</tool_call>")
    #expect(validator.verdict == .complete)
    #expect(try validatedStream() == .complete)
  }

  @Test func errors() async throws {
    let failing = FailingLanguageModel(
      model, failingFirst: 1, with: LanguageModelError.rateLimited(.init(debugDescription: "Busy."))
    )
    var (alert, log) = ("", [String]())
    try await explaining(
      session: LanguageModelSession(model: failing), question: "Hello",
      locale: Locale(identifier: "it"), alert: &alert, log: &log)
    #expect(alert == "Per ora il modello non accetta altre richieste. Riprova più tardi.")
    #expect(log.count == 1)
  }

  @Test func modelsAndWrappers() async throws {
    let backends = BackendSnippets()
    try await backends.wrappers(model: model)
    backends.routes(local: model, server: model)
    let parrot = LanguageModelSession(model: Parrot())
    #expect(try await parrot.respond(to: "Hello").content.contains("Hello"))
    let echo = LanguageModelSession(model: GuidedLanguageModel(EchoModel(), sampling: .greedy))
    let options = GenerationOptions(maximumResponseTokens: 4)
    // It writes on and on what it has read last.
    #expect(Set(try await echo.respond(to: "Hello", options: options).content).count == 1)
    _ = try await LanguageModelSession(model: Shouting(base: model)).respond(to: "Hello")
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["ESPALIER_MODEL"] != nil, "no model"))
  func promptsOnDisk() async throws {
    let path = try #require(ProcessInfo.processInfo.environment["ESPALIER_MODEL"])
    let model = try GGUFTokenModel(path: path)
    try await Self.withFolder { folder in
      let saved = folder.appending(path: "prompt").path
      let prompt = model.encode("The keeper counted the ships.", parsesSpecialTokens: false)
      let read = try BackendSnippets().context(reading: prompt, of: model, savedAt: saved)
      let again = try BackendSnippets().context(reading: prompt, of: model, savedAt: saved)
      #expect(read.tokens == again.tokens)
      let guided = GuidedLanguageModel(model)
      let session = try await BackendSnippets().launches(
        guided, instructions: "Count ships.", savedAt: folder.appending(path: "session").path)
      _ = try await session.respond(
        to: "Go", options: GenerationOptions(maximumResponseTokens: 4))
    }
  }

  @Test func conversations() async throws {
    try await Self.withFolder { folder in
      try await saving(model, folder)
      try await listing(folder)
      let store = try FileConversationStore(folder: folder)
      let chat = try #require(try await store.conversations(limit: 1).first)
      #expect(chat.title == "Kyoto in April")
      try await commentOfSaving(model, store)
      try await resuming(model, store, chat)
      try await searching(store)
    }
  }

  @Test func probabilities() async throws {
    try await ProbabilitySnippets().checks(text: "Soup")
    try await ProbabilitySnippets().chooses()
    try await ProbabilitySnippets().classifies()
  }

  @Test func security() async throws {
    let security = SecuritySnippets()
    try await security.clean(.init(text: "Hi<|im_end|>"), session)
    security.veto(session)
    security.guardrails(model)
    try security.limits(#"{"a": [1]}"#)
    #expect(throws: (any Error).self) {
      try security.limits(String(repeating: "[", count: 40))
    }
  }

  @Test func testModels() async throws {
    try await TestingSnippets().slow()
    try await TestingSnippets().sample()
    try await Self.withFolder { folder in
      try await TestingSnippets().record(model, file: folder.appending(path: "recording.json"))
    }
  }

  @Test func fromPython() async throws {
    let address = try #require(URL(string: "http://localhost:8080"))
    let server = try ServerLanguageModel(url: address)
    let page = PythonSnippets(model: server, url: address)
    page.service(cheap: server, dear: server)
    page.costs(small: GenerationMetrics())
    try page.azure(resource: "shop", key: "secret")
    try page.connections()
    try page.oneRequest(tenant: "shop")
    func session(_ answers: String...) -> LanguageModelSession {
      LanguageModelSession(
        model: ScriptedLanguageModel(answers.map { .text($0) }, chunking: .characters))
    }
    let lost = #"{"summary": "Lost", "priority": "low", "labels": {}}"#
    let late = #"{"summary": "Late", "priority": "URGENT", "labels": {"to": "Leo"}}"#
    var handled: [String] = []
    try await page.iterable(session: session("[\(lost), \(late)]"), text: "Mail") {
      handled.append($0.summary)
    }
    #expect(handled == ["Lost", "Late"])
    var sent: [String] = []
    try await page.web(session: session(late), text: "Mail") { sent.append($0) }
    #expect(sent.last?.contains("Leo") == true)
    let whole = try await page.truncated(session: session(lost), text: "Mail")
    #expect(whole?.summary == "Lost")
    let asked = session(lost, late)
    try await page.checked(session: asked, text: "Mail") { $0 == "Late" }
    #expect("\(asked.transcript)".contains("There is no order 'Lost'"))
    let quoting = session(#"["a price"]"#, #"["the price"]"#)
    try await page.quotes(session: quoting, source: "What is the price?")
    #expect("\(quoting.transcript)".contains("Not word for word in the text"))
    try await page.classify(session: self.session) {}
  }
}
