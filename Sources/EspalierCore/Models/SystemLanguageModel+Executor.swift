// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension SystemLanguageModel {
  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  /// Hands requests to the model behind.
  public struct Executor: LanguageModelExecutor {
    /// There is nothing to configure.
    public struct Configuration: Hashable, Sendable {}

    private let executors = ExecutorStore()

    public init(configuration: Configuration) throws {}

    public func prewarm(model: SystemLanguageModel, transcript: Transcript) {
      if let backing = model.backing { executors.prewarm(backing.model, transcript: transcript) }
    }

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SystemLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      guard let backing = model.backing else {
        throw Error.assetsUnavailable(
          .init(debugDescription: "There is no model behind SystemLanguageModel."))
      }
      if case .unavailable(let reason) = model.availability {
        throw Error.assetsUnavailable(
          .init(debugDescription: "The model behind SystemLanguageModel: \(reason)."))
      }
      try await executors.respond(to: request, model: backing.model, streamingInto: channel)
    }
  }
}

extension ExecutorStore {
  func prewarm(_ model: some LanguageModel, transcript: Transcript) {
    guard let executor = try? executor(for: model) else { return }
    executor.prewarm(model: model, transcript: transcript)
  }

  /// Answers a request with a model's executor.
  func respond(
    to request: LanguageModelExecutorGenerationRequest, model: some LanguageModel,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await executor(for: model).respond(to: request, model: model, streamingInto: channel)
  }
}
