// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Synchronization
import Testing

@testable import EspalierLocal

/// What the families' conversations look like to the model, and when they are read.
@Suite struct ConversationTests {
  /// Texts of tokens.
  final class Log: Sendable {
    private let batches = Mutex<[String]>([])
    func add(_ tokens: [Int]) {
      let bytes = tokens.map { $0 < 256 ? UInt8($0) : UInt8(ascii: "#") }
      batches.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }
    var all: [String] { batches.withLock { $0 } }
  }

  /// Wants a brace until it has read a word, then the end of its turn.
  struct BraceModel: TokenModel {
    let vocabulary = Vocabulary.singleBytes
    let contextSize = 8192
    let chatTemplate: ChatTemplate
    let endsAfter: String
    let log = Log()
    let sequences = Log()

    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
    func makeContext() -> Context { Context(end: endsAfter, log: log, sequences: sequences) }

    struct Context: TokenModelContext {
      let end: String
      let log: Log
      let sequences: Log
      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) {
        log.add(tokens)
        self.tokens += tokens
        sequences.add(self.tokens)
      }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) {
        logits = Array(repeating: 0, count: 257)
        let text = String(decoding: tokens.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        logits[text.contains(end) ? 256 : Int(UInt8(ascii: "{"))] = 9
      }
    }
  }

  struct Forecast: Tool {
    let name = "forecast"
    let description = "The weather of a city."
    let parameters: GenerationSchema
    let calls = Log()

    init() throws {
      parameters = try GenerationSchema(
        root: DynamicGenerationSchema(
          name: "Place",
          properties: [
            .init(name: "inDays", schema: DynamicGenerationSchema(type: Int.self))
          ]),
        dependencies: [])
    }

    func call(arguments: GeneratedContent) async throws -> String {
      calls.add(arguments.jsonString.utf8.map { Int($0) })
      return "sunshine"
    }
  }

  /// Llama 3 writes a call as a bare object with `parameters`, and hears of it as `ipython`.
  @Test func llama3CallsToolsWithABareObject() async throws {
    let base = BraceModel(chatTemplate: ChatTemplate(family: .llama3), endsAfter: "sunshine")
    let forecast = try Forecast()
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy), tools: [forecast])
    _ = try await session.respond(
      to: "Will it rain?", options: GenerationOptions(maximumResponseTokens: 80))
    let arguments = try #require(forecast.calls.all.first)
    #expect(arguments.hasPrefix(#"{"inDays":"#))
    let spaced = arguments.replacing(":", with: ": ")
    let read = try #require(base.sequences.all.last)
    #expect(
      read.contains(
        #"<|start_header_id|>assistant<|end_header_id|>\#n\#n{"name": "forecast", "parameters": \#(spaced)}<|eot_id|>"#
      ))
    #expect(read.contains("<|start_header_id|>ipython<|end_header_id|>\n\nsunshine<|eot_id|>"))
    #expect(!read.contains("python_tag"))
  }

  /// Says its parts one after the other, each up to its end; what it may not say it leaves out.
  struct ScriptedTokenModel: TokenModel {
    let vocabulary = Vocabulary.singleBytes
    let contextSize = 8192
    let chatTemplate: ChatTemplate
    /// What is said after each text, where it is the last of them in the conversation.
    let script: [(after: String, said: String)]
    let sequences = Log()

    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
    func makeContext() -> Context { Context(script: script, sequences: sequences) }

    struct Context: TokenModelContext {
      let script: [(after: String, said: String)]
      let sequences: Log
      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) {
        self.tokens += tokens
        sequences.add(self.tokens)
      }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) {
        logits = Array(repeating: 0, count: 257)
        let text = String(decoding: tokens.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let places = script.compactMap { part in
          text.ranges(of: part.after).last.map { (part, start: $0.upperBound) }
        }
        let last = places.max {
          ($0.start, $0.0.after.count) < ($1.start, $1.0.after.count)
        }
        guard let (part, start) = last else { return }
        let written = Array(text[start...].utf8)
        let said = Array(part.said.utf8)
        for count in stride(from: min(written.count, said.count), through: 0, by: -1)
        where written.suffix(count).elementsEqual(said.prefix(count)) {
          logits[count < said.count ? Int(said[count]) : 256] = 9
          return
        }
      }
    }
  }

  /// Mistral writes calls as a list after `[TOOL_CALLS]`, several at once.
  @Test func mistralCallsToolsInAList() async throws {
    let base = ScriptedTokenModel(
      chatTemplate: ChatTemplate(family: .mistral),
      script: [
        (
          "[TOOL_CALLS]",
          #"[{"name": "forecast", "arguments": {"inDays": 1}}, {"name": "forecast", "arguments": {"inDays": 2}}]"#
        ),
        ("[/TOOL_RESULTS]", "Sun."),
      ])
    let forecast = try Forecast()
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy), tools: [forecast])
    let response = try await session.respond(
      to: "Will it rain?",
      options: GenerationOptions(samplingMode: .greedy, toolCallingMode: .required))
    #expect(response.content == "Sun.")
    #expect(Set(forecast.calls.all) == [#"{"inDays":1}"#, #"{"inDays":2}"#])
    let read = try #require(base.sequences.all.last)
    #expect(
      read.contains(
        #"[/INST][TOOL_CALLS][{"name": "forecast", "arguments": {"inDays": 1}}, "#
          + #"{"name": "forecast", "arguments": {"inDays": 2}}]</s>"#))
    #expect(read.contains(#"[TOOL_RESULTS] {"content": "sunshine"}[/TOOL_RESULTS]"#))
  }

  /// gpt-oss names the channel before the tool; its template, and so the form, the tool first.
  @Test(arguments: [true, false]) func aChannelBeforeTheNameIsACall(wantsValue: Bool) async throws {
    let jinja = """
      {{ tools | tojson }}{% for m in messages %}<|start|>{{ m.role }}{% if m.tool_calls %}\
      {% for c in m.tool_calls %} to=functions.{{ c.function.name }}<|channel|>commentary json\
      <|message|>{{ c.function.arguments | tojson }}<|call|>{% endfor %}\
      {% elif m.role == 'assistant' %}<|channel|>final<|message|>{{ m.content }}<|end|>\
      {% else %}<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}\
      {% if add_generation_prompt %}<|start|>assistant{% endif %}
      """.replacing("\\\n", with: "")
    let answer = wantsValue ? #"{"sky": "sun"}"# : "Sun."
    let base = ScriptedTokenModel(
      chatTemplate: try ChatTemplate(jinja: jinja),
      script: [
        ("Will it rain?<|end|><|start|>assistant", "<|channel|>commentary to=functions.forecast"),
        ("<|channel|>commentary json<|message|>", #"{"inDays": 3}"#),
        ("sunshine<|end|><|start|>assistant", "<|channel|>final<|message|>" + answer),
        ("<|channel|>final<|message|>", answer),
      ])
    #expect(base.chatTemplate.answerOpening == "<|channel|>final<|message|>")
    let forecast = try Forecast()
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy), tools: [forecast])
    let text: String
    if wantsValue {
      let schema = try GenerationSchema(
        root: DynamicGenerationSchema(
          name: "Sky", properties: [.init(name: "sky", schema: .init(type: String.self))]),
        dependencies: [])
      text = try await session.respond(to: "Will it rain?", schema: schema).content
        .spacedJSONString
    } else {
      text = try await session.respond(to: "Will it rain?").content
    }
    #expect(text == answer)
    #expect(forecast.calls.all == [#"{"inDays":3}"#])
  }

  /// A model whose sequences begin with a mark.
  private struct BeginningModel: TokenModel {
    let base: ToolCallFormTests.MarkedModel
    var vocabulary: Vocabulary { base.vocabulary }
    var contextSize: Int { base.contextSize }
    var chatTemplate: ChatTemplate { base.chatTemplate }
    var beginningOfSequence: Int? { 257 }
    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] {
      base.encode(text, parsesSpecialTokens: parsesSpecialTokens)
    }
    func makeContext() -> ToolCallFormTests.MarkedModel.Context { base.makeContext() }
  }

  /// Whether the template writes it or not.
  @Test(arguments: ["{{ bos_token }}", "<s>", ""])
  func aSequenceHasOneBeginning(beginning: String) throws {
    let template = try ChatTemplate(
      jinja: beginning + "{{ messages[0].content }}", beginningOfSequence: "<s>")
    let model = GuidedLanguageModel(
      BeginningModel(base: try .init(marks: ["<s>"], chatTemplate: template)))
    for (text, expected) in [("ab", [257, 97, 98]), ("", [257])] {
      let tokens = model.runtime.tokens(
        of: .init(messages: [.init(role: .user, content: text)]))
      #expect(tokens == expected)
    }
  }

  /// Would call for ever; where it cannot, it answers.
  struct CallingModel: TokenModel {
    let vocabulary = Vocabulary.singleBytes
    let contextSize = 8192
    let chatTemplate: ChatTemplate
    let call: String

    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
    func makeContext() -> Context { Context(call: call) }

    struct Context: TokenModelContext {
      let call: String
      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) { self.tokens += tokens }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) {
        logits = Array(repeating: 0, count: 257)
        let text = String(decoding: tokens.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let turn =
          ["assistant\n", "assistant<|end_header_id|>\n\n"].compactMap { opening in
            text.ranges(of: opening).last.map { Array(text[$0.upperBound...].utf8) }
          }.last ?? []
        for (said, logit) in [(call, Float(9)), ("Sun. <b>Sun</b>.", 5)] {
          let said = Array(said.utf8)
          guard said.starts(with: turn) else { continue }
          logits[turn.count < said.count ? Int(said[turn.count]) : 256] += logit
        }
      }
    }
  }

  /// After the last round the answer is one, and no call in the model's own marks.
  @Test(arguments: [
    (ChatTemplate.chatML, "<tool_call>\n"), (ChatTemplate(family: .llama3), ""),
  ])
  func theAnswerAfterTheLastRoundIsNoCall(template: ChatTemplate, beginning: String) async throws {
    let name = beginning.isEmpty ? "parameters" : "arguments"
    let base = CallingModel(
      chatTemplate: template,
      call: beginning + #"{"name": "forecast", "\#(name)": {"inDays": 1}}"#)
    let forecast = try Forecast()
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy), tools: [forecast])
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 2, answersAfterLastRound: true)
    let response = try await session.respond(
      to: "Will it rain?", options: GenerationOptions(maximumResponseTokens: 80))
    #expect(forecast.calls.all.count == 2)
    #expect(response.content == "Sun. <b>Sun</b>.")
  }

  /// Where the parameters of a tool are no objects, a model's call cannot be read.
  @Test func aCallThatCannotBeReadSaysWhy() async throws {
    struct Say: Tool {
      let name = "say"
      let description = "Says something."
      let parameters: GenerationSchema
      func call(arguments: GeneratedContent) async throws -> String { "said" }
    }
    let base = CallingModel(chatTemplate: .chatML, call: "")
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy),
      tools: [Say(parameters: try GenerationSchema(jsonSchema: #"{"enum": ["a"]}"#))])
    let error = await #expect(throws: ToolCallReadingError.self) {
      try await session.respond(
        to: "Say a", options: GenerationOptions(toolCallingMode: .required))
    }
    #expect(error?.developerDescription.contains("'parameters'") == true)
  }

  /// A schema and tools in one request: where a call is not marked, what is written decides.
  @Test func llama3CallsAToolAndThenWritesAValue() async throws {
    let marker = "assistant<|end_header_id|>\n\n"
    let base = ScriptedTokenModel(
      chatTemplate: ChatTemplate(family: .llama3),
      script: [
        (marker, #"{"name": "forecast", "parameters": {"inDays": 3}}"#),
        ("sunshine<|eot_id|><|start_header_id|>" + marker, #"{"title": "No umbrella"}"#),
      ])
    let forecast = try Forecast()
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy), tools: [forecast])
    var titles: [String?] = []
    let stream = session.streamResponse(
      to: "Will it rain?", schema: try adviceSchema(),
      options: GenerationOptions(samplingMode: .greedy))
    for try await snapshot in stream {
      titles.append(try? snapshot.content.value(String.self, forProperty: "title"))
    }
    #expect(forecast.calls.all == [#"{"inDays":3}"#])
    #expect(titles.last == "No umbrella")
    // The value is streamed as soon as it can be nothing but a value.
    #expect(titles.contains("No "))
  }

  /// A call that does not fit its budget is an error, not a call with half of its arguments.
  @Test func aCallIsNeverCutOff() async throws {
    let base = ScriptedTokenModel(chatTemplate: .chatML, script: [])
    let forecast = try Forecast()
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy), tools: [forecast])
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(
        to: "Will it rain?",
        options: GenerationOptions(maximumResponseTokens: 20, toolCallingMode: .required))
    }
    #expect(forecast.calls.all.isEmpty)
  }

  private func adviceSchema() throws -> GenerationSchema {
    try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Advice", properties: [.init(name: "title", schema: .init(type: String.self))]),
      dependencies: [])
  }

  /// Qwen hears of what a tool answered between marks of the user's turn.
  @Test func qwenHearsToolsFromTheUser() {
    let template = ChatTemplate(metadata: [
      "tokenizer.chat_template": .string(Array("<|im_start|> <tool_response>".utf8))
    ])
    let pieces = template.pieces(of: [.init(role: .tool, content: "sunshine")])
    #expect(
      pieces.prefix(3) == [
        .markup("<|im_start|>user\n<tool_response>\n"), .text("sunshine"),
        .markup("\n</tool_response><|im_end|>\n"),
      ])
  }

  /// What was prewarmed is not read again by the request.
  @Test(.timeLimit(.minutes(30))) func prewarmingReadsTheInstructions() async throws {
    let base = BraceModel(chatTemplate: .chatML, endsAfter: "Go")
    let session = LanguageModelSession(
      model: GuidedLanguageModel(base, sampling: .greedy), instructions: "Speak like a pirate.")
    session.prewarm()
    while base.log.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(base.log.all.joined().contains("pirate"))
    let count = base.log.all.count
    // The context is handed back after it has read; the request waits for it.
    let response = try await session.respond(to: "Go")
    #expect(response.content.isEmpty)
    let later = base.log.all.dropFirst(count).joined()
    #expect(later.contains("Go") && !later.contains("pirate"))
  }
}
