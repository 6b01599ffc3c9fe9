// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Makes entries of a transcript out of the events of an executor.
///
/// Text is kept in one growing string for each segment, so that a piece costs what its own length
/// is, however long the response has become.
struct EventAccumulator: Sendable {
  typealias Channel = LanguageModelExecutorGenerationChannel

  /// What an event means for those who watch the response grow.
  enum Change: Sendable {
    case none
    /// Text was added at the end of the response.
    case appended(String, tokenCount: Int, entryID: String)
    /// The text of the response is now this.
    case replaced(String, entryID: String)
    /// Text was added at the end of reasoning.
    case reasoned(String, tokenCount: Int, entryID: String)
    /// The text of reasoning is now this.
    case rethought(String, tokenCount: Int, entryID: String)
    /// The executor says what it has taken so far.
    case stated(LanguageModelSession.Usage)
  }

  private enum Kind { case response, reasoning, toolCalls }

  private struct SegmentDraft {
    var id: String
    var text = ""
    /// The segment, where it is not text.
    var other: Transcript.Segment?
  }

  private struct CallDraft {
    var id: String
    var name: String
    var arguments = ""
    var metadata: Transcript.MetadataValues = [:]
  }

  private struct Draft {
    var id: String
    var kind: Kind
    var segments: [SegmentDraft] = []
    var calls: [CallDraft] = []
    var signature: Data?
    var metadata: Transcript.MetadataValues = [:]

    /// Whether nothing stands in it, or nothing any more.
    var isEmpty: Bool { segments.allSatisfy { $0.other == nil && $0.text.isEmpty } }

    var text: String {
      segments.count == 1 ? segments[0].text : segments.map(\.text).joined()
    }
  }

  private var drafts: [Draft] = []
  private(set) var countedUsage = LanguageModelSession.Usage()
  private var statedUsage: LanguageModelSession.Usage?

  /// What the executor says it took, or what its events add up to.
  var usage: LanguageModelSession.Usage {
    guard var usage = statedUsage else { return countedUsage }
    // An executor may say what it has read before it writes.
    if usage.output == LanguageModelSession.Usage.Output() { usage.output = countedUsage.output }
    return usage
  }

  mutating func apply(_ event: Channel.Event) -> Change {
    switch event.kind {
    case .response(let action): apply(action, entryID: event.entryID)
    case .reasoning(let action): apply(action, entryID: event.entryID)
    case .toolCalls(let action): apply(action, entryID: event.entryID)
    }
  }

  private mutating func apply(_ action: Channel.Response.Action, entryID: String?) -> Change {
    if case .usage(let usage) = action.kind { return state(usage) }
    let (draft, isNew) = draft(.response, id: entryID)
    // Earlier text belongs to an entry of its own: what is watched starts again.
    let restarts = isNew && drafts[..<draft].contains { $0.kind == .response }
    switch action.kind {
    case .append(let fragment):
      countedUsage.output.totalTokenCount.addSaturating(fragment.tokenCount)
      let segment = segment(of: draft, id: fragment.segmentID)
      drafts[draft].segments[segment].text += fragment.content
      let isAtEnd = segment == drafts[draft].segments.count - 1
      return isAtEnd && !restarts
        ? .appended(
          fragment.content, tokenCount: fragment.tokenCount, entryID: drafts[draft].id)
        : .replaced(drafts[draft].text, entryID: drafts[draft].id)
    case .replace(let replacement):
      countedUsage.output.totalTokenCount.addSaturating(replacement.tokenCount)
      let segment = segment(of: draft, id: replacement.segmentID)
      drafts[draft].segments[segment].text = replacement.content
      return .replaced(drafts[draft].text, entryID: drafts[draft].id)
    case .addAttachment(let attachment): put(.attachment(attachment), into: draft)
    case .removeAttachment(let id): drafts[draft].segments.removeAll { $0.id == id }
    case .metadata(let metadata): drafts[draft].metadata = metadata.values
    case .usage: break
    }
    return .none
  }

