// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Espalier
import EspalierLocal
import Foundation

@Generable
struct City {
  var name: String
}

struct BackendSnippets {
  func namesAFile() async throws {
    let model = GuidedLanguageModel(try GGUFTokenModel(path: "SmolLM2-135M-Instruct.Q4_1.gguf"))
    let session = LanguageModelSession(model: model)
    let city = try await session.respond(to: "A city in Japan", generating: City.self).content

    print(city)
  }

  func tokens(of folder: URL) throws -> Vocabulary {
    let file = try Data(contentsOf: folder.appending(path: "tokenizer.json"))
    let vocabulary = try Vocabulary(
      tokenizerJSON: file, endOfSequence: "<|im_end|>", count: 151_936)

    return vocabulary
  }

  func tokensWithoutCount(of folder: URL) throws -> Vocabulary {
    let file = try Data(contentsOf: folder.appending(path: "tokenizer.json"))
    let vocabulary = try Vocabulary(tokenizerJSON: file, endOfSequence: "<|im_end|>")
    return vocabulary
  }

  func requirements() throws {
    let needed = try GGUFTokenModel.Requirements(path: "model.gguf").bytes(forTokens: 4096)
    print(needed)
  }

  func context(
    reading prompt: [Int], of model: GGUFTokenModel, savedAt path: String
  ) throws -> GGUFTokenModel.Context {
    if let saved = model.makeContext(reading: prompt, savedAt: path) { return saved }
    var context = model.makeContext()
    try context.append(prompt)
    try context.save(to: path)
    return context
  }

  func launches(
    _ model: GuidedLanguageModel<GGUFTokenModel>, instructions: String, savedAt path: String
  ) async throws -> LanguageModelSession {
    let session = LanguageModelSession(model: model, instructions: instructions)
    try await model.prewarm(session.transcript, savedAt: path)
    return session
  }

  func raisesLimits(of schema: String) throws -> Grammar {
    var options = CompilationOptions.generation
    options.limits.alternatives = 16_384
    let grammar = try Grammar(jsonSchema: schema, options: options)

    return grammar
  }

  func standIn(path: String) throws {
    SystemLanguageModel.setDefaultModel(GuidedLanguageModel(try GGUFTokenModel(path: path)))
  }

  func wrappers(model: SamplingLanguageModel) async throws {
    let metrics = GenerationMetrics()
    let careful = TimeLimitedLanguageModel(
      RetryingLanguageModel(MeteredLanguageModel(model, metrics: metrics)), limit: .seconds(30))
    let session = LanguageModelSession(model: careful)

    _ = try await session.respond(to: "Hello")
    print(metrics.snapshot.latency.p95)
  }

  func routes(local: SamplingLanguageModel, server: SamplingLanguageModel) {
    let model = RoutedLanguageModel(
      [
        .init(local, name: "local"),
        .init(server, name: "server", cost: 3),
      ], order: .byCost)
    print(model)
  }
}

struct Parrot: LanguageModel {
  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities() }
  var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}
    init(configuration: Configuration) {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: Parrot,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let text = request.transcript.last?.description ?? ""
      await channel.send(.response(action: .appendText(text, tokenCount: 1)))
    }
  }
}

struct EchoModel: TokenModel {
  let vocabulary = Vocabulary.singleBytes
  let contextSize = 4096
  func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map(Int.init) }
  func makeContext() -> Context { Context() }

  struct Context: TokenModelContext {
    var tokens: [Int] = []
    mutating func append(_ tokens: [Int]) { self.tokens += tokens }
    mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
    mutating func nextLogits(into logits: inout [Float]) {
      // 256 bytes, and the end token.
      logits = (0...256).map { $0 == tokens.last ? 1 : 0 }
    }
  }
}

struct Shouting<Base: LanguageModel>: WrappingLanguageModel {
  typealias Executor = WrappingExecutor<Self>
  let base: Base

  func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    var request = request
    request.generationOptions.temperature = 2
    try await next.respond(to: request, streamingInto: channel)
  }
}

struct SchemaProcessor {
  private var matcher: Matcher
  private var allowed: TokenBitmask

  init(schema: String, vocabulary: Vocabulary) throws {
    matcher = Matcher(grammar: try Grammar(jsonSchema: schema), vocabulary: vocabulary)
    allowed = TokenBitmask(vocabulary: vocabulary)
    matcher.fill(&allowed)
  }

  /// Before a token is drawn.
  func process(_ logits: inout [Float]) {
    allowed.apply(to: &logits)
  }

  /// After it was drawn.
  mutating func didSample(_ token: Int) throws {
    try matcher.accept(token)
    matcher.fill(&allowed)
    try matcher.checkLimit()
  }
}
