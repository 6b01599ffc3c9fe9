// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import EspalierCore

/// A model that is served, under its name.
package struct ServedModel: Sendable {
  let name: String
  let contextSize: Int
  /// Whether it can say how likely its tokens were.
  let givesProbabilities: Bool
  /// Whether it can hold its text to a grammar.
  let takesGrammars: Bool
  private let answer:
    @Sendable (
      LanguageModelExecutorGenerationRequest, LanguageModelExecutorGenerationChannel
    ) async throws -> Void
  private let count: @Sendable (ServedRequest) async throws -> Int?

  /// - Throws: What keeps the model from running.
  package init<Model: LanguageModel>(_ model: Model, name: String) throws {
    self.name = name
    let executor = try Model.Executor(configuration: model.executorConfiguration)
    answer = { try await executor.respond(to: $0, model: model, streamingInto: $1) }
    givesProbabilities = model is any TokenProbabilityModel
    takesGrammars = model is any GrammarGuidedModel
    let counter = model as? any TokenCountingModel
    contextSize = counter?.contextSize ?? .max
    count = { request in
      if let counter = model as? any RequestCountingModel {
        return try await counter.tokenCount(of: request.generation)
      }
      return try await counter?.tokenCount(for: request.countedEntries)
    }
  }

  /// The number of tokens of a request; nil where the model does not count.
  func tokenCount(of request: ServedRequest) async throws -> Int? { try await count(request) }

  /// What the model sends; letting go of it ends the model's work.
  func events(
    for request: LanguageModelExecutorGenerationRequest
  ) -> AsyncThrowingStream<LanguageModelExecutorGenerationChannel.Event, any Error> {
    let answer = answer
    return AsyncThrowingStream { continuation in
      let channel = LanguageModelExecutorGenerationChannel { continuation.yield($0) }
      let task = Task {
        do {
          try await answer(request, channel)
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
