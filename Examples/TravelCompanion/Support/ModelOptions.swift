import ArgumentParser
import Espalier
import EspalierLocal

/// Which model answers.
struct ModelOptions: ParsableArguments {
  @Option(
    help: "A GGUF model file; without one, the sampling model draws valid values.",
    completion: .file())
  var model: String?
  @Option(help: "The seed of the sampling model.") var seed: UInt64 = 7

  /// The window that every conversation is kept within, whatever the model could read.
  static let contextSize = 4096

  func make() throws -> any LanguageModel {
    guard let model else {
      return WindowedModel(SamplingLanguageModel(seed: seed, toolCallProbability: 0.7))
    }
    let file = try GGUFTokenModel(
      path: model, options: GGUFTokenModel.Options(contextSize: Self.contextSize))
    return GuidedLanguageModel(file)
  }

  /// One line that says which model writes, and how to take another.
  var description: String {
    model.map { "Written by \($0)." }
      ?? "Written by the sampling model (seed \(seed)): valid, but without meaning. "
      + "Use --model PATH for a GGUF file."
  }

  /// A session of the model: errors that pass are tried again, and what does not fit the window
  /// any more is no longer shown.
  func session(
    tools: [any Tool] = [], language: Language, transcript: Transcript? = nil
  ) throws -> LanguageModelSession {
    let session = Self.session(try make(), tools: tools, language: language, transcript: transcript)
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 1024)
    session.toolCallPolicy.onFailure = .answerModel
    return session
  }

  private static func session(
    _ model: some LanguageModel, tools: [any Tool], language: Language, transcript: Transcript?
  ) -> LanguageModelSession {
    let model = RetryingLanguageModel(model)
    if let transcript {
      return LanguageModelSession(model: model, tools: tools, transcript: transcript)
    }
    return LanguageModelSession(
      model: model, tools: tools, instructions: language.instructions)
  }
}

/// The sampling model with a window like a real one's: about four bytes are a token.
struct WindowedModel: WrappingLanguageModel {
  typealias Executor = WrappingExecutor<Self>
  let base: SamplingLanguageModel

  init(_ base: SamplingLanguageModel) { self.base = base }

  var contextSize: Int { ModelOptions.contextSize }

  func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    entries.reduce(0) { $0 + $1.description.utf8.count / 4 + 4 }
  }

  func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await next.respond(to: request, streamingInto: channel)
  }
}
