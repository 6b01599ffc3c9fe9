// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

extension ContextPolicy {
  /// The transcript as the model is to be shown it.
  ///
  /// - Throws: ``LanguageModelError/contextSizeExceeded(_:)`` where even the least does not fit.
  func fit(
    _ transcript: Transcript, model: any LanguageModel, options: GenerationOptions,
    session: LanguageModelSession
  ) async throws -> Transcript {
    // Without a limit nothing is too long, and to count might ask a server.
    guard let counter = Self.counter(of: model), counter.contextSize < .max else {
      return transcript
    }
    let reserve = max(0, options.maximumResponseTokens ?? reservedResponseTokens)
    let overflow = ContextOverflow(
      entries: transcript.entries, tokenLimit: max(0, max(0, counter.contextSize) - reserve),
      tokenCount: { try await counter.tokenCount(for: $0) })
    guard try await overflow.isTooLong(transcript.entries) else { return transcript }
    let entries = try await reduced(overflow, model: model, session: session)
    let tokenCount = try await counter.tokenCount(for: entries)
    guard tokenCount <= overflow.tokenLimit else {
      throw LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: counter.contextSize, tokenCount: tokenCount.saturatingSum(with: reserve),
          debugDescription: "\(tokenCount) tokens of transcript and \(reserve) for the response "
            + "are more than \(counter.contextSize)."))
    }
    return Transcript(entries: entries)
  }

  /// The transcript as the model is to be shown it after it has found one too long; nil where the
  /// policy does not make it shorter.
  ///
  /// The model's own count of the whole says what a byte of it is worth; with each attempt less of
  /// the room is used.
  func fit(
    _ transcript: Transcript, after exceeded: LanguageModelError.ContextSizeExceeded, attempt: Int,
    model: any LanguageModel, options: GenerationOptions, session: LanguageModelSession
  ) async throws -> Transcript? {
    if case .fail = kind { return nil }
    // A model that counts and was shown what fits has no room for the response that was asked for:
    // a limit of the request, which a shorter transcript does not change.
    if exceeded.tokenCount <= exceeded.contextSize, Self.counter(of: model) != nil { return nil }
    let reserve = max(0, options.maximumResponseTokens ?? reservedResponseTokens)
    // What a model says of itself may be anything: nothing has more tokens than that.
    let most = 1 << 28
    let room = min(max(1, max(0, exceeded.contextSize) - reserve), most)
    let weight = max(1, Self.weight(of: transcript.entries))
    let tokensPerByte = Double(min(max(exceeded.tokenCount, room + 1), most)) / Double(weight)
    let overflow = ContextOverflow(
      entries: transcript.entries, tokenLimit: room * max(1, 4 - attempt) / 4,
      tokenCount: { Int((Double(Self.weight(of: $0)) * tokensPerByte).rounded(.up)) })
    let entries = try await reduced(overflow, model: model, session: session)
    return entries == transcript.entries ? nil : Transcript(entries: entries)
  }

  /// The number of bytes that a model reads of entries, about.
  private static func weight(of entries: [Transcript.Entry]) -> Int {
    entries.reduce(0) { sum, entry in
      var texts = [entry.content]
      if case .instructions(let instructions) = entry {
        for tool in instructions.toolDefinitions {
          texts += [tool.name, tool.description, tool.parameters.debugDescription]
        }
      } else if case .prompt(let prompt) = entry, let format = prompt.responseFormat {
        texts.append(format.schema.debugDescription)
      }
      return texts.reduce(sum + 8) { $0 + $1.utf8.count }
    }
  }

  private func reduced(
    _ overflow: ContextOverflow, model: any LanguageModel, session: LanguageModelSession
  ) async throws -> [Transcript.Entry] {
    switch kind {
    case .fail: overflow.entries
    case .keepNewestTurns: try await overflow.newestTurnsInSteps(session)
    case .dropToolOutputs: try await overflow.withoutToolOutputs()
    case .summarize(let instructions):
      try await overflow.summarized(instructions: instructions, model: model, session: session)
    case .custom(let reduce): try await reduce(overflow)
    }
  }

  private static func counter(of model: any LanguageModel) -> (any TokenCountingModel)? {
    switch model {
    case let model as SystemLanguageModel: model.backing?.model as? any TokenCountingModel
    case let model as PrivateCloudComputeLanguageModel: model.backing as? any TokenCountingModel
    default: model as? any TokenCountingModel
    }
  }
}

