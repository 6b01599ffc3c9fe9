// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import ConstrainedDecoding
import EspalierCore
import Foundation
import Testing

@testable import EspalierLocal

/// Calls that are handed over while they are written, and tools that no call can satisfy.
@Suite struct ToolCallStreamTests {
  private static let names = ["forecast", "forecast_stop", "fore"]
  private static let calls = [
    ("forecast", #"{"city": "}\"{ München", "days": {"a": [1, {}]}}"#), ("fore", "{}"),
    ("forecast_stop", "{\"city\": \"\u{E31}\"}"),
  ]

  /// What follows the mark in a turn with calls.
  private func turn(_ form: ToolCallForm) -> String {
    let calls = Self.calls.prefix(form.limit).map {
      ChatTemplate.ToolCall(name: $0.0, arguments: $0.1, id: "abcdefghi")
    }
    let text = form.syntax.pieces(of: calls).map { piece in
      switch piece {
      case .markup(let text), .text(let text): text
      }
    }.joined()
    return String(text.dropFirst(form.mark.count))
  }

  @Test(arguments: ToolCallFormTests.forms.indices)
  func piecesAddUpToTheCalls(index: Int) {
    let (name, syntax) = ToolCallFormTests.forms[index]
    let form = ToolCallForm(syntax)
    let text = turn(form)
    for size in [1, 2, 3, 7, text.count] {
      var stream = ToolCallStream(form, names: Self.names)
      var pieces: [ToolCallStream.Piece] = []
      var rest = text[...]
      while !rest.isEmpty {
        pieces += stream.append(String(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(pieces.first == .init(call: 0, name: "forecast", arguments: ""), "\(name)")
      // What is not JSON is read at the end.
      guard form.syntax.arguments == .json else {
        #expect(pieces.count == 1, "\(name)")
        continue
      }
      for (index, call) in Self.calls.prefix(form.limit).enumerated() {
        let own = pieces.filter { $0.call == index }
        #expect(Set(own.map(\.name)) == [call.0], "\(name)")
        #expect(own.map(\.arguments).joined() == call.1, "\(name)")
      }
    }
  }

  /// A vowel sign at the beginning of a text makes one character of Swift with the quote before it.
  @Test func textsMayBeginWithAMark() throws {
    let quote = ArgumentGrammar.gemmaQuote
    for (text, form) in [
      ("city:\(quote)\u{E31}a\(quote)}", ToolCallSyntax.Arguments.gemma),
      ("city=\"\u{E31}a\")", .python),
    ] {
      var reader = ArgumentReader(text.unicodeScalars[...])
      #expect(try reader.arguments(form, strings: []) == "{\"city\":\"\u{E31}a\"}")
    }
  }

  /// What is sent must not be taken back by a longer name.
  @Test func nameWaitsUntilNoOtherIsPossible() {
    var stream = ToolCallStream(ToolCallForm(.hermes), names: Self.names)
    let form = ToolCallForm(.hermes)
    #expect(stream.append(form.start + "fore").isEmpty)
    #expect(stream.append("cast").isEmpty)
    #expect(stream.append("\"").isEmpty)
    #expect(stream.append(", \"arguments\": ").map(\.name) == ["forecast"])
  }

  @Test func textOfAnotherFormEndsTheStream() {
    var stream = ToolCallStream(ToolCallForm(.hermes), names: Self.names)
    #expect(stream.append("something else").isEmpty)
    #expect(stream.append(turn(ToolCallForm(.hermes))).isEmpty)
  }

  private func events(
    _ schemas: [String], choice: GenerationOptions.ToolCallingMode = .required
  ) async throws -> [(id: String, name: String, arguments: String)] {
    let tools = try schemas.enumerated().map { index, schema in
      Transcript.ToolDefinition(
        name: "tool\(index)", description: "", parameters: try GenerationSchema(jsonSchema: schema))
    }
    var options = GenerationOptions()
    options.toolCallingMode = choice
    let request = LanguageModelExecutorGenerationRequest(
      id: .init(), transcript: Transcript(entries: [.prompt(.init(segments: []))]),
      enabledTools: tools, schema: nil, generationOptions: options,
      contextOptions: ContextOptions(), metadata: [:])
    let model = GuidedLanguageModel(ByteModel())
    let executor = try GuidedLanguageModel<ByteModel>.Executor(
      configuration: model.executorConfiguration)
    let (stream, continuation) = AsyncStream<LanguageModelExecutorGenerationChannel.Event>
      .makeStream()
    try await executor.respond(
      to: request, model: model,
      streamingInto: LanguageModelExecutorGenerationChannel { continuation.yield($0) })
    continuation.finish()
    var calls: [(String, String, String)] = []
    for await event in stream {
      guard case .toolCalls(let action) = event.kind, case .call(let call) = action.kind,
        case .append(let fragment) = call.action.kind
      else { continue }
      calls.append((call.id, call.name, fragment.content))
    }
    return calls
  }

  @Test func modelHandsOverPieces() async throws {
    let pieces = try await events([
      #"{"type":"object","properties":{"q":{"enum":["some words"]},"n":{"type":"integer"}},"#
        + #""required":["q","n"],"additionalProperties":false}"#
    ])
    #expect(pieces.first?.name == "tool0" && pieces.first?.arguments == "")
    #expect(pieces.count > 2)
    #expect(Set(pieces.map(\.id)).count == 1)
    let whole = try GeneratedContent(json: pieces.map(\.arguments).joined())
    #expect(whole.isComplete)
    #expect(try whole.value(String.self, forProperty: "q") == "some words")
  }

  private static let good = #"{"type":"object","properties":{"q":{"type":"string"}}}"#

  @Test(
    arguments: [
      (
        #"{"type":"object","properties":{"q":{"type":"string"}},"required":["q","zz"],"#
          + #""additionalProperties":false}"#, "`zz` must be there"
      ), (#"{"type":"object","properties":{"q":{"type":"string","pattern":"(?<a"}}}"#, "pattern"),
    ])
  func toolThatNoCallCanSatisfyIsNamed(_ schema: String, _ word: String) async throws {
    for schemas in [[Self.good, schema], [schema, Self.good], [schema]] {
      let error = await #expect(throws: LanguageModelError.self) {
        try await events(schemas, choice: .allowed)
      }
      guard case .unsupportedGenerationGuide(let payload)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      let index = schemas.firstIndex(of: schema) ?? -1
      #expect(payload.schemaName == "tool\(index)")
      #expect(payload.debugDescription.contains("'tool\(index)'"))
      #expect(payload.debugDescription.contains(word), "\(payload.debugDescription)")
    }
  }
}
