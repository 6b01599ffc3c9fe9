// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Synchronization

/// What an executor sent, put together.
struct Collected: Sendable {
  struct Call: Sendable, Equatable {
    var id: String
    var name: String
    var arguments: String
  }

  var text = ""
  var reasoning = ""
  var calls: [Call] = []
  var input = 0
  var output = 0
  var metadata: [String: GeneratedContent] = [:]
  /// The first states of the text.
  var states: [String] = []

  mutating func apply(_ event: LanguageModelExecutorGenerationChannel.Event) {
    switch event.kind {
    case .response(let action):
      switch action.kind {
      case .append(let fragment): text += fragment.content
      case .replace(let replacement): text = replacement.content
      case .usage(let usage):
        input = usage.input.totalTokenCount
        output = usage.output.totalTokenCount
        return
      case .metadata(let values):
        metadata = values.values
        return
      default: return
      }
      if states.count < 1000 { states.append(text) }
    case .reasoning(let action):
      switch action.kind {
      case .append(let fragment): reasoning += fragment.content
      case .replace(let replacement): reasoning = replacement.content
      default: break
      }
    case .toolCalls(let action):
      switch action.kind {
      case .call(let call):
        guard case .append(let fragment) = call.action.kind else { return }
        if let index = calls.firstIndex(where: { $0.id == call.id }) {
          calls[index].arguments += fragment.content
        } else {
          calls.append(Call(id: call.id, name: call.name, arguments: fragment.content))
        }
      case .remove(let id): calls.removeAll { $0.id == id }
      default: break
      }
    }
  }
}

/// Asks a model once, without a session.
func ask(
  _ model: ServerLanguageModel, prompt: String = "Hello", schema: String? = nil,
  tools: [String: String] = [:], options: GenerationOptions = GenerationOptions(),
  contextOptions: ContextOptions = ContextOptions(), metadata: [String: String] = [:]
) async throws -> Collected {
  let collected = Mutex(Collected())
  let channel = LanguageModelExecutorGenerationChannel { event in
    collected.withLock { $0.apply(event) }
  }
  let format = try schema.map { try GenerationSchema(jsonSchema: $0) }
  let request = LanguageModelExecutorGenerationRequest(
    id: UUID(),
    transcript: Transcript(entries: [
      .prompt(
        .init(
          segments: [.text(.init(content: prompt))],
          responseFormat: format.map(Transcript.ResponseFormat.init(schema:))))
    ]),
    enabledTools: try tools.sorted { $0.key < $1.key }.map { name, parameters in
      .init(
        name: name, description: "A tool", parameters: try GenerationSchema(jsonSchema: parameters))
    },
    schema: format, generationOptions: options, contextOptions: contextOptions,
    metadata: metadata)
  let executor = try ServerLanguageModel.Executor(configuration: model.executorConfiguration)
  try await executor.respond(to: request, model: model, streamingInto: channel)
  return collected.withLock { $0 }
}

/// Events of Chat Completions.
enum Chunk {
  static func event(_ json: String) -> String { "data: \(json)\n\n" }

  static func delta(_ delta: String, finish: String? = nil) -> String {
    let reason = finish.map { "\"\($0)\"" } ?? "null"
    return event(
      #"{"id":"c1","model":"m","choices":[{"index":0,"delta":\#(delta),"finish_reason":\#(reason)}]}"#
    )
  }

  static func text(_ text: String) -> String {
    delta("{\"content\":\(text.generatedContent.jsonString)}")
  }

  /// Text in pieces of two characters.
  static func pieces(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while !rest.isEmpty {
      result += self.text(String(rest.prefix(2)))
      rest = rest.dropFirst(2)
    }
    return result
  }

  static func stop(_ reason: String = "stop") -> String { delta("{}", finish: reason) }

  static let usage = event(
    #"{"id":"c1","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}"#)
  static let done = event("[DONE]")
  static let end = stop() + usage + done
}
