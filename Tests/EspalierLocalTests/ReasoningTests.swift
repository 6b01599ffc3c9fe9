// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import ConstrainedDecoding
import EspalierCore
import Testing

@testable import EspalierLocal

/// Models that think before they answer: in their own marks, within a budget, and kept apart.
@Suite struct ReasoningTests {
  private typealias Model = ConversationTests.ScriptedTokenModel

  /// As Qwen 3 has it: reasoning is on unless the template is told otherwise.
  private static let jinja = """
    {%- for m in messages %}<|im_start|>{{ m.role }}
    {% if m.role == 'assistant' and m.reasoning_content and loop.last %}<think>
    {{ m.reasoning_content }}
    </think>

    {% endif %}{{ m.content }}<|im_end|>
    {% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
    {% if enable_thinking is defined and enable_thinking is false %}<think>

    </think>

    {% endif %}{% endif %}
    """

  private func model(
    _ script: [(after: String, said: String)], options: ReasoningOptions = ReasoningOptions()
  ) throws -> (GuidedLanguageModel<ConversationTests.ScriptedTokenModel>, Model) {
    let base = Model(chatTemplate: try ChatTemplate(jinja: Self.jinja), script: script)
    return (GuidedLanguageModel(base, sampling: .greedy, reasoning: options), base)
  }

  private let question = "<|im_start|>assistant\n"

  private func schema() throws -> GenerationSchema {
    try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Sum", properties: [.init(name: "sum", schema: .init(type: Int.self))]),
      dependencies: [])
  }

  private func reasoning(of entries: some Sequence<Transcript.Entry>) -> [String] {
    entries.compactMap { if case .reasoning(let entry) = $0 { entry.description } else { nil } }
  }

  @Test func theSchemaHoldsAfterTheReasoning() async throws {
    let (model, base) = try model([
      (question, "<think>\nTwo and two.\n</think>\n\n"), ("</think>\n\n", #"{"sum": 4}"#),
    ])
    #expect(model.capabilities.contains(.reasoning))
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "2 + 2", schema: try schema())
    #expect(response.content.jsonString == #"{"sum":4}"#)
    #expect(reasoning(of: response.transcriptEntries) == ["Two and two."])
    #expect(try #require(base.sequences.all.last).contains("\n</think>\n\n{\"sum\": "))
    let usage = response.usage.output
    #expect(usage.reasoningTokenCount > 0 && usage.reasoningTokenCount < usage.totalTokenCount)
  }

  @Test func freeTextComesWithoutTheMarks() async throws {
    let (model, _) = try model([
      (question, "<think>\nHm.\n</think>\n\n"), ("</think>\n\n", "It is four."),
    ])
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "2 + 2")
    #expect(response.content == "It is four.")
    #expect(reasoning(of: session.transcript) == ["Hm."])
  }

  /// What does not begin to reason is not made to, unless a request asks for it.
  @Test func theModelDecidesUnlessALevelIsAskedFor() async throws {
    let (model, base) = try model([
      (question, #"{"sum": 4}"#), ("<think>\n", "Yes.</think>"), ("</think>\n\n", #"{"sum": 5}"#),
    ])
    let session = LanguageModelSession(model: model)
    let first = try await session.respond(to: "2 + 2", schema: try schema())
    #expect(first.content.jsonString == #"{"sum":4}"#)
    #expect(reasoning(of: first.transcriptEntries).isEmpty)
    let second = try await session.respond(
      to: "2 + 3", schema: try schema(),
      contextOptions: ContextOptions(reasoningLevel: .light))
    #expect(second.content.jsonString == #"{"sum":5}"#)
    #expect(reasoning(of: second.transcriptEntries) == ["Yes."])
    #expect(try #require(base.sequences.all.last).contains("<think>\nYes.</think>\n\n{"))
  }

  @Test func reasoningIsSwitchedOffByTheTemplate() async throws {
    let (model, base) = try model([(question, "<think>\nHm."), ("</think>\n\n", #"{"sum": 4}"#)])
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(
      to: "2 + 2", schema: try schema(),
      contextOptions: ContextOptions(reasoningLevel: .custom("none")))
    #expect(response.content.jsonString == #"{"sum":4}"#)
    #expect(reasoning(of: response.transcriptEntries).isEmpty)
    #expect(try #require(base.sequences.all.last).contains("<think>\n\n</think>\n\n{"))
  }

  /// A model that does not stop to think is stopped, and answers.
  @Test func reasoningHasABudget() async throws {
    let endless = String(repeating: "and on ", count: 200)
    let (model, base) = try model(
      [(question, "<think>\n" + endless), ("</think>\n\n", #"{"sum": 4}"#)],
      options: ReasoningOptions(standardBudget: 40))
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(
      to: "2 + 2", schema: try schema(), options: GenerationOptions(maximumResponseTokens: 12))
    #expect(response.content.jsonString == #"{"sum":4}"#)
    let thought = try #require(reasoning(of: response.transcriptEntries).first)
    #expect(thought.count <= 40 && thought.hasPrefix("and on"))
    #expect(try #require(base.sequences.all.last).contains("\n</think>\n\n{"))
  }

  /// The template keeps reasoning out of later prompts, and none is in the answer's text.
  @Test func laterPromptsHaveWhatTheTemplateKeeps() async throws {
    let (model, base) = try model([
      (question, "<think>\nHm.\n</think>\n\n"), ("</think>\n\n", "It is four."),
    ])
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: "2 + 2")
    _ = try await session.respond(to: "And 3 + 3?")
    let read = try #require(base.sequences.all.last)
    #expect(read.contains("<|im_start|>assistant\nIt is four.<|im_end|>"))
    #expect(session.transcript.count == 6)
  }

  /// A model without marks may write a draft first.
  @Test func aDraftComesBeforeTheValue() async throws {
    let base = Model(
      chatTemplate: .chatML,
      script: [
        ("Let me think.", " Two and two is four."), ("answer as JSON: ", #"{"sum": 4}"#),
      ])
    let session = LanguageModelSession(
      model: GuidedLanguageModel(
        base, sampling: .greedy, reasoning: ReasoningOptions(draftBudget: 100)))
    let response = try await session.respond(to: "2 + 2", schema: try schema())
    #expect(response.content.jsonString == #"{"sum":4}"#)
    #expect(
      reasoning(of: response.transcriptEntries) == ["Let me think. Two and two is four."])
  }

  @Test func marksMayComeInPieces() {
    var stream = MarkedStream(mark: "</think>")
    let pieces = ["so it is 4", "2.\n</th", "ink", ">\n\n"].map { stream.append(Array($0.utf8)) }
    #expect(pieces == ["so it is 4", "2.", "", ""])
    #expect(stream.rest == "\n\n")
    var open = MarkedStream(mark: "</think>")
    #expect(open.append(Array("a < b </th".utf8)) == "a < b")
    #expect(open.finish() == " </th")
  }

  /// A mark and a sign of some script after it are one character of Swift.
  @Test func marksEndBeforeSignsOfAnyScript() {
    var stream = MarkedStream(mark: "</think>")
    #expect(stream.append(Array("a</think>\u{301}b".utf8)) == "a")
    #expect(stream.rest == "\u{301}b")
  }
}
