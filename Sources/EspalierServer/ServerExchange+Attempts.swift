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
          for: schema, isWhole: isWhole,
          contextSize: options.contextSize ?? facts.contextSize ?? .max)
      }
    }
    var messages = try MessageWriter(schemaText: schemaText).messages(of: transcript)
    messages += corrections
    if !prefix.isEmpty { messages.append(.init(role: .assistant, text: prefix)) }
    return messages
  }

  // MARK: After a broken value

  mutating func prepareNext(after broken: SchemaBreak) async {
    let before = prefix
    prefix = ""
    if case .continueFromLastValidByte = options.onBrokenSchema, broken.tool == nil,
      facts.profile.continuation != .none, !broken.validPrefix.isEmpty
    {
      prefix = broken.validPrefix
      // Nothing holds a model that goes on to the schema. Where it got no further, it begins anew.
      if !before.isEmpty, prefix.utf8.count <= before.utf8.count + 1 { prefix = "" }
    }
    if prefix.isEmpty {
      corrections = [
        .init(role: .assistant, text: broken.text), .init(role: .user, text: broken.correction),
      ]
      // After a call there is no text that could be shown again.
      if broken.tool != nil { corrections.removeFirst() }
    }
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
            totalTokenCount: usage.output, reasoningTokenCount: usage.reasoning))))
  }
}

extension ServerRequest {
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
