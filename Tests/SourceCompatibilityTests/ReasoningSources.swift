// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

// Chats of 2027 that show what a model thinks, and which tools it calls, while the answer streams:
// they read the entries of each snapshot.

struct Progress: Equatable {
  var answer = ""
  var thought = ""
  var toolOutputs: [String] = []

  mutating func take(_ entries: ArraySlice<Transcript.Entry>) {
    toolOutputs = []
    for entry in entries {
      switch entry {
      case .reasoning(let reasoning):
        thought = reasoning.segments.compactMap { segment in
          if case .text(let text) = segment { text.content } else { nil }
        }.joined()
      case .toolOutput(let output): toolOutputs.append("\(output.toolName): \(output.segments)")
      default: break
      }
    }
  }
}

@MainActor @Observable
final class ThinkingChat {
  let session: LanguageModelSession
  private(set) var steps: [Progress] = []
  private(set) var reasoningTokenCounts: [Int] = []
  private(set) var responseIDs: Set<String> = []

  init(model: some LanguageModel, tools: [any Tool] = []) {
    session = LanguageModelSession(model: model, tools: tools)
  }

  func send(_ text: String) async throws {
    var progress = Progress()
    for try await snapshot in session.streamResponse(
      to: text, contextOptions: ContextOptions(reasoningLevel: .moderate))
    {
      progress.answer = snapshot.content
      progress.take(snapshot.transcriptEntries)
      steps.append(progress)
      reasoningTokenCounts.append(snapshot.usage.output.reasoningTokenCount)
      if case .response(let response) = snapshot.transcriptEntries.last {
        responseIDs.insert(response.id)
      }
    }
  }

  /// The thoughts while a value grows, and the first text of the value.
  func plan<Value: Generable>(_ type: Value.Type) async throws -> [String] {
    var thoughts: [String] = []
    for try await snapshot in session.streamResponse(to: "Plan", generating: type) {
      var progress = Progress()
      progress.take(snapshot.transcriptEntries)
      thoughts.append(progress.thought)
    }
    return thoughts
  }
}