  private mutating func apply(_ action: Channel.Reasoning.Action, entryID: String?) -> Change {
    if case .usage(let usage) = action.kind { return state(usage) }
    let (draft, _) = draft(.reasoning, id: entryID)
    switch action.kind {
    case .append(let fragment):
      countReasoning(fragment.tokenCount)
      let segment = segment(of: draft, id: fragment.segmentID)
      drafts[draft].segments[segment].text += fragment.content
      return segment == drafts[draft].segments.count - 1
        ? .reasoned(fragment.content, tokenCount: fragment.tokenCount, entryID: drafts[draft].id)
        : .rethought(
          drafts[draft].text, tokenCount: fragment.tokenCount, entryID: drafts[draft].id)
    case .replace(let replacement):
      countReasoning(replacement.tokenCount)
      let segment = segment(of: draft, id: replacement.segmentID)
      drafts[draft].segments[segment].text = replacement.content
      return .rethought(
        drafts[draft].text, tokenCount: replacement.tokenCount, entryID: drafts[draft].id)
    case .signature(let signature):
      countReasoning(signature.tokenCount)
      drafts[draft].signature = signature.signature
    case .metadata(let metadata): drafts[draft].metadata = metadata.values
    case .usage: break
    }
    return .none
  }

  private mutating func apply(_ action: Channel.ToolCalls.Action, entryID: String?) -> Change {
    if case .usage(let usage) = action.kind { return state(usage) }
    let (draft, _) = draft(.toolCalls, id: entryID)
    switch action.kind {
    case .call(let call):
      let known = drafts[draft].calls.firstIndex { $0.id == call.id }
      let index = known ?? drafts[draft].calls.count
      if known == nil { drafts[draft].calls.append(CallDraft(id: call.id, name: call.name)) }
      switch call.action.kind {
      case .append(let fragment):
        countedUsage.output.totalTokenCount.addSaturating(fragment.tokenCount)
        drafts[draft].calls[index].arguments += fragment.content
      case .metadata(let metadata): drafts[draft].calls[index].metadata = metadata.values
      }
    case .remove(let id): drafts[draft].calls.removeAll { $0.id == id }
    case .metadata(let metadata): drafts[draft].metadata = metadata.values
    case .usage: break
    }
    return .none
  }

  private mutating func countReasoning(_ tokenCount: Int) {
    countedUsage.output.totalTokenCount.addSaturating(tokenCount)
    countedUsage.output.reasoningTokenCount.addSaturating(tokenCount)
  }

  private mutating func state(_ usage: Channel.Usage) -> Change {
    var stated = LanguageModelSession.Usage()
    stated.input.totalTokenCount = usage.input.totalTokenCount
    stated.input.cachedTokenCount = usage.input.cachedTokenCount
    stated.output.totalTokenCount = usage.output.totalTokenCount
    stated.output.reasoningTokenCount = usage.output.reasoningTokenCount
    stated.metadata = usage.metadata
    statedUsage = stated
    return .stated(stated)
  }

  private mutating func draft(_ kind: Kind, id: String?) -> (index: Int, isNew: Bool) {
    if let last = drafts.indices.last, drafts[last].kind == kind,
      id == nil || drafts[last].id == id
    {
      return (last, false)
    }
    if let id, let index = drafts.firstIndex(where: { $0.id == id && $0.kind == kind }) {
      return (index, false)
    }
    drafts.append(Draft(id: id ?? Transcript.newID(), kind: kind))
    return (drafts.count - 1, true)
  }

  private mutating func segment(of draft: Int, id: String?) -> Int {
    let segments = drafts[draft].segments
    if let last = segments.indices.last, segments[last].other == nil,
      id == nil || segments[last].id == id
    {
      return last
    }
    if let id, let index = segments.firstIndex(where: { $0.id == id && $0.other == nil }) {
      return index
    }
    // The first is named after its entry: so the snapshots of a stream name it before it is complete.
    let standard = segments.isEmpty ? drafts[draft].id : Transcript.newID()
    drafts[draft].segments.append(SegmentDraft(id: id ?? standard))
    return drafts[draft].segments.count - 1
  }

  private mutating func put(_ segment: Transcript.Segment, into draft: Int) {
    let new = SegmentDraft(id: segment.id, other: segment)
    if let index = drafts[draft].segments.firstIndex(where: { $0.id == segment.id }) {
      drafts[draft].segments[index] = new
    } else {
      drafts[draft].segments.append(new)
    }
  }
}

