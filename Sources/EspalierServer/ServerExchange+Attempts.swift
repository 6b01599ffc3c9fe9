// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

// What a request says, and what is done after a value that broke its schema.

extension ServerExchange {
  // MARK: What is said

  func messages() throws -> [ServerRequest.Message] {
    var schemaText: String?
    if let schema {
      let isWhole = constraints.first?.form == .instructions
      if includesSchema ?? true, isWhole || !facts.profile.describesSchema {
        schemaText = try SchemaWords.text(
          for: schema, notation: notation, isWhole: isWhole,
          contextSize: options.contextSize ?? facts.contextSize ?? .max)
      }
    } else if isText, constraints.first?.form == .instructions {
      schemaText = notation
    }
    var messages = try MessageWriter(schemaText: schemaText).messages(of: transcript)
    messages += corrections
    if !prefix.isEmpty { messages.append(.init(role: .assistant, text: prefix)) }
    return messages
  }

  // MARK: After a broken value

  mutating func prepareNext(after broken: SchemaBreak) async {
    lastBreak = broken
    noteIgnoredForm(broken)
    let isValue = broken.tool == nil && broken.kind != .missingCall
    let isAnswerBesideTools = isValue && !formsWithoutTools.isEmpty
    if case .continueFromLastValidByte = options.onBrokenSchema, isValue, !isAnswerBesideTools,
      facts.profile.continuation != .none, runtime.canContinue, !broken.validPrefix.isEmpty,
      // Nothing holds a model that goes on to the schema. Where it got no further, it begins anew.
      prefix.isEmpty || broken.validPrefix.utf8.count > prefix.utf8.count + 1
    {
      prefix = broken.validPrefix
      await takeBack()
      return
    }
    // The model has decided against a call: it is asked for the value alone, and held to it.
    if isAnswerBesideTools {
      constraints = formsWithoutTools
      formsWithoutTools = []
      request.tools = []
    }
    await beginAnew(after: broken)
  }

  /// Has the next attempt begin from the start, told of what was wrong.
  mutating func beginAnew(after broken: SchemaBreak) async {
    prefix = ""
    corrections = [
      .init(role: .assistant, text: broken.text), .init(role: .user, text: broken.correction),
    ]
    // After a call there is no text that could be shown again.
    if broken.tool != nil || broken.text.isEmpty { corrections.removeFirst() }
    if let form = constraints.first?.form, ignoredForms.contains(form), constraints.count > 2 {
      constraints.removeFirst()
    }
    await takeBack()
  }

  /// A form that should have held the value and did not has gone unread: a gateway may drop its field.
  private mutating func noteIgnoredForm(_ broken: SchemaBreak) {
    guard broken.kind == .brokenSchema, broken.tool == nil, prefix.isEmpty, constraints.count > 2,
      constraints[0].untrusted.isEmpty
    else { return }
    ignoredForms.append(constraints[0].form)
  }

  /// Takes back what was handed on, but for what is gone on with.
  private mutating func takeBack() async {
    for id in brokenCallIDs {
      await channel.send(.toolCalls(entryID: entries.calls, action: .removeToolCall(id: id)))
    }
    brokenCallIDs = []
    if hasText {
      await channel.send(
        .response(
          entryID: entries.response,
          action: .replaceTextSegment(prefix, segmentID: entries.response, tokenCount: 0)))
    }
    if hasReasoning {
      await channel.send(
        .reasoning(
          entryID: entries.reasoning,
          action: .replaceTextSegment("", segmentID: entries.reasoning, tokenCount: 0)))
    }
  }

  // MARK: Usage

  mutating func add(_ more: AnswerUsage?) {
    guard let more else { return }
    hasUsage = true
    usage.input += more.input
    usage.cachedInput += more.cachedInput
    usage.output += more.output
    usage.reasoning += more.reasoning
  }

  func sendUsage() async {
    guard hasUsage else { return }
    await channel.send(
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: usage.input, cachedTokenCount: usage.cachedInput),
          output: .init(
            totalTokenCount: usage.output, reasoningTokenCount: usage.reasoning),
          metadata: isShortened ? [LanguageModelSession.Usage.shortened: true] : [:])))
  }
}

extension Transcript {
  /// Whether the last thing that was said to the model is the output of a tool.
  var endsInToolOutput: Bool {
    if case .toolOutput? = last { true } else { false }
  }
}

extension ServerRequest {
  /// Whether an answer without a call is none.
  var requiresCall: Bool {
    switch toolChoice {
    case .required, .named: !tools.isEmpty
    case .auto, .none: false
    }
  }

  /// Sets how tokens are drawn.
  mutating func draw(_ options: GenerationOptions) {
    temperature = options.temperature
    switch options.samplingMode?.kind {
    case .greedy?: temperature = 0
    case .randomTopK(let count, let seed)?:
      topK = count
      self.seed = seed
    case .randomProbabilityThreshold(let threshold, let seed)?:
      topP = threshold
      self.seed = seed
    case nil: break
    }
  }
}

extension ContextOptions.ReasoningLevel {
  var effort: String {
    switch self {
    case .light: "low"
    case .moderate: "medium"
    case .deep: "high"
    case .custom(let name): name
    }
  }
}
