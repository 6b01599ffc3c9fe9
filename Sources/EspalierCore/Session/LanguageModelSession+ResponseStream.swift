// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelSession {
  /// A response as it grows: a sequence of snapshots, each with everything there is so far.
  ///
  /// ```swift
  /// for try await snapshot in session.streamResponse(to: prompt, generating: Itinerary.self) {
  ///   itinerary = snapshot.content
  /// }
  /// ```
  ///
  /// The request runs from the moment the stream is made. Leaving the loop early, or letting go of
  /// the stream, ends the request and frees the session at once. Going through a finished stream
  /// again gives the same snapshots again.
  public struct ResponseStream<Content: Generable>: AsyncSequence {
    public typealias Element = Snapshot
    public typealias Failure = any Swift.Error

    let owner: ResponseStreamOwner
    /// The name of the schema of the response; nil where it is text.
    let schemaName: String?
    /// Whether snapshots are left out that are no longer the newest.
    var skipsOutdated = false

    /// Iterates over the snapshots.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(owner: owner, schemaName: schemaName, skipsOutdated: skipsOutdated)
    }

    /// The same response, of which a loop that takes longer than the model gets the newest snapshot
    /// each time, not every one.
    ///
    /// A view that draws for 16 ms would else fall behind a model with more than 60 tokens a second.
    /// The last snapshot always comes.
    public func bufferingNewest() -> Self {
      var stream = self
      stream.skipsOutdated = true
      return stream
    }

    /// Waits for the end of the response.
    ///
    /// - Returns: The whole response.
    /// - Throws: What ended the request, or ``GeneratedContent/ParsingError``.
    public func collect() async throws -> sending Response<Content> {
      let outcome = try await outcome()
      return Response(
        content: try Content(outcome.content), rawContent: outcome.content,
        transcriptEntries: outcome.entries, usage: outcome.usage)
    }

    private func outcome() async throws -> RequestOutcome {
      var count = 0
      while true {
        switch owner.storage.supply(after: count) {
        case .finished(let result): return try result.get()
        case .pieces(let pieces): count += pieces.count
        case .nothingYet: await owner.storage.wait(after: count)
        }
        if Task.isCancelled {
          owner.storage.abandon()
          throw CancellationError()
        }
      }
    }

    /// What there is of a response at one moment.
    public struct Snapshot {
      /// The value as far as it goes.
      public var content: Content.PartiallyGenerated
      /// The value as the model wrote it, as far as it goes.
      public var rawContent: GeneratedContent
      /// What the request has taken so far. Input is counted once the model has said how much it has
      /// read: models in the process say so before the first token, servers at the end.
      public var usage: Usage
      /// How sure the model is of each value, as ``Response/probabilities`` has it: in the last
      /// snapshot, since each measure is of the whole value.
      public var probabilities: [ValueProbability] = []
      var completedEntries: [Transcript.Entry]
      var thoughts: [Thought]
      /// The identity of the response; nil before it begins.
      let responseID: String?
      let schemaName: String?

      /// Reasoning of the round that is being answered.
      struct Thought: Sendable {
        let id: String
        var text: String
      }

      /// What the request has added to the transcript so far: reasoning and the response as far as
      /// they go.
      ///
      /// - Complexity: Linear in the number of entries of the request.
      public var transcriptEntries: ArraySlice<Transcript.Entry> {
        get {
          let entries =
            completedEntries
            + thoughts.map {
              .reasoning(.init(id: $0.id, segments: [.text(.init(id: $0.id, content: $0.text))]))
            }
          guard let responseID else { return entries[...] }
          let segment: Transcript.Segment =
            if let schemaName {
              .structure(
                .init(id: responseID, schemaName: schemaName, content: rawContent))
            } else {
              .text(.init(id: responseID, content: rawContent.stringValue ?? ""))
            }
          return (entries + [.response(.init(id: responseID, segments: [segment]))])[...]
        }
        set {
          completedEntries = Array(newValue)
          thoughts = []
          if responseID != nil, case .response = completedEntries.last {
            completedEntries.removeLast()
          }
        }
      }
    }
  }
}

extension LanguageModelSession.ResponseStream: Sendable where Content: Sendable {}

extension LanguageModelSession.ResponseStream.Snapshot: Sendable
where Content.PartiallyGenerated: Sendable {}

extension LanguageModelSession.ResponseStream where Content == String {
  /// A stream that has already ended.
  init(finished response: LanguageModelSession.Response<String>) {
    let storage = ResponseStreamStorage()
    storage.put(
      .text(.appended(response.content, tokenCount: 0, entryID: Transcript.newID())))
    storage.finish(
      .success(
        RequestOutcome(
          content: response.rawContent, entries: response.transcriptEntries,
          usage: response.usage)))
    self.init(owner: ResponseStreamOwner(storage: storage), schemaName: nil)
  }
}
