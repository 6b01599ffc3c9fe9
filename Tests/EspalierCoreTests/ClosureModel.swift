// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Synchronization

/// A model that answers by a closure, and that does not count tokens.
struct ClosureModel: LanguageModel {
  typealias Answer =
    @Sendable (
      LanguageModelExecutorGenerationRequest, LanguageModelExecutorGenerationChannel
    ) async throws -> Void

  var capabilities = LanguageModelCapabilities()
  let answer: Answer
  var executorConfiguration: Executor.Configuration { .init() }

  init(
    capabilities: LanguageModelCapabilities = LanguageModelCapabilities(),
    _ answer: @escaping Answer
  ) {
    self.capabilities = capabilities
    self.answer = answer
  }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ClosureModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await model.answer(request, channel)
    }
  }
}

/// What a test raises to be seen elsewhere.
final class Flag: Sendable {
  private let state = Mutex(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}
