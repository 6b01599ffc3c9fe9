// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// Every way in which apps ask, compiled: none of the calls is ambiguous. Run with a model that
/// answers all of them.
struct OverloadCalls {
  let session: LanguageModelSession
  let schema = TripPlan.generationSchema

  func text(_ topic: String) async throws -> [String] {
    let prompt = Prompt("About \(topic)")
    let greedy = GenerationOptions(sampling: .greedy)
    let metadata: [String: any Sendable & Codable & Equatable] = ["screen": "home"]
    var answers: [LanguageModelSession.Response<String>] = []
    answers.append(try await session.respond(to: "Hello"))
    answers.append(try await session.respond(to: topic))
    answers.append(try await session.respond(to: "Hello \(topic)"))
    answers.append(try await session.respond(to: prompt))
    answers.append(try await session.respond(to: "Hello", options: greedy))
    answers.append(try await session.respond(to: prompt, options: .init(temperature: 0.5)))
    answers.append(try await session.respond { "Hello" })
    answers.append(
      try await session.respond(options: greedy) {
        "Hello"
        topic
      })
    answers.append(try await session.respond(to: "Hello", contextOptions: ContextOptions()))
    answers.append(
      try await session.respond(
        to: prompt, options: greedy, contextOptions: .init(reasoningLevel: .light),
        metadata: metadata))
    answers.append(try await session.respond(to: topic, metadata: metadata))
    answers.append(try await session.respond(contextOptions: ContextOptions()) { topic })
    _ = try await session.respond(to: "Discarded")
    try await session.respond(to: "Discarded")
    return answers.map(\.content)
  }

  func generating(_ topic: String) async throws -> [TripPlan] {
    let prompt = Prompt("About \(topic)")
    let options = GenerationOptions(maximumResponseTokens: 500)
    var plans: [TripPlan] = []
    plans.append(try await session.respond(to: "Plan", generating: TripPlan.self).content)
    plans.append(try await session.respond(to: topic, generating: TripPlan.self).content)
    plans.append(try await session.respond(to: prompt, generating: TripPlan.self).content)
    let inferred: LanguageModelSession.Response<TripPlan> = try await session.respond(
      to: "Plan", generating: TripPlan.self, options: options)
    plans.append(inferred.content)
    plans.append(
      try await session.respond(
        to: prompt, generating: TripPlan.self, includeSchemaInPrompt: false
      ).content)
    plans.append(
      try await session.respond(
        to: "Plan", generating: TripPlan.self, includeSchemaInPrompt: false, options: options
      ).content)
    plans.append(try await session.respond(generating: TripPlan.self) { "Plan" }.content)
    plans.append(
      try await session.respond(
        generating: TripPlan.self, includeSchemaInPrompt: false, options: options
      ) { topic }.content)
    plans.append(
      try await session.respond(
        to: "Plan", generating: TripPlan.self, contextOptions: .init(includeSchemaInPrompt: false)
      ).content)
    plans.append(
      try await session.respond(
        to: prompt, generating: TripPlan.self, options: options, metadata: ["a": 1]
      ).content)
    plans.append(
      try await session.respond(
        to: "Plan", generating: TripPlan.self, options: options, contextOptions: .init(),
        metadata: ["screen": "home"]
      ).content)
    plans.append(
      try await session.respond(
        to: topic, generating: TripPlan.self, metadata: ["screen": "home", "attempt": 2]
      ).content)
    plans.append(
      try await session.respond(to: topic, generating: TripPlan.self, metadata: [:]).content)
    plans.append(
      try await session.respond(generating: TripPlan.self, metadata: ["a": 1]) { topic }.content)
    plans.append(
      try await session.respond(generating: TripPlan.self, options: options) { topic }.content)
    return plans
  }

  func schema(_ topic: String) async throws -> [GeneratedContent] {
    let prompt = Prompt("About \(topic)")
    var contents: [GeneratedContent] = []
    contents.append(try await session.respond(to: "Plan", schema: schema).content)
    contents.append(try await session.respond(to: prompt, schema: schema).content)
    contents.append(try await session.respond(schema: schema) { topic }.content)
    contents.append(
      try await session.respond(to: topic, schema: schema, includeSchemaInPrompt: false).content)
    contents.append(
      try await session.respond(
        to: prompt, schema: schema, includeSchemaInPrompt: true, options: .init()
      ).content)
    contents.append(
      try await session.respond(
        to: topic, schema: schema, options: .init(), contextOptions: .init()
      ).content)
    contents.append(
      try await session.respond(to: "Plan", schema: schema, metadata: ["a": 1]).content)
    contents.append(
      try await session.respond(schema: schema, contextOptions: .init()) { topic }.content)
    return contents
  }

  func streams(_ topic: String) async throws -> Int {
    let prompt = Prompt("About \(topic)")
    var count = 0
    for try await _ in session.streamResponse(to: "Hello") { count += 1 }
    for try await _ in session.streamResponse(to: topic) { count += 1 }
    for try await _ in session.streamResponse(to: prompt) { count += 1 }
    for try await _ in session.streamResponse(options: .init(), prompt: { topic }) { count += 1 }
    for try await _ in session.streamResponse(to: topic, metadata: ["a": 1]) { count += 1 }
    return count
  }

  func structuredStreams(_ topic: String) async throws -> [TripPlan] {
    let prompt = Prompt("About \(topic)")
    var plans: [TripPlan] = []
    plans.append(
      try await session.streamResponse(to: "Plan", generating: TripPlan.self).collect().content)
    plans.append(
      try await session.streamResponse(to: prompt, generating: TripPlan.self).collect().content)
    plans.append(
      try await session.streamResponse(
        to: topic, generating: TripPlan.self, includeSchemaInPrompt: false
      ).collect().content)
    plans.append(
      try await session.streamResponse(generating: TripPlan.self) { topic }.collect().content)
    plans.append(
      try await session.streamResponse(
        to: "Plan", generating: TripPlan.self, contextOptions: .init()
      ).collect().content)
    plans.append(
      try await session.streamResponse(
        to: "Plan", generating: TripPlan.self, metadata: ["screen": "home", "attempt": 2]
      ).collect().content)
    let content = try await session.streamResponse(to: prompt, schema: schema).collect().content
    plans.append(try TripPlan(content))
    let other = try await session.streamResponse(schema: schema, includeSchemaInPrompt: false) {
      topic
    }.collect().content
    plans.append(try TripPlan(other))
    return plans
  }
}

/// An app's own protocol in front of the session, so that it can be replaced: the signatures of the
/// first generation are there exactly.
protocol Responder {
  func respond(
    to prompt: Prompt, options: GenerationOptions
  ) async throws -> LanguageModelSession.Response<String>
  func respond<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type, includeSchemaInPrompt: Bool,
    options: GenerationOptions
  ) async throws -> LanguageModelSession.Response<Content>
}

extension LanguageModelSession: Responder {}
