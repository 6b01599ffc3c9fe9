// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore

extension GuidedResponse {
  /// Writes what is a value of the schema or a call of a tool: the text waits until it can be but
  /// one of them. What could be both to its end is a value.
  mutating func writeValueOrCall(
    _ schema: Grammar, _ tools: ToolCallGrammar, _ channel: Channel
  ) async throws {
    var value = Matcher(grammar: schema, vocabulary: .singleBytes)
    var call = Matcher(grammar: tools.grammar, vocabulary: .singleBytes)
    var bytes: [UInt8] = []
    var heldTokens = 0
    while let step = try await nextStep() {
      bytes += step.bytes
      heldTokens += step.tokens.count
      guard value.acceptIfAllowed(step.bytes) else {
        try await finishCalls(tools, bytes, tokenCount: heldTokens, channel)
        return
      }
      guard call.acceptIfAllowed(step.bytes) else {
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
      try await finishCalls(tools, bytes, tokenCount: heldTokens, channel)
    }
  }

  /// Writes free text; where the mark of a tool call comes up, the call follows.
  mutating func writeText(_ channel: Channel) async throws {
    var stream = TextStream()
    var held = ""
    let mark = runtime.form.mark
    // A model that would call on and on writes its call as text, for people to read.
    if mustStopCalling { generation.avoidBeginning(runtime.form.isBare ? "{" : mark) }
    if toolGrammar != nil, !mark.isEmpty {
      // A mark that is one token has no text.
      let parts = MarkedText(mark, in: runtime.base).parts
      if case .token(let id, _)? = parts.first, parts.count == 1 {
        generation.begin(budget: budgetOfAnswer, stopTokens: [id])
      }
    }
    while let step = try await nextStep() {
      held += stream.append(step.bytes)
      if let toolGrammar, !mark.isEmpty, let range = held.firstRange(of: mark) {
        let text = String(held[..<range.lowerBound])
        if !text.isEmpty {
          await channel.send(.response(action: .appendText(text, tokenCount: 0)))
        }
        try await callTool(toolGrammar, channel)
        return
      }
      let kept = toolGrammar == nil ? 0 : prefixCount(of: mark, atEndOf: held)
      let text = String(held.dropLast(kept))
      held = String(held.suffix(kept))
      var event = Channel.Event.response(
        action: .appendText(text, tokenCount: step.tokens.count))
      event.tokens = step.probabilities
      await channel.send(event)
    }
    if !held.isEmpty { await channel.send(.response(action: .appendText(held, tokenCount: 0))) }
    if let toolGrammar, generation.ending == .stopToken {
      try await callTool(toolGrammar, channel)
    }
  }

  private func prefixCount(of mark: String, atEndOf text: String) -> Int {
    mark.isEmpty ? 0 : (1...mark.count).last { text.hasSuffix(mark.prefix($0)) } ?? 0
  }

  mutating func callTool(_ tools: ToolCallGrammar, _ channel: Channel) async throws {
    try constrain(to: tools.grammar)
    try await finishCalls(tools, [], tokenCount: 0, channel)
  }

  /// Writes the rest of one call or of several: what is sure of them is handed over at once.
  private mutating func finishCalls(
    _ tools: ToolCallGrammar, _ start: [UInt8], tokenCount: Int, _ channel: Channel
  ) async throws {
    var bytes = start
    var text = TextStream()
    var stream = tools.stream
    var sent = SentCalls(request: requestID, tokenCount: generation.tokenCount - tokenCount)
    var new = start
    repeat {
      for piece in stream.append(text.append(new)) {
        await channel.send(sent.event(for: piece, tokenCount: generation.tokenCount))
      }
      new = []
      guard let step = try await nextStep() else { break }
      for token in step.tokens {
        new +=
          tools.markTexts[token].map { Array($0.utf8) }
          ?? runtime.base.vocabulary.bytes(of: token)
      }
      bytes += new
    } while true
    try requireCompleteness()
    let calls = try tools.calls(in: String(decoding: bytes, as: UTF8.self))
    for (index, call) in calls.enumerated() {
      guard let piece = sent.rest(of: call, at: index) else { continue }
      await channel.send(sent.event(for: piece, tokenCount: generation.tokenCount))
    }
  }

  /// Whether the model would rather call a tool than begin a value.
  mutating func wantsCall(_ opening: [Int], ratherThan grammar: Grammar) throws -> Bool {
    if runtime.base.chatTemplate.answerOpening.isEmpty {
      return try generation.prefers(opening, over: grammar)
    }
    return try generation.begins(with: opening) || beginsWithChannelOfCalls()
  }

  /// Whether the model begins a call with what the form has after the name: gpt-oss writes
  /// `<|channel|>commentary to=functions.NAME`, and its template `to=functions.NAME<|channel|>commentary`.
  ///
  /// An answer begins alike, with `<|channel|>final`; so the model is asked up to where they differ.
  mutating func beginsWithChannelOfCalls() throws -> Bool {
    let base = runtime.base
    let answer = base.encode(base.chatTemplate.answerOpening, parsesSpecialTokens: true)
    for case .literal(let text) in runtime.form.pieces {
      let channel = base.encode(text, parsesSpecialTokens: true)
      let shared = zip(channel, answer).prefix { $0 == $1 }.count
      guard shared > 0, shared < min(channel.count, answer.count) else { continue }
      return try generation.begins(withAll: channel[...shared])
    }
    return false
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

  /// Whether the likeliest token is the first of some tokens.
  mutating func begins(with tokens: [Int]) throws -> Bool {
    guard let first = tokens.first else { return false }
    let logits = try logitsOfAll()
    return first < logits.count && logits.allSatisfy { $0 <= logits[first] }
  }

  /// Whether the likeliest tokens, one after the other, are these.
  mutating func begins(withAll tokens: some Sequence<Int>) throws -> Bool {
    try readPending()
    var ahead = context
    var last: Int?
    for token in tokens {
      if let last { try ahead.append([last]) }
      var logits: [Float] = []
      ahead.nextLogits(into: &logits)
      guard token < logits.count, logits.allSatisfy({ $0 <= logits[token] }) else { return false }
      last = token
    }
    return true
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

/// How much of the calls of a turn was handed over.
private struct SentCalls {
  typealias Event = LanguageModelExecutorGenerationChannel.Event

  private let identity: String
  private var tokenCount: Int
  /// For each call the number of bytes of its arguments.
  private var counts: [Int] = []

  /// - Parameter tokenCount: How many tokens came before the calls.
  init(request: String, tokenCount: Int) {
    identity = "\(request)-\(tokenCount)"
    self.tokenCount = tokenCount
  }

  /// What is left of a call; nil where all of it was handed over.
  func rest(of call: ToolCallGrammar.Call, at index: Int) -> ToolCallStream.Piece? {
    let count = index < counts.count ? counts[index] : nil
    let rest = call.arguments.utf8.dropFirst(count ?? 0)
    guard count == nil || !rest.isEmpty else { return nil }
    return .init(call: index, name: call.name, arguments: String(decoding: rest, as: UTF8.self))
  }

  /// - Parameter count: How many tokens there are with those of the piece.
  mutating func event(for piece: ToolCallStream.Piece, tokenCount count: Int) -> Event {
    defer { tokenCount = count }
    while counts.count <= piece.call { counts.append(0) }
    counts[piece.call] += piece.arguments.utf8.count
    return .toolCalls(
      action: .toolCall(
        id: piece.call == 0 ? identity : "\(identity)-\(piece.call)", name: piece.name,
        action: .appendArguments(piece.arguments, tokenCount: count - tokenCount)))
  }
}
