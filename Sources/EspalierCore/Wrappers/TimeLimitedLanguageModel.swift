/// Any model, given a limited time for each request: ``LanguageModelError/timeout(_:)`` after that.
public struct TimeLimitedLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  public let base: Base
  /// How long a request may take.
  public var limit: Duration

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers.
  ///   - limit: How long a request may take.
  public init(_ base: Base, limit: Duration) {
    self.base = base
    self.limit = limit
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let gate = SendingGate(channel: channel)
    let limit = limit
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await next.respond(to: request, streamingInto: gate.channel)
        return true
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      guard try await group.next() == true else {
        gate.close()
        throw LanguageModelError.timeout(
          .init(debugDescription: "The model did not answer within \(limit)."))
      }
    }
  }
}
