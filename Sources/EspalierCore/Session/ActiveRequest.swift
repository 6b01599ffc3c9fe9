// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The request that a session is answering: takes in what the executor sends.
final class ActiveRequest: GenerationEventSink {
  /// The stream of the response, where the app asked for one.
  let stream: ResponseStreamStorage?

  /// What was said before the request.
  let history: Transcript.HistoryView

  /// How often the app had changed the transcript before the request.
  let transcriptRevision: Int

  private let accumulator = Mutex(EventAccumulator())

  init(
    stream: ResponseStreamStorage?, history: Transcript.HistoryView, transcriptRevision: Int
  ) {
    self.stream = stream
    self.history = history
    self.transcriptRevision = transcriptRevision
  }

  func receive(_ event: LanguageModelExecutorGenerationChannel.Event) {
    let change = accumulator.withLock { $0.apply(event) }
    if case .none = change { return }
    stream?.put(.text(change))
  }

  func beginRound() { accumulator.withLock { $0 = EventAccumulator() } }

  func endRound(
    schema: GenerationSchema?
  ) throws -> (EventAccumulator.Round, LanguageModelSession.Usage) {
    let accumulator = accumulator.withLock { accumulator in
      defer { accumulator = EventAccumulator() }
      return accumulator
    }
    return (try accumulator.round(schema: schema), accumulator.usage)
  }

  /// What has come of the round that is not over.
  func partialEntries() -> [Transcript.Entry] {
    accumulator.withLock { $0.partialEntries() }
  }
}