extension ContextOverflow {
  func isTooLong(_ entries: [Transcript.Entry]) async throws -> Bool {
    try await tokenCount(entries) > tokenLimit
  }

  /// The entries before the first prompt, worked examples among them, and the turns: each begins
  /// with a prompt.
  private var parts: (head: [Transcript.Entry], turns: [[Transcript.Entry]]) {
    var head: [Transcript.Entry] = []
    var turns: [[Transcript.Entry]] = []
    for entry in entries {
      if entry.isExample {
        head.append(entry)
      } else if case .prompt = entry {
        turns.append([entry])
      } else if turns.isEmpty {
        head.append(entry)
      } else {
        turns[turns.count - 1].append(entry)
      }
    }
    return (head, turns)
  }

  /// The least number of steps after which the entries fit; all of them where they never do. More
  /// steps never make more tokens, so the number is found by halving.
  private func leastSteps(
    upTo limit: Int, entries: (Int) -> [Transcript.Entry]
  ) async throws -> Int {
    var low = 0
    var high = limit
    while low < high {
      let middle = (low + high) / 2
      if try await isTooLong(entries(middle)) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The entries before the first prompt and the newest turns; the last turn always.
  func newestTurns() async throws -> [Transcript.Entry] {
    let (head, turns) = parts
    func without(_ count: Int) -> [Transcript.Entry] {
      head + turns.dropFirst(count).joined()
    }
    return without(try await leastSteps(upTo: max(0, turns.count - 1), entries: without))
  }

  /// The entries before the first prompt and the newest turns; the last turn always.
  ///
  /// Turns are dropped in steps. Once the window is full, as many go as leave half of the room free
  /// that the head and the last turn do not take. Until that is used up, the session is shown the
  /// same turns and what comes after them, so that a model reads only what is new.
  func newestTurnsInSteps(_ session: LanguageModelSession) async throws -> [Transcript.Entry] {
    let (head, turns) = parts
    var start = 0
    if let first = session.state.withLock({ $0.firstShownPromptID }),
      let index = turns.firstIndex(where: { $0.first?.id == first })
    {
      let shown = head + turns[index...].joined()
      if try await !isTooLong(shown) { return shown }
      start = index
    }
    let mostSteps = max(0, turns.count - 1 - start)
    func without(_ count: Int) -> [Transcript.Entry] {
      head + turns.dropFirst(start + count).joined()
    }
    let least = try await tokenCount(without(mostSteps))
    var halfFree = self
    halfFree.tokenLimit = least.saturatingSum(with: max(0, tokenLimit - max(0, least)) / 2)
    let shown = without(try await halfFree.leastSteps(upTo: mostSteps, entries: without))
    session.state.withLock { $0.firstShownPromptID = shown.first(where: \.isPrompt)?.id }
    return shown
  }

  /// The entries without the tool calls and reasoning of as many old turns as need be.
  func withoutToolOutputs() async throws -> [Transcript.Entry] {
    let (head, turns) = parts
    func stripped(_ count: Int) -> [Transcript.Entry] {
      head
        + turns.enumerated().flatMap { index, turn in
          index < count ? turn.filter(\.isSaid) : turn
        }
    }
    let count = try await leastSteps(upTo: max(0, turns.count - 1), entries: stripped)
    var rest = self
    rest.entries = stripped(count)
    guard try await rest.isTooLong(rest.entries) else { return rest.entries }
    rest.entries = try await rest.newestTurns()
    return try await rest.withoutEarlierOutputs()
  }

  /// The entries with a note in place of as many tool outputs as need be, oldest first. Those of the
  /// last round stay, which the model has not read. Calls stay too: one without an output is refused.
  private func withoutEarlierOutputs() async throws -> [Transcript.Entry] {
    let note = Transcript.Segment.text(
      .init(content: "This output was left out: the conversation has become too long."))
    let newest = entries.lastIndex { !$0.callIDs.isEmpty } ?? 0
    // A note in place of something shorter would make the transcript longer.
    let places = entries[..<newest].indices.filter { place in
      guard case .toolOutput(let output) = entries[place] else { return false }
      return output.description.utf8.count > note.description.utf8.count
    }
    func noted(_ count: Int) -> [Transcript.Entry] {
      var result = entries
      for place in places.prefix(count) {
        guard case .toolOutput(var output) = result[place] else { continue }
        output.segments = [note]
        result[place] = .toolOutput(output)
      }
      return result
    }
    return noted(try await leastSteps(upTo: places.count, entries: noted))
  }

  /// The entries with a summary in place of the older turns.
  func summarized(
    instructions: String, model: any LanguageModel, session: LanguageModelSession
  ) async throws -> [Transcript.Entry] {
    let (head, turns) = parts
    guard turns.count > 1 else { return entries }
    let known = session.state.withLock { $0.summary }
    // Half of the room for the turns that stay as they are, so that not every turn needs another
    // summary.
    var half = self
    half.tokenLimit = tokenLimit / 2
    let kept = try await half.newestTurns()
    var summarizedCount = turns.count - kept.filter(\.isPrompt).count
    var text = ""
    var unsummarized = turns[..<summarizedCount]
    if let known, let index = turns.lastIndex(where: { $0.last?.id == known.lastEntryID }) {
      text = known.text
      unsummarized = turns[min(index + 1, summarizedCount)..<summarizedCount]
      summarizedCount = max(summarizedCount, index + 1)
    }
    let tail = turns[min(summarizedCount, turns.count - 1)...].joined()
    func withSummary(_ text: String) -> [Transcript.Entry] {
      let summary = Transcript.Segment.text(
        .init(content: "What was said before, in short:\n\(text)"))
      guard case .prompt(var first)? = tail.first else { return head + tail }
      first.segments.insert(summary, at: 0)
      return head + [.prompt(first)] + tail.dropFirst()
    }
    guard let last = unsummarized.last?.last else { return withSummary(text) }
    var batch: [String] = []
    for turn in unsummarized {
      let story = turn.map(\.description).joined(separator: "\n\n")
      if try await isTooLong(
        Self.summaryRequest([text] + batch + [story], instructions: instructions)),
        !batch.isEmpty
      {
        text = try await summary(of: [text] + batch, instructions: instructions, model: model)
        batch = []
      }
      batch.append(story)
    }
    text = try await summary(of: [text] + batch, instructions: instructions, model: model)
    let summary = ContextSummary(text: text, lastEntryID: last.id)
    session.state.withLock { $0.summary = summary }
    return withSummary(text)
  }

  private static func story(_ parts: [String]) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// What a model reads that is asked for a summary.
  private static func summaryRequest(
    _ parts: [String], instructions: String
  ) -> [Transcript.Entry] {
    [
      .instructions(
        .init(segments: [.text(.init(content: instructions))], toolDefinitions: [])),
      .prompt(.init(segments: [.text(.init(content: story(parts)))])),
    ]
  }

  private func summary(
    of parts: [String], instructions: String, model: some LanguageModel
  ) async throws -> String {
    let session = LanguageModelSession(model: model, instructions: instructions)
    return try await session.respond(to: Self.story(parts)).content
  }
}

/// What was said in the turns up to an entry, in short.
struct ContextSummary: Sendable {
  var text: String
  var lastEntryID: String
}

extension Transcript.Entry {
  fileprivate var isPrompt: Bool { if case .prompt = self { true } else { false } }

  /// Whether this is something said rather than done or thought.
  fileprivate var isSaid: Bool {
    switch self {
    case .toolCalls, .toolOutput, .reasoning: false
    case .instructions, .prompt, .response: true
    }
  }
}