extension EventAccumulator {
  /// What came of one round.
  struct Round: Sendable {
    var entries: [Transcript.Entry] = []
    var calls: [Transcript.ToolCall] = []
    /// What keeps calls from being run, by their places in `calls`: arguments that cannot be read.
    var problems: [Int: any Error] = [:]
    /// The response as content; nil where the model has not answered.
    var content: GeneratedContent?

    /// Gives calls another identity whose own stands in the transcript: servers that count the calls
    /// of each answer anew call the first of every round the same. Outputs are found by it.
    mutating func renameCalls(knownFrom transcript: some Sequence<Transcript.Entry>) {
      guard !calls.isEmpty else { return }
      var known = Set(transcript.flatMap(\.callIDs))
      calls = []
      for index in entries.indices {
        guard case .toolCalls(var entry) = entries[index] else { continue }
        for place in entry.calls.indices where !known.insert(entry.calls[place].id).inserted {
          entry.calls[place].id = Transcript.newID()
        }
        calls += entry.calls
        entries[index] = .toolCalls(entry)
      }
    }
  }

  /// The entries. A call whose arguments are not JSON has none, and a problem.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` where a structured response is not JSON.
  func round(schema: GenerationSchema?) throws -> Round {
    var round = Round()
    let hasCalls = drafts.contains { !$0.calls.isEmpty }
    for draft in drafts {
      switch draft.kind {
      case .response:
        // A model that took back its whole text and called a tool instead has not answered.
        if hasCalls, draft.isEmpty { continue }
        let (response, content) = try response(draft, schema: schema)
        round.entries.append(.response(response))
        round.content = content
      case .reasoning: round.entries.append(.reasoning(reasoning(draft)))
      case .toolCalls:
        let calls = draft.calls.enumerated().map { index, call in
          var arguments = GeneratedContent(properties: [:])
          do {
            if !call.arguments.isEmpty { arguments = try Self.whole(call.arguments) }
          } catch var error as GeneratedContent.ParsingError {
            error.debugDescription = "The arguments are no JSON: \(error.debugDescription)"
            round.problems[round.calls.count + index] = error
          } catch {
            round.problems[round.calls.count + index] = error
          }
          return Transcript.ToolCall(
            id: call.id, metadata: call.metadata, toolName: call.name, arguments: arguments)
        }
        guard !calls.isEmpty else { continue }
        round.entries.append(.toolCalls(Transcript.ToolCalls(id: draft.id, calls)))
        round.calls += calls
      }
    }
    return round
  }

  /// The entries as far as they go, where the answer has been cut off: text and reasoning as they
  /// are, and no calls.
  func partialEntries() -> [Transcript.Entry] {
    drafts.compactMap { draft in
      switch draft.kind {
      case .response:
        (try? response(draft, schema: nil)).map { .response($0.0) }
      case .reasoning: .reasoning(reasoning(draft))
      case .toolCalls: nil
      }
    }
  }

  private func response(
    _ draft: Draft, schema: GenerationSchema?
  ) throws -> (Transcript.Response, GeneratedContent) {
    guard let schema else {
      return (
        Transcript.Response(id: draft.id, metadata: draft.metadata, segments: segments(draft)),
        GeneratedContent(.string(draft.text))
      )
    }
    let content = try Self.whole(draft.text)
    let structure = Transcript.Segment.structure(
      .init(
        id: draft.segments.first { $0.other == nil }?.id ?? Transcript.newID(),
        schemaName: schema.name, content: content))
    return (
      Transcript.Response(
        id: draft.id, metadata: draft.metadata,
        segments: [structure] + draft.segments.compactMap(\.other)), content
    )
  }

  private func reasoning(_ draft: Draft) -> Transcript.Reasoning {
    Transcript.Reasoning(
      id: draft.id, metadata: draft.metadata, segments: segments(draft),
      signature: draft.signature)
  }

  private func segments(_ draft: Draft) -> [Transcript.Segment] {
    draft.segments.map { $0.other ?? .text(.init(id: $0.id, content: $0.text)) }
  }

  private static func whole(_ json: String) throws -> GeneratedContent {
    var parser = GeneratedContentParser()
    try parser.append(json)
    return try parser.finish()
  }
}
