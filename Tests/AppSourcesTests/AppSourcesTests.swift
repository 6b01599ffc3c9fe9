// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

private let planJSON =
  #"{"title":"Kyoto","days":[{"place":"Gion","cost":40},{"place":"Nara","cost":60,"note":"Deer"}],"budget":"low"}"#

@Suite struct AppSourcesTests {
  @Test @MainActor func itineraryWithATool() async throws {
    let model = ScriptedLanguageModel([
      .toolCall(
        "findPointsOfInterest",
        arguments: #"{"pointOfInterest":"hotel","naturalLanguageQuery":"quiet"}"#),
      .text(planJSON),
    ])
    let generator = ItineraryGenerator(model: model)
    generator.prewarm()
    await generator.generate(dayCount: 2)
    #expect(generator.error == nil)
    #expect(generator.itinerary?.days?.count == 2)
    #expect(generator.itinerary?.days?[1].note == "Deer")
    #expect(generator.snapshotCount > 0)
    #expect(model.prewarmCount == 1)
    let outputs = generator.session.transcript.filter {
      if case .toolOutput = $0 { true } else { false }
    }
    #expect(
      outputs.map(\.description) == [
        "Output of findPointsOfInterest: There are these hotels: Hotel 1, Hotel 2"
      ])
    #expect(model.requests[0].enabledToolDefinitions.map(\.name) == ["findPointsOfInterest"])
  }

  @Test @MainActor func itineraryDrawnFromASeed() async throws {
    let generator = ItineraryGenerator(model: SamplingLanguageModel(seed: 4))
    await generator.generate(dayCount: 2)
    #expect(generator.error == nil)
    #expect(generator.itinerary?.days?.count == 2)
    #expect(["low", "medium", "high"].contains(generator.itinerary?.budget))
  }

  @Test @MainActor func chat() async throws {
    let model = ScriptedLanguageModel([
      .text("Hello you."), .init([.text("So "), .delay(.seconds(600))]),
      .failure(
        LanguageModelError.refusal(.init(explanation: "I would rather not."))),
      .failure(
        LanguageModelError.refusal(.init(explanation: "I would rather not."))),
      .text("Welcome back."),
    ])
    let chat = ChatViewModel(model: model)
    chat.send("Hi")
    await chat.task?.value
    #expect(chat.messages == ["me: Hi", "guide: Hello you."])
    #expect(chat.streamedText == "Hello you.")
    chat.send("More")
    while chat.streamedText != "So " && chat.streamedText != "So" {
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(!chat.canSend)
    chat.stop()
    await chat.task?.value
    #expect(chat.errorMessage == "Stopped.")
    #expect(chat.canSend)
    chat.send("Then?")
    await chat.task?.value
    #expect(chat.errorMessage == "The model declined: I would rather not.")
    chat.session.errorGeneration = .first
    #expect(await chat.answerAsIn2026("Please") == "I would rather not.")
    let saved = try chat.save()
    try chat.restore(saved, model: model)
    #expect(chat.messages == ["me: Hi", "guide: Hello you."])
    chat.send("I am back")
    await chat.task?.value
    #expect(chat.streamedText == "Welcome back.")
  }

  @Test func everyOverloadIsAnswered() async throws {
    let model = ScriptedLanguageModel { request, _ in
      .text(request.schema == nil ? "Fine." : planJSON)
    }
    let calls = OverloadCalls(session: LanguageModelSession(model: model))
    #expect(try await calls.text("trains").allSatisfy { $0 == "Fine." })
    #expect(Set(try await calls.generating("trains").map(\.title)) == ["Kyoto"])
    #expect(Set(try await calls.schema("trains").map(\.jsonString)) == [planJSON])
    // One snapshot of the only piece, and one that says that it was the last.
    #expect(try await calls.streams("trains") == 10)
    #expect(try await calls.structuredStreams("trains").count == 8)
    let responder: any Responder = calls.session
    #expect(
      try await responder.respond(to: Prompt("Hi"), options: GenerationOptions()).content
        == "Fine.")
  }

  @Test func everyPairOfOverloads() async throws {
    let model = ScriptedLanguageModel { request, _ in
      .text(request.schema == nil ? "Fine." : planJSON)
    }
    let pairs = OverloadPairs(session: LanguageModelSession(model: model))
    #expect(
      try await pairs.answeredTexts() + pairs.streamedTexts()
        == Array(repeating: "Fine.", count: 12))
    let contents = try await pairs.answeredContents() + pairs.streamedContents()
    #expect(contents.map(\.jsonString) == Array(repeating: planJSON, count: 12))
    let plans = try await pairs.answeredPlans() + pairs.streamedPlans()
    #expect(plans.map(\.title) == Array(repeating: "Kyoto", count: 12))
    #expect(model.requests.count == 36)
    #expect(model.requests.allSatisfy { $0.generationOptions.temperature == 0.5 })
    // Half of them are of the second generation, and only these have metadata.
    let screens = try model.requests.map { try $0.metadata["screen"]?.value(String.self) }
    #expect(screens.filter { $0 == "home" }.count == 18)
    #expect(model.requests.filter { $0.contextOptions.includeSchemaInPrompt == true }.count == 30)
  }
}
