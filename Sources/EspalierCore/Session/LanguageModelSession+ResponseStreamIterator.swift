// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelSession.ResponseStream {
  /// Makes snapshots of what comes: one for each piece of the response, and one at the end where
  /// only the end says that the response is complete, as it is with text, or how sure the model is.
  ///
  /// Text grows in place and JSON is read piece by piece, so a snapshot costs the same however long
  /// the response is, as long as earlier ones are let go of: long strings go on where they ended,
  /// and the elements of a list are made once.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let presence: IteratorPresence
    private let isText: Bool
    private let responseID = Transcript.newID()
    private let schemaName: String?
    private var supply: ArraySlice<ResponseStreamStorage.Piece> = []
    private var readCount = 0
    private var text = ""
    private var parser = GeneratedContentParser()
    private var cache = SnapshotCache()
    private var usage = LanguageModelSession.Usage()
    private var completedEntries: [Transcript.Entry] = []
    private var lastWasComplete = false
    private var hasEnded = false

    init(owner: ResponseStreamOwner, isText: Bool) {
      presence = IteratorPresence(owner: owner)
      self.isText = isText
      schemaName = isText ? nil : "\(Content.self)"
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
        if let piece = supply.popFirst() {
          readCount += 1
          if let snapshot = take(piece) { return snapshot }
          continue
        }
        switch presence.owner.storage.supply(after: readCount) {
        case .pieces(let pieces): supply = pieces[...]
        case .nothingYet: await presence.owner.storage.wait(after: readCount)
        case .finished(let result):
          hasEnded = true
          let outcome = try result.get()
          usage = outcome.usage
          let measures = [ValueProbability](of: outcome.entries)
          if lastWasComplete && measures.isEmpty { return nil }
          var last = snapshot(of: outcome.content)
          last?.probabilities = measures
          return last
        }
      }
      return nil
    }

    public mutating func next() async throws -> Snapshot? { try await next(isolation: nil) }

    private mutating func take(_ piece: ResponseStreamStorage.Piece) -> Snapshot? {
      switch piece {
      case .entries(let entries, let usage):
        completedEntries = entries
        self.usage = usage
        return restart()
      case .restart: return restart()
      case .text(.none): return nil
      case .text(.appended(let fragment, let tokenCount)):
        usage.output.totalTokenCount += tokenCount
        guard isText else {
          return read(fragment)
        }
        text += fragment
      case .text(.replaced(let whole)):
        guard isText else {
          restartParser()
          return read(whole)
        }
        text = whole
      }
      return snapshot(of: GeneratedContent(.string(text), isComplete: false))
    }

    private mutating func restart() -> Snapshot? {
      text = ""
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
      return Snapshot(
        content: content, rawContent: raw, usage: usage, completedEntries: completedEntries,
        responseID: responseID, schemaName: schemaName)
    }
  }
}

/// Ends a request when an iterator goes away before the end of the response: the loop was left.
private final class IteratorPresence: Sendable {
  let owner: ResponseStreamOwner

  init(owner: ResponseStreamOwner) { self.owner = owner }

  deinit { owner.storage.abandon() }
}
