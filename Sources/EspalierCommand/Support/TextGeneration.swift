// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation

/// One request for a text of a grammar that is no schema.
struct TextGeneration {
  var grammar: ResponseGrammar
  var instructions: String?
  var options: GenerationOptions

  /// Hands the text on as it comes.
  ///
  /// - Returns: How many tokens the model says it read and wrote.
  func run(
    _ model: any LanguageModel, prompt: String, write: @escaping (String) -> Void
  ) async throws -> LanguageModelExecutorGenerationChannel.Usage? {
    guard let model = model as? any GrammarGuidedModel else {
      throw Failure.no.report(
        "a server is asked for values of schemas alone; a grammar needs --model with a model file")
    }
    return try await answer(model, prompt: prompt, write: write)
  }

  private func answer<Model: LanguageModel>(
    _ model: Model, prompt: String, write: @escaping (String) -> Void
  ) async throws -> LanguageModelExecutorGenerationChannel.Usage? {
    var entries: [Transcript.Entry] = [.prompt(.init(segments: [.text(.init(content: prompt))]))]
    if let instructions {
      entries.insert(
        .instructions(
          .init(segments: [.text(.init(content: instructions))], toolDefinitions: [])), at: 0)
    }
    var request = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: Transcript(entries: entries), enabledTools: [],
      generationOptions: options, contextOptions: ContextOptions(), metadata: [:])
    request.grammar = grammar
    let sent = request
    let events = AsyncThrowingStream<
      LanguageModelExecutorGenerationChannel.Event, any Error
    > { continuation in
      let channel = LanguageModelExecutorGenerationChannel { continuation.yield($0) }
      Task {
        do {
          let executor = try Model.Executor(configuration: model.executorConfiguration)
          try await executor.respond(to: sent, model: model, streamingInto: channel)
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
    var usage: LanguageModelExecutorGenerationChannel.Usage?
    do {
      for try await event in events {
        guard case .response(let action) = event.kind else { continue }
        switch action.kind {
        case .append(let fragment): write(fragment.content)
        case .usage(let counts): usage = counts
        default: break
        }
      }
    } catch LanguageModelError.unsupportedGenerationGuide(let payload) {
      throw Failure.no.report("the grammar cannot be honoured:\n\(payload.debugDescription)")
    } catch {
      throw Failure.model.report("\(error)")
    }
    return usage
  }
}
