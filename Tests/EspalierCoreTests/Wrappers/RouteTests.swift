// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

private struct Broken: Error {}

@Suite struct RouteTests {
  private func answer(_ model: some LanguageModel, _ prompt: String = "Hi") async throws -> String {
    try await LanguageModelSession(model: model).respond(to: prompt).content
  }

  @Test func routes() async throws {
    let cheap = ScriptedLanguageModel([.text("cheap")], repeats: true)
    let dear = ScriptedLanguageModel([.text("dear")], repeats: true)
    let gone = ScriptedLanguageModel([.text("gone")])
    func route(_ order: RoutedLanguageModel.Order, confidence: Double = 1) -> RoutedLanguageModel {
      RoutedLanguageModel(
        [
          .init(gone, name: "gone", cost: 0, isAvailable: { false }),
          .init(dear, name: "dear", cost: 3),
          .init(cheap, name: "cheap", cost: 1, confidence: { _ in confidence }),
        ], order: order)
    }
    #expect(try await answer(route(.given)) == "dear")
    #expect(try await answer(route(.byCost)) == "cheap")
    #expect(try await answer(route(.byConfidence(minimum: 0.5))) == "cheap")
    #expect(try await answer(route(.byConfidence(minimum: 0.5), confidence: 0.2)) == "dear")
    let failing = FailingLanguageModel(dear, failingFirst: 1, with: Broken())
    #expect(try await answer(RoutedLanguageModel([.init(failing), .init(cheap)])) == "cheap")
    let refusing = FailingLanguageModel(
      dear, failingFirst: 1, with: LanguageModelError.refusal(.init(explanation: "No.")))
    await #expect(throws: LanguageModelError.self) {
      try await answer(RoutedLanguageModel([.init(refusing), .init(cheap)]))
    }
    await #expect(throws: RoutedLanguageModel.NoRoute.self) {
      try await answer(RoutedLanguageModel([.init(gone, isAvailable: { false })]))
    }
  }

  /// What was not streamed was not seen: another model may answer in its place.
  @Test func anotherModelAnswersWhereOneFailsInTheMiddle() async throws {
    func model() -> RoutedLanguageModel {
      let broken = ScriptedLanguageModel([.init([.text("Half "), .failure(Broken())])])
      return RoutedLanguageModel([.init(broken), .init(ScriptedLanguageModel([.text("whole")]))])
    }
    #expect(try await answer(model()) == "whole")
    let session = LanguageModelSession(model: model())
    await #expect(throws: Broken.self) {
      for try await snapshot in session.streamResponse(to: "Hi") {
        #expect("Half ".hasPrefix(snapshot.content))
      }
    }
  }

  /// A model of which answers with a choice are given with how sure it is.
  private func chooser(_ value: String, sure: Double?) -> ClosureModel {
    ClosureModel(capabilities: LanguageModelCapabilities([.guidedGeneration])) { request, channel in
      await channel.send(.response(action: .appendText("\"\(value)\"", tokenCount: 1)))
      guard let sure, request.generationOptions.measuresProbabilities else { return }
      let measure = ValueProbability(
        path: "", value: GeneratedContent(value), probability: sure, entropy: 1,
        cases: [.init(value: GeneratedContent(value), probability: sure)])
      await channel.send(.response(action: .updateMetadata([measure].metadata)))
    }
  }

  @Test(arguments: [(0.9, "small"), (0.4, "large"), (nil, "small")])
  func unsureAnswersGoOn(sure: Double?, expected: String) async throws {
    func choice(_ large: some LanguageModel) async throws -> String {
      let model = RoutedLanguageModel(
        [.init(large, cost: 2), .init(chooser("small", sure: sure), cost: 1)],
        order: .bySureness(minimum: 0.5))
      return try await LanguageModelSession(model: model)
        .choose("Which?", from: ["small", "large"]).value
    }
    #expect(try await choice(chooser("large", sure: 0.6)) == expected)
    // Where the next model fails, an unsure answer is better than none.
    let failing = FailingLanguageModel(
      chooser("large", sure: 1), failingFirst: 1, with: Broken())
    #expect(try await choice(failing) == "small")
  }

  /// Where all models find the transcript too long, the session's policy makes it shorter; and the
  /// error of the only model is the error.
  @Test func routesAndTheContext() async throws {
    let narrow = ScriptedLanguageModel([.text("x")], repeats: true, contextSize: 20)
    let wide = ScriptedLanguageModel([.text("x")], repeats: true, contextSize: 100)
    let routed = RoutedLanguageModel([.init(wide), .init(narrow)])
    #expect(routed.contextSize == 20)
    #expect(
      RoutedLanguageModel([.init(wide), .init(narrow, isAvailable: { false })]).contextSize == 100)
    let session = LanguageModelSession(model: routed)
    session.contextPolicy = .keepNewestTurns(reservedResponseTokens: 4)
    for _ in 0..<8 { try await session.respond(to: "one two three four") }
    #expect(session.transcript.count == 16)
    #expect(wide.requests.last?.transcript.count ?? 16 < 16)
    // Of models that do not count, only their errors say so.
    let strict = ClosureModel { request, channel in
      guard request.transcript.count <= 5 else {
        throw LanguageModelError.contextSizeExceeded(
          .init(
            contextSize: 5, tokenCount: request.transcript.count,
            debugDescription: "Too many entries."))
      }
      await channel.send(.response(action: .appendText("x", tokenCount: 1)))
    }
    let silent = LanguageModelSession(
      model: RoutedLanguageModel([.init(strict, name: "a"), .init(strict, name: "b")]))
    silent.contextPolicy = .keepNewestTurns(reservedResponseTokens: 0)
    for _ in 0..<8 { #expect(try await silent.respond(to: "Hi").content == "x") }
    let only = FailingLanguageModel(wide, failingFirst: 1, with: Broken())
    await #expect(throws: Broken.self) {
      try await answer(RoutedLanguageModel([.init(only)]))
    }
  }

  /// A model that this device cannot run.
  private struct MissingModel: WrappingLanguageModel {
    typealias Executor = WrappingExecutor<Self>
    let base = ScriptedLanguageModel([])
    var availability: SystemLanguageModel.Availability { .unavailable(.deviceNotEligible) }

    func respond(
      to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      throw LanguageModelError.timeout(.init(debugDescription: "Not there."))
    }
  }

  @Test func availabilityGoesThroughWrappers() async throws {
    let missing = RetryingLanguageModel(LoggingLanguageModel(MissingModel()) { _ in })
    #expect(missing.availability == .unavailable(.deviceNotEligible))
    let there = ScriptedLanguageModel([.text("x")], repeats: true)
    let routed = RoutedLanguageModel([.init(missing), .init(RetryingLanguageModel(there))])
    #expect(routed.availability == .available)
    #expect(try await answer(routed) == "x")
    #expect(RoutedLanguageModel([.init(missing)]).availability == missing.availability)
    #expect(RoutedLanguageModel([]).availability == .unavailable(.modelNotReady))
  }
}
