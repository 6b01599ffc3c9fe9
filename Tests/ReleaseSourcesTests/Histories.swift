// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// Ways to keep a history short, as packages for the framework write them: in a callback, which changes
// the session, and as a transformation, which changes what the model is shown.

extension LanguageModelSession.DynamicProfile {
  func window(entries: Int) -> some DynamicProfile {
    modifier(WindowModifier(entries: entries))
  }

  func shownWindow(entries: Int) -> some DynamicProfile {
    historyTransform { history in Array(history.suffix(entries)) }
  }

  func withoutFinishedCalls() -> some DynamicProfile {
    modifier(FinishedCallsModifier())
  }

  func summary(above limit: Int, by model: some LanguageModel) -> some DynamicProfile {
    modifier(SummaryModifier(limit: limit, model: model))
  }
}

private struct WindowModifier: LanguageModelSession.DynamicProfileModifier {
  @SessionProperty(\.history) var history
  let entries: Int

  func body(content: Content) -> some DynamicProfile {
    content.onPrompt { history = history.suffix(entries) }
  }
}

private struct FinishedCallsModifier: LanguageModelSession.DynamicProfileModifier {
  @SessionProperty(\.history) private var history

  func body(content: Content) -> some DynamicProfile {
    content.onPrompt {
      history.removeAll { entry in
        switch entry {
        case .toolCalls, .toolOutput: true
        default: false
        }
      }
    }
  }
}

private struct SummaryModifier<Model: LanguageModel>: LanguageModelSession.DynamicProfileModifier {
  let limit: Int
  let model: Model
  @SessionProperty(\.history) var history

  func body(content: Content) -> some DynamicProfile {
    content.onPrompt {
      guard history.count > limit, case .prompt(let prompt)? = history.last else { return }
      let session = LanguageModelSession(model: model, instructions: { "Put it in short." })
      let story = history.dropLast().map(\.description).joined(separator: "\n")
      let summary = try await session.respond(to: Prompt { "Said so far:\n\(story)" }).content
      let segment = Transcript.TextSegment(content: "In short: \(summary)\n")
      history = [
        .prompt(
          Transcript.Prompt(
            id: UUID().uuidString, segments: [.text(segment)] + prompt.segments,
            options: prompt.options, responseFormat: prompt.responseFormat))
      ]
    }
  }
}

struct WindowedChat: LanguageModelSession.DynamicProfile {
  let entries: Int
  var body: some DynamicProfile {
    Profile { Instructions("You chat.") }.window(entries: entries)
  }
}

struct ShownWindowChat: LanguageModelSession.DynamicProfile {
  let entries: Int
  var body: some DynamicProfile {
    Profile { "You chat." }.shownWindow(entries: entries)
  }
}

struct SummarizedChat: LanguageModelSession.DynamicProfile {
  let limit: Int
  let summarizer: ScriptedLanguageModel
  var body: some DynamicProfile {
    Profile { "You chat." }.summary(above: limit, by: summarizer).window(entries: 10)
  }
}

struct TidyPlanner: LanguageModelSession.DynamicProfile {
  var body: some DynamicProfile { Planner().withoutFinishedCalls() }
}

struct ShortChat: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history

  var body: some DynamicProfile {
    Profile { "You chat." }
      .onResponse {
        if history.count > 4 { history = history.suffix(2) }
      }
  }
}
