// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

extension LanguageModelSession {
  /// What every way to ask for a response comes down to.
  func answer<Content: Generable>(
    _ prompt: Prompt, as type: Content.Type, schema: GenerationSchema?,
    options: GenerationOptions, contextOptions: ContextOptions,
    metadata: Transcript.MetadataValues, examples: [GenerationExample]? = nil
  ) async throws -> Response<Content> {
    let outcome = try await run(
      SessionRequest(
        prompt: prompt, schema: schema, options: options, contextOptions: contextOptions,
        metadata: metadata, examples: examples ?? self.examples,
        validate: { _ = try Content($0) }))
    return Response(
      content: try Content(outcome.content), rawContent: outcome.content,
      transcriptEntries: outcome.entries, usage: outcome.usage)
  }

  /// What every way to ask for a stream comes down to.
  func stream<Content: Generable>(
    _ prompt: Prompt, as type: Content.Type, schema: GenerationSchema?,
    options: GenerationOptions, contextOptions: ContextOptions,
    metadata: Transcript.MetadataValues, examples: [GenerationExample]? = nil
  ) -> sending ResponseStream<Content> {
    let owner = start(
      SessionRequest(
        prompt: prompt, schema: schema, options: options, contextOptions: contextOptions,
        metadata: metadata, examples: examples ?? self.examples,
        validate: { _ = try Content($0) }))
    return ResponseStream(owner: owner, schemaName: schema?.name)
  }

  /// Makes the model ready for a request that is likely to come.
  ///
  /// - Parameter promptPrefix: How the prompt of the request is likely to begin.
  public func prewarm(promptPrefix: Prompt? = nil) {
    if case .fixed(let model, _, _) = source {
      prewarm(model, transcript: transcript(before: promptPrefix))
    } else {
      Task {
        let profile = await source.resolve(properties)
        prewarm(
          profile.model,
          transcript: await profile.transform(
            transcript(before: promptPrefix, instructions: profile.instructions)))
      }
    }
  }

  private func transcript(
    before promptPrefix: Prompt?, instructions: Transcript.Instructions? = nil
  ) -> Transcript {
    var transcript = state.withLock { $0.transcript }
    if let instructions { transcript.replaceInstructions(with: instructions) }
    transcript.insertExamples(GenerationExample.entries(of: examples))
    if let promptPrefix {
      transcript.append(.prompt(.init(segments: Array(promptPrefix.parts))))
    }
    return transcript
  }

  private func prewarm(_ model: some LanguageModel, transcript: Transcript) {
    guard let executor = try? executors.executor(for: model) else { return }
    executor.prewarm(model: model, transcript: transcript)
  }
}
