// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation

/// Answers one request: text, a value of a schema, or a call of a tool.
struct GuidedResponse<Base: TokenModel> {
  typealias Channel = LanguageModelExecutorGenerationChannel

  var generation: GuidedGeneration<Base.Context>
  let runtime: ModelRuntime<Base>
  let schemaGrammar: Grammar?
  let toolGrammar: ToolCallGrammar?
  /// A call or a value, where both begin with a brace.
  private let eitherGrammar: Grammar?
  private let requiresTool: Bool
  /// Whether the model has called tools and may not do so again.
  let mustStopCalling: Bool
  /// The schema whose values are measured; nil where that is not asked for.
  private let measuredSchema: GenerationSchema?
  let reasoning: ReasoningPlan
  /// How many tokens may be written freely before a value, by a model that does not reason.
  let draftBudget: Int
  var reasoningTokenCount = 0
  private let promptCount: Int
  private let cachedCount: Int
  let requestID: String
  /// How many tokens the prompt leaves.
  let room: Int
  private let maximumResponseTokens: Int?
  /// What of the prompt is read before the response begins.
  private let unread: ArraySlice<Int>

  init(
    request: LanguageModelExecutorGenerationRequest, model: GuidedLanguageModel<Base>
  ) throws {
    let runtime = model.runtime
    self.runtime = runtime
    requestID = request.id.uuidString
    let options = request.generationOptions
    let tools = request.offeredTools
    measuredSchema = options.measuresProbabilities ? request.schema : nil
    requiresTool = options.toolCallingMode?.kind == .required && !tools.isEmpty
    mustStopCalling =
      if tools.isEmpty, case .toolOutput? = request.transcript.last { true } else { false }
    reasoning = model.reasoningPlan(for: request)
    draftBudget = model.reasoning.isEnabled ? model.reasoning.draftBudget : 0
    let prompt = try model.prompt(of: request, tools: tools, reasoning)
    let size = runtime.base.contextSize
    guard prompt.count < size else {
      throw LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: size, tokenCount: prompt.count,
          debugDescription:
            "The transcript has \(prompt.count) tokens, and the model reads \(size) in all. "
            + "Shorten the transcript, or begin a new session."))
    }
    toolGrammar = tools.isEmpty ? nil : try runtime.grammar(of: tools)
    do {
      schemaGrammar =
        if let grammar = options.grammar {
          try runtime.grammar(of: grammar)
        } else {
          try request.schema.map { try runtime.grammar($0.grammarText(), model.whitespace) }
        }
      eitherGrammar =
        if let schema = request.schema, !tools.isEmpty, runtime.form.isBare {
          try ToolCallGrammar.grammar(
            of: tools, orValueOf: schema.grammarText(), form: runtime.form, model: runtime.base)
        } else {
          nil
        }
    } catch let error as GrammarError {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(schemaName: request.schema?.name, debugDescription: error.description))
    }
    let context = runtime.takeContext(for: prompt)
    promptCount = prompt.count
    cachedCount = context.tokens.count
    room = size - prompt.count
    maximumResponseTokens = options.maximumResponseTokens
    // The end of the prompt is read together with the first tokens that are forced.
    unread =
      prompt[
        context.tokens.count..<max(context.tokens.count, prompt.count - runtime.promptStep)]
    generation = GuidedGeneration(
      context: context, prompt: Array(prompt[unread.endIndex...]),
      vocabulary: runtime.base.vocabulary, endTokens: runtime.base.endTokens,
      grammar: nil, sampling: Self.sampling(options, default: model.sampling),
      budget: min(maximumResponseTokens ?? room, room),
      encode: model.writesForcedText ? runtime.encode : nil)
    generation.choiceLog.keepsEntries = measuredSchema != nil
    generation.choiceLog.rivalCount = options.tokenRivalCount
  }

  private static func sampling(
    _ options: GenerationOptions, default sampling: TokenSampling
  ) -> TokenSampling {
    var sampling = sampling
    if let temperature = options.temperature { sampling.temperature = temperature }
    switch options.samplingMode?.kind {
    case .greedy?: sampling.temperature = 0
    case .randomTopK(let count, let seed)?:
      sampling.topK = count
      if let seed { sampling.seed = seed }
    case .randomProbabilityThreshold(let threshold, let seed)?:
      sampling.topP = threshold
      if let seed { sampling.seed = seed }
    case nil: break
    }
    return sampling
  }

  /// The next tokens of the response, once other requests have had their turn.
  mutating func nextStep() async throws -> GuidedGeneration<Base.Context>.Step? {
    // A request that has just got its thread does not wait again before its first token.
    if generation.tokenCount > 0 { await runtime.threads.turn() }
    try Task.checkCancellation()
    switch try generation.advance() {
    case .step(let step): return step
    case .needsModel:
      try await runtime.passes.read(&generation)
      return try generation.ask()
    }
  }

  /// How many tokens the answer may have: reasoning has a budget of its own.
  var budgetOfAnswer: Int {
    let left = max(0, room - generation.tokenCount)
    return min(maximumResponseTokens ?? left, left)
  }

  mutating func run(into channel: Channel) async throws {
    try await runtime.read(unread, into: &generation.context)
    await channel.send(
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: promptCount, cachedTokenCount: cachedCount),
          output: .init(totalTokenCount: 0, reasoningTokenCount: 0))))
    try await think(into: channel)
    let form = runtime.form
    let opening = runtime.base.encode(form.opening, parsesSpecialTokens: true)
    if let toolGrammar, requiresTool {
      if !form.isBare { generation.write(opening) }
      try await callTool(toolGrammar, channel)
    } else if let schemaGrammar {
      if let toolGrammar, try wantsCall(opening, ratherThan: schemaGrammar) {
        generation.write(opening)
        try await callTool(toolGrammar, channel)
      } else if let eitherGrammar, let toolGrammar {
        try constrain(to: eitherGrammar)
        try await writeValueOrCall(schemaGrammar, toolGrammar, channel)
      } else {
        write(runtime.base.chatTemplate.answerOpening)
        try constrain(to: schemaGrammar)
        try await writeValue(channel)
      }
    } else if let toolGrammar,
      try generation.begins(opening, orBrace: form.isBare) || beginsWithChannelOfCalls()
    {
      if !form.isBare { generation.write(opening) }
      try await callTool(toolGrammar, channel)
    } else {
      write(runtime.base.chatTemplate.answerOpening)
      try await writeText(channel)
    }
    var metadata: [String: any ConvertibleToGeneratedContent] = [
      "modelCalls": generation.modelCalls, "forcedTokens": generation.forcedTokenCount,
    ]
    if generation.isShortened { metadata[LanguageModelSession.Usage.shortened] = true }
    await channel.send(
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: promptCount, cachedTokenCount: cachedCount),
          output: .init(
            totalTokenCount: generation.tokenCount, reasoningTokenCount: reasoningTokenCount),
          metadata: metadata)))
  }

  /// Holds what follows to a grammar, of which a whole value fits into what is left of the budget.
  ///
  /// - Throws: ``LanguageModelError/contextSizeExceeded(_:)`` before the first byte where none fits.
  mutating func constrain(to grammar: Grammar) throws {
    var matcher = Matcher(grammar: grammar, vocabulary: runtime.base.vocabulary)
    let needed = matcher.completionTokenCount()
    let left = generation.remainingBudget
    // Of a grammar with tokens that have no bytes nobody knows.
    guard needed <= left || needed == .max else {
      let size = runtime.base.contextSize
      let count = promptCount + generation.tokenCount + needed
      let reason =
        count <= size
        ? ". Raise 'maximumResponseTokens'."
        : ": the model reads \(size), of which the transcript takes \(promptCount). Shorten the "
          + "transcript."
      throw LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: size, tokenCount: count,
          debugDescription: "The shortest value of the schema has \(needed) tokens, and the "
            + "response may have \(left) more\(reason)"))
    }
    generation.constrain(to: grammar)
  }

  mutating func writeValue(_ channel: Channel) async throws {
    var stream = TextStream()
    while let step = try await nextStep() {
      let text = stream.append(step.bytes)
      var event = Channel.Event.response(
        action: .appendText(text, tokenCount: step.tokens.count))
      event.isForced = step.isForced
      event.tokens = step.probabilities
      await channel.send(event)
    }
    try requireCompleteness()
    guard let measuredSchema, let schemaGrammar else { return }
    let measures = try probabilities(of: measuredSchema, schemaGrammar)
    await channel.send(.response(action: .updateMetadata(measures.metadata)))
  }

  /// A value or the arguments of a call are never cut off.
  func requireCompleteness() throws {
    guard generation.ending == .budget else { return }
    throw LanguageModelError.contextSizeExceeded(
      .init(
        contextSize: runtime.base.contextSize, tokenCount: promptCount + generation.tokenCount,
        debugDescription: "The budget is below the shortest value of the schema. "
          + "Raise 'maximumResponseTokens' or shorten the transcript."))
  }
}
