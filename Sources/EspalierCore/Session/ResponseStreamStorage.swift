// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a running request puts in and the iterators of its stream take out.
///
/// Nothing but the pieces that came is kept; every iterator makes its own snapshots of them, when it
/// is asked for one. So a piece costs its producer the same however long the response is.
final class ResponseStreamStorage: Sendable {
  enum Piece: Sendable {
    case text(EventAccumulator.Change)
    /// The response begins again.
    case restart
    /// Entries before the response that are complete now, and what they took.
    case entries([Transcript.Entry], usage: LanguageModelSession.Usage)
  }

  /// What there is for an iterator that has read some pieces.
  enum Supply: Sendable {
    case pieces([Piece])
    case finished(Result<RequestOutcome, any Error>)
    case nothingYet
  }

  fileprivate struct State {
    var pieces: [Piece] = []
    var outcome: Result<RequestOutcome, any Error>?
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
    var onAbandonment: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func put(_ piece: Piece) {
    let waiters = state.withLock { state in
      state.pieces.append(piece)
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  func finish(_ outcome: Result<RequestOutcome, any Error>) {
    let waiters = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      state.onAbandonment = nil
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Sets what ends the request when nobody wants its response any more.
  func setAbandonmentHandler(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { state in
      if state.outcome == nil { state.onAbandonment = handler }
    }
  }

  /// Ends the request, where it has not ended by itself.
  func abandon() {
    let handler = state.withLock { state in
      defer { state.onAbandonment = nil }
      return state.onAbandonment
    }
    handler?()
  }

  func supply(after count: Int) -> Supply {
    state.withLock { $0.supply(after: count) }
  }

  /// Waits until there is more than `count` pieces, or an end, or the task is cancelled.
  func wait(after count: Int) async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if case .nothingYet = state.supply(after: count), !Task.isCancelled {
            state.waiters[number] = continuation
            return false
          }
          return true
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
      waiter?.resume()
    }
  }
}

extension ResponseStreamStorage.State {
  fileprivate func supply(after count: Int) -> ResponseStreamStorage.Supply {
    // A copy of the new ones: while somebody held a part of the array, each append would copy all
    // of it.
    if pieces.count > count { return .pieces(Array(pieces[count...])) }
    return outcome.map { .finished($0) } ?? .nothingYet
  }

  fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
    guard !waiters.isEmpty else { return [] }
    defer { waiters.removeAll(keepingCapacity: true) }
    return Array(waiters.values)
  }
}

/// What came of a request.
struct RequestOutcome: Sendable {
  var content: GeneratedContent
  var entries: ArraySlice<Transcript.Entry>
  var usage: LanguageModelSession.Usage
}

/// Ends a request when it goes away: nobody can ask for the response any more.
final class ResponseStreamOwner: Sendable {
  let storage: ResponseStreamStorage

  init(storage: ResponseStreamStorage) { self.storage = storage }

  deinit { storage.abandon() }
}
