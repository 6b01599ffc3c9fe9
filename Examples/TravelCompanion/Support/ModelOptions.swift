// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Espalier
import EspalierLocal

/// Which model answers.
struct ModelOptions: ParsableArguments {
  @Option(
    help: """
      A GGUF model file, smollm2 (fetched once), the address of a server \
      (http://localhost:8080#MODEL), or sampling (valid values without meaning). Where left out: \
      smollm2 if it is there or a person at a terminal waits for it, else sampling.
      """,
    completion: .file())
  var model: String?
  @Option(help: "The random seed.") var seed: UInt64 = 7

  /// The window that every conversation is kept within, whatever the model could read.
  static let contextSize = 4096

  /// Finds the model, and fetches it where it has to come first.
  func choose() async throws -> ChosenModel {
    let choice = try await ModelSource(model).choice()
    if let server = choice.server {
      return ChosenModel(
        model: try server.languageModel(), line: "Written by \(server.line).")
    }
    guard let path = choice.path else {
      return ChosenModel(
        model: WindowedModel(SamplingLanguageModel(seed: seed, toolCallProbability: 0.7)),
        line: (choice.remark.map { $0 + "\n" } ?? "")
          + "Written by the sampling model (seed \(seed)): valid, but without meaning. "
          + "Use --model smollm2, or --model PATH for a GGUF file.")
    }
    let file = try GGUFTokenModel(
      path: path, options: GGUFTokenModel.Options(contextSize: Self.contextSize))
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return ChosenModel(
      // A small model left alone says the same again and again; pushed too hard it leaves English.
      model: GuidedLanguageModel(
        file,
        sampling: TokenSampling(
          temperature: 0.3, minP: 0.15, repetitionPenalty: 1.05, sequencePenalty: 0.15, seed: seed)),
      line: "Written by \(name). Use --model PATH for another GGUF file, or --model sampling.")
  }
}

/// A model, and one line that says which it is and how to take another.
struct ChosenModel {
  var model: any LanguageModel
  var line: String

  /// A session of the model: errors that pass are tried again, and what does not fit the window
  /// any more is no longer shown.
  func session(
    tools: [any Tool] = [], language: Language, transcript: Transcript? = nil
  ) -> LanguageModelSession {
    configured(Self.session(model, tools: tools, language: language, transcript: transcript))
  }

  /// A session that goes on with a chat that was kept, and keeps what is added to it.
  func session(
    resuming id: Conversation.ID, in chats: some ConversationStore, tools: [any Tool]
  ) async throws -> LanguageModelSession {
    try await configured(Self.resume(model, id, chats, tools))
  }

  private static func resume(
    _ model: some LanguageModel, _ id: Conversation.ID, _ chats: some ConversationStore,
    _ tools: [any Tool]
  ) async throws -> LanguageModelSession {
    try await LanguageModelSession(
      resuming: id, in: chats, model: RetryingLanguageModel(model), tools: tools, latest: 200)
  }

  private func configured(_ session: LanguageModelSession) -> LanguageModelSession {
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 1024)
    session.toolCallPolicy = ToolCallPolicy(
      maximumRounds: 4, answersAfterLastRound: true, onFailure: .answerModel)
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
