// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// A provider of a model and what apps read of it, as packages for the release write them.

nonisolated struct Echo: LanguageModel {
  typealias Executor = EchoExecutor
  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.vision]) }
  var executorConfiguration: EchoExecutor.Configuration { .init() }
}

nonisolated struct EchoExecutor: LanguageModelExecutor {
  struct Configuration: Hashable {}
  init(configuration: Configuration) throws {}

  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest, model: Echo,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let screen = try request.metadata["screen"]?.value(String.self)
    let attempt = try request.metadata["attempt"]?.value(Int.self)
    await channel.send(
      .reasoning(entryID: "why", action: .updateMetadata(["effort": "low", "steps": 3])))
    await channel.send(
      .response(action: .appendText("\(screen ?? "-") \(attempt ?? 0)", tokenCount: 2)))
    await channel.send(.response(action: .updateMetadata(["provider": "first"])))
    var metadata: [String: any ConvertibleToGeneratedContent] = ["provider": "echo"]
    metadata["tags"] = ["a", "b"]
    await channel.send(.response(action: .updateMetadata(metadata)))
    await channel.send(
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: 3), output: .init(totalTokenCount: 2),
          metadata: ["duration": 0.5])))
  }
}

/// A value that can be JSON, and cannot be content.
nonisolated struct Coordinates: Codable, Equatable {
  var latitude: Double
}

nonisolated func words(of segment: Transcript.Segment) -> String {
  switch segment {
  case .text(let text): text.content
  case .structure(let structure): structure.content.jsonString
  case .attachment(let attachment): attachment.label ?? "-"
  }
}

nonisolated func name(of model: SystemLanguageModel) -> String {
  switch model.variant {
  case .core3: "small"
  case .coreAdvanced3: "large"
  default: model.variant.displayName
  }
}

/// What code of 2026 makes of a filtered transcript.
nonisolated struct Filtering {
  let transcript: Transcript

  func prompts() -> [Transcript.Entry] {
    transcript.filter { entry in
      if case .prompt = entry { return true }
      return false
    }
  }

  func words() -> [String] {
    transcript.filter(isPrompt).flatMap { entry -> [Transcript.Segment] in
      guard case .prompt(let prompt) = entry else { return [] }
      return prompt.segments
    }.map(\.description)
  }

  func counts() -> [Int] {
    let kept = transcript.filter(isPrompt)
    var entries: [Transcript.Entry] = transcript.filter(isPrompt)
    entries.append(contentsOf: kept)
    var all = transcript.filter(isPrompt)
    all += entries
    return [kept.count, entries.count, all.count, transcript.lazy.filter(isPrompt).count]
  }

  // Code of 2027 puts it back.
  func shortened() -> Transcript {
    var result = transcript
    result = result.filter(isPrompt)
    let kept = result.filter(isPrompt)
    result = kept
    return Transcript(entries: result.filter(isPrompt))
  }

  func isPrompt(_ entry: Transcript.Entry) -> Bool {
    if case .prompt = entry { true } else { false }
  }
}
