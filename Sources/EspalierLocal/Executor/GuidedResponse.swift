import ConstrainedDecoding
import EspalierCore
import Foundation

/// Answers one request: text, a value of a schema, or a call of a tool.
struct GuidedResponse<Base: TokenModel> {
  typealias Channel = LanguageModelExecutorGenerationChannel

  var generation: GuidedGeneration<Base.Context>
  private let runtime: ModelRuntime<Base>
  private let schemaGrammar: Grammar?
  private let toolGrammar: Grammar?
  /// A call or a value, where both begin with a brace.
  private let eitherGrammar: Grammar?
  private let requiresTool: Bool
  private let promptCount: Int
  private let cachedCount: Int
  private let requestID: String
  /// The greatest number of tokens of the response.
  private let budget: Int
  /// What of the prompt is read before the response begins.
  private let unread: ArraySlice<Int>

  init(
    request: LanguageModelExecutorGenerationRequest, model: GuidedLanguageModel<Base>
  ) throws {
    let runtime = model.runtime
    self.runtime = runtime
    requestID = request.id.uuidString
    let options = request.generationOptions
    let mode = options.toolCallingMode?.kind ?? .allowed
    let tools = mode == .disallowed ? [] : request.enabledToolDefinitions
    requiresTool = mode == .required && !tools.isEmpty
    let writer = PromptWriter(
      tools: tools, includesSchema: request.contextOptions.includeSchemaInPrompt ?? true,
      template: runtime.base.chatTemplate, envelope: runtime.envelope,
      schemaPrompt: model.schemaPrompt)
    let prompt = runtime.tokens(
      of: try writer.conversation(of: request.transcript, opensTurn: true))
    let size = runtime.base.contextSize
    guard prompt.count < size else {
      throw LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: size, tokenCount: prompt.count,
          debugDescription:
            "The transcript has \(prompt.count) tokens, and the model reads \(size) in all. "
            + "Shorten the transcript, or begin a new session."))
    }
    do {
      schemaGrammar = try request.schema.map { try runtime.grammar($0.jsonSchema()) }
      toolGrammar =
        tools.isEmpty ? nil : try runtime.grammar(runtime.envelope.schema(of: tools))
      eitherGrammar =
        if let schema = request.schema, !tools.isEmpty, runtime.envelope.isBare {
          try runtime.grammar(
            runtime.envelope.schema(of: tools, orValueOf: schema.jsonSchema()))
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
    let room = size - prompt.count
    budget = min(options.maximumResponseTokens ?? room, room)
    // The end of the prompt is read together with the first tokens that are forced.
    unread =
      prompt[
        context.tokens.count..<max(context.tokens.count, prompt.count - runtime.promptStep)]
    generation = GuidedGeneration(
      context: context, prompt: Array(prompt[unread.endIndex...]),
      vocabulary: runtime.base.vocabulary, endTokens: runtime.base.endTokens,
      grammar: nil, sampling: Self.sampling(options, default: model.sampling),
      budget: budget, encode: model.writesForcedText ? runtime.encode : nil)
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
      sampling.seed = seed ?? .random(in: .min ... .max)
    case .randomProbabilityThreshold(let threshold, let seed)?:
      sampling.topP = threshold
      sampling.seed = seed ?? .random(in: .min ... .max)
    case nil: sampling.seed = .random(in: .min ... .max)
    }
    return sampling
  }

  /// The next tokens of the response, once other requests have had their turn.
  private mutating func nextStep() async throws -> GuidedGeneration<Base.Context>.Step? {
    await runtime.threads.turn()
    try Task.checkCancellation()
    return try generation.next()
  }

  mutating func run(into channel: Channel) async throws {
    try await runtime.read(unread, into: &generation.context)
    let envelope = runtime.envelope
    let opening = runtime.base.encode(envelope.opening, parsesSpecialTokens: true)
    if let toolGrammar, requiresTool {
      if !envelope.isBare { generation.write(opening) }
      try await callTool(toolGrammar, channel)
    } else if let schemaGrammar {
      if let toolGrammar, try generation.prefers(opening, over: schemaGrammar) {
        generation.write(opening)
        try await callTool(toolGrammar, channel)
      } else if let eitherGrammar, let toolGrammar {
        try constrain(to: eitherGrammar)
        try await writeValueOrCall(schemaGrammar, toolGrammar, channel)
      } else {
        try constrain(to: schemaGrammar)
        try await writeValue(channel)
      }
    } else if let toolGrammar, try generation.begins(opening, orBrace: envelope.isBare) {
      if !envelope.isBare { generation.write(opening) }
      try await callTool(toolGrammar, channel)
    } else {
      try await writeText(channel)
    }
    await channel.send(
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: promptCount, cachedTokenCount: cachedCount),
          output: .init(totalTokenCount: generation.tokenCount),
          metadata: [
            "modelCalls": generation.modelCalls, "forcedTokens": generation.forcedTokenCount,
          ])))
  }

  /// Holds what follows to a grammar, of which a whole value fits into what is left of the budget.
  ///
  /// - Throws: ``LanguageModelError/contextSizeExceeded(_:)`` before the first byte where none fits.
  private mutating func constrain(to grammar: Grammar) throws {
    var matcher = Matcher(grammar: grammar, vocabulary: runtime.base.vocabulary)
    let needed = matcher.completionTokenCount()
    let left = max(0, budget - generation.tokenCount)
    // Of a grammar with tokens that have no bytes nobody knows.
    guard needed <= left || needed == .max else {
      let size = runtime.base.contextSize
      throw LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: size, tokenCount: promptCount + generation.tokenCount + needed,
          debugDescription: "The shortest value of the schema has \(needed) tokens, and the "
            + "response may have \(left) more: the model reads \(size), of which the transcript "
            + "takes \(promptCount). Raise 'maximumResponseTokens' or shorten the transcript."))
    }
    generation.constrain(to: grammar)
  }

  private mutating func writeValue(_ channel: Channel) async throws {
    var stream = TextStream()
    while let step = try await nextStep() {
      let text = stream.append(step.bytes)
      var event = Channel.Event.response(
        action: .appendText(text, tokenCount: step.tokens.count))
      event.isForced = step.isForced
      await channel.send(event)
    }
    try requireCompleteness()
  }

  /// A value or the arguments of a call are never cut off.
  private func requireCompleteness() throws {
    guard generation.ending == .budget else { return }
    throw LanguageModelError.contextSizeExceeded(
      .init(
        contextSize: runtime.base.contextSize, tokenCount: promptCount + generation.tokenCount,
        debugDescription: "The budget is below the shortest value of the schema. "
          + "Raise 'maximumResponseTokens' or shorten the transcript."))
  }

  /// Writes what is a value of the schema or a call of a tool: the text waits until it can be but
  /// one of them. What could be both to its end is a value.
  private mutating func writeValueOrCall(
    _ schema: Grammar, _ tools: Grammar, _ channel: Channel
  ) async throws {
    var value = Matcher(grammar: schema, vocabulary: .singleBytes)
    var call = Matcher(grammar: tools, vocabulary: .singleBytes)
    var bytes: [UInt8] = []
    var heldTokens = 0
    while let step = try await nextStep() {
      bytes += step.bytes
      heldTokens += step.tokens.count
      guard Self.reads(&value, step.bytes) else {
        try await finishCall(bytes, tokenCount: heldTokens, channel)
        return
      }
      guard Self.reads(&call, step.bytes) else {
        await channel.send(
          .response(
            action: .appendText(String(decoding: bytes, as: UTF8.self), tokenCount: heldTokens)))
        try await writeValue(channel)
        return
      }
    }
    try requireCompleteness()
    if value.canEnd() {
      await channel.send(
        .response(
          action: .appendText(String(decoding: bytes, as: UTF8.self), tokenCount: heldTokens)))
    } else {
      try await finishCall(bytes, tokenCount: heldTokens, channel)
    }
  }

  private static func reads(_ matcher: inout Matcher, _ bytes: [UInt8]) -> Bool {
    do {
      try matcher.accept(bytes: bytes)
      return true
    } catch {
      return false
    }
  }

  /// Writes free text; where the opening of a tool call comes up, the call follows.
  private mutating func writeText(_ channel: Channel) async throws {
    var stream = TextStream()
    var held = ""
    while let step = try await nextStep() {
      held += stream.append(step.bytes)
      if let toolGrammar, let range = held.firstRange(of: runtime.envelope.opening) {
        let text = String(held[..<range.lowerBound])
        if !text.isEmpty {
          await channel.send(.response(action: .appendText(text, tokenCount: 0)))
        }
        try await callTool(toolGrammar, channel)
        return
      }
      let kept =
        toolGrammar == nil ? 0 : openingPrefixCount(atEndOf: held)
      let text = String(held.dropLast(kept))
      held = String(held.suffix(kept))
      await channel.send(
        .response(action: .appendText(text, tokenCount: step.tokens.count)))
    }
    held += stream.finish()
    if !held.isEmpty { await channel.send(.response(action: .appendText(held, tokenCount: 0))) }
  }

  private func openingPrefixCount(atEndOf text: String) -> Int {
    let opening = runtime.envelope.opening
    return (1..<opening.count).reversed().first { text.hasSuffix(opening.prefix($0)) } ?? 0
  }

  private mutating func callTool(_ grammar: Grammar, _ channel: Channel) async throws {
    try constrain(to: grammar)
    try await finishCall([], tokenCount: 0, channel)
  }

  /// Writes the rest of one call or of a list of them, and hands them over.
  private mutating func finishCall(
    _ start: [UInt8], tokenCount: Int, _ channel: Channel
  ) async throws {
    var bytes = start
    let before = generation.tokenCount - tokenCount
    while let step = try await nextStep() {
      bytes += step.bytes
    }
    try requireCompleteness()
    let content = try GeneratedContent(json: String(decoding: bytes, as: UTF8.self))
    let calls =
      if case .array(let elements) = content.kind { elements } else { [content] }
    for (index, call) in calls.enumerated() {
      let name = try call.value(String.self, forProperty: "name")
      let arguments = try call.value(
        GeneratedContent.self, forProperty: runtime.envelope.argumentsKey)
      let identity = index == 0 ? "\(requestID)-\(before)" : "\(requestID)-\(before)-\(index)"
      await channel.send(
        .toolCalls(
          action: .toolCall(
            id: identity, name: name,
            action: .appendArguments(
              arguments.jsonString,
              tokenCount: index == 0 ? generation.tokenCount - before : 0))))
    }
  }
}

