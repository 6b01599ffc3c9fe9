// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A language model: a value that says what it can do and which executor runs it.
///
/// The model is the cheap part, made anew as often as the app likes; its ``Executor`` holds what is
/// costly (weights, a connection), and a session makes one executor for each configuration.
public protocol LanguageModel: Sendable {
  /// What runs the model.
  associatedtype Executor: LanguageModelExecutor where Self == Executor.Model

  /// What the model can do.
  var capabilities: LanguageModelCapabilities { get }

  /// What an executor needs to run the model; models with equal configurations share an executor.
  var executorConfiguration: Executor.Configuration { get }
}

/// What runs a language model: a request in, events out.
///
/// An executor never calls a tool. It sends the calls that the model wants, and ends; the session
/// calls the tools and asks again with the longer transcript.
public protocol LanguageModelExecutor: Sendable {
  /// What the executor is made of.
  associatedtype Configuration: Hashable, Sendable

  /// The model that it runs.
  associatedtype Model: LanguageModel

  /// Creates an executor.
  ///
  /// - Throws: What keeps the model from running: a missing file, say.
  init(configuration: Configuration) throws

  /// Makes the executor ready for a request that is likely to begin with this transcript.
  func prewarm(model: Model, transcript: Transcript)

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: What is asked.
  ///   - model: The model to answer as.
  ///   - channel: Where the parts of the answer go, as they come.
  /// - Throws: ``LanguageModelError``, or an error of the model's own.
  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest, model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

extension LanguageModelExecutor {
  /// Does nothing.
  public func prewarm(model: Model, transcript: Transcript) {}
}

/// A language model that knows how many tokens it can read, and how many a text has.
public protocol TokenCountingModel: LanguageModel {
  /// The greatest number of tokens of transcript and response together.
  var contextSize: Int { get }

  /// The number of tokens that entries of a transcript take, as the model reads them: its chat
  /// template, tool definitions and response formats included.
  func tokenCount(for entries: [Transcript.Entry]) async throws -> Int
}

/// A model that counts the tokens of a request as it reads it: with the opening of its own turn, and
/// what the request's options change.
package protocol RequestCountingModel: TokenCountingModel {
  /// The number of tokens of the prompt that the model reads for a request.
  func tokenCount(of request: LanguageModelExecutorGenerationRequest) async throws -> Int
}
