// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Where an executor sends the parts of its answer.
///
/// A session takes every event in before ``send(_:)`` returns; a channel that an app makes itself
/// keeps the events until they are iterated over.
public struct LanguageModelExecutorGenerationChannel: AsyncSequence, Sendable {
  public typealias Element = Event
  public typealias Failure = any Error

  /// What a channel does with an event.
  private enum Destination: Sendable {
    case sink(@Sendable (Event) async -> Void)
    case direct(any GenerationEventSink)
    case buffer(EventBuffer)
  }

  private let destination: Destination

  /// Creates a channel whose events are iterated over.
  public init() { destination = .buffer(EventBuffer()) }

  /// Creates a channel that hands each event on as it comes.
  package init(sink: any GenerationEventSink) { destination = .direct(sink) }

  /// Creates a channel that hands each event to a closure: for wrappers around a model.
  ///
  /// - Parameter forward: What happens with an event.
  public init(forwardingTo forward: @escaping @Sendable (Event) async -> Void) {
    destination = .sink(forward)
  }

  /// Sends one part of the answer.
  nonisolated(nonsending) public func send(_ event: Event) async {
    switch destination {
    case .direct(let sink): sink.receive(event)
    case .sink(let forward): await forward(event)
    case .buffer(let buffer): buffer.append(event)
    }
  }

  /// Says that no more events will come; iteration then ends after those that are there.
  public func finish() {
    if case .buffer(let buffer) = destination { buffer.finish() }
  }

  /// Iterates over the events. Of a channel that hands its events on there are none.
  public func makeAsyncIterator() -> AsyncIterator {
    guard case .buffer(let buffer) = destination else {
      return AsyncIterator(iterator: AsyncStream { $0.finish() }.makeAsyncIterator())
    }
    return AsyncIterator(iterator: buffer.stream.makeAsyncIterator())
  }

  /// An iterator over the events of a channel.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<Event>.AsyncIterator

    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Event? { await iterator.next(isolation: isolation) }
  }

  private final class EventBuffer: Sendable {
    let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() {
      (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    }

    func append(_ event: Event) { continuation.yield(event) }
    func finish() { continuation.finish() }
    deinit { continuation.finish() }
  }
}

/// Takes the events of an answer in.
package protocol GenerationEventSink: Sendable {
  func receive(_ event: LanguageModelExecutorGenerationChannel.Event)
}
