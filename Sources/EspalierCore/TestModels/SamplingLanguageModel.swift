/// A model that draws a valid value of any schema from a seed: for tests, previews and demos.
///
/// ```swift
/// let session = LanguageModelSession(model: SamplingLanguageModel(seed: 7))
/// let itinerary = try await session.respond(to: "Kyoto", generating: Itinerary.self).content
/// ```
///
/// It goes through the same grammar and matcher as a real model, token by token, so a stream looks
/// like one; what it writes makes no sense, but satisfies the schema. The same seed, schema and
/// options give the same bytes on every platform. A request's own seed
/// (``GenerationOptions/SamplingMode``) comes before the model's; further requests on one transcript
/// draw further values.
public struct SamplingLanguageModel: LanguageModel {
  /// What the draws follow from.
  public var seed: UInt64

  /// How many characters strings tend to have.
  public var typicalStringLength: Int

  /// How long to wait before each token.
  public var tokenDelay: Duration

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - seed: What the draws follow from.
  ///   - typicalStringLength: How many characters strings tend to have.
  ///   - tokenDelay: How long to wait before each token.
  public init(seed: UInt64 = 0, typicalStringLength: Int = 24, tokenDelay: Duration = .zero) {
    self.seed = seed
    self.typicalStringLength = typicalStringLength
    self.tokenDelay = tokenDelay
  }

  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration])
  }

  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  /// Draws values.
  public struct Executor: LanguageModelExecutor {
    /// There is nothing to configure.
    public struct Configuration: Hashable, Sendable {}

    private let grammars = GrammarCache()

    public init(configuration: Configuration) {}

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SamplingLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let sampler = SchemaSampler(
        grammar: try request.schema.map { try grammars.grammar(for: $0) },
        typicalStringLength: model.typicalStringLength,
        tokenLimit: request.generationOptions.maximumResponseTokens)
      // A later turn of a conversation draws other values than the first.
      let base = request.generationOptions.samplingMode?.seed ?? model.seed
      var generator = SplitMix64(seed: base &+ UInt64(request.transcript.count) << 32)
      var run = sampler.start()
      while let bytes = try run.next(using: &generator) {
        try Task.checkCancellation()
        if model.tokenDelay > .zero { try await Task.sleep(for: model.tokenDelay) }
        await channel.send(
          .response(
            action: .appendText(String(decoding: bytes, as: UTF8.self), tokenCount: 1)))
      }
    }
  }
}
