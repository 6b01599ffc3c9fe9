// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// Each of the 36 ways in which the interface asks, once, with all of its arguments: the nine
/// combinations of text, schema and type with a prompt, a string and a closure, answered at once and
/// streamed, in both generations. Calls with fewer arguments, as apps write them, are in
/// `OverloadCalls`.
struct OverloadPairs {
  let session: LanguageModelSession
  private let prompt = Prompt("About trains")
  private let text = "About trains"
  private let schema = TripPlan.generationSchema
  private let options = GenerationOptions(temperature: 0.5)
  private let context = ContextOptions(includeSchemaInPrompt: true)
  private let metadata: [String: any Sendable & Codable & Equatable] = ["screen": "home"]

  init(session: LanguageModelSession) { self.session = session }

  func answeredTexts() async throws -> [String] {
    [
      try await session.respond(to: prompt, options: options).content,
      try await session.respond(to: text, options: options).content,
      try await session.respond(options: options) { text }.content,
      try await session.respond(
        to: prompt, options: options, contextOptions: context, metadata: metadata
      ).content,
      try await session.respond(
        to: text, options: options, contextOptions: context, metadata: metadata
      ).content,
      try await session.respond(options: options, contextOptions: context, metadata: metadata) {
        text
      }.content,
    ]
  }

  func answeredContents() async throws -> [GeneratedContent] {
    [
      try await session.respond(
        to: prompt, schema: schema, includeSchemaInPrompt: true, options: options
      ).content,
      try await session.respond(
        to: text, schema: schema, includeSchemaInPrompt: true, options: options
      ).content,
      try await session.respond(schema: schema, includeSchemaInPrompt: true, options: options) {
        text
      }.content,
      try await session.respond(
        to: prompt, schema: schema, options: options, contextOptions: context, metadata: metadata
      ).content,
      try await session.respond(
        to: text, schema: schema, options: options, contextOptions: context, metadata: metadata
      ).content,
      try await session.respond(
        schema: schema, options: options, contextOptions: context, metadata: metadata
      ) { text }.content,
    ]
  }

  func answeredPlans() async throws -> [TripPlan] {
    [
      try await session.respond(
        to: prompt, generating: TripPlan.self, includeSchemaInPrompt: true, options: options
      ).content,
      try await session.respond(
        to: text, generating: TripPlan.self, includeSchemaInPrompt: true, options: options
      ).content,
      try await session.respond(
        generating: TripPlan.self, includeSchemaInPrompt: true, options: options
      ) { text }.content,
      try await session.respond(
        to: prompt, generating: TripPlan.self, options: options, contextOptions: context,
        metadata: metadata
      ).content,
      try await session.respond(
        to: text, generating: TripPlan.self, options: options, contextOptions: context,
        metadata: metadata
      ).content,
      try await session.respond(
        generating: TripPlan.self, options: options, contextOptions: context, metadata: metadata
      ) { text }.content,
    ]
  }

  func streamedTexts() async throws -> [String] {
    [
      try await session.streamResponse(to: prompt, options: options).collect().content,
      try await session.streamResponse(to: text, options: options).collect().content,
      try await session.streamResponse(options: options) { text }.collect().content,
      try await session.streamResponse(
        to: prompt, options: options, contextOptions: context, metadata: metadata
      ).collect().content,
      try await session.streamResponse(
        to: text, options: options, contextOptions: context, metadata: metadata
      ).collect().content,
      try await session.streamResponse(
        options: options, contextOptions: context, metadata: metadata
      ) { text }.collect().content,
    ]
  }

  func streamedContents() async throws -> [GeneratedContent] {
    [
      try await session.streamResponse(
        to: prompt, schema: schema, includeSchemaInPrompt: true, options: options
      ).collect().content,
      try await session.streamResponse(
        to: text, schema: schema, includeSchemaInPrompt: true, options: options
      ).collect().content,
      try await session.streamResponse(
        schema: schema, includeSchemaInPrompt: true, options: options
      ) { text }.collect().content,
      try await session.streamResponse(
        to: prompt, schema: schema, options: options, contextOptions: context, metadata: metadata
      ).collect().content,
      try await session.streamResponse(
        to: text, schema: schema, options: options, contextOptions: context, metadata: metadata
      ).collect().content,
      try await session.streamResponse(
        schema: schema, options: options, contextOptions: context, metadata: metadata
      ) { text }.collect().content,
    ]
  }

  func streamedPlans() async throws -> [TripPlan] {
    [
      try await session.streamResponse(
        to: prompt, generating: TripPlan.self, includeSchemaInPrompt: true, options: options
      ).collect().content,
      try await session.streamResponse(
        to: text, generating: TripPlan.self, includeSchemaInPrompt: true, options: options
      ).collect().content,
      try await session.streamResponse(
        generating: TripPlan.self, includeSchemaInPrompt: true, options: options
      ) { text }.collect().content,
      try await session.streamResponse(
        to: prompt, generating: TripPlan.self, options: options, contextOptions: context,
        metadata: metadata
      ).collect().content,
      try await session.streamResponse(
        to: text, generating: TripPlan.self, options: options, contextOptions: context,
        metadata: metadata
      ).collect().content,
      try await session.streamResponse(
        generating: TripPlan.self, options: options, contextOptions: context, metadata: metadata
      ) { text }.collect().content,
    ]
  }
}
