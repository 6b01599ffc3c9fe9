// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import ConstrainedDecoding
import EspalierCore
import Testing

@testable import EspalierLocal

/// The forms in which models write calls: each is held to the tools' schemas, and read back.
@Suite struct ToolCallFormTests {
  /// A model whose tokens are the bytes, and some marks that have none.
  struct MarkedModel: TokenModel {
    let vocabulary: Vocabulary
    let contextSize = 4096
    let marks: [String]
    let chatTemplate: ChatTemplate

    init(marks: [String], chatTemplate: ChatTemplate = .chatML) throws {
      self.marks = marks
      self.chatTemplate = chatTemplate
      vocabulary = try Vocabulary(
        tokens: (0..<256).map { [UInt8($0)] } + [[]] + marks.map { _ in [] },
        specialTokens: Set(256..<257 + marks.count), endOfSequence: 256)
    }

    func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] {
      var tokens: [Int] = []
      var rest = text[...]
      while !rest.isEmpty {
        if parsesSpecialTokens, let index = marks.firstIndex(where: { rest.hasPrefix($0) }) {
          tokens.append(257 + index)
          rest.removeFirst(marks[index].count)
        } else {
          tokens += String(rest.removeFirst()).utf8.map { Int($0) }
        }
      }
      return tokens
    }

    func makeContext() -> Context { Context() }

