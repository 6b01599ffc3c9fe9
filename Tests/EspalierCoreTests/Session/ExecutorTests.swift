// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Synchronization
import Testing

/// How often executors were made, by configuration.
private final class Makings: Sendable {
  private let counts = Mutex<[String: Int]>([:])
  func note(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
  var byName: [String: Int] { counts.withLock { $0 } }
}

private struct NamedModel: LanguageModel {
  let name: String
  let makings: Makings
  var capabilities: LanguageModelCapabilities { .init() }
  var executorConfiguration: Executor.Configuration { .init(name: name, makings: makings) }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {
      let name: String
      let makings: Makings
      static func == (left: Self, right: Self) -> Bool { left.name == right.name }
      func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    struct Missing: Error {}
    let name: String

    init(configuration: Configuration) throws {
      configuration.makings.note(configuration.name)
      guard configuration.name != "missing" else { throw Missing() }
      name = configuration.name
    }

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: NamedModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      await channel.send(.response(action: .appendText(name, tokenCount: 1)))
    }
  }
}

private enum ChoiceKey: SessionPropertyKey { static let defaultValue = "a" }

private struct ChoosingProfile: LanguageModelSession.DynamicProfile {
  let makings: Makings
  let choice: String

  var body: some LanguageModelSession.DynamicProfile {
    LanguageModelSession.Profile { "Be kind." }.model(NamedModel(name: choice, makings: makings))
  }
}

private struct SwitchingProfile: LanguageModelSession.DynamicProfile {
  let makings: Makings
  @LanguageModelSession.SessionProperty(\.executorChoice) var choice

  var body: some LanguageModelSession.DynamicProfile {
    ChoosingProfile(makings: makings, choice: choice)
  }
}

extension SessionPropertyValues {
  fileprivate var executorChoice: String {
    get { self[ChoiceKey.self] }
    set { self[ChoiceKey.self] = newValue }
  }
}

@Suite struct ExecutorTests {
  @Test func oneForEachSessionAndConfiguration() async throws {
    let makings = Makings()
    let session = LanguageModelSession(model: NamedModel(name: "a", makings: makings))
    session.prewarm()
    for _ in 0..<3 { #expect(try await session.respond(to: "Who?").content == "a") }
    #expect(makings.byName == ["a": 1])
    let other = LanguageModelSession(model: NamedModel(name: "a", makings: makings))
    try await other.respond(to: "Who?")
    #expect(makings.byName == ["a": 2])
  }

  /// A profile that goes back to a model finds the executor that it left.
  @Test func aProfileThatSwitches() async throws {
    let makings = Makings()
    let session = LanguageModelSession(profile: SwitchingProfile(makings: makings))
    var answers: [String] = []
    for choice in ["a", "b", "a", "b", "a"] {
      session.properties.executorChoice = choice
      answers.append(try await session.respond(to: "Who?").content)
    }
    #expect(answers == ["a", "b", "a", "b", "a"])
    #expect(makings.byName == ["a": 1, "b": 1])
  }

  @Test func belowWrappersAndRoutesToo() async throws {
    let makings = Makings()
    let model = RetryingLanguageModel(
      RoutedLanguageModel([
        .init(NamedModel(name: "a", makings: makings)),
        .init(LoggingLanguageModel(NamedModel(name: "b", makings: makings)) { _ in }),
      ]))
    let session = LanguageModelSession(model: model)
    for _ in 0..<3 { try await session.respond(to: "Who?") }
    #expect(makings.byName == ["a": 1])
  }

  /// One that cannot be made is an error of the request, and is tried again by the next.
  @Test func oneThatCannotBeMade() async throws {
    let makings = Makings()
    let session = LanguageModelSession(model: NamedModel(name: "missing", makings: makings))
    for _ in 0..<2 {
      await #expect(throws: NamedModel.Executor.Missing.self) {
        try await session.respond(to: "Who?")
      }
      #expect(!session.isResponding && session.transcript.isEmpty)
    }
    #expect(makings.byName == ["missing": 2])
  }
}
