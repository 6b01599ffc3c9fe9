import EspalierCore
import Synchronization

/// A model that goes on until it is stopped, and does not notice that it was cancelled.
final class DeafLanguageModel: LanguageModel {
  private let state = Mutex(false)
  var capabilities: LanguageModelCapabilities { .init() }
  var executorConfiguration: Executor.Configuration { .init() }
  var isStopped: Bool { state.withLock { $0 } }
  func stop() { state.withLock { $0 = true } }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: DeafLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      while !model.isStopped { await Task.yield() }
      await channel.send(.response(action: .appendText("stopped", tokenCount: 1)))
    }
  }
}

/// A model that takes so many entries and no more, and does not count them beforehand.
struct StrictModel: LanguageModel {
  let limit: Int
  var capabilities: LanguageModelCapabilities { .init() }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: StrictModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      guard request.transcript.count <= model.limit else {
        throw LanguageModelError.contextSizeExceeded(
          .init(
            contextSize: model.limit, tokenCount: request.transcript.count,
            debugDescription: "Too many entries."))
      }
      await channel.send(.response(action: .appendText("x", tokenCount: 1)))
    }
  }
}

/// A model that this device cannot run.
struct MissingModel: LanguageModel, AvailabilityReporting {
  var availability: SystemLanguageModel.Availability { .unavailable(.deviceNotEligible) }
  var capabilities: LanguageModelCapabilities { .init([.guidedGeneration]) }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: MissingModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      throw LanguageModelError.timeout(.init(debugDescription: "Not there."))
    }
  }
}
