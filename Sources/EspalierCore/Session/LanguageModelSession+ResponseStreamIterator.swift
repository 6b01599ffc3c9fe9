// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelSession.ResponseStream {
  /// Makes snapshots of what comes: one for each piece of the response and of the reasoning before
  /// it, and one at the end where only the end says that the response is complete, as it is with
  /// text, or how sure the model is.
  ///
  /// Text grows in place and JSON is read piece by piece, so a snapshot costs the same however long
  /// the response is, as long as earlier ones are let go of: long strings go on where they ended,
  /// and the elements of a list are made once.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let presence: IteratorPresence
    private let schemaName: String?
    private let skipsOutdated: Bool
    private var supply: ArraySlice<ResponseStreamStorage.Piece> = []
    private var readCount = 0
    private var text = ""
    private var parser = GeneratedContentParser()
    private var cache = SnapshotCache()
    private var usage = LanguageModelSession.Usage()
    /// What the rounds before this one have taken.
    private var earlierUsage = LanguageModelSession.Usage()
    private var completedEntries: [Transcript.Entry] = []
    private var thoughts: [Snapshot.Thought] = []
    private var responseID: String?
    private var lastWasComplete = false
    private var hasEnded = false

    private var isText: Bool { schemaName == nil }

    init(owner: ResponseStreamOwner, schemaName: String?, skipsOutdated: Bool) {
      presence = IteratorPresence(owner: owner)
      self.schemaName = schemaName
      self.skipsOutdated = skipsOutdated
    }

    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Snapshot? {
      while !hasEnded {
        if Task.isCancelled {
          hasEnded = true
          presence.owner.storage.abandon()
          throw CancellationError()
        }
        var newest: Snapshot?
        while newest == nil || skipsOutdated, let piece = supply.popFirst() {
          readCount += 1
          newest = take(piece) ?? newest
        }
        if let newest { return newest }
        switch presence.owner.storage.supply(after: readCount) {
        case .pieces(let pieces): supply = pieces[...]
        case .nothingYet: await presence.owner.storage.wait(after: readCount)
        case .finished(let result):
          hasEnded = true
          let outcome = try result.get()
          usage = outcome.usage
          if case .response(let response) = outcome.entries.last { responseID = response.id }
          let measures = [ValueProbability](of: outcome.entries)
          if lastWasComplete && measures.isEmpty { return nil }
          var last = snapshot(of: whole(outcome.content))
          last?.probabilities = measures
          return last
        }
      }
      return nil
    }

    public mutating func next() async throws -> Snapshot? { try await next(isolation: nil) }

    /// The content of the response with the identities that the snapshots have shown.
    private mutating func whole(_ content: GeneratedContent) -> GeneratedContent {
      if isText { return content }
      _ = try? parser.finish()
      return parser.content == content ? parser.content : content
    }

    private mutating func take(_ piece: ResponseStreamStorage.Piece) -> Snapshot? {
      switch piece {
      case .entries(let entries, let usage):
        completedEntries = entries
        earlierUsage = usage
        return restart()
      case .restart: return restart()
      case .text(.none): return nil
      case .text(.stated(let stated)):
        let counted = usage.output
        usage = earlierUsage
        usage.add(stated)
        if stated.output == LanguageModelSession.Usage.Output() { usage.output = counted }
        return nil
      case .text(.reasoned(let fragment, let tokenCount, let id)):
        thought(id, tokenCount: tokenCount) { $0 += fragment }
        return snapshotOfThoughts()
      case .text(.rethought(let whole, let tokenCount, let id)):
        thought(id, tokenCount: tokenCount) { $0 = whole }
        return snapshotOfThoughts()
      case .text(.appended(let fragment, let tokenCount, let id)):
        usage.output.totalTokenCount += tokenCount
        responseID = id
        guard isText else {
          return read(fragment)
        }
        text += fragment
      case .text(.replaced(let whole, let id)):
        responseID = id
        guard isText else {
          restartParser()
          return read(whole)
        }
        text = whole
      }
      return snapshot(of: GeneratedContent(.string(text), isComplete: false))
    }

    private mutating func thought(
      _ id: String, tokenCount: Int, change: (inout String) -> Void
    ) {
      usage.output.totalTokenCount += tokenCount
      usage.output.reasoningTokenCount += tokenCount
      if thoughts.last?.id != id, !thoughts.contains(where: { $0.id == id }) {
        thoughts.append(Snapshot.Thought(id: id, text: ""))
      }
      guard let index = thoughts.lastIndex(where: { $0.id == id }) else { return }
      change(&thoughts[index].text)
    }

    /// The response as it was, with more reasoning: before a value begins, one without properties;
    /// nil where that is no beginning of the type.
    private mutating func snapshotOfThoughts() -> Snapshot? {
      if isText { return snapshot(of: GeneratedContent(.string(text), isComplete: false)) }
      guard responseID == nil else { return snapshot(of: parser.content) }
      var opening = parser
      try? opening.append("{")
      guard let content = try? Content.PartiallyGenerated(opening.content) else { return nil }
      return snapshot(content, opening.content)
    }

    private mutating func restart() -> Snapshot? {
      text = ""
      usage = earlierUsage
      thoughts = []
      responseID = nil
      restartParser()
      return nil
    }

    private mutating func restartParser() {
      parser = GeneratedContentParser()
      cache = SnapshotCache()
    }

    /// Reads more JSON. What is wrong with it, the end of the request says.
    private mutating func read(_ json: String) -> Snapshot? {
      do {
        try parser.append(json)
      } catch {
        return nil
      }
      return snapshot(of: parser.content)
    }

    /// The snapshot; nil where there is not enough yet for a value of the type.
    private mutating func snapshot(of raw: GeneratedContent) -> Snapshot? {
      lastWasComplete = raw.isComplete
      guard let content = try? cache.decode(Content.PartiallyGenerated.self, from: raw) else {
        return nil
      }
      return snapshot(content, raw)
    }

    private func snapshot(
      _ content: Content.PartiallyGenerated, _ raw: GeneratedContent
    ) -> Snapshot {
      Snapshot(
        content: content, rawContent: raw, usage: usage, completedEntries: completedEntries,
        thoughts: thoughts, responseID: responseID, schemaName: schemaName)
    }
  }
}

/// Ends a request when an iterator goes away before the end of the response: the loop was left.
private final class IteratorPresence: Sendable {
  let owner: ResponseStreamOwner

  init(owner: ResponseStreamOwner) { self.owner = owner }

  deinit { owner.storage.abandon() }
}
