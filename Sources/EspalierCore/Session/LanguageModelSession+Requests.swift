// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

extension LanguageModelSession {
  /// Makes a request the one that the session is answering. One whose stream has been abandoned
  /// has already been let go of.
  ///
  /// - Throws: ``Error/concurrentRequests`` where there is another.
  func claim(stream: ResponseStreamStorage?) throws -> ActiveRequest {
    let active: ActiveRequest? = mutate([.isResponding]) { state in
      guard state.activeRequest == nil else { return nil }
      let active = ActiveRequest(
        stream: stream, history: state.transcript.history,
        transcriptRevision: state.transcriptRevision)
      state.activeRequest = active
      return active
    }
    guard let active else { throw errorGeneration.translate(Error.concurrentRequests) }
    return active
  }

  /// Adds entries to the transcript.
  ///
  /// - Throws: Where the request is no longer the session's, or the app has changed the transcript.
  func append(_ entries: [Transcript.Entry], for active: ActiveRequest) throws {
    try mutate([.transcript]) { state in
      try state.check(active)
      state.transcript.append(contentsOf: entries)
    }
  }

  /// Puts the instructions of a profile at the beginning of the transcript, in place of those that
  /// are there. Instructions that say the same stay as they are.
  ///
  /// - Throws: Where the request is no longer the session's, or the app has changed the transcript.
  func record(_ instructions: Transcript.Instructions, for active: ActiveRequest) throws {
    let isKnown = try state.withLock { state in
      try state.check(active)
      return state.transcript.says(instructions)
    }
    guard !isKnown else { return }
    try mutate([.transcript]) { state in
      try state.check(active)
      state.transcript.replaceInstructions(with: instructions)
    }
  }

  /// Puts another history in place of the transcript's, for a callback of a request.
  ///
  /// - Returns: Whether the request is the session's; otherwise nothing has changed.
  func replaceHistory(
    with history: Transcript.HistoryView, for active: ActiveRequest
  ) -> Bool {
    guard state.withLock({ $0.activeRequest === active }) else { return false }
    return mutate([.transcript]) { state in
      guard state.activeRequest === active else { return false }
      state.transcript.history = history
      return true
    }
  }

  /// The transcript, as long as the request is the session's.
  func currentTranscript(of active: ActiveRequest) throws -> Transcript {
    try state.withLock { state in
      try state.check(active)
      return state.transcript
    }
  }

  /// Lets go of a request that has been answered.
  func complete(_ active: ActiveRequest, usage: Usage) throws {
    try mutate([.isResponding, .usage]) { state in
      try state.check(active)
      state.activeRequest = nil
      state.usage.add(usage)
    }
  }

  /// Lets go of a request that will not be answered; does nothing where that has happened.
  func release(_ active: ActiveRequest) {
    // A request that is cancelled is let go of more than once; views are told once.
    guard state.withLock({ $0.activeRequest === active }) else { return }
    mutate([.isResponding, .transcript]) { state in
      guard state.activeRequest === active else { return }
      state.activeRequest = nil
      guard state.transcriptRevision == active.transcriptRevision else { return }
      let policy = state.activation?.errorHandlingPolicy ?? state.errorHandlingPolicy
      if policy?.preservesTranscript == true {
        state.transcript.append(contentsOf: active.partialEntries())
      } else {
        state.transcript.history = active.history
      }
    }
  }

  /// Answers a request in the task of the caller.
  func run(_ request: SessionRequest) async throws -> RequestOutcome {
    let active = try claim(stream: nil)
    return try await RequestRunner(session: self, request: request, active: active).run()
  }

  /// Answers a request in a task of its own.
  func start(_ request: SessionRequest) -> ResponseStreamOwner {
    let storage = ResponseStreamStorage()
    do {
      let active = try claim(stream: storage)
      let runner = RequestRunner(session: self, request: request, active: active)
      let task = Task {
        do {
          storage.finish(.success(try await runner.run()))
        } catch {
          storage.finish(.failure(error))
        }
      }
      storage.setAbandonmentHandler { [session = self] in
        session.release(active)
        task.cancel()
      }
    } catch {
      storage.finish(.failure(error))
    }
    return ResponseStreamOwner(storage: storage)
  }
}

extension SessionState {
  fileprivate func check(_ active: ActiveRequest) throws {
    guard activeRequest === active else { throw CancellationError() }
    guard transcriptRevision == active.transcriptRevision else {
      throw LanguageModelSession.Error.transcriptMutationWhileResponding
    }
  }
}
