// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore

extension ServerLanguageModel {
  /// Asks the server.
  public struct Executor: LanguageModelExecutor {
    /// Which servers are asked.
    public struct Configuration: Hashable, Sendable {
      let runtime: ServerRuntime

      public static func == (a: Configuration, b: Configuration) -> Bool {
        a.runtime === b.runtime
      }
      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(runtime)) }
    }

    private let runtime: ServerRuntime

    public init(configuration: Configuration) throws { runtime = configuration.runtime }

    /// Opens a connection, and asks the server what it is. No tokens are generated.
    public func prewarm(model: ServerLanguageModel, transcript: Transcript) {
      let (runtime, options) = (runtime, model.options)
      Task { await runtime.prewarm(options: options) }
    }

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ServerLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      var exchange = try await ServerExchange(
        request: request, runtime: runtime, options: model.options, channel: channel)
      try await exchange.run()
    }
  }
}
