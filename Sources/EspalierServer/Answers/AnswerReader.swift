// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore

/// Reads one answer: hands on what is right of it, as it comes, and says what is wrong with it.
struct AnswerReader {
  typealias Channel = LanguageModelExecutorGenerationChannel

  /// The entries of the transcript that an answer becomes; attempts after the first change the same.
  struct Entries: Sendable {
    let id: String
    let response: String
    let reasoning: String
    let calls: String

    init(id: String) {
      self.id = id
      response = id + "-response"
      reasoning = id + "-reasoning"
      calls = id + "-calls"
    }
  }

  private let entries: Entries
  private let channel: Channel
  private let server: String
  private let isStructured: Bool
  private let isText: Bool
  private var value: ValueStream?
  private var wrapper: WrappedValue?
  private let grammar: Grammar?
  private let whiteSpaceLimit: Int
  private var calls: CallAssembler
  private var inline = InlineReasoning()
  private var reasoningText = ""
  private var refusal = ""
  private var logProbabilities: [GeneratedContent] = []
  /// Whether an answer without a call is none.
  var requiresCall = false
  /// Whether the app asked for the probabilities of tokens.
  var tellsLogProbabilities = false
  /// The JSON Schema of a value whose probabilities are measured.
  var measuredSchema: GeneratedContent?
  /// The text that came.
  private var hasReceivedText = false
  /// The text that came in place of a call.
  private var plainText = ""
  /// Whether anything was handed on as the response, or was before.
  private(set) var hasText: Bool
  private(set) var hasReasoning = false
  private(set) var usage: AnswerUsage?
  private(set) var finishReason: FinishReason?
  private(set) var answerID: String?
  private(set) var answerModel: String?
  private(set) var isDone = false
  private(set) var deltaCount = 0
  /// When the first token came.
  private(set) var firstToken: ContinuousClock.Instant?

  init(
    entries: Entries, channel: Channel, server: String, grammar: Grammar?, prefix: String,
    isText: Bool = false, toolGrammars: [String: Grammar], whiteSpaceLimit: Int
  ) {
    self.entries = entries
    self.channel = channel
    self.server = server
    self.grammar = grammar
    self.whiteSpaceLimit = whiteSpaceLimit
    isStructured = grammar != nil
    self.isText = isText
    value = grammar.map {
      ValueStream(
        grammar: $0, prefix: prefix, isText: isText, whiteSpaceLimit: whiteSpaceLimit)
    }
    hasText = !prefix.isEmpty
    calls = CallAssembler(
      grammars: toolGrammars, prefix: entries.id, whiteSpaceLimit: whiteSpaceLimit)
  }

  /// Has the value taken out of the object that it is asked for in.
  mutating func unwrap() { wrapper = WrappedValue() }

  /// The calls that were handed on.
  var begunCallIDs: [String] { calls.begunIDs }

  /// Whether nothing more is wanted: the connection can be closed.
  var wantsNoMore: Bool { isDone || (value?.hasEnded ?? false) }

  /// Takes an event.
  ///
  /// - Throws: ``SchemaBreak`` at the first byte that cannot be right.
  mutating func take(_ event: AnswerEvent) async throws {
    switch event {
    case .text(let text):
      hasReceivedText = hasReceivedText || !text.isEmpty
      if requiresCall { plainText += text }
      noteToken()
      for part in inline.take(text) { try await take(part) }
    case .repetition(.call(let part)):
      let pieces = try calls.takeRepetition(part)
      try checkCallCount()
      for piece in pieces { await send(piece) }
    case .repetition(let event):
      switch event {
      case .text where hasReceivedText, .reasoning where hasReasoning: break
      case .refusal where !refusal.isEmpty: break
      default: try await take(event)
      }
    case .reasoning(let text):
      noteToken()
      await sendReasoning(text)
    case .call(let part):
      noteToken()
      let pieces = try calls.take(part)
      try checkCallCount()
      for piece in pieces { await send(piece) }
    case .refusal(let text): refusal += text
    case .usage(let usage): self.usage = usage
    case .logProbabilities(let tokens): logProbabilities += tokens
    case .identity(let id, let model):
      answerID = id
      answerModel = model
    case .finish(let reason): finishReason = reason
    case .done: isDone = true
    case .failure: break
    }
  }

  private func checkCallCount() throws(ServerError) {
    guard calls.hasTooManyCalls else { return }
    throw ServerError(
      .malformedAnswer, server: server,
      problem: "The answer has more than \(CallAssembler.callLimit) tool calls.",
      suggestion: "Try again, or look at what the server sends.")
  }

