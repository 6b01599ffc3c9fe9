// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A model around a model: it sees every request and every part of the answer, and may change
/// either.
///
/// ```swift
/// struct Shouting<Base: LanguageModel>: WrappingLanguageModel {
///   typealias Executor = WrappingExecutor<Self>
///   let base: Base
///
///   func respond(
///     to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
///     streamingInto channel: LanguageModelExecutorGenerationChannel
///   ) async throws {
///     var request = request
///     request.generationOptions.temperature = 2
///     try await next.respond(to: request, streamingInto: channel)
///   }
/// }
/// ```
///
/// Wrappers can be put around one another in any order.
public protocol WrappingLanguageModel: TokenCountingModel, AvailabilityReporting {
  /// The type of the model inside.
  associatedtype Base: LanguageModel

  /// The model inside.
  var base: Base { get }

  /// Answers a request, with the help of the model inside or without.
  ///
  /// - Parameters:
  ///   - request: What is asked.
  ///   - next: Asks the model inside.
  ///   - channel: Where the parts of the answer go, as they come.
  func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

/// Asks the model inside a wrapper.
public struct WrappedResponder: Sendable {
  let executors: ExecutorStore
  let model: any LanguageModel

  /// Asks the model inside.
  ///
  /// - Throws: What the model throws.
  public func respond(
    to request: LanguageModelExecutorGenerationRequest,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await executors.respond(to: request, model: model, streamingInto: channel)
  }

  /// Asks another model in place of the one inside.
  public func respond(
    to request: LanguageModelExecutorGenerationRequest, model: any LanguageModel,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await executors.respond(to: request, model: model, streamingInto: channel)
  }
}

/// Runs a model around a model. All wrappers of a kind in a session share it, and it keeps the
/// executors of the models inside.
public struct WrappingExecutor<Model: WrappingLanguageModel>: LanguageModelExecutor {
  /// There is nothing to configure.
  public struct Configuration: Hashable, Sendable {
    /// Creates a configuration.
    public init() {}
  }

  private let executors = ExecutorStore()

  public init(configuration: Configuration) {}

  public func prewarm(model: Model, transcript: Transcript) {
    executors.prewarm(model.base, transcript: transcript)
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await model.respond(
      to: request, next: WrappedResponder(executors: executors, model: model.base),
      streamingInto: channel)
  }
}

extension WrappingLanguageModel {
  public var capabilities: LanguageModelCapabilities { base.capabilities }

  /// That of the model inside; available where it does not say.
  public var availability: SystemLanguageModel.Availability { base.reportedAvailability }

  /// That of the model inside; no limit where it does not say.
  public var contextSize: Int { (base as? any TokenCountingModel)?.contextSize ?? .max }

  /// What the model inside counts; none where it does not count.
  public func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    try await (base as? any TokenCountingModel)?.tokenCount(for: entries) ?? 0
  }
}

extension WrappingLanguageModel where Executor == WrappingExecutor<Self> {
  public var executorConfiguration: WrappingExecutor<Self>.Configuration { .init() }
}