    struct Context: TokenModelContext {
      var tokens: [Int] = []
      mutating func append(_ tokens: [Int]) { self.tokens += tokens }
      mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
      mutating func nextLogits(into logits: inout [Float]) { logits = [] }
    }
  }

  static let forms: [(name: String, syntax: ToolCallSyntax)] = [
    ("hermes", .hermes), ("llama3", .llama3), ("mistral", .mistral),
    ("mistralArguments", .mistralArguments), ("granite", .granite), ("phi4", .phi4),
    ("gemma4", .gemma4), ("lfm2", .lfm2), ("functionary", .functionary), ("harmony", .harmony),
    ("deepSeek", .deepSeek),
    (
      "marked",
      ToolCallSyntax(
        call: [
          .literal("<tool_call>\n<function="), .name, .literal(">\n"), .arguments,
          .literal("\n</function>\n</tool_call>"),
        ], separator: "\n",
        arguments: .marked(
          .init(
            beforeKey: "<parameter=", beforeValue: ">\n", afterValue: "\n</parameter>",
            separator: "\n")))
    ),
  ]

  private func weather() throws -> [Transcript.ToolDefinition] {
    let place = DynamicGenerationSchema(
      name: "Weather",
      properties: [
        .init(name: "city", schema: .init(type: String.self)),
        .init(name: "days", schema: .init(type: Int.self, guides: [.range(1...7)])),
        .init(name: "isDry", schema: .init(type: Bool.self), isOptional: true),
        .init(
          name: "unit", schema: .init(name: "Unit", anyOf: ["celsius", "kelvin"]),
          isOptional: true),
        .init(
          name: "hours", schema: .init(arrayOf: .init(type: Int.self), maximumElements: 3),
          isOptional: true),
      ])
    let stop = DynamicGenerationSchema(name: "Stop", properties: [])
    return [
      .init(
        name: "forecast", description: "The weather.",
        parameters: try GenerationSchema(root: place, dependencies: [])),
      .init(
        name: "forecast_stop", description: "Stops.",
        parameters: try GenerationSchema(root: stop, dependencies: [])),
    ]
  }

  /// What follows the mark in a turn with calls.
  private func turn(_ form: ToolCallForm, _ calls: [(String, String)]) -> String {
    let calls = calls.map {
      ChatTemplate.ToolCall(name: $0.0, arguments: $0.1, id: "abcdefghi")
    }
    let text = form.syntax.pieces(of: calls).map { piece in
      switch piece {
      case .markup(let text), .text(let text): text
      }
    }.joined()
    return String(text.dropFirst(form.mark.count))
  }

  private static let arguments = [
    #"{"city": "Rome", "days": 3}"#,
    #"{"city": "Rome, old town", "days": 7, "isDry": true, "unit": "kelvin", "hours": [1, 2, 3]}"#,
    #"{"city": "München", "days": 1, "isDry": false, "hours": []}"#,
  ]

  @Test(arguments: forms.indices)
  func callsAreHeldAndReadBack(index: Int) throws {
    let (name, syntax) = Self.forms[index]
    let form = ToolCallForm(syntax)
    let model = try MarkedModel(marks: [])
    let grammar = try ToolCallGrammar(try weather(), form: form, model: model)
    let isMarked = name == "marked"
    func read(_ text: String) throws -> [ToolCallGrammar.Call] {
      try grammar.calls(in: text).map {
        .init(name: $0.name, arguments: try GeneratedContent(json: $0.arguments).spacedJSONString)
      }
    }
    for arguments in Self.arguments {
      // Gemma's texts cannot have the mark's bar; none of these has.
      let one = turn(form, [("forecast", arguments)])
      #expect(allows(grammar.grammar, one), "\(name): \(one)")
      #expect(try read(one) == [.init(name: "forecast", arguments: arguments)], "\(name)")
      guard form.limit > 1 else { continue }
      let two = turn(form, [("forecast", arguments), ("forecast_stop", "{}")])
      #expect(allows(grammar.grammar, two), "\(name): \(two)")
      #expect(
        try read(two) == [
          .init(name: "forecast", arguments: arguments),
          .init(name: "forecast_stop", arguments: "{}"),
        ], "\(name)")
    }
    // Out of range, of the wrong type, no case of the enumeration, incomplete, another tool.
    for wrong in [
      #"{"city": "Rome", "days": 8}"#, #"{"city": "Rome", "days": "3"}"#,
      #"{"city": "Rome", "days": 3, "unit": "rankine"}"#, #"{"city": "Rome"}"#,
      #"{"city": "Rome", "days": 3, "hours": [1, 2, 3, 4]}"#,
    ] where !isMarked || !wrong.contains(#""3""#) {
      let text = turn(form, [("forecast", wrong)])
      #expect(!allows(grammar.grammar, text), "\(name): \(text)")
    }
    #expect(!allows(grammar.grammar, turn(form, [("dig", #"{"city": "Rome", "days": 3}"#)])))
  }

  /// A call is complete as soon as its arguments are; marks that are tokens are asked for as tokens.
  @Test func marksMayBeTokens() throws {
    let form = ToolCallForm(.gemma4)
    let model = try MarkedModel(marks: ["<|tool_call>", "<tool_call|>", "<|\"|>"])
    let grammar = try ToolCallGrammar(try weather(), form: form, model: model)
    #expect(form.mark == "<|tool_call>call:")
    let text = #"forecast{city:<|"|>Rome<|"|>,days:3}<tool_call|><|tool_call>call:forecast_stop{}"#
    var matcher = Matcher(grammar: grammar.grammar, vocabulary: model.vocabulary)
    var written = ""
    var endsAt: [String] = []
    for token in model.encode(text, parsesSpecialTokens: true) {
      try matcher.accept(token)
      written +=
        grammar.markTexts[token]
        ?? String(decoding: model.vocabulary.bytes(of: token), as: UTF8.self)
      if matcher.canEnd() { endsAt.append(written) }
    }
    #expect(written == text)
    #expect(endsAt.first == #"forecast{city:<|"|>Rome<|"|>,days:3}"#)
    #expect(
      try grammar.calls(in: written) == [
        .init(name: "forecast", arguments: #"{"city":"Rome","days":3}"#),
        .init(name: "forecast_stop", arguments: "{}"),
      ])
    // The texts of the marks are no marks.
    var other = Matcher(grammar: grammar.grammar, vocabulary: model.vocabulary)
    try other.accept(bytes: "forecast{city:".utf8)
    #expect(throws: (any Error).self) { try other.accept(bytes: "<".utf8) }
  }

  @Test func textsAreTakenApartAtTokens() throws {
    let model = try MarkedModel(marks: ["<a>", "</a>", "[x]"])
    #expect(
      MarkedText("<a>\nfoo</a>[x]bar", in: model).parts == [
        .token(257, text: "<a>"), .text("\nfoo"), .token(258, text: ""),
        .token(259, text: "</a>[x]"), .text("bar"),
      ])
    #expect(MarkedText("foo <b>", in: model).parts == [.text("foo <b>")])
    #expect(MarkedText("", in: model).parts.isEmpty)
  }

  private func tree(_ name: String, leaf: DynamicGenerationSchema) throws -> GenerationSchema {
    // Two tools whose schemas have definitions of the same name, and one that refers to its root.
    try GenerationSchema(
      root: DynamicGenerationSchema(
        name: name,
        properties: [
          .init(name: "node", schema: .init(referenceTo: "Node")),
          .init(
            name: "more",
            schema: .init(arrayOf: .init(referenceTo: name), maximumElements: 2),
            isOptional: true),
        ]),
      dependencies: [
        DynamicGenerationSchema(
          name: "Node",
          properties: [
            .init(name: "leaf", schema: leaf),
            .init(name: "next", schema: .init(referenceTo: "Node"), isOptional: true),
          ])
      ])
  }

  private func allows(_ grammar: Grammar, _ json: String) -> Bool {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    do { try matcher.accept(bytes: json.utf8) } catch { return false }
    return matcher.canEnd()
  }

  /// Schemas that refer to their own parts go on doing so inside a call.
  @Test func nestedSchemasResolveInsideACall() throws {
    let tools = [
      Transcript.ToolDefinition(
        name: "plant", description: "Plants.",
        parameters: try tree("Trees", leaf: .init(type: Int.self))),
      Transcript.ToolDefinition(
        name: "name", description: "Names.",
        parameters: try tree("Names", leaf: .init(type: String.self))),
    ]
    let form = ToolCallForm(.hermes)
    let grammar = try ToolCallGrammar(tools, form: form, model: try MarkedModel(marks: [])).grammar
    func call(_ tool: String, _ arguments: String) -> String { turn(form, [(tool, arguments)]) }
    let numbers = #"{"node": {"leaf": 1, "next": {"leaf": 2}}, "more": [{"node": {"leaf": 3}}]}"#
    let texts =
      #"{"node": {"leaf": "a", "next": {"leaf": "b"}}, "more": [{"node": {"leaf": "c"}}]}"#
    #expect(allows(grammar, call("plant", numbers)))
    #expect(allows(grammar, call("name", texts)))
    // Each tool has its own definition of the name that both use, at every depth.
    #expect(!allows(grammar, call("plant", texts)))
    #expect(!allows(grammar, call("name", numbers)))
    #expect(!allows(grammar, call("name", #"{"node": {"leaf": "a", "next": {"leaf": 2}}}"#)))
    #expect(
      !allows(
        grammar, call("name", #"{"node": {"leaf": "a"}, "more": [{"node": {"leaf": 2}}]}"#)))
    #expect(!allows(grammar, call("dig", numbers)))
  }
}