extension GuidedGeneration {
  /// Whether the model would rather begin with some tokens than with a value of a grammar.
  mutating func prefers(_ opening: [Int], over grammar: Grammar) throws -> Bool {
    guard let first = opening.first else { return false }
    let logits = try logitsOfAll()
    guard first < logits.count else { return false }
    var matcher = Matcher(grammar: grammar, vocabulary: vocabularyForMatching)
    var isPreferred = true
    for token in matcher.allowedTokens().tokens where token < logits.count {
      if logits[token] >= logits[first] { isPreferred = false }
    }
    return isPreferred
  }

  /// Whether the likeliest beginning of the response is that of a tool call.
  ///
  /// An opening of one token may be a special one, which is never drawn as text.
  mutating func begins(_ opening: [Int], orBrace: Bool) throws -> Bool {
    let logits = try logitsOfAll()
    guard let best = logits.indices.max(by: { logits[$0] < logits[$1] }) else { return false }
    if opening == [best] { return true }
    guard orBrace, best < vocabularyForMatching.count else { return false }
    return vocabularyForMatching.bytes(of: best).first == UInt8(ascii: "{")
  }

  private mutating func logitsOfAll() throws -> [Float] {
    try readPending()
    var all: [Float] = []
    countModelCall()
    context.nextLogits(into: &all)
    return all
  }
}