  /// Ends the answer.
  ///
  /// - Throws: ``SchemaBreak`` where the value is not whole, `LanguageModelError` or
  ///   ``ServerError`` where there is no answer.
  mutating func finish() async throws {
    for part in inline.finish() { try await take(part) }
    if !refusal.isEmpty {
      throw LanguageModelError.refusal(.init(explanation: refusal))
    }
    if finishReason == .contentFilter {
      throw LanguageModelError.guardrailViolation(
        .init(debugDescription: "\(server) stopped the answer with its content filter."))
    }
    if case .failure(let name)? = finishReason {
      throw ServerError(
        .serverFailure, server: server,
        problem: "The server gave up on the answer ('\(name)').", suggestion: "Try again.")
    }
    for piece in try calls.finish(endReason, server: server) { await send(piece) }
    if !calls.hasCalls {
      if requiresCall, endReason != .length {
        throw SchemaBreak(.missingCall, violation: nil, bytes: Array(plainText.utf8), validCount: 0)
      }
      if finishReason == .toolCalls, !isStructured {
        throw ServerError(
          .malformedAnswer, server: server,
          problem: "The answer ends as if tools were called, and has no call.",
          suggestion: "Start the server with the parser for the model's tool calls.")
      }
      try await finishValue()
      guard finishReason != nil || isDone || isStructured else {
        throw hasText || hasReasoning
          ? ServerError(
            .endedEarly, server: server,
            problem: "The stream ended without a reason, after \(deltaCount) pieces.",
            suggestion: "Try again.")
          : empty
      }
    }
    guard hasText || calls.hasCalls || hasReasoning else { throw empty }
    await sendProbabilities()
  }

  private func sendProbabilities() async {
    guard !logProbabilities.isEmpty else { return }
    var metadata: [String: any ConvertibleToGeneratedContent] = [:]
    if tellsLogProbabilities { metadata["logprobs"] = GeneratedContent.items(logProbabilities) }
    if let measuredSchema, let value {
      let measures = CaseProbabilities(logProbabilities).measures(
        of: Array(value.text), schema: measuredSchema)
      if !measures.isEmpty { metadata.merge(measures.metadata) { $1 } }
    }
    guard !metadata.isEmpty else { return }
    await channel.send(
      .response(entryID: entries.response, action: .updateMetadata(metadata)))
  }

  /// Why the answer ended: a server that says that it is done has not been cut off.
  private var endReason: FinishReason? { finishReason ?? (isDone ? .stop : nil) }

  private var empty: ServerError {
    ServerError(
      .emptyAnswer, server: server, problem: "The answer has nothing in it.",
      suggestion: "Try again; some servers answer so where the context is full.")
  }

  private mutating func finishValue() async throws {
    if let rest = wrapper?.finish(), !rest.isEmpty {
      wrapper = nil
      try await take(InlineReasoning.Part.text(rest))
    }
    guard let value else { return }
    // Some servers put the value where the reasoning belongs.
    if value.isEmpty, endReason != .length, let grammar, !reasoningText.isEmpty {
      var hidden = ValueStream(
        grammar: grammar, isText: isText, whiteSpaceLimit: whiteSpaceLimit)
      if let steps = try? hidden.take(reasoningText), (try? hidden.finish(endReason)) != nil {
        for step in steps { await send(step) }
        return
      }
    }
    var finished = value
    try finished.finish(endReason)
  }

  private mutating func take(_ part: InlineReasoning.Part) async throws {
    switch part {
    case .reasoning(let text): await sendReasoning(text)
    case .text(let text):
      guard var value else {
        hasText = true
        await channel.send(
          .response(
            entryID: entries.response,
            action: .appendText(text, segmentID: entries.response, tokenCount: 1)))
        return
      }
      // Taken out, so that the text is not copied.
      self.value = nil
      let steps = try value.take(wrapper?.take(text) ?? text)
      self.value = value
      for step in steps { await send(step) }
    }
  }

  private mutating func send(_ step: ValueStream.Step) async {
    switch step {
    case .append(let text):
      hasText = true
      await channel.send(
        .response(
          entryID: entries.response,
          action: .appendText(text, segmentID: entries.response, tokenCount: 1)))
    case .restart:
      await channel.send(
        .response(
          entryID: entries.response,
          action: .replaceTextSegment("", segmentID: entries.response, tokenCount: 0)))
    }
  }

  private mutating func sendReasoning(_ text: String) async {
    hasReasoning = true
    if isStructured { reasoningText += text }
    await channel.send(
      .reasoning(
        entryID: entries.reasoning,
        action: .appendText(text, segmentID: entries.reasoning, tokenCount: 1)))
  }

  private func send(_ piece: CallAssembler.Piece) async {
    await channel.send(
      .toolCalls(
        entryID: entries.calls,
        action: .toolCall(
          id: piece.id, name: piece.name,
          action: .appendArguments(piece.arguments, tokenCount: 1))))
  }

  private mutating func noteToken() {
    deltaCount += 1
    if firstToken == nil { firstToken = .now }
  }
}
