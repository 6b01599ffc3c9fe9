// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import ConstrainedDecoding
public import EspalierCore
import Synchronization

/// A language model made of a token model: schemas are held by construction, tools are called,
/// text is streamed, and what was read stays read between turns.
///
/// ```swift
/// let model = GuidedLanguageModel(try GGUFTokenModel(path: "SmolLM2-135M-Instruct.Q4_1.gguf"))
/// let session = LanguageModelSession(model: model)
/// let city = try await session.respond(to: "A city in Japan", generating: City.self).content
/// ```
///
/// A model of another library is plugged in by a type that conforms to ``TokenModel``:
///
/// ```swift
/// struct EchoModel: TokenModel {
///   let vocabulary = Vocabulary.singleBytes
///   let contextSize = 4096
///   func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map(Int.init) }
///   func makeContext() -> Context { Context() }
///
///   struct Context: TokenModelContext {
///     var tokens: [Int] = []
///     mutating func append(_ tokens: [Int]) { self.tokens += tokens }
///     mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
///     mutating func nextLogits(into logits: inout [Float]) {
///       // 256 bytes, and the end token.
///       logits = (0...256).map { $0 == tokens.last ? 1 : 0 }
///     }
///   }
/// }
/// ```
public struct GuidedLanguageModel<Base: TokenModel>: TokenCountingModel {
  /// How tokens are drawn where a request does not say.
  public var sampling: TokenSampling
  /// How the model is told of the schema of its response, where a request wants that.
  public var schemaPrompt: SchemaPrompt
  /// How much the model thinks before it answers.
  public var reasoning: ReasoningOptions
  /// Whether forced text is written without a call of the model; for comparisons.
  package var writesForcedText = true
  /// The white space that the model may write within a value; for comparisons.
  package var whitespace = CompilationOptions.Whitespace.spaced
  let runtime: ModelRuntime<Base>

  /// Creates a model. Copies of it share what was read; so make one and keep it.
  ///
  /// - Parameters:
  ///   - base: The token model.
  ///   - sampling: How tokens are drawn where a request does not say.
  ///   - schemaPrompt: How the model is told of the schema of its response; as the token model says
  ///     where nil.
  ///   - reasoning: How much the model thinks before it answers.
  ///   - concurrency: How many requests are answered at once, and by how many threads.
  public init(
    _ base: Base, sampling: TokenSampling = TokenSampling(),
    schemaPrompt: SchemaPrompt? = nil,
    reasoning: ReasoningOptions = ReasoningOptions(),
    concurrency: GenerationConcurrency = GenerationConcurrency()
  ) {
    self.sampling = sampling
    self.schemaPrompt = schemaPrompt ?? base.schemaPrompt
    self.reasoning = reasoning
    runtime = ModelRuntime(base: base, concurrency: concurrency)
  }

  public var capabilities: LanguageModelCapabilities {
    var capabilities: [LanguageModelCapabilities.Capability] = [
      .guidedGeneration, .toolCalling, .tokenCounting,
    ]
    if runtime.base.chatTemplate.reasoningSyntax != nil { capabilities.append(.reasoning) }
    return LanguageModelCapabilities(capabilities)
  }

  public var contextSize: Int { runtime.base.contextSize }

  public var executorConfiguration: Executor.Configuration {
    Executor.Configuration(runtime: runtime)
  }

  public func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    var tools: [Transcript.ToolDefinition] = []
    for case .instructions(let entry) in entries { tools += entry.toolDefinitions }
    let writer = PromptWriter(
      tools: tools, includesSchema: true, template: runtime.base.chatTemplate,
      form: runtime.form, schemaPrompt: schemaPrompt)
    // Not where the model computes: a request that is counted would wait for those before it.
    return try await ComputeThreads.shared.run { [runtime] in
      runtime.tokens(of: try writer.conversation(of: entries, opensTurn: false)).count
    }
  }

  /// Runs a token model.
  public struct Executor: LanguageModelExecutor {
    /// Which model is run.
    public struct Configuration: Hashable, Sendable {
      let runtime: ModelRuntime<Base>

      public static func == (a: Configuration, b: Configuration) -> Bool {
        a.runtime === b.runtime
      }
      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(runtime)) }
    }

    let runtime: ModelRuntime<Base>

    public init(configuration: Configuration) throws { runtime = configuration.runtime }

    /// Reads the transcript, so that a request that begins with it finds it read.
    public func prewarm(model: GuidedLanguageModel, transcript: Transcript) {
      runtime.prewarm { runtime in
        guard let tokens = try? model.beginning(of: transcript), !tokens.isEmpty else { return }
        var context = runtime.takeContext(for: tokens)
        // A transcript that is too long is the request's error to report.
        try? await runtime.read(tokens[context.tokens.count...], into: &context)
        runtime.giveBack(context)
      }
    }

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: GuidedLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      await runtime.prewarmingEnds()
      let runtime = runtime
      try await runtime.slots.withSlot {
        runtime.passes.enter()
        defer { runtime.passes.leave() }
        try await runtime.threads.run {
          var response = try GuidedResponse(request: request, model: model)
          do {
            try await response.run(into: channel)
          } catch {
            runtime.giveBack(response.generation.context)
            throw error
          }
          runtime.giveBack(response.generation.context)
        }
      }
    }
  }
}

/// Its events can carry the probabilities of their tokens.
extension GuidedLanguageModel: TokenProbabilityModel {}

/// It holds texts to grammars too.
extension GuidedLanguageModel: GrammarGuidedModel {}
